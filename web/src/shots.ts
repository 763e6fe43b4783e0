// Pictures and films of what the page shows.

import type { App } from "./app";
import { compose, download, type Source } from "./capture";
import { get, toast } from "./dom";
import { short } from "./format";

export function source(app: App): Source {
  const bar = get("bar").hidden
    ? null
    : { title: get("bar-title").textContent ?? "", low: short(app.view.low, 3), high: short(app.view.high, 3) };
  return {
    width: app.grid.clientWidth,
    height: app.grid.clientHeight,
    gl: app.gl,
    panes: app.ordered().filter((m) => app.rects.has(m.index)).map((m) => ({
      index: m.index, ...app.rects.get(m.index)!, title: [m.info.method || m.label, m.extra].filter(Boolean).join(" · "), note: app.views.get(m.index)?.summary ?? "",
      ...app.views.get(m.index)?.outcome,
      phase: app.views.get(m.index)?.phase?.canvas ?? null,
    })),
    plots: app.plots.shown(),
    bar,
    scene: app.ordered()[0]?.info.title ?? "",
  };
}

function fileName(app: App, extension: string): string {
  const m = app.ordered()[0];
  return `lilyan-${(m?.info.scene ?? "view").replace(/[^\w.-]+/g, "-")}-${m?.frame?.frame ?? 0}.${extension}`;
}

export function takePicture(app: App): void {
  if (app.layoutDirty) app.measure();
  // What WebGL drew is there only until the browser shows it: draw and copy at once.
  app.view.render(app.rects, app.grid.clientHeight);
  const canvas = document.createElement("canvas");
  compose(canvas, source(app), false);
  canvas.toBlob((blob) => { if (blob) download(blob, fileName(app, "png")); }, "image/png");
}

export async function film(app: App): Promise<void> {
  const button = get("webm");
  if (app.recorder.recording) {
    button.setAttribute("aria-pressed", "false");
    button.textContent = "WebM";
    if (!(await app.recorder.stop(fileName(app, "webm")))) toast("The film was too short: nothing was recorded.");
  } else {
    app.view.render(app.rects, app.grid.clientHeight);
    app.recorder.start(source(app));
    button.setAttribute("aria-pressed", "true");
    button.textContent = "Stop";
  }
}
