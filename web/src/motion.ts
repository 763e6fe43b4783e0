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

/** A line, or points where some are left out. Long lines that cross themselves are drawn in pieces: as a whole they take
 * many times as long. */
export function drawCurve(g: CanvasRenderingContext2D, { from, to, points }: { from: number; to: number; points: boolean }, at: (i: number) => [number, number], open: (i: number) => boolean = () => false): void {
  const PIECE = 80;
  if (points) {
    for (let i = from; i < to; ++i) {
      const [px, py] = at(i);
      g.fillRect(px - 0.5, py - 0.5, 1, 1);
    }
    return;
  }
  for (let begin = from; begin < to - 1; begin += PIECE) {
    g.beginPath();
    for (let i = begin; i <= Math.min(begin + PIECE, to - 1); ++i) {
      const [px, py] = at(i);
      if (i === begin || open(i)) g.moveTo(px, py);
      else g.lineTo(px, py);
    }
    g.stroke();
  }
}

const RECENT = 1500, OLD = 12000;

export function drawMotion(g: CanvasRenderingContext2D, model: PaneModel, toPixel: (x: number, y: number) => [number, number], colour: string, scale: number): void {
  const { draw } = model.info, { path, frame } = model;
  if (!draw || !frame) return;
  const place = look(draw.flat), several = draw.trails.length > 1, n = 2 * path.n;
  const own = (k: number) => (several ? curveColour(k) : colour);
  g.lineJoin = "round";
  g.lineCap = "round";
  for (const part of path.parts(frame.t, RECENT, OLD))
    for (let k = 0; k < draw.trails.length; ++k) {
      const [xs, ys, zs] = part.values.slice(n + 3 * k, n + 3 * k + 3);
      g.globalAlpha = part.recent ? 0.65 : part.points ? 0.4 : 0.25;
      g.strokeStyle = g.fillStyle = own(k);
      g.lineWidth = part.recent ? 1.5 : 1;
      drawCurve(g, part, (i) => toPixel(...place(xs[i], ys[i], zs[i])));
    }
  g.globalAlpha = 1;
  const at = (i: number) => toPixel(...place(frame.places[3 * i], frame.places[3 * i + 1], frame.places[3 * i + 2]));
  drawParts(g, { ...draw, trails: draw.trails.length }, at, own, colour, scale);
}

export interface Parts { radii: number[]; rods: number; springs: number; trails: number; held?: number[] }

/** Rods, springs and points at their places; `scale`: pixels in a unit. */
export function drawParts(g: CanvasRenderingContext2D, draw: Parts, at: (i: number) => [number, number], own: (k: number) => string, colour: string, scale: number, edge = { top: 50, bottom: 36 }): void {
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
  // What does not move is marked as a support on hatched ground.
  for (const k of draw.held ?? []) support(g, at(points + k), ink);
  // Points of a long lattice do not cover each other.
  const least = Math.max(1.5, Math.min(7, points > 1 && draw.springs ? 0.35 * scale : 7));
  for (let i = 0; i < points; ++i) {
    let [px, py] = at(i);
    if (!Number.isFinite(px + py)) continue;
    // What has left the picture is marked at its edge.
    const { a: ratio } = g.getTransform(), [inX, inY] = [Math.max(9, Math.min(g.canvas.width / ratio - 9, px)), Math.max(edge.top, Math.min(g.canvas.height / ratio - edge.bottom, py))];
    const outside = Math.hypot(px - inX, py - inY) > 20;
    if (outside) [px, py] = [inX, inY];
    g.fillStyle = draw.trails > 1 && draw.trails === points ? own(i) : draw.radii[i] < 0.6 ? ink : draw.trails > 1 && i > 0 && draw.trails === points - 1 ? own(i - 1) : colour;
    g.strokeStyle = isDark() ? "#14181d" : "#fbfbfc";
    g.lineWidth = 1.5;
    g.beginPath();
    g.arc(px, py, Math.min(26, least * draw.radii[i]), 0, 2 * Math.PI);
    if (!outside) g.fill();
    else g.strokeStyle = g.fillStyle;
    g.stroke();
  }
}

function support(g: CanvasRenderingContext2D, [x, y]: [number, number], ink: string): void {
  if (!Number.isFinite(x + y)) return;
  const half = 9, high = 11;
  g.fillStyle = isDark() ? "#2a323b" : "#e4e8ec";
  g.strokeStyle = ink;
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x - half, y - high);
  g.lineTo(x + half, y - high);
  g.closePath();
  g.fill();
  g.stroke();
  g.beginPath();
  g.moveTo(x - half - 4, y - high);
  g.lineTo(x + half + 4, y - high);
  for (let k = -half - 1; k <= half + 4; k += 5) {
    g.moveTo(x + k, y - high);
    g.lineTo(x + k + 4, y - high - 5);
  }
  g.stroke();
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
