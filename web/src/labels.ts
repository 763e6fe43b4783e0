// What tells panes apart: their scene, method or settings, whichever differ.

import { mergeSettings, type PaneModel } from "./model";

const METHOD = "integrator.method", STEP = "integrator.step";

function settings(m: PaneModel): Map<string, string> {
  const all = new Map(mergeSettings(m.info.settings).map((s) => {
    const at = s.indexOf("=");
    return [s.slice(0, at).trim(), s.slice(at + 1).trim()] as [string, string];
  }));
  all.delete(METHOD);
  if (m.info.step > 0) all.set(STEP, String(m.info.step));
  return all;
}

/** The names of some keys, each as short as it stays different from the others. */
function shortNames(keys: string[]): Map<string, string> {
  const name = (key: string, parts: number) => key.split(".").slice(-parts).join(".");
  return new Map(keys.map((key) => {
    let parts = 1;
    while (parts < key.split(".").length && keys.some((k) => k !== key && name(k, parts) === name(key, parts))) ++parts;
    return [key, key === STEP ? "h" : name(key, parts)];
  }));
}

/** Gives each pane its label, and what of it the list of methods in its heading does not say. */
export function labelPanes(panes: PaneModel[]): void {
  const differ = (of: (m: PaneModel) => string) => new Set(panes.map(of)).size > 1;
  const scenes = differ((m) => m.info.scene), methods = differ((m) => m.info.methodName);
  const alike = new Map<string, PaneModel[]>();
  for (const m of panes) {
    const key = JSON.stringify([m.info.scene, m.info.methodName]);
    alike.set(key, [...(alike.get(key) ?? []), m]);
  }
  for (const group of alike.values()) {
    const given = group.map(settings), keys = [...new Set(given.flatMap((s) => [...s.keys()]))];
    const differing = keys.filter((key) => new Set(given.map((s) => s.get(key))).size > 1), names = shortNames(differing);
    const texts = given.map((s) => differing.flatMap((key) => (s.has(key) ? [`${names.get(key)} = ${s.get(key)}`] : [])).join(", "));
    group.forEach((m, k) => {
      const own = group.length < 2 ? "" : texts.filter((t) => t === texts[k]).length > 1 ? [texts[k], `pane ${m.index + 1}`].filter(Boolean).join(", ") : texts[k];
      const scene = scenes ? m.info.scene : "";
      m.extra = [own, scene].filter(Boolean).join(" · ");
      m.label = [scene, methods || !own ? m.info.methodName : "", own].filter(Boolean).join(" · ") || `pane ${m.index + 1}`;
    });
  }
}
