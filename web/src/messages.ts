// What the page does with each message of the program.

import type { App } from "./app";
import { sendInitialCloud } from "./commands";
import { showColourBar } from "./colour-bar";
import { get, ICONS, toast } from "./dom";
import { short } from "./format";
import { PaneModel } from "./model";
import { PaneView } from "./pane-view";
import type { BinaryMessage, PaneInfo, ServerMessage, State } from "./protocol";
import { showRefusal, showSettings } from "./settings";

export function receive(app: App, message: ServerMessage): void {
  switch (message.type) {
    case "setup": {
      app.methods = message.methods;
      app.scenes = message.scenes;
      app.version = message.version;
      get("connection").title = message.version ? `Lilyan ${message.version}` : "";
      app.scenesBefore.clear();
      for (const m of app.ordered()) app.scenesBefore.set(m.index, m.info.scene);
      for (const pane of [...app.models.keys()]) drop(app, pane);
      app.sceneList();
      break;
    }
    case "pane":
      restart(app, message);
      break;
    case "rows": {
      const model = app.models.get(message.pane);
      if (!model || model.info.run !== message.run) break;
      for (const row of message.rows) model.series.push(row);
      app.stepPending = false;
      model.rowsReceived += message.rows.length;
      app.rowsReceived += message.rows.length;
      if (model.info.kind === "body") {
        model.lookForStrain();
        showColourBar(app);
      }
      app.plotsDirty = true;
      break;
    }
    case "state":
      applyState(app, message);
      break;
    case "refused":
      app.loading.end(message.pane);
      for (const m of app.ordered()) app.views.get(m.index)?.restoreMethod(m);
      showRefusal(app, message);
      break;
    case "error":
      toast(message.message);
      takeBack(app);
      break;
  }
}

export function receiveBinary(app: App, message: BinaryMessage): void {
  const model = app.models.get(message.pane);
  if (!model || model.info.run !== message.run) return;
  if (message.kind === "mesh") {
    model.mesh = message;
    app.view.mesh(message.pane);
  } else if (message.kind === "frame") {
    const expected = model.info.kind === "system" ? model.info.coordinates.length : model.mesh ? model.mesh.rest.length / 3 : -1;
    if (message.nv !== expected) throw new Error(`a frame has ${message.nv} vertices and not ${expected}`);
    const moving = model.info.obstacles.filter((o) => o.moves).length;
    if (message.poses.length && message.poses.length !== 12 * moving) throw new Error(`a frame places ${message.poses.length / 12} obstacles and not ${moving}`);
    model.frame = message;
    model.framesReceived++;
    app.framesReceived++;
    if (model.info.kind === "system") {
      model.path.put(message.frame, message.t, model.q(), model.v());
      app.phasesDirty = app.plotsDirty = true;
    } else {
      app.view.frameArrived(message.pane);
      model.lookForStrain();
      showColourBar(app);
    }
    app.views.get(message.pane)?.update(model);
  } else if (message.kind === "path") {
    if (message.n !== model.path.n || message.m !== model.path.m) throw new Error(`a path has ${message.n} coordinates and not ${model.path.n}`);
    model.path.append(message);
    app.phasesDirty = app.plotsDirty = true;
  } else if (message.kind === "section") {
    const { points } = message;
    // Each further orbit has sections of its own behind those of the one before.
    const n = model.sections.length;
    for (let i = 0; n && i < points.length; i += 3) {
      model.sections[points[i] % n]?.push(points[i + 1], points[i + 2]);
      model.sectionOrbits[points[i] % n]?.push(Math.floor(points[i] / n));
    }
    app.phasesDirty = true;
  } else {
    model.cloudPoints = message.q.length ? message : null;
    if (model.cloudPoints && !model.cloudKnown) app.views.get(message.pane)?.adoptCloud(model);
    app.views.get(message.pane)?.update(model);
    app.phasesDirty = true;
  }
}

/** Something was refused: the lists show what is. */
function takeBack(app: App): void {
  app.loading.end();
  app.stepPending = false;
  app.pendingOpen = null;
  app.sceneList();
  for (const m of app.ordered()) app.views.get(m.index)?.restoreMethod(m);
  if (app.state) showSpeed(app, app.state);
}

function restart(app: App, info: PaneInfo): void {
  const before = app.models.get(info.pane)?.info;
  if (before && before.run > info.run) return;
  const model = new PaneModel(info);
  const fresh = (before?.scene ?? app.scenesBefore.get(info.pane)) !== info.scene;
  app.scenesBefore.delete(info.pane);
  app.loading.end(info.pane);
  app.stepPending = false;
  app.models.set(info.pane, model);
  let view = app.views.get(info.pane);
  if (!view) {
    view = new PaneView(info.pane, app);
    app.views.set(info.pane, view);
  }
  for (const i of [...app.views.keys()].sort()) app.grid.append(app.views.get(i)!.element);
  view.restart(model);
  if (view.phase?.initialCloud) {
    model.cloudKnown = true;
    view.phase.adopted = false;
    sendInitialCloud(app, info.pane, view.phase.initialCloud, true);
  }
  if (fresh && ![...app.models.values()].some((m) => m !== model && m.info.scene === info.scene && m.mesh)) app.view.unframe();
  app.view.restart(model);
  if (!app.models.has(app.selected)) app.selected = info.pane;
  app.plots.zoom(null);
  app.layout();
  app.sceneList();
  if (app.selected === info.pane) showSettings(app);
}

function drop(app: App, pane: number): void {
  app.models.delete(pane);
  app.view.remove(pane);
  app.views.get(pane)?.element.remove();
  app.views.delete(pane);
  if (app.selected === pane) app.selected = Math.min(...app.models.keys(), 3);
  if (!app.models.has(app.selected)) app.selected = 0;
  app.layout();
  showSettings(app);
}

function applyState(app: App, state: State): void {
  app.state = state;
  const listed = new Set(state.panes.map((p) => p.pane));
  if (listed.size) for (const pane of [...app.models.keys()]) if (!listed.has(pane)) drop(app, pane);
  let frame = 0, frames = 0;
  for (const p of state.panes) {
    const model = app.models.get(p.pane);
    if (!model || model.info.run !== p.run) continue;
    model.state = p;
    frame = Math.max(frame, p.frame);
    frames = Math.max(frames, p.frames);
    app.views.get(p.pane)?.update(model);
  }
  const play = get<HTMLButtonElement>("play");
  if (play.dataset.playing !== String(state.playing)) {
    play.dataset.playing = String(state.playing);
    play.innerHTML = state.playing ? ICONS.pause : ICONS.play;
    play.setAttribute("aria-label", state.playing ? "Pause" : "Play");
  }
  const scrub = get<HTMLInputElement>("scrub");
  scrub.max = String(Math.max(0, frames - 1));
  if (!app.scrubbing) scrub.value = String(frame);
  get("counter").textContent = `${app.scrubbing ? scrub.value : frame} / ${Math.max(0, frames - 1)}`;
  if (document.activeElement !== get("speed")) showSpeed(app, state);
}

/** Parts and multiples of the speed with which the whole run takes some 10 to 30 seconds, or longer where the motion
 * could not be followed. */
const FACTORS = [0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Bodies have seconds, so that there is a real time; small systems have units of their own. */
function showSpeed(app: App, { speed, usualSpeed }: State): void {
  const list = get<HTMLSelectElement>("speed"), seconds = app.ordered().every((m) => m.info.kind === "body");
  const periods = app.ordered().map((m) => m.info.period).filter((p) => p > 0), period = periods.length ? Math.min(...periods) : 0;
  const name = (value: number) => (value === 0 ? "max" : seconds ? `× ${short(value)}` : `${short(value)} per s`);
  const usual = FACTORS.map((f) => Number((f * usualSpeed).toPrecision(6)));
  const values = [...new Set([...usual, ...(speed ? [speed] : [])])].sort((a, b) => a - b).concat(0);
  const key = `${seconds} ${values.join()}`;
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...values.map((v) => new Option(name(v), String(v))));
  }
  list.value = String(speed);
  const duration = Math.max(0, ...app.ordered().map((m) => m.info.duration));
  list.title = seconds ? "Simulated seconds per second" : "Simulated time per second";
  if (period && speed) list.title += `; the fastest oscillation goes through ${short(speed / period, 2)} periods in a second`;
  get("pace").textContent = period && speed ? `${short(speed / period, 2)} periods per s` : "";
  if (duration && speed) list.title += `; all of the run takes ${short(duration / speed, 2)} s, or as long as it is computed`;
}
