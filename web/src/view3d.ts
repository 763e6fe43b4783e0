// Bodies and obstacles of all panes, drawn by one WebGL canvas with one camera.

import { Box3, Color, PCFShadowMap, Plane, Vector3, WebGLRenderer } from "three";
import { PaneScene, type ColourBy } from "./body";
import { OrbitCamera, type Rect } from "./camera";
import type { PaneModel } from "./model";

export class View3D {
  readonly renderer: WebGLRenderer | null;
  readonly eye = new OrbitCamera();
  private readonly panes = new Map<number, PaneScene>();
  private framed = false;
  private readonly stale = new Set<number>();
  private colourDirty = true;
  private surroundDirty = true;
  dirty = true;
  /** For tests: frames put into the picture, and the milliseconds that this took, without drawing. */
  readonly drawn = { frames: 0, ms: 0, least: Infinity, render: 0 };
  colourBy: ColourBy = "body";
  hold = false;
  wireframe = false;
  grid = true;
  low = 0;
  high = 1;
  private pulled: { pane: number; vertex: number; target: Vector3; plane: Plane } | null = null;

  constructor(canvas: HTMLCanvasElement) {
    let renderer: WebGLRenderer | null = null;
    try {
      renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
      renderer.shadowMap.enabled = true;
      renderer.shadowMap.type = PCFShadowMap;
      renderer.autoClear = false;
      renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    } catch {
      renderer = null;
    }
    this.renderer = renderer;
  }

  restart(model: PaneModel): void {
    this.remove(model.index);
    if (model.info.kind !== "body") return;
    this.panes.set(model.index, new PaneScene(model));
    this.surroundDirty = this.dirty = true;
  }

  remove(pane: number): void {
    this.panes.get(pane)?.dispose();
    this.panes.delete(pane);
    if (this.pulled?.pane === pane) this.pulled = null;
    this.dirty = true;
  }

  mesh(pane: number): void {
    const scene = this.panes.get(pane);
    if (!scene) return;
    scene.setMesh();
    if (!this.framed) this.frameAll();
    this.surroundDirty = this.colourDirty = this.dirty = true;
  }

  frameArrived(pane: number): void {
    const scene = this.panes.get(pane);
    if (scene?.model.framesReceived === 1) {
      scene.measure();
      if (this.eye.untouched) this.frameAll();
      this.surroundDirty = true;
    }
    this.stale.add(pane);
    this.dirty = true;
  }

  /** The next mesh to come is framed anew: another scene has been opened. */
  unframe(): void {
    this.framed = false;
    this.eye.untouched = true;
  }

  recolour(): void {
    this.colourDirty = this.surroundDirty = this.dirty = true;
  }

  private bounds(): Box3 {
    const box = new Box3();
    for (const scene of this.panes.values()) {
      if (!scene.box.isEmpty()) box.union(scene.box);
      for (const o of scene.model.info.obstacles) {
        const extent = !o.radius ? null : o.center ? [o.center] : o.from && o.to ? [o.from, o.to] : null;
        for (const p of extent ?? []) {
          const c = new Vector3(...p), r = new Vector3().setScalar(o.radius!);
          box.union(new Box3(c.clone().sub(r), c.clone().add(r)));
        }
        if (o.kind === "box" && o.center && o.size)
          box.union(new Box3().setFromCenterAndSize(new Vector3(...o.center), new Vector3(...o.size)));
      }
    }
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return box;
  }

  frameAll(): void {
    const box = this.bounds();
    // A plane below the bodies is part of the picture if it is not far away.
    const height = box.max.y - box.min.y;
    for (const scene of this.panes.values())
      for (const o of scene.model.info.obstacles)
        if (o.kind === "plane" && (o.normal?.[1] ?? 1) > 0.7) {
          const y = o.point?.[1] ?? 0;
          if (y < box.min.y && box.min.y - y < 4 * height + 1e-9) box.min.y = y;
        }
    const roam = [...this.panes.values()].some((s) => s.model.info.obstacles.some((o) => o.moves && o.kind !== "plane"));
    this.eye.frame(box.getCenter(new Vector3()), (roam ? 1.35 : 1) * box.getSize(new Vector3()).length() || 1);
    this.framed = this.panes.size > 0 && [...this.panes.values()].some((p) => p.model.mesh);
    this.surroundDirty = this.dirty = true;
  }

  /** Goes after bodies that leave the middle of the picture; those that have gone to pieces are left out. */
  private follow(): void {
    if (this.eye.panned || this.pulled) return;
    const centre = new Vector3();
    let count = 0;
    for (const scene of this.panes.values()) {
      const middle = scene.middle();
      if (!middle) continue;
      centre.add(middle.centre);
      ++count;
    }
    if (!count) return;
    const way = centre.divideScalar(count).sub(this.eye.target), off = way.length(), free = 0.08 * this.eye.size;
    if (off <= free) return;
    this.eye.target.addScaledVector(way, Math.max(0.25 * (off - free), off - 2 * free) / off);
    this.dirty = this.surroundDirty = true;
  }

  orbit(dx: number, dy: number): void {
    this.eye.orbit(dx, dy);
    this.dirty = true;
  }

  pan(dx: number, dy: number, height: number): void {
    this.eye.pan(dx, dy, height);
    this.dirty = true;
  }

  zoom(factor: number): void {
    this.eye.zoom(factor);
    this.dirty = true;
  }

  startPull(pane: number, x: number, y: number, rect: Rect): { vertex: number; target: Vector3 } | null {
    const scene = this.panes.get(pane);
    if (!scene?.model.mesh) return null;
    const { ray, pointer } = this.eye.ray(x, y, rect);
    const vertex = scene.pick(ray, this.eye.camera, pointer, rect);
    if (vertex < 0) return null;
    const at = scene.vertex(vertex);
    if (!Number.isFinite(at.x + at.y + at.z)) return null;
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.eye.camera.getWorldDirection(new Vector3()), at);
    this.pulled = { pane, vertex, target: at.clone(), plane };
    this.dirty = true;
    return { vertex, target: at };
  }

  movePull(x: number, y: number, rect: Rect): Vector3 | null {
    if (!this.pulled) return null;
    const { ray } = this.eye.ray(x, y, rect);
    if (!ray.ray.intersectPlane(this.pulled.plane, this.pulled.target)) return null;
    this.dirty = true;
    return this.pulled.target;
  }

  endPull(): void {
    this.pulled = null;
    this.dirty = true;
  }

  /** The place of a vertex in the window, for tests. */
  project(pane: number, vertex: number, rect: Rect): [number, number] | null {
    const scene = this.panes.get(pane);
    if (!scene?.model.mesh) return null;
    return this.eye.project(scene.vertex(vertex), rect);
  }

  /** For tests: where the camera looks, how many vertices are marked as held, and which links are drawn. */
  get looksAt(): { target: number[]; held: number[]; links: { count: number; first: number[] }[] } {
    return { target: this.eye.target.toArray(), held: [...this.panes.values()].map((s) => s.heldCount), links: [...this.panes.values()].map((s) => s.linksShown) };
  }

  private colour(): void {
    const all = [...this.panes.values()].map((scene) => ({ scene, values: scene.values(this.colourBy) }));
    if (this.colourBy !== "body" && !this.hold) {
      const highs: number[] = [];
      for (const { values } of all) {
        if (!values?.length) continue;
        // The value that 98 in 100 are below: one sliver does not set the range.
        const stride = Math.max(1, Math.floor(values.length / 2000));
        const sample: number[] = [];
        for (let i = 0; i < values.length; i += stride) if (Number.isFinite(values[i])) sample.push(values[i]);
        sample.sort((a, b) => a - b);
        if (sample.length) highs.push(sample[Math.floor(0.98 * (sample.length - 1))]);
      }
      // The middle one of the panes: one that explodes does not leave the others dark.
      const high = highs.sort((a, b) => a - b)[(highs.length - 1) >> 1] ?? 0;
      this.low = 0;
      this.high = high > 0 ? high : 1;
    }
    for (const { scene } of all) scene.tinted = all.length > 1;
    for (const { scene, values } of all) scene.paint(this.colourBy, values, this.low, this.high);
  }

  resize(width: number, height: number): void {
    this.renderer?.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer?.setSize(width, height, false);
    this.dirty = true;
  }

  /** Draws every pane into its rectangle of the canvas. */
  render(rects: Map<number, Rect>, height: number): void {
    const { renderer } = this;
    if (!renderer) return;
    this.dirty = false;
    const begun = performance.now(), count = this.stale.size;
    if (this.stale.size) {
      for (const pane of this.stale) this.panes.get(pane)?.update();
      this.stale.clear();
      this.follow();
      if (this.colourBy !== "body") this.colourDirty = true;
    }
    if (this.surroundDirty) {
      const box = this.bounds(), centre = this.eye.target.clone();
      const size = box.getSize(new Vector3()).length() || 1;
      for (const scene of this.panes.values()) scene.surroundings.build(size, box.min.y - 0.04 * size, centre, this.grid);
      this.surroundDirty = false;
    }
    if (this.colourDirty) {
      this.colour();
      this.colourDirty = false;
    }
    const ready = performance.now();
    if (count) {
      this.drawn.frames += count;
      this.drawn.ms += ready - begun;
      this.drawn.least = Math.min(this.drawn.least, ready - begun);
    }
    renderer.setScissorTest(false);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.setScissorTest(true);
    const background = new Color(getComputedStyle(document.documentElement).getPropertyValue("--stage").trim() || "#fff");
    for (const [pane, rect] of rects) {
      const scene = this.panes.get(pane);
      if (!scene || rect.width < 2 || rect.height < 2) continue;
      const bottom = height - rect.y - rect.height;
      renderer.setViewport(rect.x, bottom, rect.width, rect.height);
      renderer.setScissor(rect.x, bottom, rect.width, rect.height);
      renderer.setClearColor(background, 1);
      renderer.clear();
      scene.wireframe(this.wireframe);
      const p = this.pulled?.pane === pane ? this.pulled : null;
      scene.showArrow(p && scene.vertex(p.vertex), p && p.target, this.eye.size);
      renderer.render(scene.scene, this.eye.aim(rect));
    }
    if (count) this.drawn.render += performance.now() - ready;
  }
}
