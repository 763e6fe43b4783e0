// Messages of the live view, checked as they come in: nothing that arrives can break the page.

export const PROTOCOL = 1;
const MAGIC = 0x594c494c;

export interface Method { name: string; summary: string }
export interface Setup { type: "setup"; version: string; methods: Method[]; scenes: string[] }

export interface Obstacle {
  kind: string;
  point?: number[]; normal?: number[];
  center?: number[]; radius?: number; size?: number[];
  from?: number[]; to?: number[];
  /** Bodies are kept inside. */
  inside?: boolean;
  moves?: boolean;
}

/** The parts of a small system's picture: the places of points, of both ends of rods and springs come with each frame,
 * those of trails with the path. */
export interface Drawing {
  radii: number[]; names: string[]; rods: number; springs: number; trails: string[]; flat: boolean;
  /** Ends of rods and springs that do not move, counted as their places are after those of points. */
  held: number[];
}

/** What holds bodies or ties them to each other; which of its ends are points in space. Where the ends are comes with
 * each frame. */
export interface LinkInfo { kind: string; held: [boolean, boolean] }
/** What a run says at its end; no verdict: the scene does not keep this. */
export interface Verdict { verdict: string | null; text: string }

export interface PaneInfo {
  type: "pane";
  pane: number;
  run: number;
  scene: string;
  title: string;
  method: string;
  methodName: string;
  step: number;
  steps: number;
  kind: "body" | "system";
  vertices: number;
  coordinates: string[];
  settings: string[];
  columns: string[];
  obstacles: Obstacle[];
  /** Of the whole run; 0 where it is not known. */
  duration: number;
  /** Of the fastest oscillation of a small system; 0 where there is none. */
  period: number;
  /** Further orbits, which only sections show. */
  orbits: number;
  /** Vertices of the surface that are held. */
  fixed: number[];
  links: LinkInfo[];
  /** Methods that a comparison takes; none where the program does not tell. */
  compare: string[];
  draw: Drawing | null;
  sections: { name: string; x: string; y: string }[];
  material: Record<string, number> | null;
  /** Rayleigh damping of the first body; null where it has none, undefined where the program does not tell. */
  damping: { mass?: number; stiffness?: number } | null | undefined;
  error: string | null;
  /** Of a folder of results. */
  replay: boolean;
  /** It goes on by itself. */
  watched: boolean;
}

export interface Rows { type: "rows"; pane: number; run: number; rows: (number | null)[][] }

export interface PaneState {
  pane: number; run: number; frame: number; frames: number;
  finished: boolean; interrupted: boolean; failed: string | null; msPerStep: number; kept: Verdict[];
}
export interface State { type: "state"; playing: boolean; speed: number; usualSpeed: number; panes: PaneState[] }
/** A change that cannot be made: the pane goes on as it was. */
export interface Refused { type: "refused"; pane: number; settings: string[]; message: string }
export interface ErrorMessage { type: "error"; message: string }
export type ServerMessage = Setup | PaneInfo | Rows | State | ErrorMessage | Refused;

export interface OpenPane { scene: string; settings: string[] }
export type ClientMessage =
  | { type: "hello"; protocol: number }
  | { type: "play" | "pause" | "step" | "reset" }
  | { type: "speed"; value: number }
  | { type: "open"; panes: OpenPane[] }
  | { type: "change"; pane: number; settings: string[]; remove?: string[] }
  | { type: "seek"; frame: number }
  | { type: "pull"; pane: number; vertex: number; target: [number, number, number] }
  | { type: "release"; pane: number }
  | { type: "cloud"; pane: number; center?: [number, number]; radius?: [number, number]; count: number };

export interface MeshData {
  kind: "mesh"; pane: number; run: number;
  triangles: Uint32Array; edges: Uint32Array; bodies: Uint32Array; bodyCount: number; rest: Float32Array;
}
export interface FrameData {
  kind: "frame"; pane: number; run: number; frame: number; nv: number; t: number;
  data: ArrayBuffer; // the arrays begin at byte 32
  /** Where the moving obstacles are: twelve numbers each; none where the program does not tell. */
  poses: Float32Array;
  /** Both ends of each link, six numbers each; none where the program does not tell. */
  links: Float32Array;
  /** Of the drawing of a small system, three numbers each. */
  places: Float32Array;
}
export interface PathData {
  kind: "path"; pane: number; run: number; first: number; count: number; n: number;
  /** Numbers of trails in each entry. */
  m: number;
  t: Float64Array; q: Float64Array; v: Float64Array; trails: Float64Array;
}
/** Points of sections: which one, x, y. */
export interface SectionData { kind: "section"; pane: number; run: number; first: number; points: Float64Array }
export interface CloudData {
  kind: "cloud"; pane: number; run: number; frame: number; t: number; q: Float32Array; v: Float32Array;
}
export type BinaryMessage = MeshData | FrameData | CloudData | PathData | SectionData;

type Json = Record<string, unknown>;

const isObject = (x: unknown): x is Json => typeof x === "object" && x !== null && !Array.isArray(x);
const number = (x: unknown, fallback = 0): number => (typeof x === "number" && Number.isFinite(x) ? x : fallback);
const text = (x: unknown, fallback = ""): string => (typeof x === "string" ? x : fallback);
const texts = (x: unknown): string[] => (Array.isArray(x) ? x.filter((s): s is string => typeof s === "string") : []);
const wholes = (x: unknown): number[] => (Array.isArray(x) ? x.filter((i): i is number => Number.isInteger(i) && i >= 0) : []);
const numbers = (x: unknown, n: number): number[] | undefined =>
  Array.isArray(x) && x.length === n && x.every((v) => typeof v === "number") ? (x as number[]) : undefined;

function paneIndex(x: unknown): number {
  if (typeof x !== "number" || !Number.isInteger(x) || x < 0 || x > 3) throw new Error("a pane is a number from 0 to 3");
  return x;
}

function obstacle(x: unknown): Obstacle | null {
  if (!isObject(x)) return null;
  return {
    kind: text(x.kind),
    point: numbers(x.point, 3), normal: numbers(x.normal, 3),
    center: numbers(x.center, 3), radius: typeof x.radius === "number" ? x.radius : undefined,
    size: numbers(x.size, 3) ?? numbers(x.half, 3)?.map((h) => 2 * h), from: numbers(x.from, 3), to: numbers(x.to, 3),
    inside: x.insideOut === true || x.inside === true,
    moves: x.moves === true,
  };
}

function drawing(x: unknown): Drawing | null {
  if (!isObject(x)) return null;
  const count = (n: unknown) => Math.max(0, Math.floor(number(n)));
  const radii = Array.isArray(x.radii) ? x.radii.map((r) => number(r, 1)) : [];
  return { radii, names: texts(x.names), rods: count(x.rods), springs: count(x.springs), trails: texts(x.trails), flat: x.flat === true,
    held: wholes(x.held) };
}

export function parseText(source: string): ServerMessage {
  const x: unknown = JSON.parse(source);
  if (!isObject(x)) throw new Error("a message is an object");
  switch (x.type) {
    case "setup":
      return {
        type: "setup", version: text(x.version), scenes: texts(x.scenes),
        methods: Array.isArray(x.methods)
          ? x.methods.filter(isObject).map((m) => ({ name: text(m.name), summary: text(m.summary) })).filter((m) => m.name)
          : [],
      };
    case "pane": {
      const material: Record<string, number> = {};
      if (isObject(x.material))
        for (const [key, value] of Object.entries(x.material)) if (typeof value === "number") material[key] = value;
      return {
        type: "pane", pane: paneIndex(x.pane), run: number(x.run), scene: text(x.scene), title: text(x.title, text(x.scene)),
        method: text(x.method), methodName: text(x.methodName, text(x.method)), step: number(x.step), steps: number(x.steps),
        kind: x.kind === "system" ? "system" : "body", vertices: number(x.vertices), coordinates: texts(x.coordinates),
        settings: texts(x.settings), columns: texts(x.columns),
        obstacles: Array.isArray(x.obstacles) ? x.obstacles.map(obstacle).filter((o): o is Obstacle => o !== null) : [],
        duration: number(x.duration), period: number(x.period), orbits: number(x.orbits), fixed: wholes(x.fixed),
        links: Array.isArray(x.links) ? x.links.filter(isObject).map((l) => ({
          kind: text(l.kind), held: Array.isArray(l.held) ? [l.held[0] === true, l.held[1] === true] : [false, false],
        })) : [],
        compare: texts(x.compare), draw: drawing(x.draw),
        sections: Array.isArray(x.sections) ? x.sections.filter(isObject).map((s) => ({ name: text(s.name), x: text(s.x), y: text(s.y) })) : [],
        material: isObject(x.material) ? material : null,
        damping: x.damping === null ? null : isObject(x.damping)
          ? Object.fromEntries(Object.entries(x.damping).filter(([, value]) => typeof value === "number")) : undefined,
        error: typeof x.error === "string" ? x.error : null, replay: x.replay === true, watched: x.watched === true,
      };
    }
    case "rows":
      if (!Array.isArray(x.rows) || !x.rows.every(Array.isArray)) throw new Error("rows are arrays");
      return { type: "rows", pane: paneIndex(x.pane), run: number(x.run), rows: x.rows as (number | null)[][] };
    case "state":
      if (!Array.isArray(x.panes)) throw new Error("a state has panes");
      return {
        type: "state", playing: x.playing === true, speed: number(x.speed, 1), usualSpeed: number(x.usualSpeed, 1) || 1,
        panes: x.panes.filter(isObject).map((p) => ({
          pane: paneIndex(p.pane), run: number(p.run), frame: number(p.frame), frames: number(p.frames),
          finished: p.finished === true, interrupted: p.interrupted === true,
          failed: typeof p.failed === "string" ? p.failed : null,
          msPerStep: number(p.msPerStep),
          kept: Array.isArray(p.kept) ? p.kept.filter(isObject).map((v) => ({ verdict: typeof v.verdict === "string" ? v.verdict : null, text: text(v.text) })) : [],
        })),
      };
    case "refused":
      return { type: "refused", pane: paneIndex(x.pane), settings: texts(x.settings), message: text(x.message, "it cannot be changed like this") };
    case "error":
      return { type: "error", message: text(x.message, "an error without a message") };
    default:
      throw new Error(`unknown message '${String(x.type).slice(0, 40)}'`);
  }
}

/** What a pane is of, as far as messages about it depend on it. */
export interface Known { system: boolean; run: number }

/** Null for a message about a run that is not shown: it may have come late, and what it means is not known any more. */
export function parseBinary(data: ArrayBuffer, known: (pane: number) => Known | undefined): BinaryMessage | null {
  const fail = (why: string): never => { throw new Error(why); };
  if (data.byteLength < 32) fail("a binary message is too short");
  const head = new Uint32Array(data, 0, 8);
  if (head[0] !== MAGIC) fail("a binary message does not begin with LILY");
  const kind = head[1], pane = paneIndex(head[2]), run = head[3];
  if (kind < 1 || kind > 6 || kind === 4) fail(`unknown binary message ${kind}`);
  const shown = known(pane);
  if (!shown || shown.run !== run) return null;
  const view = new DataView(data);
  const need = (bytes: number) => { if (data.byteLength < bytes) fail("a binary message is cut short"); };
  if (kind === 1) {
    const nv = head[4], nt = head[5], ne = head[6], bodyCount = head[7];
    need(32 + 4 * (3 * nt + 2 * ne + nv + 3 * nv));
    let at = 32;
    const take = (n: number) => { const a = new Uint32Array(data, at, n); at += 4 * n; return a; };
    const triangles = take(3 * nt), edges = take(2 * ne), bodies = take(nv);
    const rest = new Float32Array(data, at, 3 * nv);
    for (const list of [triangles, edges])
      for (let i = 0; i < list.length; ++i) if (list[i] >= nv) fail("a mesh refers to a vertex that is not there");
    return { kind: "mesh", pane, run, triangles, edges, bodies, bodyCount, rest };
  }
  if (kind === 2) {
    const nv = head[5], { system } = shown, end = 32 + (system ? 16 : 20) * nv;
    need(end);
    let poses = new Float32Array(0), places = new Float32Array(0), links = new Float32Array(0);
    if (system) places = new Float32Array(data, end, 3 * Math.floor((data.byteLength - end) / 12));
    if (!system && data.byteLength >= end + 4) {
      const count = view.getUint32(end, true);
      need(end + 4 + 48 * count);
      poses = new Float32Array(data, end + 4, 12 * count);
      const after = end + 4 + 48 * count;
      if (data.byteLength >= after + 4) {
        const linkCount = view.getUint32(after, true);
        need(after + 4 + 24 * linkCount);
        links = new Float32Array(data, after + 4, 6 * linkCount);
      }
    }
    return { kind: "frame", pane, run, frame: head[4], nv, t: view.getFloat64(24, true), data, poses, places, links };
  }
  if (kind === 3) {
    const count = head[5];
    need(32 + 8 * count);
    return {
      kind: "cloud", pane, run, frame: head[4], t: view.getFloat64(24, true),
      q: new Float32Array(data, 32, count), v: new Float32Array(data, 32 + 4 * count, count),
    };
  }
  if (kind === 5) {
    const first = head[4], count = head[5], n = head[6], m = head[7];
    need(32 + 8 * count * (1 + 2 * n + m));
    return {
      kind: "path", pane, run, first, count, n, m, trails: new Float64Array(data, 32 + 8 * count * (1 + 2 * n), count * m), t: new Float64Array(data, 32, count),
      q: new Float64Array(data, 32 + 8 * count, count * n), v: new Float64Array(data, 32 + 8 * count * (1 + n), count * n),
    };
  }
  const count = head[5];
  need(32 + 24 * count);
  return { kind: "section", pane, run, first: head[4], points: new Float64Array(data, 32, 3 * count) };
}
