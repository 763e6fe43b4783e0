// A stand-in for the program: speaks the protocol of the live view with motions given by formulas, so that
// the page can be developed and tested by itself. As a command: node test/mock-server.mjs [port]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const here = dirname(fileURLToPath(import.meta.url));
const MAGIC = 0x594c494c;

export const METHODS = [
  { name: "avf", summary: "average vector field: keeps the energy" },
  { name: "implicit-midpoint", summary: "symplectic" },
  { name: "newmark", summary: "average acceleration" },
  { name: "backward-euler", summary: "damps" },
  { name: "stoermer-verlet", summary: "explicit and symplectic" },
  { name: "explicit-euler", summary: "for comparison" },
];
export const SCENES = ["blob", "two-blobs", "rod", "pendulum", "kepler", "swing", "orbit", "broken", "long", "runaway"];
/** Small systems with a drawing are the same motions as those without. */
const MOTION = { swing: "pendulum", orbit: "kepler" };
export const COLUMNS = [
  "step", "t", "energy_kinetic", "energy_elastic", "energy_gravity", "energy_contact", "energy_total",
  "momentum_x", "momentum_y", "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z",
  "ledger_solver", "ledger_quadrature", "ledger_work", "ledger_dissipation", "ledger_method",
  "newton_iterations", "quadrature_points", "step_size",
];
const SYSTEM_COLUMNS = [
  "step", "t", "energy_kinetic", "energy_potential", "energy_total", "ledger_solver", "ledger_quadrature", "ledger_work",
  "ledger_dissipation", "ledger_method", "newton_iterations", "step_size", "invariant_momentum",
];

/** A sphere of 10·4^n + 2 vertices. */
function sphere(levels, centre = [0, 0, 0], radius = 1) {
  const g = (1 + Math.sqrt(5)) / 2;
  const points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]];
  let faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let l = 0; l < levels; ++l) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      if (!middles.has(key)) middles.set(key, points.push(points[a].map((x, i) => (x + points[b][i]) / 2)) - 1);
      return middles.get(key);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  const rest = points.flatMap((p) => {
    const size = Math.hypot(...p);
    return p.map((x, i) => centre[i] + (radius * x) / size);
  });
  return { rest, triangles: faces.flat() };
}

const GROWTH = { "implicit-midpoint": 0.035, newmark: 0.016, "backward-euler": -0.02, "explicit-euler": 0.06 };

class Body {
  constructor(scene) {
    const bodies = scene === "two-blobs" ? [[-1.2, 1.1, 0], [1.2, 1.4, 0]] : [[0, 1.2, 0]];
    this.triangles = [];
    this.edges = [];
    this.rest = [];
    this.bodies = [];
    if (scene === "rod") {
      for (let i = 0; i <= 60; ++i) {
        this.rest.push(i / 20 - 1.5, 1, 0);
        this.bodies.push(0);
        if (i) this.edges.push(i - 1, i);
      }
    } else
      bodies.forEach((centre, body) => {
        const { rest, triangles } = sphere(scene === "long" ? 1 : 4, centre);
        const first = this.rest.length / 3;
        this.triangles.push(...triangles.map((i) => i + first));
        this.rest.push(...rest);
        for (let i = 0; i < rest.length / 3; ++i) this.bodies.push(body);
      });
    this.runs = scene === "runaway";
    this.nv = this.rest.length / 3;
    this.bodyCount = bodies.length;
  }

  mesh(pane, run) {
    const out = Buffer.alloc(32 + 4 * (this.triangles.length + this.edges.length + 4 * this.nv));
    [MAGIC, 1, pane, run, this.nv, this.triangles.length / 3, this.edges.length / 2, this.bodyCount].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
    let at = 32;
    for (const list of [this.triangles, this.edges, this.bodies]) for (const v of list) at = out.writeUInt32LE(v, at);
    for (const v of this.rest) at = out.writeFloatLE(v, at);
    return out;
  }

  /** Every number that the page is to show for a frame, in single precision. */
  positions(frame, t, growth, pull) {
    const a = 0.18 * Math.min(30, Math.exp(growth * frame)), w = 5;
    const x = new Float32Array(3 * this.nv), speed = new Float32Array(this.nv), energy = new Float32Array(this.nv);
    for (let i = 0; i < this.nv; ++i) {
      const [rx, ry, rz] = this.rest.slice(3 * i, 3 * i + 3);
      const y = ry - 1.2, s = Math.cos(w * t) * a, q = Math.cos(1.7 * w * t) * a * 0.5 * Math.sin(4 * Math.atan2(rz, rx));
      let f = [rx * (1 - 0.5 * s + q), 1.2 + y * (1 + s), rz * (1 - 0.5 * s + q)];
      if (pull) {
        const near = Math.exp(-6 * ((rx - this.rest[3 * pull.vertex]) ** 2 + (ry - this.rest[3 * pull.vertex + 1]) ** 2 + (rz - this.rest[3 * pull.vertex + 2]) ** 2));
        f = f.map((v, k) => v + 0.5 * near * (pull.target[k] - v));
      }
      if (this.runs) f[0] += 2 * t;
      x.set(f, 3 * i);
      speed[i] = Math.abs(a * w * Math.sin(w * t) * Math.hypot(0.5 * rx, y, 0.5 * rz));
      energy[i] = this.edges.length ? 0 : 40 * s * s * (0.3 + y * y);
    }
    return { x, speed, energy };
  }
}

class Pane {
  constructor(server, index, run, { scene, settings }) {
    const name = scene;
    scene = MOTION[scene] ?? scene;
    Object.assign(this, { server, index, run, name, scene, settings, interrupted: false, drawn: scene !== name, frame: 0, shown: 0, pending: [], finished: false, failed: null, pull: null, cloud: null });
    const setting = (key) => settings.findLast((s) => s.startsWith(`${key}=`))?.slice(key.length + 1);
    this.method = setting("integrator.method") ?? "avf";
    this.kind = scene === "pendulum" || scene === "kepler" ? "system" : "body";
    this.step = Number(setting("integrator.step") ?? (this.kind === "system" ? 0.05 : 0.033));
    this.steps = scene === "long" ? 100000 : 310;
    this.material = this.kind === "body" ? { mu: Number(setting("body.0.material.mu") ?? 500), lambda: Number(setting("body.0.material.lambda") ?? 10) } : null;
    const rate = (name) => Number(setting(`body.0.damping.${name}`) ?? 0);
    this.damping = this.kind === "body" ? { mass: rate("mass"), stiffness: rate("stiffness") } : null;
    this.error = scene === "broken" ? "broken.toml:3:1: unknown key 'integrator.stpe'; did you mean 'step'?" : !METHODS.some((m) => m.name === this.method) ? `unknown method '${this.method}'` : null;
    this.growth = GROWTH[this.method] ?? 0;
    this.coordinates = scene === "pendulum" ? ["theta"] : scene === "kepler" ? ["x", "y"] : [];
    this.q = scene === "pendulum" ? [1.2] : [1, 0];
    this.v = scene === "pendulum" ? [0] : [0, 1.15];
    this.history = [{ q: [...this.q], v: [...this.v] }];
    if (this.kind === "body") this.body = new Body(scene);
    this.energyBefore = this.energy().total;
  }

  info() {
    return {
      type: "pane", pane: this.index, run: this.run, scene: this.name,
      title: { blob: "Wobbling blob", "two-blobs": "Two blobs", rod: "Rod", pendulum: "Pendulum", kepler: "Kepler's problem", broken: "Broken", long: "A long run" }[this.scene] ?? this.scene,
      method: this.method === "avf" ? "avf(auto)" : this.method, methodName: this.error ? "" : this.method, step: this.step, steps: this.steps, kind: this.kind,
      vertices: this.body?.nv ?? 0, coordinates: this.coordinates, settings: this.settings,
      columns: this.kind === "body" ? COLUMNS : SYSTEM_COLUMNS,
      obstacles: this.kind === "body"
        ? [{ kind: "plane", point: [0, 0, 0], normal: [0, 1, 0] },
          ...(this.scene === "two-blobs" ? [{ kind: "sphere", center: [0, 0.3, -1.6], radius: 0.6, moves: true }, { kind: "box", center: [-2.4, 0.4, -1.2], half: [0.4, 0.4, 0.4], insideOut: false, moves: false }, { kind: "capsule", from: [1.6, 0.3, -1.6], to: [2.8, 0.3, -1.2], radius: 0.3 }] : [])]
        : [],
      duration: this.steps * this.step, period: this.kind === "system" ? this.server.period : 0, orbits: this.server.orbits, compare: this.kind === "system" ? ["stoermer-verlet", "explicit-euler", "backward-euler"] : [],
      fixed: this.scene === "rod" ? [0, 60] : [],
      draw: this.drawn ? { radii: [0.5, 1], names: ["", ""], rods: 1, springs: 0, trails: [""], flat: true } : null,
      sections: this.drawn && this.scene === "kepler" ? [{ name: "crossing", x: "x", y: "x'" }] : [],
      material: this.material, damping: this.damping, error: this.error, replay: this.server.replay, watched: this.server.watched,
    };
  }

  energy(frame = this.frame) {
    if (this.kind === "body") {
      const total = 12 * Math.exp(2 * this.growth * frame) * (1 + 1e-14 * Math.sin(7 * frame)), phase = Math.cos(5 * frame * this.step) ** 2;
      const gravity = 0.6 + 0.2 * Math.sin(frame * this.step);
      return { total: total + 0.6, kinetic: total * (1 - phase) + 0.6 - gravity, elastic: total * phase, gravity };
    }
    const kinetic = 0.5 * this.v.reduce((s, v) => s + v * v, 0);
    const potential = this.scene === "pendulum" ? 1 - Math.cos(this.q[0]) : -1 / Math.hypot(...this.q);
    return { kinetic, potential, total: kinetic + potential };
  }

  row() {
    const e = this.energy(), change = this.frame ? e.total - this.energyBefore : 0, t = this.frame * this.step;
    this.energyBefore = e.total;
    const noise = Math.sin(13.7 * this.frame) * 1e-13;
    const ledger = [noise, 0, 0, this.growth < 0 ? 0.3 * change : 0, (this.growth < 0 ? 0.7 : 1) * change - noise];
    const iterations = 3 + (this.frame % 3);
    return this.kind === "body"
      ? [this.frame, t, e.kinetic, e.elastic, e.gravity, 0, e.total, 0.4, 1e-15 * this.frame, 0, 0, 0.8 * Math.exp(0.2 * this.growth * this.frame), 1e-14 * this.frame, ...ledger, iterations, 2, this.frame ? this.step : 0]
      : [this.frame, t, e.kinetic, e.potential, e.total, ...ledger, iterations, this.frame ? this.step : 0, this.coordinates.length === 2 ? this.q[0] * this.v[1] - this.q[1] * this.v[0] : this.v[0]];
  }

  /** Where the point of the drawing is. */
  place(q) {
    return this.scene === "pendulum" ? [Math.sin(q[0]), -Math.cos(q[0]), 0] : [q[0], q[1], 0];
  }

  map(q, v) {
    const h = this.step;
    const force = (q) => (this.scene === "pendulum" ? [-Math.sin(q[0])] : q.map((x) => -x / Math.hypot(...q) ** 3));
    if (this.method === "explicit-euler") {
      const f = force(q);
      return [q.map((x, i) => x + h * v[i]), v.map((x, i) => x + h * f[i])];
    }
    let w = v.map((x, i) => x + h * force(q)[i]);
    let p = q.map((x, i) => x + h * w[i]);
    if (this.method === "backward-euler")
      for (let k = 0; k < 20; ++k) {
        w = v.map((x, i) => x + h * force(p)[i]);
        p = q.map((x, i) => x + h * w[i]);
      }
    return [p, w];
  }

  advance() {
    if (this.error || this.finished || this.failed) return false;
    this.frame++;
    this.shown = this.frame;
    if (this.kind === "system") {
      [this.q, this.v] = this.map(this.q, this.v);
      this.history.push({ q: [...this.q], v: [...this.v] });
      if (this.cloud)
        for (let i = 0; i < this.cloud.q.length; ++i) {
          const [q, v] = this.map([this.cloud.q[i]], [this.cloud.v[i]]);
          this.cloud.q[i] = q[0];
          this.cloud.v[i] = v[0];
        }
    }
    this.pending.push(this.row());
    if (this.method === "implicit-midpoint" && this.kind === "body" && this.frame >= 150) this.failed = "step 151: the energy is not finite";
    else if (this.frame >= this.steps) this.finished = true;
    return true;
  }

  /** All of it again, for one that comes late. */
  greet() {
    this.server.text(this.info());
    if (this.body) this.server.binary(this.body.mesh(this.index, this.run));
    this.sendFrame();
  }

  start() {
    this.server.text(this.info());
    this.pending = [];
    if (this.error) return;
    if (this.body) this.server.binary(this.body.mesh(this.index, this.run));
    this.pending.push(this.row());
    if (this.scene === "long") while (this.advance());
    this.flush();
  }

  /** Coordinates and velocities of the rows that are to be sent. */
  sendPath(first, count) {
    const n = this.coordinates.length, m = this.drawn ? 3 : 0, out = Buffer.alloc(32 + 8 * count * (1 + 2 * n + m));
    [MAGIC, 5, this.index, this.run, first, count, n, m].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
    let at = 32;
    for (let i = 0; i < count; ++i) at = out.writeDoubleLE((first + i) * this.step, at);
    for (const name of ["q", "v"])
      for (let i = 0; i < count; ++i) for (const value of this.history[first + i][name]) at = out.writeDoubleLE(value, at);
    if (m) for (let i = 0; i < count; ++i) for (const value of this.place(this.history[first + i].q)) at = out.writeDoubleLE(value, at);
    this.server.binary(out);
    if (this.drawn && this.scene === "kepler") this.sendSections(first, count);
  }

  /** Where y rose through zero. */
  sendSections(first, count) {
    const hits = [];
    for (let i = Math.max(1, first); i < first + count; ++i)
      if (this.history[i - 1].q[1] < 0 && this.history[i].q[1] >= 0) hits.push([0, this.history[i].q[0], this.history[i].v[0]]);
    if (!hits.length) return;
    const out = Buffer.alloc(32 + 24 * hits.length);
    [MAGIC, 6, this.index, this.run, 0, hits.length, 0, 0].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
    hits.flat().forEach((v, i) => out.writeDoubleLE(v, 32 + 8 * i));
    this.server.binary(out);
  }

  flush() {
    if (this.kind === "system" && this.pending.length && this.server.sendsPath) this.sendPath(this.frame + 1 - this.pending.length, this.pending.length);
    while (this.pending.length) this.server.text({ type: "rows", pane: this.index, run: this.run, rows: this.pending.splice(0, 5000) });
    if (!this.error) this.sendFrame();
  }

  sendFrame() {
    const t = this.shown * this.step;
    const head = (kind, count, bytes) => {
      const out = Buffer.alloc(32 + bytes);
      [MAGIC, kind, this.index, this.run, this.shown, count].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
      out.writeDoubleLE(t, 24);
      return out;
    };
    const put = (out, at, array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).copy(out, at);
    if (this.kind === "system") {
      const { q, v } = this.history[this.shown], n = q.length, at = this.place(q);
      const places = this.drawn ? [0, 0, 0, ...at, 0, 0, 0, ...at] : [], out = head(2, n, 16 * n + 4 * places.length);
      put(out, 32 + 16 * n, Float32Array.from(places));
      put(out, 32, Float64Array.from(q));
      put(out, 32 + 8 * n, Float64Array.from(v));
      this.server.frames.push({ pane: this.index, run: this.run, frame: this.shown, t, values: [...q] });
      this.server.binary(out);
      if (this.cloud) {
        if (!this.cloud.q.length) queueMicrotask(() => { this.cloud = null; });
        const n = this.cloud.q.length, out = head(3, n, 8 * n);
        put(out, 32, this.cloud.q);
        put(out, 32 + 4 * n, this.cloud.v);
        this.server.binary(out);
      }
      return;
    }
    const { x, speed, energy } = this.body.positions(this.shown, t, this.growth, this.pull), nv = this.body.nv;
    const poses = this.info().obstacles.filter((o) => o.moves).map(() => pose(t)), out = head(2, nv, 20 * nv + 4 + 48 * poses.length);
    put(out, 32, x);
    put(out, 32 + 12 * nv, speed);
    put(out, 32 + 16 * nv, energy);
    out.writeUInt32LE(poses.length, 32 + 20 * nv);
    poses.forEach((p, i) => put(out, 36 + 20 * nv + 48 * i, p));
    this.server.frames.push({ pane: this.index, run: this.run, frame: this.shown, t, values: x, poses: poses.flatMap((p) => [...p]) });
    this.server.binary(out);
  }

  setCloud({ center, radius, count }) {
    if (!count) {
      this.cloud = { q: new Float32Array(0), v: new Float32Array(0) };
      return;
    }
    this.cloud = { q: new Float32Array(count), v: new Float32Array(count) };
    for (let i = 0; i < count; ++i) {
      const r = Math.sqrt((i + 0.5) / count), a = 2.399963229728653 * i;
      this.cloud.q[i] = center[0] + radius[0] * r * Math.cos(a);
      this.cloud.v[i] = center[1] + radius[1] * r * Math.sin(a);
    }
  }
}

/** A sphere that goes round the middle. */
const pose = (t) => {
  const c = Math.cos(t), s = Math.sin(t);
  return Float32Array.of(c, 0, s, 0.1 * t, 0, 1, 0, 0, -s, 0, c, 0);
};

export class MockServer {
  received = [];
  frames = [];
  /** Programs of before did not. */
  sendsPath = true;
  /** Panes are of results, or of a run that goes on by itself: nothing can be changed. */
  replay = false;
  watched = false;
  /** Whether who comes later is shown the same run. */
  keeps = false;
  /** Milliseconds that a scene takes to load. */
  loadTime = 0;
  /** No one else is let in: refused at the door, or with a reason. */
  full = false;
  fullBecause = "";
  /** Steps are counted, but not made. */
  stalled = false;
  /** Why changes are refused; empty: they are made. */
  refuses = "";
  playing = false;
  speed = 1;
  usualSpeed = 1;
  period = 0;
  orbits = 0;
  panes = [];
  run = 0;
  #sockets = new Set();

  async listen(port = 0, { scene = "blob", settings = [] } = {}) {
    const page = await readFile(join(here, "../dist/index.html"));
    this.initial = [{ scene, settings }];
    this.requests = [];
    this.http = createServer((request, response) => {
      this.requests.push(request.url);
      if (request.url !== "/") return response.writeHead(404).end();
      // The rules that the program gives with the page.
      const rules = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; "
        + "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": rules }).end(page);
    });
    this.ws = new WebSocketServer({ server: this.http, path: "/ws", maxPayload: 65536, verifyClient: (_, done) => done(!this.full, 503, "too many pages are open") });
    this.ws.on("connection", (socket) => {
      if (this.fullBecause) return socket.close(1013, this.fullBecause);
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("message", (data) => {
        try {
          const message = JSON.parse(data.toString());
          this.received.push(message);
          this.handle(message);
        } catch (error) {
          this.text({ type: "error", message: String(error) });
        }
      });
    });
    this.timer = setInterval(() => {
      if (this.playing && this.#sockets.size) this.stepAll();
    }, 33);
    await new Promise((done) => this.http.listen(port, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.http.address().port}/`;
    return this;
  }

  text(message) {
    for (const s of this.#sockets) s.send(typeof message === "string" ? message : JSON.stringify(message));
  }
  binary(data) {
    for (const s of this.#sockets) s.send(data);
  }
  disconnect() {
    for (const s of this.#sockets) s.terminate();
  }

  state() {
    this.text({
      type: "state", playing: this.playing, speed: this.speed, usualSpeed: this.usualSpeed,
      panes: this.panes.map((p) => ({ pane: p.index, run: p.run, frame: p.shown, frames: p.frame + 1, finished: p.finished, interrupted: p.interrupted, failed: p.failed, msPerStep: 11.2 })),
    });
  }

  stepAll(count = 1) {
    for (const p of this.panes) {
      let moved = false;
      for (let i = 0; i < count; ++i) moved = p.advance() || moved;
      if (moved) p.flush();
    }
    if (this.panes.every((p) => p.error || p.finished || p.failed)) this.playing = false;
    this.state();
  }

  async open(panes) {
    if (this.loadTime) await new Promise((done) => setTimeout(done, this.loadTime));
    this.panes = panes.map((p, i) => new Pane(this, i, ++this.run, p));
    for (const p of this.panes) p.start();
  }

  handle(m) {
    const pane = this.panes[m.pane];
    switch (m.type) {
      case "hello":
        this.text({ type: "setup", protocol: 1, version: "mock", methods: METHODS, scenes: SCENES });
        if (this.keeps && this.panes.length) {
          for (const p of this.panes) p.greet();
          break;
        }
        this.open(this.panes.length ? this.panes.map(({ name, settings }) => ({ scene: name, settings })) : this.initial);
        break;
      case "play": this.playing = true; break;
      case "pause": this.playing = false; break;
      case "step": if (!this.stalled) this.stepAll(); return;
      case "reset": this.open(this.panes.map(({ name, settings }) => ({ scene: name, settings }))); break;
      case "speed": this.speed = m.value; break;
      case "open": this.open(m.panes).then(() => this.state()); return;
      case "change":
        if (this.watched) throw new Error("this run is only watched");
        if (this.refuses) return this.text({ type: "refused", pane: m.pane, settings: [...pane.settings, ...m.settings], message: this.refuses });
        this.panes[m.pane] = new Pane(this, m.pane, ++this.run, { scene: pane.name, settings: [...pane.settings.filter((s) => !m.remove?.includes(s.split("=")[0])), ...m.settings] });
        this.panes[m.pane].start();
        break;
      case "seek":
        this.playing = false;
        for (const p of this.panes) {
          p.shown = Math.max(0, Math.min(p.frame, m.frame));
          if (!p.error) p.sendFrame();
        }
        break;
      case "pull": pane.pull = { vertex: m.vertex, target: m.target }; pane.sendFrame(); return;
      case "release": pane.pull = null; pane.sendFrame(); return;
      case "cloud": pane.setCloud(m); pane.sendFrame(); return;
      default: throw new Error(`unknown type '${m.type}'`);
    }
    this.state();
  }

  async close() {
    clearInterval(this.timer);
    this.disconnect();
    this.ws.close();
    await new Promise((done) => this.http.close(done));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await new MockServer().listen(Number(process.argv[2] ?? 8765));
  console.log(server.url);
}
