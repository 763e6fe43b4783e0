import { compose, download, Recorder, type Source } from "./capture";
import { onSchemeChange, paneColour, rampCss } from "./colour";
import { Connection, type ConnectionState } from "./connection";
import { short } from "./format";
import { mergeSettings, PaneModel, settingOf } from "./model";
import { PhaseView, type CloudSpec } from "./phase";
import { Plots } from "./plots";
import type { BinaryMessage, ClientMessage, Method, OpenPane, PaneInfo, ServerMessage, State } from "./protocol";
import { View3D, type ColourBy, type Rect } from "./view3d";

const get = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const make = <K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const ICONS = {
  play: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 4v12l10-6z"/></svg>',
  pause: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5.5 4.5h3v11h-3zM11.5 4.5h3v11h-3z"/></svg>',
  settings: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h7M15 6h2M3 14h2M10 14h7"/><circle cx="12.5" cy="6" r="2.2"/><circle cx="7.5" cy="14" r="2.2"/></svg>',
  close: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5L5 15"/></svg>',
};
const COMPARE = ["avf", "implicit-midpoint", "newmark", "backward-euler"];
const MAX_PANES = 4;

class PaneView {
  readonly element = make("section", { className: "pane" });
  readonly stage = make("div", { className: "stage" });
  readonly method = make("select");
  private readonly swatch = make("span", { className: "swatch" });
  private readonly note = make("p", { className: "note", hidden: true });
  private readonly time = make("span");
  private readonly steps = make("span");
  private readonly size = make("span", { className: "extra" });
  private readonly cost = make("span", { className: "extra" });
  private readonly axes = make("span", { className: "axes", hidden: true });
  private readonly cloudButton = make("button", { type: "button", className: "text", textContent: "Cloud", hidden: true });
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
      make("header", {}, this.swatch, this.method, this.axes, this.cloudButton, make("span", { className: "grow" }), this.open, this.remove),
      this.note,
      make("footer", {}, this.time, this.steps, this.size, this.cost),
    );
    this.method.addEventListener("change", () => app.change(index, [`integrator.method=${this.method.value}`]));
    this.remove.addEventListener("click", () => app.removePane(index));
    this.open.addEventListener("click", () => {
      app.select(index);
      app.showTab("settings");
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
    if (!names.includes(info.methodName)) names.push(info.methodName);
    this.method.replaceChildren(
      ...names.map((n) => make("option", { value: n, textContent: n, title: this.app.methods.find((m) => m.name === n)?.summary ?? "" })),
    );
    this.method.value = info.methodName;
    this.method.title = info.method;
    if (info.kind === "system") {
      if (this.phase) this.phase.restart(model);
      else {
        this.phase = new PhaseView(model, (cloud, last) => this.app.sendCloud(this.index, cloud, last), () => this.app.redrawPhases());
        this.stage.replaceChildren(this.phase.canvas);
      }
      const several = info.coordinates.length > 1;
      this.axes.hidden = !several;
      this.cloudButton.hidden = several;
      this.cloudButton.setAttribute("aria-pressed", String(!!this.phase.cloud));
      if (several) this.axisSelectors();
    } else {
      this.phase = null;
      this.stage.replaceChildren();
      this.axes.hidden = this.cloudButton.hidden = true;
    }
    this.colour();
    this.update(model);
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

  toggleCloud(): void {
    if (!this.phase) return;
    if (this.phase.cloud) {
      this.phase.cloud = null;
      this.app.removeCloud(this.index);
    } else {
      this.phase.cloud = this.phase.suggestCloud();
      this.app.sendCloud(this.index, this.phase.cloud, true);
    }
    this.cloudButton.setAttribute("aria-pressed", String(!!this.phase.cloud));
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
    const text = failed ? `${info.error ? "Cannot run" : "Failed"}: ${failed}` : state?.finished ? "Finished" : "";
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = !text;
    this.note.classList.toggle("failed", !!failed);
    this.outcome = { text, failed: !!failed };
  }
}

class App {
  readonly models = new Map<number, PaneModel>();
  readonly views = new Map<number, PaneView>();
  methods: Method[] = [];
  scenes: string[] = [];
  version = "";
  state: State | null = null;
  connectionState: ConnectionState = "connecting";
  rowsReceived = 0;
  framesReceived = 0;
  malformed = 0;
  private selected = 0;
  private tab: "plots" | "settings" = "plots";
  private plotsDirty = true;
  private phasesDirty = true;
  private layoutDirty = true;
  private lastPlot = 0;
  private scrubbing = false;
  private pendingOpen: string | null = null;
  private readonly grid = get<HTMLDivElement>("views");
  private readonly gl = get<HTMLCanvasElement>("gl");
  readonly view = new View3D(this.gl);
  readonly plots = new Plots(get("plots-panel"), () => this.models.get(this.selected)?.frame?.t ?? null);
  readonly recorder = new Recorder();
  private readonly connection: Connection;
  private rects = new Map<number, Rect>();

  constructor() {
    this.controls();
    this.pointers();
    new ResizeObserver(() => { this.layoutDirty = true; }).observe(this.grid);
    new ResizeObserver(() => { this.plotsDirty = true; }).observe(get("plots-panel"));
    onSchemeChange(() => {
      for (const v of this.views.values()) v.colour();
      this.plots.rebuild();
      this.view.recolour();
      this.chips();
      this.plotsDirty = this.phasesDirty = true;
    });
    if (!this.view.renderer) this.toast("This browser gives no WebGL: bodies cannot be drawn, but the plots work.");
    this.connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
      state: (s) => this.connected(s),
      text: (m) => this.receive(m),
      binary: (m) => this.receiveBinary(m),
      malformed: (why) => {
        this.malformed++;
        this.toast(`A message was not understood: ${why}`);
      },
      systemPane: (pane) => this.models.get(pane)?.info.kind === "system",
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  // Messages

  send(message: ClientMessage): void {
    if (!this.connection.send(message)) this.toast("Not connected to the program.");
  }

  private connected(state: ConnectionState): void {
    this.connectionState = state;
    const element = get("connection");
    element.dataset.state = state;
    element.lastElementChild!.textContent = { connecting: "Connecting", connected: "Connected", lost: "Reconnecting" }[state];
    if (!this.models.size) get("empty").textContent = state === "connected" ? "Waiting for a scene …" : "Waiting for the program …";
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case "setup": {
        this.methods = message.methods;
        this.scenes = message.scenes;
        this.version = message.version;
        get("connection").title = message.version ? `Lilyan ${message.version}` : "";
        for (const pane of [...this.models.keys()]) this.drop(pane);
        this.sceneList();
        break;
      }
      case "pane":
        this.restart(message);
        break;
      case "rows": {
        const model = this.models.get(message.pane);
        if (!model || model.info.run !== message.run) break;
        for (const row of message.rows) model.series.push(row);
        model.rowsReceived += message.rows.length;
        this.rowsReceived += message.rows.length;
        this.plotsDirty = true;
        break;
      }
      case "state":
        this.applyState(message);
        break;
      case "error":
        this.toast(message.message);
        break;
    }
  }

  private receiveBinary(message: BinaryMessage): void {
    const model = this.models.get(message.pane);
    if (!model || model.info.run !== message.run) return;
    if (message.kind === "mesh") {
      model.mesh = message;
      this.view.mesh(message.pane);
    } else if (message.kind === "frame") {
      const expected = model.info.kind === "system" ? model.info.coordinates.length : model.mesh ? model.mesh.rest.length / 3 : -1;
      if (message.nv !== expected) throw new Error(`a frame has ${message.nv} vertices and not ${expected}`);
      model.frame = message;
      model.framesReceived++;
      this.framesReceived++;
      if (model.info.kind === "system") {
        model.path.put(message.frame, message.t, model.q(), model.v());
        this.phasesDirty = this.plotsDirty = true;
      } else this.view.frameArrived(message.pane);
      this.views.get(message.pane)?.update(model);
    } else {
      model.cloud = message.q.length ? message : null;
      this.phasesDirty = true;
    }
  }

  private restart(info: PaneInfo): void {
    const before = this.models.get(info.pane)?.info;
    if (before && before.run > info.run) return;
    const model = new PaneModel(info);
    const fresh = !before || before.scene !== info.scene;
    this.models.set(info.pane, model);
    let view = this.views.get(info.pane);
    if (!view) {
      view = new PaneView(info.pane, this);
      this.views.set(info.pane, view);
    }
    for (const i of [...this.views.keys()].sort()) this.grid.append(this.views.get(i)!.element);
    view.restart(model);
    if (view.phase?.cloud) this.sendCloud(info.pane, view.phase.cloud, true);
    if (fresh && ![...this.models.values()].some((m) => m !== model && m.info.scene === info.scene && m.mesh)) this.view.unframe();
    this.view.restart(model);
    if (!this.models.has(this.selected)) this.selected = info.pane;
    this.plots.zoom(null);
    this.layout();
    this.sceneList();
    if (this.selected === info.pane) this.settings();
  }

  private drop(pane: number): void {
    this.models.delete(pane);
    this.view.remove(pane);
    this.views.get(pane)?.element.remove();
    this.views.delete(pane);
    if (this.selected === pane) this.selected = Math.min(...this.models.keys(), 3);
    if (!this.models.has(this.selected)) this.selected = 0;
    this.layout();
    this.settings();
  }

  private applyState(state: State): void {
    this.state = state;
    const listed = new Set(state.panes.map((p) => p.pane));
    if (listed.size) for (const pane of [...this.models.keys()]) if (!listed.has(pane)) this.drop(pane);
    let frame = 0, frames = 0;
    for (const p of state.panes) {
      const model = this.models.get(p.pane);
      if (!model || model.info.run !== p.run) continue;
      model.state = p;
      frame = Math.max(frame, p.frame);
      frames = Math.max(frames, p.frames);
      this.views.get(p.pane)?.update(model);
    }
    const play = get<HTMLButtonElement>("play");
    if (play.dataset.playing !== String(state.playing)) {
      play.dataset.playing = String(state.playing);
      play.innerHTML = state.playing ? ICONS.pause : ICONS.play;
      play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    }
    const scrub = get<HTMLInputElement>("scrub");
    scrub.max = String(Math.max(0, frames - 1));
    if (!this.scrubbing) scrub.value = String(frame);
    get("counter").textContent = `${this.scrubbing ? scrub.value : frame} / ${Math.max(0, frames - 1)}`;
    const speed = get<HTMLSelectElement>("speed");
    if (document.activeElement !== speed) {
      const value = String(state.speed);
      if (![...speed.options].some((o) => o.value === value)) speed.append(new Option(`× ${short(state.speed)}`, value));
      speed.value = value;
    }
  }

  // What the controls do

  change(pane: number, settings: string[]): void {
    this.send({ type: "change", pane, settings });
  }

  private open(panes: OpenPane[]): void {
    this.pendingOpen = panes[0]?.scene ?? null;
    this.send({ type: "open", panes });
  }

  private current(): OpenPane[] {
    return this.ordered().map((m) => ({ scene: m.info.scene, settings: mergeSettings(m.info.settings) }));
  }

  private ordered(): PaneModel[] {
    return [...this.models.values()].sort((a, b) => a.index - b.index);
  }

  private addPane(): void {
    const model = this.models.get(this.selected);
    if (!model || this.models.size >= MAX_PANES) return;
    const used = new Set(this.ordered().map((m) => m.info.methodName));
    const method = [...COMPARE, ...this.methods.map((m) => m.name)].find((m) => !used.has(m)) ?? model.info.methodName;
    this.open([...this.current(), { scene: model.info.scene, settings: mergeSettings(model.info.settings, [`integrator.method=${method}`]) }]);
  }

  removePane(pane: number): void {
    const rest = this.ordered().filter((m) => m.index !== pane);
    if (!rest.length) return;
    this.open(rest.map((m) => ({ scene: m.info.scene, settings: mergeSettings(m.info.settings) })));
  }

  private compare(): void {
    const model = this.models.get(this.selected);
    const scene = model?.info.scene ?? get<HTMLSelectElement>("scene").value;
    if (!scene) return;
    const base = mergeSettings(model?.info.settings ?? []).filter((s) => !s.startsWith("integrator.method="));
    this.open(COMPARE.map((m) => ({ scene, settings: [...base, `integrator.method=${m}`] })));
  }

  private pickScene(scene: string): void {
    // Methods compared stay compared; other settings belong to the scene that is left.
    const panes = this.ordered();
    if (panes.length > 1) this.open(panes.map((m) => ({ scene, settings: [`integrator.method=${m.info.methodName}`] })));
    else this.open([{ scene, settings: [] }]);
  }

  private cloudTimers = new Map<number, number>();
  sendCloud(pane: number, cloud: CloudSpec, last: boolean): void {
    const now = performance.now();
    if (!last && now - (this.cloudTimers.get(pane) ?? -1e9) < 100) return;
    this.cloudTimers.set(pane, now);
    this.send({ type: "cloud", pane, center: [...cloud.center], radius: [...cloud.radius], count: cloud.count });
  }
  removeCloud(pane: number): void {
    const model = this.models.get(pane);
    if (model) model.cloud = null;
    this.send({ type: "cloud", pane, count: 0 });
  }
  redrawPhases(): void {
    this.phasesDirty = true;
  }

  private togglePlay(): void {
    this.send({ type: this.state?.playing ? "pause" : "play" });
  }

  private controls(): void {
    const click = (id: string, f: () => void) => get(id).addEventListener("click", f);
    get("play").innerHTML = ICONS.play;
    click("play", () => this.togglePlay());
    click("step", () => this.send({ type: "step" }));
    click("reset", () => this.send({ type: "reset" }));
    click("compare", () => this.compare());
    click("add", () => this.addPane());
    click("frame-all", () => this.view.frameAll());
    const toggle = (id: string, f: (on: boolean) => void) =>
      click(id, () => {
        const on = get(id).getAttribute("aria-pressed") !== "true";
        get(id).setAttribute("aria-pressed", String(on));
        f(on);
      });
    toggle("wire", (on) => { this.view.wireframe = on; this.view.dirty = true; });
    toggle("grid", (on) => { this.view.grid = on; this.view.recolour(); });
    toggle("pull", (on) => this.grid.classList.toggle("pulling", on));
    get("scene").addEventListener("change", () => this.pickScene(get<HTMLSelectElement>("scene").value));
    const colour = get<HTMLSelectElement>("colour");
    colour.addEventListener("change", () => {
      this.view.colourBy = colour.value as ColourBy;
      this.view.hold = get<HTMLInputElement>("hold").checked = false;
      get("bar-title").textContent = colour.selectedOptions[0].textContent;
      get("bar").hidden = colour.value === "body";
      this.layoutDirty = true;
      this.view.recolour();
    });
    (document.querySelector(".ramp") as HTMLElement).style.background = rampCss;
    get("hold").addEventListener("change", () => {
      this.view.hold = get<HTMLInputElement>("hold").checked;
      this.view.recolour();
    });
    get("speed").addEventListener("change", () => this.send({ type: "speed", value: Number(get<HTMLSelectElement>("speed").value) }));
    const scrub = get<HTMLInputElement>("scrub");
    let sent = -1, timer = 0;
    const seek = () => {
      timer = 0;
      const frame = Number(scrub.value);
      if (frame !== sent) this.send({ type: "seek", frame });
      sent = frame;
    };
    scrub.addEventListener("input", () => {
      this.scrubbing = true;
      if (!timer) timer = window.setTimeout(seek, 40);
    });
    scrub.addEventListener("change", () => {
      clearTimeout(timer);
      seek();
      sent = -1;
      this.scrubbing = false;
    });
    for (const id of ["drift", "log"] as const)
      get(id).addEventListener("change", () => {
        this.plots[id] = get<HTMLInputElement>(id).checked;
        this.updatePlots();
      });
    click("tab-plots", () => this.showTab("plots"));
    click("tab-settings", () => this.showTab("settings"));
    (document.querySelector(".tabs") as HTMLElement).addEventListener("keydown", (e) => {
      if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
      e.stopPropagation();
      this.showTab(this.tab === "plots" ? "settings" : "plots");
      get(`tab-${this.tab}`).focus();
    });
    click("png", () => this.picture());
    get<HTMLButtonElement>("webm").disabled = !Recorder.supported();
    click("webm", () => void this.film());
    window.addEventListener("keydown", (e) => this.key(e));
    // A button pressed with the pointer does not keep the space bar from playing.
    document.addEventListener("click", (e) => {
      if (e.detail > 0) (e.target as HTMLElement).closest<HTMLElement>("button")?.blur();
    });
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = e.target as HTMLElement;
    if (at.closest("input[type=text], input[type=number], textarea")) return;
    const control = at.closest("button, select, input, [role=tab]");
    const letter = e.key.toLowerCase();
    const turn = e.shiftKey ? { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] }[e.key] : undefined;
    if (turn && !control) this.view.orbit(turn[0], turn[1]);
    else if ((e.key === "+" || e.key === "-") && !control) this.view.zoom(e.key === "+" ? 1 / 1.15 : 1.15);
    else if (e.key === " " && !control) this.togglePlay();
    else if (e.key === "ArrowRight" && !at.closest("select, input, [role=tab], [role=radio]")) this.send({ type: "step" });
    else if (at.closest("select")) return;
    else if (letter === "r") this.send({ type: "reset" });
    else if (letter === "w") get("wire").click();
    else if (letter === "g") get("grid").click();
    else if (letter === "p") get("pull").click();
    else if (letter === "f") get("frame-all").click();
    else return;
    e.preventDefault();
  }

  private pointers(): void {
    const pointers = new Map<number, { x: number; y: number }>();
    let mode: "orbit" | "pan" | "pull" | null = null, pane = 0, lastSent = 0, pending = 0, span = 0;
    let target: [number, number, number] = [0, 0, 0], vertex = -1;
    const rectOf = (index: number): Rect => {
      const r = this.views.get(index)!.stage.getBoundingClientRect();
      return { x: r.x, y: r.y, width: r.width, height: r.height };
    };
    const sendPull = () => {
      pending = 0;
      lastSent = performance.now();
      if (mode === "pull") this.send({ type: "pull", pane, vertex, target: [...target] });
    };
    const release = () => {
      if (mode === "pull") {
        clearTimeout(pending);
        pending = 0;
        this.send({ type: "release", pane });
        this.view.endPull();
      }
      mode = null;
    };
    this.grid.addEventListener("pointerdown", (e) => {
      const stage = (e.target as HTMLElement).closest<HTMLElement>(".stage");
      const section = stage?.closest<HTMLElement>(".pane");
      if (!stage || !section || section.dataset.kind === "system") return;
      pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      stage.setPointerCapture(e.pointerId);
      if (pointers.size === 2) {
        release();
        mode = "pan";
        const [a, b] = [...pointers.values()];
        span = Math.hypot(a.x - b.x, a.y - b.y);
        return;
      }
      pane = Number(section.dataset.pane);
      if (e.button === 0 && (e.shiftKey || get("pull").getAttribute("aria-pressed") === "true")) {
        const start = this.view.startPull(pane, e.clientX, e.clientY, rectOf(pane));
        if (start) {
          mode = "pull";
          vertex = start.vertex;
          target = start.target.toArray();
          sendPull();
          return;
        }
      }
      mode = e.button === 0 ? "orbit" : "pan";
    });
    this.grid.addEventListener("pointermove", (e) => {
      const last = pointers.get(e.pointerId);
      if (!last || !mode) return;
      const dx = e.clientX - last.x, dy = e.clientY - last.y;
      last.x = e.clientX;
      last.y = e.clientY;
      if (mode === "orbit") this.view.orbit(dx, dy);
      else if (mode === "pan") {
        const share = pointers.size || 1;
        if (this.views.has(pane)) this.view.pan(dx / share, dy / share, rectOf(pane).height);
        if (pointers.size === 2) {
          const [a, b] = [...pointers.values()];
          const now = Math.hypot(a.x - b.x, a.y - b.y);
          if (span > 0 && now > 0) this.view.zoom(span / now);
          span = now;
        }
      } else if (this.views.has(pane)) {
        const moved = this.view.movePull(e.clientX, e.clientY, rectOf(pane));
        if (!moved) return;
        target = moved.toArray();
        if (!pending) pending = window.setTimeout(sendPull, Math.max(0, 33 - (performance.now() - lastSent)));
      }
    });
    const end = (e: PointerEvent) => {
      if (!pointers.delete(e.pointerId)) return;
      if (pending && mode === "pull") {
        clearTimeout(pending);
        sendPull();
      }
      release();
      if (pointers.size) mode = "orbit";
    };
    this.grid.addEventListener("pointerup", end);
    this.grid.addEventListener("pointercancel", end);
    window.addEventListener("blur", () => {
      pointers.clear();
      release();
    });
    this.grid.addEventListener("contextmenu", (e) => {
      if ((e.target as HTMLElement).closest(".stage")) e.preventDefault();
    });
    this.grid.addEventListener("wheel", (e) => {
      const section = (e.target as HTMLElement).closest<HTMLElement>(".pane");
      if (!section || section.dataset.kind === "system") return;
      e.preventDefault();
      this.view.zoom(Math.exp(0.0012 * e.deltaY));
    }, { passive: false });
  }

  // What is shown

  select(pane: number): void {
    if (this.selected === pane || !this.models.has(pane)) return;
    this.selected = pane;
    this.layout();
    this.settings();
    this.updatePlots();
  }

  showTab(tab: "plots" | "settings"): void {
    this.tab = tab;
    for (const name of ["plots", "settings"] as const) {
      get(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
      get(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      get(`${name}-panel`).hidden = name !== tab;
    }
    (document.querySelector(".plot-options") as HTMLElement).hidden = tab !== "plots";
    if (tab === "settings") this.settings();
    this.plotsDirty = true;
  }

  private sceneList(): void {
    const select = get<HTMLSelectElement>("scene");
    const shown = this.ordered()[0]?.info.scene ?? this.pendingOpen ?? "";
    const names = [...this.scenes];
    if (shown && !names.includes(shown)) names.unshift(shown);
    select.replaceChildren(...(shown ? [] : [new Option("Choose a scene", "")]), ...names.map((n) => new Option(n, n)));
    select.value = shown;
    const title = this.ordered()[0]?.info.title;
    document.title = title ? `${title} · Lilyan` : "Lilyan";
  }

  private layout(): void {
    const count = this.models.size;
    this.grid.dataset.count = String(count);
    get("empty").hidden = count > 0;
    const systems = count > 0 && this.ordered().every((m) => m.info.kind === "system");
    get("view-tools").hidden = systems;
    get("bar").hidden = systems || this.view.colourBy === "body";
    get<HTMLButtonElement>("add").disabled = count === 0 || count >= MAX_PANES;
    for (const [i, v] of this.views) {
      v.element.classList.toggle("selected", i === this.selected);
      v.remove.hidden = count < 2;
    }
    this.chips();
    this.layoutDirty = this.plotsDirty = this.phasesDirty = true;
  }

  private chips(): void {
    const holder = get("chips");
    holder.hidden = this.models.size < 2;
    const had = holder.contains(document.activeElement);
    holder.replaceChildren(
      ...this.ordered().map((m) => {
        const on = m.index === this.selected;
        const mark = make("i", { className: "swatch" });
        mark.style.background = paneColour(m.index);
        const chip = make("button", { type: "button", tabIndex: on ? 0 : -1 }, mark, make("span", { textContent: m.info.methodName }));
        chip.style.setProperty("--pane", paneColour(m.index));
        chip.setAttribute("role", "radio");
        chip.setAttribute("aria-checked", String(on));
        chip.addEventListener("click", () => this.select(m.index));
        chip.addEventListener("keydown", (e) => {
          const way = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
          if (!way) return;
          e.preventDefault();
          e.stopPropagation();
          const all = this.ordered();
          this.select(all[(all.indexOf(m) + way + all.length) % all.length].index);
          holder.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
        });
        if (on && had) queueMicrotask(() => chip.focus());
        return chip;
      }),
    );
  }

  private settings(): void {
    const panel = get("settings-panel");
    const model = this.models.get(this.selected);
    if (!model) {
      panel.replaceChildren(make("p", { className: "sub", textContent: "No scene is open." }));
      return;
    }
    const { info } = model;
    const fields: { key: string; input: HTMLInputElement | HTMLSelectElement; before: string }[] = [];
    const row = (label: string, key: string, input: HTMLInputElement | HTMLSelectElement) => {
      input.name = key;
      fields.push({ key, input, before: input.value });
      return make("label", { className: "row" }, make("span", { textContent: label }), input);
    };
    const numeric = (value: string, placeholder = "") => make("input", { type: "number", step: "any", value, placeholder });
    const group = (name: string, ...rows: Node[]) => make("fieldset", {}, make("legend", { textContent: name }), ...rows);

    const method = make("select", {}, ...this.views.get(info.pane)!.method.cloneNode(true).childNodes);
    method.value = info.methodName;
    const step = numeric(String(info.step));
    const form = make("form", {}, group("Integrator", row("Method", "integrator.method", method), row("Step size", "integrator.step", step)));
    if (info.material && Object.keys(info.material).length)
      form.append(group("Material", ...Object.entries(info.material).map(([k, v]) => row(k, `body.0.material.${k}`, numeric(String(v))))));
    if (info.kind === "body") {
      const damping = (key: string) => numeric(settingOf(info.settings, key) ?? "", "as in the scene");
      form.append(
        group(
          "Damping",
          row("Stiffness", "body.0.damping.stiffness", damping("body.0.damping.stiffness")),
          row("Mass", "body.0.damping.mass", damping("body.0.damping.mass")),
        ),
      );
    }
    const other = make("input", { type: "text", placeholder: info.kind === "body" ? "world.gravity=[0, -1.6, 0]" : "system.angle=90", name: "other" });
    other.setAttribute("spellcheck", "false");
    form.append(
      group("Any other setting", make("label", { className: "row" }, make("span", { textContent: "key=value" }), other)),
      make("div", { className: "actions" },
        make("button", { type: "submit", className: "primary", textContent: "Apply and restart" }),
        make("button", { type: "button", id: "apply-all", textContent: "Apply to all panes", hidden: this.models.size < 2 })),
    );
    const gather = (): string[] => {
      const settings = fields.filter((f) => f.input.value !== f.before && f.input.value !== "").map((f) => `${f.key}=${f.input.value}`);
      if (other.value.includes("=")) settings.push(other.value.trim());
      return settings;
    };
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const settings = gather();
      if (settings.length) this.change(info.pane, settings);
      else this.toast("Nothing was changed.");
    });
    form.querySelector("#apply-all")!.addEventListener("click", () => {
      const settings = gather();
      if (settings.length) for (const m of this.ordered()) this.change(m.index, settings);
      else this.toast("Nothing was changed.");
    });
    panel.replaceChildren(
      make("h2", { textContent: info.title }),
      make("p", { className: "sub", textContent: [info.method, info.kind === "body" ? `${info.vertices} vertices` : info.coordinates.slice(0, 6).join(", ")].filter(Boolean).join(" · ") }),
      form,
    );
    const set = mergeSettings(info.settings);
    if (set.length)
      panel.append(group("Set for this pane", make("ul", {}, ...set.map((s) => make("li", { textContent: s })))));
  }

  private updatePlots(): void {
    this.plotsDirty = false;
    this.lastPlot = performance.now();
    if (this.tab !== "plots" && !this.recorder.recording) return;
    this.plots.update(this.ordered(), this.models.get(this.selected) ?? null);
  }

  private measure(): void {
    this.layoutDirty = false;
    const outer = this.grid.getBoundingClientRect();
    this.view.resize(Math.max(1, Math.round(outer.width)), Math.max(1, Math.round(outer.height)));
    this.rects = new Map();
    for (const [i, v] of this.views) {
      const r = v.stage.getBoundingClientRect();
      this.rects.set(i, { x: r.x - outer.x, y: r.y - outer.y, width: r.width, height: r.height });
    }
    this.phasesDirty = true;
  }

  private tick(now: number): void {
    if (this.layoutDirty) this.measure();
    const rendered = this.view.dirty || this.recorder.recording;
    if (rendered) {
      this.view.render(this.rects, this.grid.clientHeight);
      if (!get("bar").hidden) {
        get("bar-low").textContent = short(this.view.low, 3);
        get("bar-high").textContent = short(this.view.high, 3);
      }
    }
    if (this.phasesDirty) {
      this.phasesDirty = false;
      for (const v of this.views.values()) v.phase?.draw();
    }
    // The more rows there are, the longer a plot takes: a few times a second is enough.
    const rows = this.ordered().reduce((n, m) => n + m.series.length, 0);
    if (this.plotsDirty && now - this.lastPlot > (rows > 50000 ? 400 : 120)) this.updatePlots();
    if (this.recorder.recording) this.recorder.frame(this.source());
    requestAnimationFrame((t) => this.tick(t));
  }

  private source(): Source {
    const bar = get("bar").hidden
      ? null
      : { title: get("bar-title").textContent ?? "", low: short(this.view.low, 3), high: short(this.view.high, 3) };
    return {
      width: this.grid.clientWidth,
      height: this.grid.clientHeight,
      gl: this.gl,
      panes: this.ordered().map((m) => ({
        index: m.index, ...this.rects.get(m.index)!, title: m.info.method, note: this.views.get(m.index)?.summary ?? "",
        ...this.views.get(m.index)?.outcome,
        phase: this.views.get(m.index)?.phase?.canvas ?? null,
      })),
      plots: this.plots.shown(),
      bar,
      scene: this.ordered()[0]?.info.title ?? "",
    };
  }

  private fileName(extension: string): string {
    const m = this.ordered()[0];
    return `lilyan-${(m?.info.scene ?? "view").replace(/[^\w.-]+/g, "-")}-${m?.frame?.frame ?? 0}.${extension}`;
  }

  private picture(): void {
    if (this.layoutDirty) this.measure();
    // What WebGL drew is there only until the browser shows it: draw and copy at once.
    this.view.render(this.rects, this.grid.clientHeight);
    const canvas = document.createElement("canvas");
    compose(canvas, this.source(), false);
    canvas.toBlob((blob) => { if (blob) download(blob, this.fileName("png")); }, "image/png");
  }

  private async film(): Promise<void> {
    const button = get("webm");
    if (this.recorder.recording) {
      button.setAttribute("aria-pressed", "false");
      button.textContent = "WebM";
      if (!(await this.recorder.stop(this.fileName("webm")))) this.toast("The film was too short: nothing was recorded.");
    } else {
      this.view.render(this.rects, this.grid.clientHeight);
      this.recorder.start(this.source());
      button.setAttribute("aria-pressed", "true");
      button.textContent = "Stop";
    }
  }

  private toast(message: string): void {
    const holder = get("toasts");
    // The same again does not pile up.
    for (const old of [...holder.children]) if ((old as HTMLElement).dataset.message === message) old.remove();
    while (holder.children.length >= 3) holder.firstElementChild!.remove();
    const close = make("button", { type: "button", textContent: "×" });
    close.setAttribute("aria-label", "Dismiss");
    const toast = make("div", { className: "toast" }, make("span", { textContent: message }), close);
    toast.dataset.message = message;
    close.addEventListener("click", () => toast.remove());
    setTimeout(() => toast.remove(), 9000);
    holder.append(toast);
  }
}

const app = new App();

/** For tests: what has arrived. */
Object.defineProperty(window, "lilyan", {
  value: {
    get panes() {
      return [...app.models.values()].sort((a, b) => a.index - b.index).map((m) => ({
        ...m.info, rows: m.series.length, frames: m.framesReceived, cloud: m.cloud?.q.length ?? 0,
        path: m.path.length, finished: m.state?.finished ?? false, failed: m.state?.failed ?? null,
      }));
    },
    get rowsReceived() { return app.rowsReceived; },
    get framesReceived() { return app.framesReceived; },
    get malformed() { return app.malformed; },
    get state() { return { connection: app.connectionState, ...app.state }; },
    get filmBytes() { return app.recorder.bytes; },
    get plotRange() { return app.plots.range; },
    get plots() { return app.plots.shown().map(({ id, heading, labels, rows, points }) => ({ id, heading, labels: labels.map((l) => l.label), rows, points })); },
    lastFrame(pane: number) {
      const m = app.models.get(pane);
      if (!m?.frame) return null;
      const { frame, t } = m.frame;
      return m.info.kind === "system" ? { frame, t, positions: m.positions(), q: m.q(), v: m.v() } : { frame, t, positions: m.positions() };
    },
    column(pane: number, name: string) {
      const s = app.models.get(pane)?.series;
      return s?.column(name)?.slice(0, s.length) ?? null;
    },
    lastCloud(pane: number) {
      const c = app.models.get(pane)?.cloud;
      return c ? { frame: c.frame, t: c.t, q: c.q, v: c.v } : null;
    },
    /** Where a vertex, or a point of the phase plane, is in the window. */
    place(pane: number, at: number | [number, number]): [number, number] | null {
      const view = app.views.get(pane);
      if (!view) return null;
      const r = view.stage.getBoundingClientRect();
      if (typeof at === "number") return app.view.project(pane, at, r);
      const p = view.phase?.toPixel(...at);
      return p ? [r.x + p[0], r.y + p[1]] : null;
    },
  },
});
