// The buttons, lists and keys, and which of them can be used.

import type { App } from "./app";
import { connectColourBar } from "./colour-bar";
import { addPane, compare, MAX_PANES, pickScene, step, togglePlay } from "./commands";
import { film, Recorder, takePicture } from "./capture";
import { get, ICONS } from "./dom";
import type { PaneInfo } from "./protocol";
import { showTab } from "./side";

export function connectControls(app: App): void {
  const click = (id: string, f: () => void) => get(id).addEventListener("click", f);
  get("play").innerHTML = ICONS.play;
  click("play", () => togglePlay(app));
  click("step", () => step(app));
  click("reset", () => app.send({ type: "reset" }));
  click("compare", () => compare(app));
  click("add", () => addPane(app));
  click("frame-all", () => app.view.frameAll());
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
  click("png", () => takePicture(app));
  get<HTMLButtonElement>("webm").disabled = !Recorder.supported();
  click("webm", () => void film(app));
  window.addEventListener("keydown", (e) => key(app, e));
  // A button pressed with the pointer does not keep the space bar from playing.
  document.addEventListener("click", (e) => {
    if (e.detail > 0) (e.target as HTMLElement).closest<HTMLElement>("button")?.blur();
  });
}

function key(app: App, e: KeyboardEvent): void {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const at = e.target as HTMLElement;
  if (at.closest("input[type=text], input[type=number], textarea")) return;
  const control = at.closest("button, select, input, [role=tab]");
  const letter = e.key.toLowerCase();
  const turn = e.shiftKey ? { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] }[e.key] : undefined;
  if (turn && !control) app.view.orbit(turn[0], turn[1]);
  else if ((e.key === "+" || e.key === "-") && !control) app.view.zoom(e.key === "+" ? 1 / 1.15 : 1.15);
  else if (e.key === " " && !control) togglePlay(app);
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
