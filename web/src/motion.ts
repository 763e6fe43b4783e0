// The picture of a small system in space: its points, rods and springs where they are, and the trails they leave.

import { curveColour, isDark } from "./colour";
import type { PaneModel } from "./model";

/** How a picture that is not flat is turned, for all panes together. */
export const turn = { about: -0.6, up: 0.42 };

/** From places to the plane that is looked at. */
export function look(flat: boolean): (x: number, y: number, z: number) => [number, number] {
  if (flat) return (x, y) => [x, y];
  const c = Math.cos(turn.about), s = Math.sin(turn.about), cu = Math.cos(turn.up), su = Math.sin(turn.up);
  return (x, y, z) => [c * x - s * z, cu * y - su * (s * x + c * z)];
}

export type Grow = (x: number, y: number) => void;

/** Tells all places of the drawing, and those of the entries of the path from `from` on. */
export function extentOfMotion(model: PaneModel, from: number, grow: Grow): void {
  const { draw } = model.info, { path } = model;
  if (!draw) return;
  const place = look(draw.flat), n = 2 * path.n;
  for (let k = 0; k < draw.trails.length; ++k) {
    const [xs, ys, zs] = path.values.slice(n + 3 * k, n + 3 * k + 3);
    for (let i = from; i < path.length; ++i) grow(...place(xs[i], ys[i], zs[i]));
  }
  const places = model.frame?.places ?? [];
  for (let i = 0; i + 2 < places.length; i += 3) grow(...place(places[i], places[i + 1], places[i + 2]));
}

const RECENT = 1200, OLD = 8000;

export function drawMotion(g: CanvasRenderingContext2D, model: PaneModel, toPixel: (x: number, y: number) => [number, number], colour: string, scale: number): void {
  const { draw } = model.info, { path, frame } = model;
  if (!draw || !frame) return;
  const place = look(draw.flat), several = draw.trails.length > 1, n = 2 * path.n;
  const own = (k: number) => (several ? curveColour(k) : colour);
  const end = path.at(frame.t) + 1;
  g.lineJoin = "round";
  g.lineCap = "round";
  const trail = (k: number, first: number, last: number, alpha: number, width: number) => {
    const [xs, ys, zs] = path.values.slice(n + 3 * k, n + 3 * k + 3);
    g.globalAlpha = alpha;
    g.strokeStyle = own(k);
    g.lineWidth = width;
    g.beginPath();
    for (let i = first; i < last; ++i) {
      const [px, py] = toPixel(...place(xs[i], ys[i], zs[i]));
      if (i === first) g.moveTo(px, py);
      else g.lineTo(px, py);
    }
    g.stroke();
  };
  for (let k = 0; k < draw.trails.length; ++k) {
    const recent = Math.max(0, end - RECENT);
    if (recent > 0) trail(k, Math.max(0, end - OLD), recent + 1, 0.22, 1);
    trail(k, recent, end, 0.6, 1.5);
  }
  g.globalAlpha = 1;
  const at = (i: number) => toPixel(...place(frame.places[3 * i], frame.places[3 * i + 1], frame.places[3 * i + 2]));
  const ink = isDark() ? "#c6ccd4" : "#3d4651", points = draw.radii.length;
  g.strokeStyle = ink;
  g.lineWidth = 3;
  g.beginPath();
  for (let r = 0; r < draw.rods; ++r) {
    g.moveTo(...at(points + 2 * r));
    g.lineTo(...at(points + 2 * r + 1));
  }
  g.stroke();
  g.lineWidth = 1.5;
  g.beginPath();
  for (let s = 0; s < draw.springs; ++s) {
    const first = points + 2 * (draw.rods + s);
    spring(g, at(first), at(first + 1));
  }
  g.stroke();
  // Points of a long lattice do not cover each other.
  const least = Math.max(1.5, Math.min(7, points > 1 && draw.springs ? 0.35 * scale : 7));
  for (let i = 0; i < points; ++i) {
    const [px, py] = at(i);
    if (!Number.isFinite(px + py)) continue;
    g.fillStyle = several && draw.trails.length === points ? own(i) : draw.radii[i] < 0.6 ? ink : several && i > 0 && draw.trails.length === points - 1 ? own(i - 1) : colour;
    g.strokeStyle = isDark() ? "#14181d" : "#fbfbfc";
    g.lineWidth = 1.5;
    g.beginPath();
    g.arc(px, py, Math.min(26, least * draw.radii[i]), 0, 2 * Math.PI);
    g.fill();
    g.stroke();
  }
}

/** A zigzag, with straight ends. */
function spring(g: CanvasRenderingContext2D, [ax, ay]: [number, number], [bx, by]: [number, number]): void {
  const length = Math.hypot(bx - ax, by - ay);
  g.moveTo(ax, ay);
  if (length > 18) {
    const turns = 6, ux = (bx - ax) / length, uy = (by - ay) / length, wide = Math.min(7, 0.16 * length);
    for (let k = 0; k <= 2 * turns; ++k) {
      const along = length * (0.15 + (0.7 * k) / (2 * turns)), side = k === 0 || k === 2 * turns ? 0 : k % 2 ? wide : -wide;
      g.lineTo(ax + along * ux - side * uy, ay + along * uy + side * ux);
    }
  }
  g.lineTo(bx, by);
}
