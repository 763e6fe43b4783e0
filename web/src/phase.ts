// The phase portrait of a small system: its path in the plane of two coordinates (or a coordinate and a velocity), and
// the cloud of initial conditions that is carried along.

import { InitialCloudDrag, type InitialCloud } from "./initial-cloud";
import { curveColour, isDark, paneColour } from "./colour";
import { greek, niceStep, ticks } from "./format";
import type { PaneModel } from "./model";
import { drawCurve, drawMotion, extentOfMotion, turn } from "./motion";

interface Axis { name: string; /** Which of the coordinates, then the velocities: several for "x of all". */ of: number[] }

/** Axes one can choose: those of all bodies at once where there are several, coordinates, velocities. */
function axesOf(coordinates: string[]): Axis[] {
  const single = [...coordinates, ...coordinates.map((name) => `${name}′`)].map((name, i) => ({ name: greek(name), of: [i] }));
  const groups = new Map<string, number[]>();
  coordinates.forEach((name, i) => {
    const letter = /^([xyz])_?\[?\d+\]?$/.exec(name)?.[1];
    if (letter) groups.set(letter, [...(groups.get(letter) ?? []), i]);
  });
  const size = groups.get("x")?.length ?? 0;
  const bodies = size > 1 && groups.size > 1 && [...groups.values()].every((g) => g.length === size);
  return [...(bodies ? [...groups].map(([letter, of]) => ({ name: letter, of })) : []), ...single];
}

export class PhaseView {
  readonly canvas = document.createElement("canvas");
  xAxis = 0;
  yAxis = 1;
  /** "motion", "phase", or the number of a section. */
  mode = "phase";
  initialCloud: InitialCloud | null = null;
  private choices: Axis[] = [];
  /** Of the first so many rows of the path, without a margin. */
  private known = { rows: 0, x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  private box: { x0: number; x1: number; y0: number; y1: number } | null = null;
  private provisional = true; // nothing has been seen yet
  private size = { width: 0, height: 0 };
  private readonly drag: InitialCloudDrag;

  constructor(
    private model: PaneModel,
    sendCloud: (cloud: InitialCloud, last: boolean) => void,
    private readonly redraw: () => void,
    /** The portraits of all panes of the scene, this one too. */
    private readonly peers: () => PhaseView[],
  ) {
    this.canvas.className = "phase";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.drag = new InitialCloudDrag(this.canvas, {
      cloud: () => (this.showsCloud() ? this.initialCloud : null),
      place: (x, y) => this.fromPixel(x, y),
      span: () => (this.box ? [this.box.x1 - this.box.x0, this.box.y1 - this.box.y0] : [1, 1]),
      moved: (cloud, last) => {
        this.adopted = false;
        sendCloud(cloud, last);
        this.redraw();
      },
    });
    this.turning();
    this.restart(model);
  }

  /** A drag turns a picture that is not flat. */
  private turning(): void {
    const { canvas } = this;
    let last: { id: number; x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (e) => {
      if (this.mode !== "motion" || this.model.info.draw?.flat !== false || e.button !== 0) return;
      last = { id: e.pointerId, x: e.clientX, y: e.clientY };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (last?.id !== e.pointerId) return;
      turn.about += 0.008 * (e.clientX - last.x);
      turn.up = Math.max(-1.57, Math.min(1.57, turn.up + 0.008 * (e.clientY - last.y)));
      last = { id: e.pointerId, x: e.clientX, y: e.clientY };
      for (const p of this.peers()) p.resetExtent();
    });
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => { last = null; });
  }

  restart(model: PaneModel): void {
    const { info } = this.model, other = model.info.scene !== info.scene || model.info.coordinates.join() !== info.coordinates.join() || !this.box;
    this.model = model;
    this.choices = axesOf(model.info.coordinates);
    if (other) {
      this.xAxis = 0;
      this.yAxis = 1;
      this.initialCloud = null;
      this.mode = this.opening();
    } else if (!this.modes().some(([m]) => m === this.mode)) this.mode = this.opening();
    this.forget();
    this.canvas.setAttribute("aria-label", `Phase portrait of ${model.info.title}`);
  }

  /** What can be shown, and its names. */
  modes(): [string, string][] {
    const { draw, sections } = this.model.info;
    return [...(draw ? [["motion", "motion"] as [string, string]] : []), ["phase", "phase"],
      ...sections.map((s, i) => [String(i), sections.length > 1 ? `section ${s.name}` : "section"] as [string, string])];
  }

  /** What is shown first: of many orbits a section, which has all of them, and otherwise the motion. */
  private opening(): string {
    const { orbits, sections } = this.model.info;
    return orbits > 0 && sections.length > 0 ? "0" : this.modes()[0][0];
  }

  setMode(mode: string): void {
    if (this.mode === mode) return;
    this.mode = this.modes().some(([m]) => m === mode) ? mode : this.opening();
    this.resetExtent();
  }

  private get section(): number {
    return this.mode === "motion" || this.mode === "phase" ? -1 : Number(this.mode);
  }

  /** A drag over the picture does something by itself. */
  get usesDrag(): boolean {
    return (this.mode === "motion" && this.model.info.draw?.flat === false) || (this.showsCloud() && !!this.initialCloud);
  }

  /** The ellipse is only where the points are now: what they began as is not known. */
  adopted = false;

  axes(): string[] {
    return this.choices.map((a) => a.name);
  }

  /** Pairs of values that are drawn: one for each body. */
  private pairs(): [number, number][] {
    const x = this.choices[this.xAxis]?.of ?? [], y = this.choices[this.yAxis]?.of ?? [];
    if (!x.length || !y.length) return [];
    return Array.from({ length: Math.max(x.length, y.length) }, (_, k) => [x[k % x.length], y[k % y.length]]);
  }

  /** A cloud around the present state, a tenth of the picture wide. */
  suggestInitialCloud(): InitialCloud {
    const b = this.box ?? { x0: -1, x1: 1, y0: -1, y1: 1 };
    const q = this.model.frame ? this.model.q()[0] : 0, v = this.model.frame ? this.model.v()[0] : 0;
    return { center: [q, v], radius: [0.08 * (b.x1 - b.x0), 0.08 * (b.y1 - b.y0)], count: 2000 };
  }

  /** Finds the ellipse of a cloud that was there before this page: its points lie in one, or did. */
  adoptCloud(): boolean {
    const cloud = this.model.cloudPoints;
    if (this.initialCloud || !cloud || this.model.info.coordinates.length !== 1) return false;
    const mean = [0, 0], spread = [0, 0], axes = [cloud.q, cloud.v];
    let n = 0;
    for (let i = 0; i < cloud.q.length; ++i) {
      if (!Number.isFinite(cloud.q[i]) || !Number.isFinite(cloud.v[i])) continue;
      ++n;
      for (let k = 0; k < 2; ++k) {
        const d = axes[k][i] - mean[k];
        mean[k] += d / n;
        spread[k] += d * (axes[k][i] - mean[k]);
      }
    }
    const radius = spread.map((s) => 2 * Math.sqrt(s / Math.max(1, n)));
    if (!radius.every((r) => Number.isFinite(r) && r > 0)) return false;
    this.initialCloud = { center: [mean[0], mean[1]], radius: [radius[0], radius[1]], count: cloud.q.length };
    this.adopted = true;
    return true;
  }

  private extent(): void {
    const { path, cloudPoints: cloud } = this.model, known = this.known;
    const grow = (b: typeof known, x: number, y: number) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      if (x < b.x0) b.x0 = x;
      if (x > b.x1) b.x1 = x;
      if (y < b.y0) b.y0 = y;
      if (y > b.y1) b.y1 = y;
    };
    if (known.rows > path.length || !path.whole) known.rows = 0;
    if (this.mode === "motion") extentOfMotion(this.model, known.rows, (x, y) => grow(known, x, y));
    else if (this.section >= 0) {
      const points = this.model.sections[this.section] ?? [];
      for (let i = this.sectionSeen; i < points.length; i += 2) grow(known, points[i], points[i + 1]);
      this.sectionSeen = points.length;
    } else
      for (const [a, b] of this.pairs()) {
        const xs = path.values[a], ys = path.values[b];
        for (let i = known.rows; i < path.length; ++i) grow(known, xs[i], ys[i]);
      }
    known.rows = path.length;
    const all = { ...known };
    // All panes of the scene have the same axes; those that went far away do not make the others small.
    const span = (k: typeof known) => Math.max(k.x1 - k.x0, k.y1 - k.y0);
    const others = this.peers().filter((p) => p !== this && p.mode === this.mode && p.known.x1 > p.known.x0).map((p) => p.known);
    if (others.length) {
      const spans = [known, ...others].map(span).filter((s) => s > 0).sort((a, b) => a - b), most = 3 * (spans[(spans.length - 1) >> 1] ?? Infinity);
      if (span(known) > most) Object.assign(all, others.find((o) => span(o) <= most) ?? known);
      for (const o of others)
        if (span(o) <= most) {
          grow(all, o.x0, o.y0);
          grow(all, o.x1, o.y1);
        }
    }
    if (this.showsCloud()) {
      if (cloud && others.length === 0) for (let i = 0; i < cloud.q.length; ++i) grow(all, cloud.q[i], cloud.v[i]);
      if (this.initialCloud) {
        const { center: c, radius: r } = this.initialCloud;
        grow(all, c[0] - r[0], c[1] - r[1]);
        grow(all, c[0] + r[0], c[1] + r[1]);
      }
    }
    const nothing = all.x0 > all.x1;
    if (nothing) Object.assign(all, { x0: -1, x1: 1, y0: -1, y1: 1 });
    const padX = 0.12 * (all.x1 - all.x0) || 0.5, padY = 0.12 * (all.y1 - all.y0) || 0.5;
    const b = this.provisional ? null : this.box;
    if (b && this.drag.grabbed) return;
    this.provisional = nothing || path.length < 2;
    // Grows at once and does not shrink, so that the picture stands still.
    this.box = {
      x0: Math.min(all.x0 - padX, b?.x0 ?? Infinity), x1: Math.max(all.x1 + padX, b?.x1 ?? -Infinity),
      y0: Math.min(all.y0 - padY, b?.y0 ?? Infinity), y1: Math.max(all.y1 + padY, b?.y1 ?? -Infinity),
    };
    for (const { box, provisional, mode } of this.peers())
      if (box && !provisional && !this.provisional && mode === this.mode)
        this.box = { x0: Math.min(this.box.x0, box.x0), x1: Math.max(this.box.x1, box.x1), y0: Math.min(this.box.y0, box.y0), y1: Math.max(this.box.y1, box.y1) };
  }

  private sectionSeen = 0;

  private forget(): void {
    this.box = null;
    this.sectionSeen = 0;
    this.known = { rows: 0, x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
  }

  resetExtent(): void {
    this.forget();
    this.redraw();
  }

  private showsCloud(): boolean {
    return this.mode === "phase" && this.model.info.coordinates.length === 1 && this.xAxis === 0 && this.yAxis === 1;
  }

  private area() {
    const { width, height } = this.size;
    const bare = this.mode === "motion";
    const left = bare ? 12 : 52, top = 40, w = Math.max(10, width - (bare ? 24 : 66)), h = Math.max(10, height - 40 - (bare ? 36 : 66));
    const b = this.box!;
    const n = this.model.info.coordinates.length;
    if (this.mode === "motion" || (this.mode === "phase" && n > 1 && this.pairs().every(([x, y]) => x < n && y < n))) {
      const scale = Math.min(w / (b.x1 - b.x0), h / (b.y1 - b.y0));
      const nw = scale * (b.x1 - b.x0), nh = scale * (b.y1 - b.y0);
      // As wide as it was, but one unit is the same length both ways.
      const cx = (b.x0 + b.x1) / 2, cy = (b.y0 + b.y1) / 2;
      return { left, top, w, h, x0: cx - ((b.x1 - b.x0) / 2) * (w / nw), x1: cx + ((b.x1 - b.x0) / 2) * (w / nw), y0: cy - ((b.y1 - b.y0) / 2) * (h / nh), y1: cy + ((b.y1 - b.y0) / 2) * (h / nh) };
    }
    return { left, top, w, h, ...b };
  }

  get range(): { x0: number; x1: number; y0: number; y1: number } | null {
    return this.box && { ...this.box };
  }

  toPixel(x: number, y: number): [number, number] {
    const a = this.area();
    return [a.left + ((x - a.x0) / (a.x1 - a.x0)) * a.w, a.top + (1 - (y - a.y0) / (a.y1 - a.y0)) * a.h];
  }
  private fromPixel(px: number, py: number): [number, number] {
    const a = this.area();
    return [a.x0 + ((px - a.left) / a.w) * (a.x1 - a.x0), a.y0 + (1 - (py - a.top) / a.h) * (a.y1 - a.y0)];
  }

  draw(): void {
    const rect = this.canvas.getBoundingClientRect(), ratio = Math.min(2, window.devicePixelRatio);
    const width = Math.round(rect.width), height = Math.round(rect.height);
    if (width < 2 || height < 2) return;
    if (this.canvas.width !== width * ratio || this.canvas.height !== height * ratio) {
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
    }
    this.size = { width, height };
    this.extent();
    // Drawn here and not by the graphics card, which takes seconds for long paths where it is only emulated.
    const g = this.canvas.getContext("2d", { willReadFrequently: true })!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const css = (name: string) => style.getPropertyValue(name).trim();
    g.fillStyle = css("--stage");
    g.fillRect(0, 0, width, height);
    const a = this.area();
    if (this.mode === "motion") {
      g.save();
      g.beginPath();
      g.rect(0, a.top, width, a.h + 10);
      g.clip();
      drawMotion(g, this.model, (x, y) => this.toPixel(x, y), paneColour(this.model.index), a.w / (a.x1 - a.x0));
      g.restore();
      return;
    }
    g.font = `11px ${css("--sans") || "sans-serif"}`;
    g.lineWidth = 1;

    const stepX = niceStep(a.x1 - a.x0, a.w / 80), stepY = niceStep(a.y1 - a.y0, a.h / 56);
    const placesX: number[] = [], placesY: number[] = [];
    for (let k = Math.ceil(a.x0 / stepX); k * stepX <= a.x1; ++k) placesX.push(k * stepX);
    for (let k = Math.ceil(a.y0 / stepY); k * stepY <= a.y1; ++k) placesY.push(k * stepY);
    const lines = (zero: boolean) => {
      g.strokeStyle = css(zero ? "--axis" : "--gridline");
      g.beginPath();
      for (const x of placesX) {
        if ((x === 0) !== zero) continue;
        const px = Math.round(this.toPixel(x, 0)[0]) + 0.5;
        g.moveTo(px, a.top);
        g.lineTo(px, a.top + a.h);
      }
      for (const y of placesY) {
        if ((y === 0) !== zero) continue;
        const py = Math.round(this.toPixel(0, y)[1]) + 0.5;
        g.moveTo(a.left, py);
        g.lineTo(a.left + a.w, py);
      }
      g.stroke();
    };
    lines(false);
    lines(true);
    g.fillStyle = css("--muted");
    g.textAlign = "center";
    g.textBaseline = "top";
    ticks(placesX, stepX).forEach((s, i) => g.fillText(s, this.toPixel(placesX[i], 0)[0], a.top + a.h + 6));
    g.textAlign = "right";
    g.textBaseline = "middle";
    ticks(placesY, stepY).forEach((s, i) => g.fillText(s, a.left - 7, this.toPixel(0, placesY[i])[1]));
    const section = this.model.info.sections[this.section];
    const [nameX, nameY] = section ? [greek(section.x), greek(section.y)] : [this.axes()[this.xAxis], this.axes()[this.yAxis]];
    g.font = `italic 13px ${css("--serif") || "serif"}`;
    g.fillStyle = css("--ink");
    g.textAlign = "right";
    g.textBaseline = "bottom";
    g.fillText(nameX ?? "", a.left + a.w - 4, a.top + a.h - 5);
    g.textAlign = "left";
    g.textBaseline = "top";
    g.fillText(nameY ?? "", a.left + 7, a.top + 3);

    g.save();
    g.beginPath();
    g.rect(a.left, a.top, a.w, a.h);
    g.clip();
    if (section) {
      this.drawSection(g);
      g.restore();
      return;
    }
    const { frame } = this.model, pairs = this.pairs();
    const colour = (k: number) => (pairs.length > 1 ? curveColour(k) : paneColour(this.model.index));
    pairs.forEach(([x, y], k) => this.drawPath(g, x, y, colour(k)));
    if (this.showsCloud()) {
      const cloud = this.model.cloudPoints;
      if (cloud) {
        // It is known where the newest frame is: while an older one is looked at, it stands back.
        const { state } = this.model;
        g.globalAlpha = state && state.frame < state.frames - 1 ? 0.3 : 1;
        g.fillStyle = isDark() ? "rgba(240, 228, 66, .7)" : "rgba(178, 112, 0, .6)";
        for (let i = 0; i < cloud.q.length; ++i) {
          const [px, py] = this.toPixel(cloud.q[i], cloud.v[i]);
          g.fillRect(px - 0.9, py - 0.9, 1.8, 1.8);
        }
        g.globalAlpha = 1;
      }
      if (this.initialCloud) {
        const [cx, cy] = this.toPixel(...this.initialCloud.center);
        const [rx, ry] = this.toPixel(this.initialCloud.center[0] + this.initialCloud.radius[0], this.initialCloud.center[1] + this.initialCloud.radius[1]);
        g.strokeStyle = css("--ink");
        g.setLineDash([4, 3]);
        g.lineWidth = 1.25;
        g.beginPath();
        g.ellipse(cx, cy, Math.abs(rx - cx), Math.abs(ry - cy), 0, 0, 2 * Math.PI);
        g.stroke();
        g.setLineDash([]);
      }
    }
    if (frame) {
      const now = [...this.model.q(), ...this.model.v()];
      pairs.forEach(([x, y], k) => {
        const [px, py] = this.toPixel(now[x], now[y]);
        g.fillStyle = colour(k);
        g.strokeStyle = css("--stage");
        g.lineWidth = 2;
        g.beginPath();
        g.arc(px, py, 6, 0, 2 * Math.PI);
        g.fill();
        g.stroke();
      });
    }
    g.restore();
  }

  /** The places where the motion went through the section. */
  private drawSection(g: CanvasRenderingContext2D): void {
    const points = this.model.sections[this.section], size = points.length > 6000 ? 1.4 : points.length > 600 ? 2 : 3;
    const orbits = this.model.sectionOrbits[this.section], own = paneColour(this.model.index), several = orbits.some((k) => k > 0);
    g.fillStyle = own;
    for (let i = 0; i < points.length; i += 2) {
      if (several) g.fillStyle = curveColour(orbits[i / 2]);
      const [px, py] = this.toPixel(points[i], points[i + 1]);
      g.fillRect(px - size / 2, py - size / 2, size, size);
    }
    if (points.length < 2) return;
    g.beginPath();
    g.arc(...this.toPixel(points[points.length - 2], points[points.length - 1]), 4.5, 0, 2 * Math.PI);
    g.fill();
  }

  private drawPath(g: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
    const { path } = this.model;
    g.strokeStyle = g.fillStyle = colour;
    g.globalAlpha = 0.55;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    // Where frames were skipped, far more than usual, the path is not known: it is left open.
    const usual = path.whole ? Infinity : path.length > 1 ? (path.frames[path.length - 1] - path.frames[0]) / (path.length - 1) : 1;
    // More points than this cannot be seen.
    for (const part of path.parts(Infinity, 3000, 20000)) {
      const xs = part.values[x], ys = part.values[y];
      drawCurve(g, part, (i) => this.toPixel(xs[i], ys[i]), (i) => !path.whole && path.frames[i] - path.frames[i - 1] > Math.max(4, 4 * usual));
    }
    g.globalAlpha = 1;
  }
}
