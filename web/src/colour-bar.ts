// What bodies are coloured by, and the bar that tells which colour is which value.

import type { App } from "./app";
import type { ColourBy } from "./body";
import { rampCss } from "./colour";
import { get } from "./dom";
import { short } from "./format";

const SOLIDS_ONLY = "strain energy (solids only)";

export function connectColourBar(app: App): void {
  const colour = get<HTMLSelectElement>("colour");
  colour.addEventListener("change", () => {
    app.view.colourBy = colour.value as ColourBy;
    app.view.hold = get<HTMLInputElement>("hold").checked = false;
    showColourBar(app);
    app.layoutDirty = true;
    app.view.recolour();
  });
  get("ramp").style.background = rampCss;
  get("hold").addEventListener("change", () => {
    app.view.hold = get<HTMLInputElement>("hold").checked;
    app.view.recolour();
  });
}

/** Strain energy is offered unless no pane's is known: it is that of tetrahedra, and cloth and rods have none. */
export function showColourBar(app: App): void {
  const bodies = app.ordered().filter((m) => m.info.kind === "body");
  const by = app.view.colourBy, unknown = bodies.length > 0 && bodies.every((m) => m.strainKnown === false);
  const option = get("colour").querySelector<HTMLOptionElement>('option[value="energy"]')!;
  if (option.disabled !== unknown) {
    option.disabled = unknown;
    option.textContent = unknown ? SOLIDS_ONLY : "strain energy";
    if (by === "energy") app.view.recolour();
  }
  const none = by === "energy" && unknown, bar = get("bar"), hide = by === "body" || !bodies.length;
  if (bar.hidden !== hide) {
    bar.hidden = hide;
    app.layoutDirty = true;
  }
  get("bar-scale").hidden = none;
  const title = none ? "The strain energy is known for solids of tetrahedra only, and this scene has none: coloured by body." : get<HTMLSelectElement>("colour").selectedOptions[0].textContent!;
  if (get("bar-title").textContent !== title) get("bar-title").textContent = title;
}

export function showColourRange(app: App): void {
  if (get("bar").hidden) return;
  get("bar-low").textContent = short(app.view.low, 3);
  get("bar-high").textContent = short(app.view.high, 3);
}
