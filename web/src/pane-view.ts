// One pane: its heading, its notes and, of a small system, its phase portrait.

import type { App } from "./app";
import { paneColour } from "./colour";
import { change, removeCloud, removePane, sendInitialCloud } from "./commands";
import { get, ICONS, make } from "./dom";
import { short } from "./format";
import type { PaneModel } from "./model";
import { PhaseView } from "./phase";
import { showTab } from "./side";

export class PaneView {
  readonly element = make("section", { className: "pane" });
  readonly stage = make("div", { className: "stage" });
  readonly method = make("select");
  private readonly swatch = make("span", { className: "swatch" });
  private readonly note = make("p", { className: "note", hidden: true });
  private readonly time = make("span");
  private readonly steps = make("span");
  private readonly size = make("span", { className: "extra" });
  private readonly cost = make("span", { className: "extra" });
  private readonly label = make("span", { className: "label", hidden: true });
  private readonly axes = make("span", { className: "axes", hidden: true });
  readonly cloudButton = make("button", { type: "button", className: "text", textContent: "Cloud", hidden: true });
  readonly remove = make("button", { type: "button", innerHTML: ICONS.close });
  readonly open = make("button", { type: "button", innerHTML: ICONS.settings });
  phase: PhaseView | null = null;
  summary = "";
  outcome = { text: "", failed: false };

  constructor(readonly index: number, readonly app: App) {
    const name = `pane ${index + 1}`;
    this.element.setAttribute("aria-label", `Pane ${index + 1}`);
    this.element.dataset.pane = String(index);
    this.method.setAttribute("aria-label", `Method of ${name}`);
    this.open.setAttribute("aria-label", `Settings of ${name}`);
    this.open.title = "Settings";
    this.remove.setAttribute("aria-label", `Remove ${name}`);
    this.remove.title = "Remove this pane";
    this.cloudButton.setAttribute("aria-pressed", "false");
    this.cloudButton.setAttribute("aria-label", `Cloud of initial conditions in ${name}`);
    this.cloudButton.title = "Carry a cloud of initial conditions along: drag it, wheel to resize";
    this.element.append(
      this.stage,
      make("header", {}, this.swatch, this.method, this.label, this.axes, this.cloudButton, make("span", { className: "grow" }), this.open, this.remove),
      this.note,
      make("footer", {}, this.time, this.steps, this.size, this.cost),
    );
    this.method.addEventListener("change", () => change(app, index, [`integrator.method=${this.method.value}`]));
    this.remove.addEventListener("click", () => removePane(app, index));
    this.open.addEventListener("click", () => {
      app.select(index);
      showTab(app, "settings");
      get("settings-panel").scrollIntoView({ block: "nearest" });
    });
    this.cloudButton.addEventListener("click", () => this.toggleCloud());
    this.element.addEventListener("pointerdown", () => app.select(index), true);
  }

  restart(model: PaneModel): void {
    const { info } = model;
    this.element.dataset.kind = info.kind;
    this.note.hidden = true;
    const names = this.app.methods.map((m) => m.name);
    if (info.methodName && !names.includes(info.methodName)) names.push(info.methodName);
    this.method.replaceChildren(
      ...names.map((n) => make("option", { value: n, textContent: n, title: this.app.methods.find((m) => m.name === n)?.summary ?? "" })),
    );
    this.method.value = info.methodName;
    if (info.kind === "system") {
      if (this.phase) this.phase.restart(model);
      else {
        this.phase = new PhaseView(model, (cloud, last) => sendInitialCloud(this.app, this.index, cloud, last), () => this.app.redrawPhases());
        this.stage.replaceChildren(this.phase.canvas);
      }
      const several = info.coordinates.length > 1;
      this.axes.hidden = !several;
      this.cloudButton.hidden = several;
      this.cloudButton.setAttribute("aria-pressed", String(!!this.phase.initialCloud));
      if (several) this.axisSelectors();
    } else {
      this.phase = null;
      this.stage.replaceChildren();
      this.axes.hidden = this.cloudButton.hidden = true;
    }
    this.colour();
    this.update(model);
  }

  /** The method is another one only when the program says so. */
  restoreMethod(model: PaneModel): void {
    this.method.value = model.info.methodName;
  }

  /** What tells it from the other panes, beside its method. */
  showLabel(model: PaneModel | null): void {
    const text = model?.extra ?? "";
    this.label.textContent = this.label.title = text;
    this.label.hidden = !text;
  }

  colour(): void {
    const colour = paneColour(this.index);
    this.swatch.style.background = colour;
    this.element.style.setProperty("--pane", colour);
  }

  private axisSelectors(): void {
    const phase = this.phase!;
    const select = (label: string, value: number, set: (i: number) => void) => {
      const s = make("select", {}, ...phase.axes().map((n, i) => make("option", { value: String(i), textContent: n })));
      s.value = String(value);
      s.setAttribute("aria-label", `${label} axis of pane ${this.index + 1}`);
      s.addEventListener("change", () => {
        set(Number(s.value));
        phase.resetExtent();
      });
      return s;
    };
    this.axes.replaceChildren(
      select("Horizontal", phase.xAxis, (i) => { phase.xAxis = i; }), "×",
      select("Vertical", phase.yAxis, (i) => { phase.yAxis = i; }),
    );
  }

  /** A cloud that was there before this page was. */
  adoptCloud(model: PaneModel): void {
    if (!this.phase || !this.phase.adoptCloud()) return;
    model.cloudKnown = true;
    this.cloudButton.setAttribute("aria-pressed", "true");
    this.app.redrawPhases();
  }

  toggleCloud(): void {
    if (!this.phase) return;
    const model = this.app.models.get(this.index);
    if (model) model.cloudKnown = true;
    if (this.phase.initialCloud) {
      this.phase.initialCloud = null;
      removeCloud(this.app, this.index);
    } else {
      this.phase.initialCloud = this.phase.suggestInitialCloud();
      sendInitialCloud(this.app, this.index, this.phase.initialCloud, true);
    }
    this.cloudButton.setAttribute("aria-pressed", String(!!this.phase.initialCloud));
    this.app.redrawPhases();
  }

  update(model: PaneModel): void {
    const { info, frame, state } = model;
    const t = frame ? frame.t : 0;
    const step = frame?.frame ?? state?.frame ?? 0;
    const set = (element: HTMLElement, name: string, value: string) => {
      const html = `${name}|${value}`;
      if (element.dataset.shown === html) return;
      element.dataset.shown = html;
      element.replaceChildren(`${name} `, make("b", { textContent: value }));
    };
    const time = t.toFixed(Math.max(2, Math.min(6, info.step > 0 ? Math.ceil(-Math.log10(info.step)) + 1 : 3)));
    set(this.time, "t", time);
    set(this.steps, "step", info.steps > 0 ? `${step} / ${info.steps}` : String(step));
    set(this.size, "h", short(info.step));
    this.cost.hidden = !state?.msPerStep;
    set(this.cost, "ms/step", short(state?.msPerStep, 3));
    this.summary = `t = ${time}   step ${step}   h = ${short(info.step)}`;
    const failed = info.error ?? state?.failed ?? null;
    const loading = this.app.loading.has(this.index);
    const text = loading ? "Loading …" : failed ? `${info.error ? "Cannot run" : "Failed"}: ${failed}` : state?.finished ? "Finished" : "";
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = !text;
    this.note.classList.toggle("failed", !!failed && !loading);
    this.outcome = { text, failed: !!failed };
  }
}
