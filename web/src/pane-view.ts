// One pane: its heading, its notes and, of a small system, its phase portrait.

import type { App } from "./app";
import { paneColour } from "./colour";
import { change, removeCloud, removePane, sendInitialCloud } from "./commands";
import { get, ICONS, make } from "./dom";
import { short } from "./format";
import type { PaneModel } from "./model";
import { PhaseView } from "./phase";
import { showTab } from "./side";
import { areaFactor } from "./area";
import type { InitialCloud } from "./initial-cloud";

export class PaneView {
  readonly element = make("section", { className: "pane" });
  readonly stage = make("div", { className: "stage" });
  readonly method = make("select");
  private readonly swatch = make("span", { className: "swatch" });
  private readonly note = make("p", { className: "note", hidden: true });
  private readonly time = make("span");
  private readonly steps = make("span");
  private readonly size = make("span", { className: "extra" });
  private readonly verdict = make("span", { className: "verdict", hidden: true });
  private readonly cost = make("span", { className: "extra" });
  private readonly label = make("span", { className: "label", hidden: true });
  private readonly axes = make("span", { className: "axes", hidden: true });
  private readonly mode = make("select", { className: "mode", hidden: true });
  private readonly area = make("span", { hidden: true });
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
      make("header", {}, this.swatch, this.method, this.label, this.mode, this.axes, this.cloudButton, make("span", { className: "grow" }), this.open, this.remove),
      this.note,
      make("footer", {}, this.time, this.steps, this.area, this.size, this.cost, this.verdict),
    );
    this.method.addEventListener("change", () => change(app, index, [`integrator.method=${this.method.value}`]));
    this.remove.addEventListener("click", () => removePane(app, index));
    this.open.addEventListener("click", () => {
      app.select(index);
      showTab(app, "settings");
      get("settings-panel").scrollIntoView({ block: "nearest" });
    });
    this.cloudButton.addEventListener("click", () => this.toggleCloud());
    this.mode.setAttribute("aria-label", `What is shown in ${name}`);
    this.mode.title = "What is shown: the motion in space, the phase portrait, or a section through it";
    this.mode.addEventListener("change", () => this.app.likeSystems(index).forEach((v) => v.show(this.mode.value)));
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
        this.phase = new PhaseView(model, (cloud, last) => this.cloudMoved(cloud, last), () => this.app.redrawPhases(),
          () => this.app.likeSystems(this.index).map((v) => v.phase!));
        this.stage.replaceChildren(this.phase.canvas);
      }
      // As the other panes of the scene have it.
      const other = this.app.likeSystems(this.index).find((v) => v !== this)?.phase;
      if (other) {
        Object.assign(this.phase, { xAxis: other.xAxis, yAxis: other.yAxis, mode: other.mode });
        if (other.initialCloud && !this.phase.initialCloud) this.phase.initialCloud = structuredClone(other.initialCloud);
      }
      const modes = this.phase.modes();
      this.mode.replaceChildren(...modes.map(([value, textContent]) => make("option", { value, textContent })));
      this.show(this.phase.mode);
    } else {
      this.phase = null;
      this.stage.replaceChildren();
      this.axes.hidden = this.cloudButton.hidden = this.mode.hidden = this.area.hidden = true;
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

  /** The motion, the phase portrait or a section. */
  show(mode: string): void {
    const phase = this.phase!, several = (this.app.models.get(this.index)?.info.coordinates.length ?? 0) > 1;
    phase.setMode(mode);
    this.mode.hidden = this.mode.options.length < 2;
    this.mode.value = phase.mode;
    this.axes.hidden = !several || phase.mode !== "phase";
    this.cloudButton.hidden = several;
    this.cloudButton.setAttribute("aria-pressed", String(!!phase.initialCloud));
    if (several) this.axisSelectors();
    this.app.redrawPhases();
  }

  /** The same cloud in all panes of the scene. */
  private cloudMoved(cloud: InitialCloud, last: boolean): void {
    for (const v of this.app.likeSystems(this.index)) {
      if (v !== this) v.phase!.initialCloud = structuredClone(cloud);
      v.phase!.adopted = false;
      sendInitialCloud(this.app, v.index, cloud, last);
    }
  }

  private axisSelectors(): void {
    const phase = this.phase!;
    const select = (label: string, value: number, set: (phase: PhaseView, i: number) => void) => {
      const s = make("select", {}, ...phase.axes().map((n, i) => make("option", { value: String(i), textContent: n })));
      s.value = String(value);
      s.setAttribute("aria-label", `${label} axis of pane ${this.index + 1}`);
      s.addEventListener("change", () => {
        for (const v of this.app.likeSystems(this.index)) {
          set(v.phase!, Number(s.value));
          v.phase!.resetExtent();
          v.axisSelectors();
        }
      });
      return s;
    };
    this.axes.replaceChildren(
      select("Horizontal", phase.xAxis, (p, i) => { p.xAxis = i; }), "×",
      select("Vertical", phase.yAxis, (p, i) => { p.yAxis = i; }),
    );
  }

  /** A cloud that was there before this page was. */
  adoptCloud(model: PaneModel): void {
    if (!this.phase || !this.phase.adoptCloud()) return;
    model.cloudKnown = true;
    this.show("phase");
    this.app.redrawPhases();
  }

  toggleCloud(): void {
    if (!this.phase) return;
    const cloud = this.phase.initialCloud ? null : this.phase.suggestInitialCloud();
    for (const v of this.app.likeSystems(this.index)) {
      const model = this.app.models.get(v.index);
      if (model) model.cloudKnown = true;
      v.phase!.initialCloud = cloud && structuredClone(cloud);
      v.phase!.adopted = false;
      if (cloud) {
        sendInitialCloud(this.app, v.index, cloud, true);
        v.show("phase");
      } else removeCloud(this.app, v.index);
      v.cloudButton.setAttribute("aria-pressed", String(!!cloud));
    }
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
    const cloud = model.cloudPoints, began = this.phase?.initialCloud;
    this.area.hidden = !cloud || !began || this.phase!.adopted;
    if (cloud && began && !this.area.hidden) set(this.area, "area ×", Number.isFinite(areaFactor(cloud, began)) ? areaFactor(cloud, began).toFixed(3) : "–");
    this.summary = `t = ${time}   step ${step}   h = ${short(info.step)}`;
    const failed = info.error ?? state?.failed ?? null;
    const loading = this.app.loading.has(this.index);
    const text = loading ? "Loading …" : failed ? `${info.error ? "Cannot run" : "Failed"}: ${failed}` : state?.interrupted ? "Interrupted before its end" : state?.finished && state.frame + 1 >= state.frames ? "Finished" : "";
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = !text;
    // Of what was kept the first, which is the energy; all of it where one points at it.
    const kept = !loading && !failed && state?.finished ? state.kept : [], told = kept.find((v) => v.verdict);
    this.verdict.hidden = !told;
    this.verdict.textContent = told?.text ?? "";
    this.verdict.className = `verdict ${told?.verdict ?? ""}`;
    this.verdict.title = kept.map((v) => v.text).join("\n");
    this.note.classList.toggle("failed", !!failed && !loading);
    this.note.classList.toggle("interrupted", !failed && !loading && !!state?.interrupted);
    this.outcome = { text, failed: !!failed };
  }
}
