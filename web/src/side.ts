// Beside the panes: the tabs, and the pane that parts, ledger and settings are of.

import type { App } from "./app";
import { paneColour } from "./colour";
import { get, make } from "./dom";
import { showSettings } from "./settings";

export function showTab(app: App, tab: "plots" | "settings"): void {
  app.tab = tab;
  for (const name of ["plots", "settings"] as const) {
    get(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
    get(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
    get(`${name}-panel`).hidden = name !== tab;
  }
  (document.querySelector(".plot-options") as HTMLElement).hidden = tab !== "plots";
  if (tab === "settings") showSettings(app);
  app.plotsDirty = true;
}

/** Where there is no room for several panes at once: one at a time. */
function showPaneTabs(app: App): void {
  const holder = get("pane-tabs"), had = holder.contains(document.activeElement);
  holder.hidden = app.models.size < 2;
  holder.replaceChildren(...app.ordered().map((m) => {
    const on = m.index === app.selected, mark = make("i", { className: "swatch" });
    mark.style.background = paneColour(m.index);
    const tab = make("button", { type: "button", tabIndex: on ? 0 : -1 }, mark, make("span", { textContent: m.label }));
    tab.style.setProperty("--pane", paneColour(m.index));
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-selected", String(on));
    tab.addEventListener("click", () => app.select(m.index));
    if (on && had) queueMicrotask(() => tab.focus());
    return tab;
  }));
}

/** The next pane or the one before. */
export function turnPane(app: App, way: 1 | -1): void {
  const all = app.ordered(), at = all.findIndex((m) => m.index === app.selected) + way;
  if (all[at]) app.select(all[at].index);
}

export function showChips(app: App): void {
  showPaneTabs(app);
  const holder = get("chips");
  holder.hidden = app.models.size < 2;
  const had = holder.contains(document.activeElement);
  holder.replaceChildren(
    ...app.ordered().map((m) => {
      const on = m.index === app.selected;
      const mark = make("i", { className: "swatch" });
      mark.style.background = paneColour(m.index);
      const chip = make("button", { type: "button", tabIndex: on ? 0 : -1 }, mark, make("span", { textContent: m.label }));
      chip.style.setProperty("--pane", paneColour(m.index));
      chip.setAttribute("role", "radio");
      chip.setAttribute("aria-checked", String(on));
      chip.addEventListener("click", () => app.select(m.index));
      chip.addEventListener("keydown", (e) => {
        const way = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
        if (!way) return;
        e.preventDefault();
        e.stopPropagation();
        const all = app.ordered();
        app.select(all[(all.indexOf(m) + way + all.length) % all.length].index);
        holder.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
      });
      if (on && had) queueMicrotask(() => chip.focus());
      return chip;
    }),
  );
}
