// What can be asked for: of a run that is shown again, or only watched, little.

import type { App } from "./app";
import { MAX_PANES } from "./commands";
import { get } from "./dom";
import type { PaneInfo } from "./protocol";

/** Why a pane cannot be changed; empty where it can. */
export const whyNot = (info: PaneInfo | undefined): string =>
  info?.replay ? "This run is done and shown again from its results: it cannot be changed."
    : info?.watched ? "This run is only watched: it goes on by itself." : "";

export function showPossible(app: App): void {
  const count = app.models.size, why = app.ordered().map((m) => whyNot(m.info)).find(Boolean) ?? "";
  const allow = (element: HTMLButtonElement | HTMLSelectElement, possible: boolean) => {
    element.disabled = !possible || !!why;
    element.dataset.title ??= element.title;
    element.title = why || element.dataset.title;
  };
  allow(get<HTMLButtonElement>("compare"), true);
  allow(get<HTMLButtonElement>("add"), count > 0 && count < MAX_PANES);
  get<HTMLSelectElement>("scene").disabled = app.ordered().some((m) => m.info.watched);
  for (const [i, v] of app.views) {
    const info = app.models.get(i)?.info, own = whyNot(info);
    v.remove.hidden = count < 2 || !!why;
    v.method.disabled = !!own;
    v.method.title = own || (info?.method ?? "");
    v.cloudButton.disabled = !!own;
  }
}
