// For tests: window.lilyan tells what has arrived.

import type { App } from "./app";

export function tell(app: App): void {
  Object.defineProperty(window, "lilyan", {
    value: {
      get panes() {
        return [...app.models.values()].sort((a, b) => a.index - b.index).map((m) => ({
          ...m.info, rows: m.series.length, frames: m.framesReceived, cloud: m.cloudPoints?.q.length ?? 0,
          label: m.label, path: m.path.length, wholePath: m.path.whole, strainKnown: m.strainKnown, finished: m.state?.finished ?? false, failed: m.state?.failed ?? null,
        }));
      },
      get rowsReceived() { return app.rowsReceived; },
      get framesReceived() { return app.framesReceived; },
      get ticks() { return app.ticks; },
      get drawn() { return { ...app.view.drawn, received: app.framesReceived, parse: app.parseTime }; },
      get malformed() { return app.malformed; },
      get state() { return { connection: app.connectionState, why: app.connectionWhy, ...app.state }; },
      get looksAt() { return app.view.looksAt; },
      /** What a pane of a small system shows: its mode, the range of its axes, how many points its section has, where its drawing is. */
      shown(pane: number) {
        const phase = app.views.get(pane)?.phase, m = app.models.get(pane);
        phase?.draw();
        return phase && m ? { mode: phase.mode, xAxis: phase.xAxis, yAxis: phase.yAxis, box: phase.range, sections: m.sections.map((s) => s.length / 2), places: [...(m.frame?.places ?? [])], cloud: phase.initialCloud } : null;
      },
      get filmBytes() { return app.recorder.bytes; },
      get plotRange() { return app.plots.range; },
      get plots() { return app.plots.shown().map(({ id, heading, labels, rows, points }) => ({ id, heading, labels: labels.map((l) => l.label), rows, points })); },
      lastFrame(pane: number) {
        const m = app.models.get(pane);
        if (!m?.frame) return null;
        const { frame, t } = m.frame;
        return m.info.kind === "system" ? { frame, t, positions: m.positions(), q: m.q(), v: m.v() } : { frame, t, positions: m.positions(), poses: m.frame.poses };
      },
      path(pane: number, i: number) {
        const p = app.models.get(pane)?.path;
        return p?.values[i]?.slice(0, p.length) ?? null;
      },
      column(pane: number, name: string) {
        const s = app.models.get(pane)?.series;
        return s?.column(name)?.slice(0, s.length) ?? null;
      },
      lastCloud(pane: number) {
        const c = app.models.get(pane)?.cloudPoints;
        return c ? { frame: c.frame, t: c.t, q: c.q, v: c.v } : null;
      },
      /** Where a vertex, or a point of the phase plane, is in the window. */
      place(pane: number, at: number | [number, number]): [number, number] | null {
        const view = app.views.get(pane);
        if (!view) return null;
        const r = view.stage.getBoundingClientRect();
        if (typeof at === "number") return app.view.project(pane, at, r);
        view.phase?.draw();
        const p = view.phase?.toPixel(...at);
        return p ? [r.x + p[0], r.y + p[1]] : null;
      },
    },
  });
}
