// A picture or film of what the page shows: the panes, with the plots below them.

import type { App } from "./app";
import { paneColour, rampCss } from "./colour";
import { get, toast } from "./dom";
import { short } from "./format";

export interface Source {
  width: number;
  height: number;
  /** The panes' rectangles, headings and notes. */
  panes: { index: number; x: number; y: number; width: number; height: number; title: string; note: string; text?: string; failed?: boolean; phase: HTMLCanvasElement | null }[];
  gl: HTMLCanvasElement;
  plots: { heading: string; canvas: HTMLCanvasElement; labels: { label: string; colour: string }[] }[];
  bar: { title: string; low: string; high: string } | null;
  scene: string;
}

const even = (x: number): number => 2 * Math.ceil(x / 2);

/** Draws all of it onto one canvas, whose size is set by the first drawing. */
export function compose(canvas: HTMLCanvasElement, source: Source, keepSize: boolean): void {
  const scale = Math.max(1, Math.min(2, 1280 / Math.max(1, source.width)));
  const width = source.width * scale, views = source.height * scale;
  const columns = Math.max(1, Math.min(3, Math.floor(width / 340)));
  const head = 44, gap = 12, cell = (width - gap) / columns - gap;
  const heights = source.plots.map((p) => 34 + (cell * p.canvas.height) / Math.max(1, p.canvas.width));
  const rows: number[] = [];
  heights.forEach((h, i) => { rows[Math.floor(i / columns)] = Math.max(rows[Math.floor(i / columns)] ?? 0, h); });
  if (!keepSize) {
    canvas.width = Math.max(2, even(width));
    canvas.height = even(head + views + rows.reduce((a, b) => a + b + gap, gap));
  }
  const g = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  const css = (name: string) => style.getPropertyValue(name).trim();
  const font = (size: number, weight = 400) => `${weight} ${size}px ${css("--sans") || "sans-serif"}`;
  g.fillStyle = css("--page");
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.textBaseline = "middle";
  g.textAlign = "left";
  g.fillStyle = css("--ink");
  g.font = font(16, 650);
  g.fillText("Lilyan", gap + 2, head / 2);
  g.font = font(14);
  g.fillStyle = css("--muted");
  g.fillText(source.scene, gap + 66, head / 2);

  // A canvas without a size, in a window made very small, cannot be drawn.
  const picture = (from: HTMLCanvasElement, x: number, y: number, w: number, h: number) => {
    if (from.width && from.height && w > 0 && h > 0) g.drawImage(from, x, y, w, h);
  };
  g.save();
  g.translate(0, head);
  g.scale(scale, scale);
  g.fillStyle = css("--stage");
  for (const p of source.panes) g.fillRect(p.x, p.y, p.width, p.height);
  picture(source.gl, 0, 0, source.width, source.height);
  g.strokeStyle = css("--line");
  g.lineWidth = 1;
  for (const p of source.panes) g.strokeRect(p.x - 0.5, p.y - 0.5, p.width + 1, p.height + 1);
  for (const p of source.panes) {
    if (p.phase) picture(p.phase, p.x, p.y, p.width, p.height);
    g.fillStyle = paneColour(p.index);
    g.beginPath();
    g.arc(p.x + 16 / scale, p.y + 18 / scale, 5 / scale, 0, 2 * Math.PI);
    g.fill();
    g.fillStyle = css("--ink");
    g.font = font(14 / scale, 600);
    g.textAlign = "left";
    const put = (text: string, x: number, y: number) => {
      const ink = g.fillStyle;
      g.fillStyle = css("--veil");
      g.beginPath();
      g.roundRect(x - 5 / scale, y - 10 / scale, g.measureText(text).width + 10 / scale, 20 / scale, 4 / scale);
      g.fill();
      g.fillStyle = ink;
      g.fillText(text, x, y);
    };
    put(p.title, p.x + 28 / scale, p.y + 18 / scale);
    g.font = font(12 / scale);
    if (p.text) {
      g.fillStyle = css(p.failed ? "--bad" : "--good");
      put(p.text, p.x + 28 / scale, p.y + 40 / scale);
    }
    g.fillStyle = css("--muted");
    put(p.note, p.x + 12 / scale, p.y + p.height - 16 / scale);
  }
  if (source.bar) {
    const x = source.width - 196, y = source.height - 34;
    const stops = rampCss.match(/#[0-9A-F]{6}/g)!;
    const ramp = g.createLinearGradient(x, 0, x + 180, 0);
    stops.forEach((c, i) => ramp.addColorStop(i / (stops.length - 1), c));
    g.fillStyle = ramp;
    g.fillRect(x, y, 180, 8);
    g.fillStyle = css("--ink");
    g.font = font(11);
    g.textAlign = "left";
    g.fillText(source.bar.low, x, y + 18);
    g.textAlign = "right";
    g.fillText(source.bar.high, x + 180, y + 18);
    g.textAlign = "center";
    g.fillText(source.bar.title, x + 90, y + 18);
  }
  g.restore();

  let top = head + views + gap;
  source.plots.forEach((p, i) => {
    const column = i % columns, row = Math.floor(i / columns);
    if (column === 0 && row > 0) top += rows[row - 1] + gap;
    const x = gap + column * (cell + gap);
    g.textAlign = "left";
    g.fillStyle = css("--ink");
    g.font = font(12, 600);
    g.fillText(p.heading, x + 4, top + 8);
    let at = x + 4;
    g.font = font(11);
    for (const { label, colour } of p.labels) {
      const wide = g.measureText(label).width + 26;
      if (at + wide > x + cell) break;
      g.fillStyle = colour;
      g.fillRect(at, top + 23, 12, 3);
      g.fillStyle = css("--muted");
      g.fillText(label, at + 17, top + 25);
      at += wide;
    }
    picture(p.canvas, x, top + 34, cell, (cell * p.canvas.height) / Math.max(1, p.canvas.width));
  });
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Recorder {
  private recorder: MediaRecorder | null = null;
  private readonly canvas = document.createElement("canvas");
  private chunks: Blob[] = [];
  private started = false;

  static supported(): boolean {
    return typeof MediaRecorder !== "undefined" && Recorder.type() !== "";
  }
  private static type(): string {
    return ["video/webm;codecs=vp8", "video/webm;codecs=vp9", "video/webm"].find((t) => MediaRecorder.isTypeSupported(t)) ?? "";
  }

  get bytes(): number {
    return this.chunks.reduce((n, c) => n + c.size, 0);
  }
  get recording(): boolean {
    return this.recorder !== null;
  }

  start(source: Source): void {
    compose(this.canvas, source, false);
    this.chunks = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: Recorder.type(), videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (e) => { if (e.data.size) this.chunks.push(e.data); };
    this.recorder.start(500);
    this.started = true;
  }

  frame(source: Source): void {
    if (this.started) compose(this.canvas, source, true);
  }

  stop(name: string): Promise<number> {
    return new Promise((resolve) => {
      const recorder = this.recorder;
      this.recorder = null;
      this.started = false;
      if (!recorder) return resolve(0);
      recorder.onstop = () => {
        const blob = new Blob(this.chunks, { type: "video/webm" });
        for (const track of recorder.stream.getTracks()) track.stop();
        if (blob.size) download(blob, name);
        resolve(blob.size);
      };
      recorder.stop();
    });
  }
}

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
