// What holds the parts of the page together: the panes, what is selected, and when each part is drawn.

import type { Rect } from "./camera";
import { Recorder, source } from "./capture";
import { colourPanes, onSchemeChange } from "./colour";
import { showColourBar, showColourRange } from "./colour-bar";
import { Connection, type ConnectionState } from "./connection";
import { showPossible } from "./controls";
import { get, toast, untoast } from "./dom";
import { receive, receiveBinary } from "./messages";
import type { PaneModel } from "./model";
import type { PaneView } from "./pane-view";
import { Plots } from "./plots";
import type { ClientMessage, Method, State } from "./protocol";
import { labelPanes } from "./labels";
import { Loading } from "./loading";
import { showSettings } from "./settings";
import { showChips } from "./side";
import { View3D } from "./view3d";

export class App {
  readonly models = new Map<number, PaneModel>();
  readonly views = new Map<number, PaneView>();
  methods: Method[] = [];
  scenes: string[] = [];
  version = "";
  state: State | null = null;
  connectionState: ConnectionState = "connecting";
  private everConnected = false;
  /** Why the program refuses this page. */
  connectionWhy = "";
  rowsReceived = 0;
  framesReceived = 0;
  /** Milliseconds in which frames were taken apart. */
  parseTime = 0;
  malformed = 0;
  selected = 0;
  tab: "plots" | "settings" = "plots";
  plotsDirty = true;
  phasesDirty = true;
  layoutDirty = true;
  private lastPlot = 0;
  private nextPhases = 0;
  private nextPlots = 0;
  scrubbing = false;
  pendingOpen: string | null = null;
  /** A step was asked for, and no row has come since. */
  stepPending = false;
  /** Scenes of the panes before the connection was lost: they are not framed anew. */
  readonly scenesBefore = new Map<number, string>();
  readonly loading = new Loading(this);
  ticks = 0;
  readonly grid = get<HTMLDivElement>("views");
  readonly gl = get<HTMLCanvasElement>("gl");
  readonly view = new View3D(this.gl);
  readonly plots = new Plots(get("plots-panel"), () => this.models.get(this.selected)?.frame?.t ?? null);
  readonly recorder = new Recorder();
  private readonly connection: Connection;
  rects = new Map<number, Rect>();

  constructor() {
    new ResizeObserver(() => { this.layoutDirty = true; }).observe(this.grid);
    new ResizeObserver(() => { this.plotsDirty = true; }).observe(get("plots-panel"));
    onSchemeChange(() => {
      for (const v of this.views.values()) v.colour();
      this.plots.rebuild();
      this.view.recolour();
      showChips(this);
      this.plotsDirty = this.phasesDirty = true;
    });
    if (!this.view.renderer) toast("This browser gives no WebGL: bodies cannot be drawn, but the plots work.");
    this.connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, {
      state: (s, why) => this.connected(s, why),
      text: (m) => receive(this, m),
      binary: (m, since) => {
        receiveBinary(this, m);
        if (m.kind === "frame") this.parseTime += performance.now() - since;
      },
      malformed: (why) => {
        this.malformed++;
        toast(`A message was not understood: ${why}`);
      },
      known: (pane) => {
        const info = this.models.get(pane)?.info;
        return info && { system: info.kind === "system", run: info.run };
      },
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  ordered(): PaneModel[] {
    return [...this.models.values()].sort((a, b) => a.index - b.index);
  }

  /** Panes with the same scene: they share axes, clouds and what is shown. */
  likeSystems(pane: number): PaneView[] {
    const info = this.models.get(pane)?.info;
    return this.ordered().filter((m) => info && m.info.scene === info.scene && m.info.coordinates.join() === info.coordinates.join())
      .map((m) => this.views.get(m.index)!).filter((v) => v?.phase);
  }

  redrawPhases(): void {
    this.phasesDirty = true;
  }

  send(message: ClientMessage): void {
    if (!this.connection.send(message)) toast("Not connected to the program.");
  }

  private connected(state: ConnectionState, why: string): void {
    this.connectionState = state;
    const news = why && why !== this.connectionWhy;
    if (state === "connected") {
      untoast(this.connectionWhy);
      this.connectionWhy = "";
    }
    if (why) this.connectionWhy = why;
    if (state !== "connected") this.loading.end();
    const element = get("connection");
    element.dataset.state = state;
    element.lastElementChild!.textContent = state === "connected" ? "Connected" : this.connectionWhy || (state === "lost" ? "Reconnecting" : "Connecting");
    element.title = this.connectionWhy;
    if (news) toast(why);
    const gone = state === "connected" ? "" : this.connectionWhy || (this.everConnected ? "The program has ended, or cannot be reached. What you see is the last that came; the page goes on as soon as the program is there again." : "");
    if (state === "connected") this.everConnected = true;
    // While it is tried again the banner stays.
    if (state !== "connecting" || !gone || get("banner").hidden === false) {
      get("banner").hidden = !gone;
      get("banner").textContent = gone;
      document.body.classList.toggle("gone", !!gone);
    }
    get("empty").textContent = state === "connected" ? "Waiting for a scene …" : this.connectionWhy || "Waiting for the program …";
  }

  // What is shown

  select(pane: number): void {
    if (this.selected === pane || !this.models.has(pane)) return;
    this.selected = pane;
    this.layout();
    showSettings(this);
    this.updatePlots();
  }

  sceneList(): void {
    const select = get<HTMLSelectElement>("scene");
    const shown = this.ordered()[0]?.info.scene ?? this.pendingOpen ?? "";
    const names = [...this.scenes];
    if (shown && !names.includes(shown)) names.unshift(shown);
    select.replaceChildren(...(shown ? [] : [new Option("Choose a scene", "")]), ...names.map((n) => new Option(n, n)));
    select.value = shown;
    const title = this.ordered()[0]?.info.title;
    document.title = title ? `${title} · Lilyan` : "Lilyan";
  }

  layout(): void {
    const count = this.models.size;
    this.grid.dataset.count = String(count);
    get("empty").hidden = count > 0;
    labelPanes(this.ordered());
    colourPanes(this.ordered().map((m) => ({ pane: m.index, method: m.info.methodName })));
    for (const v of this.views.values()) v.colour();
    this.view.recolour();
    const systems = count > 0 && this.ordered().every((m) => m.info.kind === "system");
    get("view-tools").hidden = systems;
    showColourBar(this);
    showPossible(this);
    for (const [i, v] of this.views) {
      v.element.classList.toggle("selected", i === this.selected);
      v.showLabel(this.models.get(i) ?? null);
    }
    showChips(this);
    this.layoutDirty = this.plotsDirty = this.phasesDirty = true;
  }

  updatePlots(): void {
    this.plotsDirty = false;
    this.lastPlot = performance.now();
    if (this.tab !== "plots" && !this.recorder.recording) return;
    this.plots.update(this.ordered(), this.models.get(this.selected) ?? null);
  }

  measure(): void {
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
    // First: whatever goes wrong below, the page goes on.
    requestAnimationFrame((t) => this.tick(t));
    ++this.ticks;
    if (this.layoutDirty) this.measure();
    const rendered = this.view.dirty || this.recorder.recording;
    if (rendered) {
      this.view.render(this.rects, this.grid.clientHeight);
      showColourRange(this);
    }
    if (this.phasesDirty && now >= this.nextPhases) {
      this.phasesDirty = false;
      const begun = performance.now();
      for (const v of this.views.values()) v.phase?.draw();
      // Pictures that take long to draw leave the page time for everything else.
      const took = performance.now() - begun;
      this.nextPhases = now + (took > 12 ? 3 * took : 0);
    }
    // The more rows there are, the longer a plot takes: a few times a second is enough.
    if (this.plotsDirty && now >= this.nextPlots) {
      this.updatePlots();
      this.nextPlots = now + Math.max(120, 5 * (performance.now() - this.lastPlot));
    }
    if (this.recorder.recording) this.recorder.frame(source(this));
  }
}
