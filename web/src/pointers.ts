// The pointer in the panes of bodies: turning, moving, zooming, pulling; one finger turns or pulls, two move and zoom.

import type { App } from "./app";
import { get } from "./dom";
import type { Rect } from "./camera";

export function connectPointers(app: App): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let mode: "orbit" | "pan" | "pull" | null = null, pane = 0, lastSent = 0, pending = 0, span = 0;
  let target: [number, number, number] = [0, 0, 0], vertex = -1;
  const rectOf = (index: number): Rect => {
    const r = app.views.get(index)!.stage.getBoundingClientRect();
    return { x: r.x, y: r.y, width: r.width, height: r.height };
  };
  const sendPull = () => {
    pending = 0;
    lastSent = performance.now();
    if (mode === "pull") app.send({ type: "pull", pane, vertex, target: [...target] });
  };
  const release = () => {
    if (mode === "pull") {
      clearTimeout(pending);
      pending = 0;
      app.send({ type: "release", pane });
      app.view.endPull();
    }
    mode = null;
  };
  app.grid.addEventListener("pointerdown", (e) => {
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
      const start = app.view.startPull(pane, e.clientX, e.clientY, rectOf(pane));
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
  app.grid.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (!last || !mode) return;
    const dx = e.clientX - last.x, dy = e.clientY - last.y;
    last.x = e.clientX;
    last.y = e.clientY;
    if (mode === "orbit") app.view.orbit(dx, dy);
    else if (mode === "pan") {
      const share = pointers.size || 1;
      if (app.views.has(pane)) app.view.pan(dx / share, dy / share, rectOf(pane).height);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()];
        const now = Math.hypot(a.x - b.x, a.y - b.y);
        if (span > 0 && now > 0) app.view.zoom(span / now);
        span = now;
      }
    } else if (app.views.has(pane)) {
      const moved = app.view.movePull(e.clientX, e.clientY, rectOf(pane));
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
  app.grid.addEventListener("pointerup", end);
  app.grid.addEventListener("pointercancel", end);
  window.addEventListener("blur", () => {
    pointers.clear();
    release();
  });
  app.grid.addEventListener("contextmenu", (e) => {
    if ((e.target as HTMLElement).closest(".stage")) e.preventDefault();
  });
  app.grid.addEventListener("wheel", (e) => {
    const section = (e.target as HTMLElement).closest<HTMLElement>(".pane");
    if (!section || section.dataset.kind === "system") return;
    e.preventDefault();
    app.view.zoom(Math.exp(0.0012 * e.deltaY));
  }, { passive: false });
}
