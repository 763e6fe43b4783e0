// What one can ask of the program, in terms of what the page shows.

import type { App } from "./app";
import { get } from "./dom";
import { mergeSettings, type PaneModel } from "./model";
import type { InitialCloud } from "./initial-cloud";
import type { OpenPane } from "./protocol";

export const MAX_PANES = 4;
const COMPARE = ["avf", "implicit-midpoint", "newmark", "backward-euler"];

/** The methods that the command line compares for this scene. */
const compared = (model: PaneModel | undefined): string[] => (model?.info.compare.length ? model.info.compare : COMPARE);

/** Those of them that there are panes for. */
export const comparedInPanes = (model: PaneModel | undefined): string[] => compared(model).slice(0, MAX_PANES);

/** Starts a pane anew with settings added, and some taken away. */
export function change(app: App, pane: number, settings: string[], remove: string[] = []): void {
  app.loading.begin([pane]);
  app.send({ type: "change", pane, settings, ...(remove.length ? { remove } : {}) });
}

function open(app: App, panes: OpenPane[]): void {
  app.pendingOpen = panes[0]?.scene ?? null;
  app.loading.begin(panes.map((_, i) => i));
  app.send({ type: "open", panes });
}

/** A scene that could not be run has no method that is known. */
const withMethod = (method: string): string[] => (method ? [`integrator.method=${method}`] : []);

const asOpened = (m: PaneModel): OpenPane => ({ scene: m.info.scene, settings: mergeSettings(m.info.settings) });

export function addPane(app: App): void {
  const model = app.models.get(app.selected);
  if (!model || app.models.size >= MAX_PANES) return;
  const used = new Set(app.ordered().map((m) => m.info.methodName));
  const method = [...compared(model), ...app.methods.map((m) => m.name)].find((m) => !used.has(m)) ?? model.info.methodName;
  open(app, [...app.ordered().map(asOpened), { scene: model.info.scene, settings: mergeSettings(model.info.settings, withMethod(method)) }]);
}

export function removePane(app: App, pane: number): void {
  const rest = app.ordered().filter((m) => m.index !== pane);
  if (rest.length) open(app, rest.map(asOpened));
}

export function compare(app: App): void {
  const model = app.models.get(app.selected);
  const scene = model?.info.scene ?? get<HTMLSelectElement>("scene").value;
  if (!scene) return;
  const base = mergeSettings(model?.info.settings ?? []).filter((s) => !s.startsWith("integrator.method="));
  open(app, comparedInPanes(model).map((m) => ({ scene, settings: [...base, `integrator.method=${m}`] })));
}

export function pickScene(app: App, scene: string): void {
  // Methods compared stay compared; other settings belong to the scene that is left.
  const panes = app.ordered();
  if (panes.length > 1) open(app, panes.map((m) => ({ scene, settings: withMethod(m.info.methodName) })));
  else open(app, [{ scene, settings: [] }]);
}

/** A key that is held asks for the next step when the last one is there. */
export function step(app: App, repeated = false): void {
  if (repeated && app.stepPending) return;
  app.stepPending = true;
  app.send({ type: "step" });
}

export function togglePlay(app: App): void {
  app.send({ type: app.state?.playing ? "pause" : "play" });
}

const cloudSent = new Map<number, number>();

/** While a cloud is dragged not more than ten of its places a second are sent; the last always is. */
export function sendInitialCloud(app: App, pane: number, cloud: InitialCloud, last: boolean): void {
  const now = performance.now();
  if (!last && now - (cloudSent.get(pane) ?? -1e9) < 100) return;
  cloudSent.set(pane, now);
  app.send({ type: "cloud", pane, center: [...cloud.center], radius: [...cloud.radius], count: cloud.count });
}

export function removeCloud(app: App, pane: number): void {
  const model = app.models.get(pane);
  if (model) model.cloudPoints = null;
  app.send({ type: "cloud", pane, count: 0 });
}
