// The buttons, lists and keys, and which of them can be used.

import type { App } from "./app";
import { connectColourBar } from "./colour-bar";
import { addPane, compare, comparedInPanes, MAX_PANES, pickScene, step, togglePlay } from "./commands";
import { film, Recorder, takePicture } from "./capture";
import { get, ICONS } from "./dom";
import type { PaneInfo } from "./protocol";
import { showTab, turnPane } from "./side";

export function connectControls(app: App): void {
  const click = (id: string, f: () => void) => get(id).addEventListener("click", f);
  get("play").innerHTML = ICONS.play;
  click("play", () => togglePlay(app));
  click("step", () => step(app));
  click("reset", () => app.send({ type: "reset" }));
  click("compare", () => compare(app));
  click("add", () => addPane(app));
  click("frame-all", () => {
    app.view.frameAll();
    for (const v of app.views.values()) v.phase?.resetExtent();
  });
  const toggle = (id: string, f: (on: boolean) => void) =>
    click(id, () => {
      const on = get(id).getAttribute("aria-pressed") !== "true";
      get(id).setAttribute("aria-pressed", String(on));
      f(on);
    });
  toggle("wire", (on) => { app.view.wireframe = on; app.view.dirty = true; });
  toggle("grid", (on) => { app.view.grid = on; app.view.recolour(); });
  toggle("pull", (on) => app.grid.classList.toggle("pulling", on));
  get("scene").addEventListener("change", () => pickScene(app, get<HTMLSelectElement>("scene").value));
  connectColourBar(app);
  get("speed").addEventListener("change", () => app.send({ type: "speed", value: Number(get<HTMLSelectElement>("speed").value) }));
  const scrub = get<HTMLInputElement>("scrub");
  let sent = -1, timer = 0;
  const seek = () => {
    timer = 0;
    const frame = Number(scrub.value);
    if (frame !== sent) app.send({ type: "seek", frame });
    sent = frame;
  };
  scrub.addEventListener("input", () => {
    app.scrubbing = true;
    if (!timer) timer = window.setTimeout(seek, 40);
  });
  const letGo = () => {
    if (!app.scrubbing) return;
    clearTimeout(timer);
    seek();
    sent = -1;
    app.scrubbing = false;
  };
  // Dragged away and back it has not changed: the pointer tells that it was let go.
  scrub.addEventListener("change", letGo);
  scrub.addEventListener("blur", letGo);
  for (const end of ["pointerup", "pointercancel", "blur"] as const) window.addEventListener(end, letGo);
  for (const id of ["drift", "log"] as const)
    get(id).addEventListener("change", () => {
      app.plots[id] = get<HTMLInputElement>(id).checked;
      app.updatePlots();
    });
  click("tab-plots", () => showTab(app, "plots"));
  click("tab-settings", () => showTab(app, "settings"));
  (document.querySelector(".tabs") as HTMLElement).addEventListener("keydown", (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    e.stopPropagation();
    showTab(app, app.tab === "plots" ? "settings" : "plots");
    get(`tab-${app.tab}`).focus();
  });
  swipe(app);
  click("png", () => takePicture(app));
  get<HTMLButtonElement>("webm").disabled = !Recorder.supported();
  click("webm", () => void film(app));
  // First: before the control that has the focus.
  window.addEventListener("keydown", (e) => { if (e.key === " ") key(app, e); }, true);
  window.addEventListener("keydown", (e) => { if (e.key !== " ") key(app, e); });
  // Buttons are pressed when the space bar is let go.
  window.addEventListener("keyup", (e) => {
    if (e.key === " " && !(e.target as HTMLElement).closest(TEXT)) e.preventDefault();
  }, true);
}

/** A finger that goes sideways over the heading, the notes or the tabs of a pane, or over a flat picture, turns to the
 * next one. */
function swipe(app: App): void {
  const area = document.querySelector(".left") as HTMLElement;
  let from: { id: number; x: number; y: number } | null = null;
  area.addEventListener("pointerdown", (e) => {
    const at = e.target as HTMLElement, pane = at.closest<HTMLElement>(".pane"), view = pane && app.views.get(Number(pane.dataset.pane));
    const free = at.closest(".pane header, .pane footer, .pane-tabs") || (view?.phase && !view.phase.usesDrag);
    from = e.pointerType === "touch" && e.isPrimary && free && !at.closest("select") ? { id: e.pointerId, x: e.clientX, y: e.clientY } : null;
  });
  area.addEventListener("pointerup", (e) => {
    if (from?.id !== e.pointerId) return;
    const dx = e.clientX - from.x, dy = e.clientY - from.y;
    from = null;
    if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) turnPane(app, dx < 0 ? 1 : -1);
  });
}

const TEXT = "input[type=text], input[type=number], textarea";

function key(app: App, e: KeyboardEvent): void {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const at = e.target as HTMLElement;
  if (at.closest(TEXT)) return;
  // Whatever was used last: the space bar plays. Enter presses buttons, and ticks.
  if (e.key === " ") {
    if (!e.repeat) togglePlay(app);
    e.preventDefault();
    return;
  }
  if (e.key === "Enter" && at.closest("input[type=checkbox]")) {
    (at as HTMLInputElement).click();
    e.preventDefault();
    return;
  }
  const control = at.closest("button, select, input, [role=tab]");
  const letter = e.key.toLowerCase();
  const turn = e.shiftKey ? { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] }[e.key] : undefined;
  if (turn && !control) app.view.orbit(turn[0], turn[1]);
  else if ((e.key === "+" || e.key === "-") && !control) app.view.zoom(e.key === "+" ? 1 / 1.15 : 1.15);
  else if (e.key === "ArrowRight" && !at.closest("select, input, [role=tab], [role=radio]")) step(app, e.repeat);
  else if (at.closest("select")) return;
  else if (letter === "r") app.send({ type: "reset" });
  else if (letter === "w") get("wire").click();
  else if (letter === "g") get("grid").click();
  else if (letter === "p") get("pull").click();
  else if (letter === "f") get("frame-all").click();
  else return;
  e.preventDefault();
}

/** Why a pane cannot be changed; empty where it can. */
export const whyNot = (info: PaneInfo | undefined): string =>
  info?.replay ? "This run is done and shown again from its results: it cannot be changed."
    : info?.watched ? "This run is only watched: it goes on by itself." : "";

/** Of a run that is shown again, or only watched, little can be changed. */
export function showPossible(app: App): void {
  const count = app.models.size, why = app.ordered().map((m) => whyNot(m.info)).find(Boolean) ?? "";
  const allow = (element: HTMLButtonElement | HTMLSelectElement, possible: boolean) => {
    element.disabled = !possible || !!why;
    element.dataset.title ??= element.title;
    element.title = why || element.dataset.title;
  };
  const comparison = `Compare: ${comparedInPanes(app.models.get(app.selected)).join(", ")}`;
  get("compare").dataset.title = comparison;
  get("compare").setAttribute("aria-label", comparison);
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
