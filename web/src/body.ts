// The bodies of one pane: their surfaces and rods, with colours.

import {
  Box3, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, FrontSide, Group,
  InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, Material, Matrix4, Mesh, MeshBasicMaterial,
  MeshStandardMaterial, Object3D, PerspectiveCamera, Points, PointsMaterial, Quaternion, Raycaster, Scene, Sphere, Vector2, Vector3,
} from "three";
import type { Rect } from "./camera";
import { bodyColour, hexToLinear, isDark, paneColour, RAMP } from "./colour";
import { splitCreases } from "./creases";
import { Links } from "./links";
import type { PaneModel } from "./model";
import { Surroundings } from "./surroundings";

export type ColourBy = "body" | "speed" | "energy" | "displacement";

const UP = new Vector3(0, 1, 0);

/** Normals as the mean of the faces around each vertex, weighted by area. */
export function vertexNormals(x: Float32Array, triangles: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let k = 0; k < triangles.length; k += 3) {
    const a = 3 * triangles[k], b = 3 * triangles[k + 1], c = 3 * triangles[k + 2];
    const ax = x[a], ay = x[a + 1], az = x[a + 2];
    const ux = x[b] - ax, uy = x[b + 1] - ay, uz = x[b + 2] - az;
    const vx = x[c] - ax, vy = x[c + 1] - ay, vz = x[c + 2] - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    normals[a] += nx; normals[a + 1] += ny; normals[a + 2] += nz;
    normals[b] += nx; normals[b + 1] += ny; normals[b + 2] += nz;
    normals[c] += nx; normals[c + 1] += ny; normals[c + 2] += nz;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const size = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
    const inverse = size > 0 ? 1 / size : 0;
    normals[i] *= inverse; normals[i + 1] *= inverse; normals[i + 2] *= inverse;
  }
}

function meanHeight(x: Float32Array): number {
  let sum = 0;
  for (let i = 1; i < x.length; i += 3) sum += x[i];
  return (3 * sum) / (x.length || 1);
}

export class PaneScene {
  readonly scene = new Scene();
  readonly surroundings: Surroundings;
  private geometry = new BufferGeometry();
  private surface: Mesh | null = null;
  private wire: Mesh | null = null;
  private rods: InstancedMesh | null = null;
  private lines: LineSegments | null = null;
  private edges: Uint32Array = new Uint32Array(0);
  /** Of the triangles that are drawn, and the vertex of the mesh that each of theirs is. */
  private index: Uint32Array = new Uint32Array(0);
  private source: Uint32Array = new Uint32Array(0);
  private rodRadius = 0.01;
  private rodColours: InstancedBufferAttribute | null = null;
  private readonly arrow = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  readonly box = new Box3();
  /** There are other panes: bodies have the colour of the method. */
  tinted = false;
  private held: Points | null = null;
  private links: Links | null = null;

  constructor(readonly model: PaneModel) {
    this.surroundings = new Surroundings(model.info.obstacles);
    this.scene.add(this.surroundings.group, this.arrow);
    const material = new MeshBasicMaterial({ color: "#E69F00", depthTest: false, transparent: true });
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12), material);
    this.head = new Mesh(new ConeGeometry(1, 1, 20), material);
    this.shaft.renderOrder = this.head.renderOrder = 10;
    this.arrow.add(this.shaft, this.head);
    this.arrow.visible = false;
  }

  dispose(): void {
    this.scene.traverse((o: Object3D) => {
      const m = o as Mesh;
      m.geometry?.dispose();
      for (const material of ([] as Material[]).concat(m.material ?? [])) material.dispose();
    });
    this.rods?.dispose();
    this.links?.dispose();
    this.surroundings.dispose();
  }

  setMesh(): void {
    const mesh = this.model.mesh!;
    const { index, source } = splitCreases(mesh.rest, mesh.triangles), nv = source.length;
    this.index = index;
    this.source = source;
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * nv), 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * nv), 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * nv), 3).setUsage(DynamicDrawUsage));
    this.geometry.setIndex(new BufferAttribute(index, 1));
    // Nothing is left out of the picture; and positions that are not finite have no sphere around them.
    this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    const positions = this.geometry.getAttribute("position") as BufferAttribute;
    this.place(mesh.rest);
    this.box.setFromBufferAttribute(positions);
    const size = this.box.getSize(new Vector3()).length() || 1;
    if (mesh.triangles.length) {
      const surface = new MeshStandardMaterial({
        vertexColors: true, roughness: 0.62, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
      surface.shadowSide = FrontSide;
      this.surface = new Mesh(this.geometry, surface);
      this.surface.frustumCulled = false;
      this.surface.castShadow = true;
      this.wire = new Mesh(this.geometry, new MeshBasicMaterial({ wireframe: true, color: 0x101418, transparent: true, opacity: 0.28, depthWrite: false }));
      this.wire.frustumCulled = false;
      this.wire.visible = false;
      this.scene.add(this.surface, this.wire);
    }
    const held = this.model.info.fixed.filter((i) => i < mesh.rest.length / 3);
    if (held.length) {
      const points = new BufferGeometry();
      points.setAttribute("position", positions);
      points.setIndex(held);
      this.held = new Points(points, new PointsMaterial({ size: 5, sizeAttenuation: false, color: isDark() ? 0xf2f4f6 : 0x20262d }));
      this.held.frustumCulled = false;
      this.scene.add(this.held);
    }
    if (this.model.info.links.length) {
      this.links = new Links(this.model.info.links, size);
      this.scene.add(this.links.group);
    }
    this.edges = mesh.edges;
    if (mesh.edges.length && mesh.edges.length <= 2 * 6000) {
      const count = mesh.edges.length / 2;
      let sum = 0;
      for (let e = 0; e < mesh.edges.length; e += 2) {
        const a = 3 * mesh.edges[e], b = 3 * mesh.edges[e + 1], r = mesh.rest;
        sum += Math.hypot(r[a] - r[b], r[a + 1] - r[b + 1], r[a + 2] - r[b + 2]);
      }
      this.rodRadius = Math.min(0.18 * (sum / count), 0.008 * size) || 0.005 * size;
      this.rods = new InstancedMesh(new CylinderGeometry(1, 1, 1, 10, 1), new MeshStandardMaterial({ roughness: 0.55 }), count);
      this.rods.frustumCulled = false;
      this.rods.castShadow = true;
      this.rodColours = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
      this.rods.instanceColor = this.rodColours;
      this.scene.add(this.rods);
    } else if (mesh.edges.length) {
      const lines = new BufferGeometry();
      lines.setAttribute("position", positions);
      lines.setAttribute("color", this.geometry.getAttribute("color"));
      lines.setIndex(new BufferAttribute(mesh.edges, 1));
      this.lines = new LineSegments(lines, new LineBasicMaterial({ vertexColors: true }));
      this.lines.frustumCulled = false;
      this.scene.add(this.lines);
    }
    this.update();
  }

  /** Where the bodies are at the start, which need not be where they rest. */
  measure(): void {
    const x = this.model.positions(), box = new Box3(), p = new Vector3();
    for (let i = 0; i < x.length; i += 3) {
      p.fromArray(x, i);
      if (Number.isFinite(p.x + p.y + p.z)) box.expandByPoint(p);
    }
    if (box.isEmpty()) return;
    // What they hang from is in the picture too, unless it is far away.
    const far = 2 * box.getSize(new Vector3()).length(), ends = this.model.frame?.links ?? new Float32Array(0), bodies = box.clone();
    for (let i = 0; i + 2 < ends.length; i += 3) {
      if (bodies.distanceToPoint(p.fromArray(ends, i)) >= far) continue;
      box.expandByPoint(p);
      const { kind, held } = this.model.info.links[Math.floor(i / 6)];
      if (!held[(i / 3) % 2]) continue;
      this.pivots.push(p.clone());
      // Room for a body that swings on a rod.
      if (kind === "rod") box.expandByPoint(p.clone().addScaledVector(UP, -p.distanceTo(bodies.getCenter(new Vector3())) - 0.25 * far));
    }
    this.box.copy(box);
  }
  private readonly pivots: Vector3[] = [];

  private place(from: Float32Array): void {
    const x = (this.geometry.getAttribute("position") as BufferAttribute).array as Float32Array, { source } = this;
    const known = from.length / 3;
    x.set(from);
    for (let i = known; i < source.length; ++i) for (let k = 0; k < 3; ++k) x[3 * i + k] = from[3 * source[i] + k];
  }

  /** Copies the last frame to the GPU's arrays. */
  update(): void {
    const { model, geometry } = this;
    if (!model.mesh || !geometry.getAttribute("position")) return;
    const positions = geometry.getAttribute("position") as BufferAttribute;
    const x = positions.array as Float32Array;
    if (model.frame) this.place(model.positions());
    positions.needsUpdate = true;
    if (model.mesh.triangles.length) {
      const normals = geometry.getAttribute("normal") as BufferAttribute;
      vertexNormals(x, this.index, normals.array as Float32Array);
      normals.needsUpdate = true;
    }
    if (this.rods) this.updateRods(x);
    if (!model.frame) return;
    this.links?.move(model.frame.links);
    this.surroundings.makeWay(meanHeight(model.mesh.rest) - meanHeight(model.positions()));
    this.surroundings.move(model.frame.poses);
  }

  private updateRods(x: Float32Array): void {
    const matrix = new Matrix4(), turn = new Quaternion(), from = new Vector3(), to = new Vector3(), scale = new Vector3();
    for (let e = 0; e < this.edges.length; e += 2) {
      from.fromArray(x, 3 * this.edges[e]);
      to.fromArray(x, 3 * this.edges[e + 1]).sub(from);
      const length = to.length();
      turn.setFromUnitVectors(UP, length > 0 ? to.clone().divideScalar(length) : UP);
      matrix.compose(from.addScaledVector(to, 0.5), turn, scale.set(this.rodRadius, length * 1.02, this.rodRadius));
      this.rods!.setMatrixAt(e / 2, matrix);
    }
    this.rods!.instanceMatrix.needsUpdate = true;
  }

  values(by: ColourBy): Float32Array | null {
    const { model } = this;
    if (by === "body" || !model.frame || !model.mesh) return null;
    if (by === "speed") return model.speeds();
    if (by === "energy") return model.strainKnown === false ? null : model.energies();
    const x = model.positions(), rest = model.mesh.rest;
    const d = new Float32Array(x.length / 3);
    for (let i = 0; i < d.length; ++i) {
      const a = x[3 * i] - rest[3 * i], b = x[3 * i + 1] - rest[3 * i + 1], c = x[3 * i + 2] - rest[3 * i + 2];
      d[i] = Math.sqrt(a * a + b * b + c * c); // three times as fast as Math.hypot
    }
    return d;
  }

  paint(by: ColourBy, values: Float32Array | null, low: number, high: number): void {
    const attribute = this.geometry.getAttribute("color") as BufferAttribute | undefined;
    const mesh = this.model.mesh;
    if (!attribute || !mesh) return;
    const colours = attribute.array as Float32Array;
    if (by === "body" || !values) {
      const several = mesh.bodyCount > 1;
      const cache = new Map<number, [number, number, number]>();
      for (let i = 0; i < mesh.bodies.length; ++i) {
        const body = mesh.bodies[i];
        let c = cache.get(body);
        if (!c) {
          c = hexToLinear(several && !this.tinted ? bodyColour(body) : paneColour(this.model.index));
          // Beside other panes all bodies have the colour of the method, in shades.
          if (several && this.tinted) c = c.map((x) => x + (1 - x) * 0.5 * (body % 4) / 3) as [number, number, number];
          c = [c[0] * 0.85 + 0.1, c[1] * 0.85 + 0.1, c[2] * 0.85 + 0.1];
          cache.set(body, c);
        }
        colours[3 * i] = c[0]; colours[3 * i + 1] = c[1]; colours[3 * i + 2] = c[2];
      }
    } else {
      const factor = high > low ? 255 / (high - low) : 0;
      for (let i = 0; i < values.length; ++i) {
        const k = 3 * Math.max(0, Math.min(255, Math.round((values[i] - low) * factor) || 0));
        colours[3 * i] = RAMP[k]; colours[3 * i + 1] = RAMP[k + 1]; colours[3 * i + 2] = RAMP[k + 2];
      }
    }
    for (let i = mesh.bodies.length; i < this.source.length; ++i)
      for (let k = 0; k < 3; ++k) colours[3 * i + k] = colours[3 * this.source[i] + k];
    attribute.needsUpdate = true;
    if (this.rods && this.rodColours) {
      const c = this.rodColours.array as Float32Array;
      for (let e = 0; e < this.edges.length; e += 2)
        for (let k = 0; k < 3; ++k) c[(3 * e) / 2 + k] = 0.5 * (colours[3 * this.edges[e] + k] + colours[3 * this.edges[e + 1] + k]);
      this.rodColours.needsUpdate = true;
    }
  }

  /** The links that are drawn, and where the ends of the first are. */
  get linksShown(): { count: number; first: number[] } {
    return { count: this.links ? this.model.info.links.length : 0, first: [...(this.model.frame?.links.subarray(0, 6) ?? [])] };
  }

  /** How many vertices are marked as held. */
  get heldCount(): number {
    return this.held?.geometry.index?.count ?? 0;
  }

  /** The middle of the bodies and how far most of them reaches from there; null where they have gone to pieces. */
  middle(): { centre: Vector3; reach: number } | null {
    const x = this.model.frame ? this.model.positions() : this.model.mesh?.rest;
    if (!x?.length) return null;
    const stride = Math.max(1, Math.floor(x.length / 3 / 400)), all: [number[], number[], number[]] = [[], [], []];
    for (let i = 0; i < x.length / 3; i += stride)
      if (Number.isFinite(x[3 * i] + x[3 * i + 1] + x[3 * i + 2])) for (let k = 0; k < 3; ++k) all[k].push(x[3 * i + k]);
    if (!all[0].length) return null;
    const mean = all.map((a) => a.reduce((s, v) => s + v, 0) / a.length);
    const median = all.map((a) => [...a].sort((p, q) => p - q)[a.length >> 1]);
    const far = all[0].map((_, i) => Math.hypot(...all.map((a, k) => a[i] - median[k]))).sort((a, b) => a - b);
    const reach = far[Math.floor(0.9 * (far.length - 1))];
    this.firstReach ??= reach || 1e-9;
    if (reach > 4 * this.firstReach) return null;
    // A few vertices far away move the mean, and not the median.
    const centre = new Vector3(...(mean as [number, number, number]));
    if (centre.distanceTo(new Vector3(...(median as [number, number, number]))) > 2 * this.firstReach) centre.set(...(median as [number, number, number]));
    // Bodies that hang from something are shown with it.
    for (const pivot of this.pivots) centre.addScaledVector(pivot.clone().sub(centre), 0.5 / this.pivots.length);
    return { centre, reach };
  }
  private firstReach: number | undefined;

  wireframe(on: boolean): void {
    this.links?.recolour();
    if (this.held) (this.held.material as PointsMaterial).color.set(isDark() ? 0xf2f4f6 : 0x20262d);
    if (!this.wire) return;
    this.wire.visible = on;
    (this.wire.material as MeshBasicMaterial).color.set(isDark() ? 0x0b0f14 : 0x101418);
  }

  showArrow(from: Vector3 | null, to: Vector3 | null, size: number): void {
    this.arrow.visible = !!(from && to);
    if (!from || !to) return;
    const way = to.clone().sub(from);
    const length = way.length();
    const turn = new Quaternion().setFromUnitVectors(UP, length > 0 ? way.clone().divideScalar(length) : UP);
    const headLength = Math.min(0.06 * size, 0.6 * length), radius = 0.006 * size;
    this.shaft.position.copy(from).addScaledVector(way, 0.5 * (1 - headLength / (length || 1)));
    this.shaft.scale.set(radius, Math.max(1e-9, length - headLength), radius);
    this.head.position.copy(to).addScaledVector(way, -0.5 * headLength / (length || 1));
    const wide = Math.max(1e-9, Math.min(3 * radius, 0.45 * headLength));
    this.head.scale.set(wide, Math.max(1e-9, headLength), wide);
    this.shaft.quaternion.copy(turn);
    this.head.quaternion.copy(turn);
  }

  /** The surface vertex under the pointer, or -1. */
  pick(ray: Raycaster, camera: PerspectiveCamera, pointer: Vector2, rect: Rect): number {
    const x = (this.geometry.getAttribute("position") as BufferAttribute | undefined)?.array as Float32Array | undefined;
    if (!x) return -1;
    if (this.surface) {
      const hit = ray.intersectObject(this.surface, false)[0];
      if (hit?.face) {
        let best = -1, least = Infinity;
        for (const i of [hit.face.a, hit.face.b, hit.face.c]) {
          const d = hit.point.distanceToSquared(new Vector3().fromArray(x, 3 * i));
          if (d < least) { least = d; best = i; }
        }
        return best < 0 ? -1 : this.source[best];
      }
    }
    // Nothing hit: the vertex nearest on the screen, if it is near.
    let best = -1, least = 28 ** 2;
    const p = new Vector3();
    for (let i = 0; i < x.length / 3; ++i) {
      p.fromArray(x, 3 * i).project(camera);
      const d = ((p.x - pointer.x) * 0.5 * rect.width) ** 2 + ((p.y - pointer.y) * 0.5 * rect.height) ** 2;
      if (d < least && p.z < 1) { least = d; best = this.source[i]; }
    }
    return best;
  }

  vertex(i: number): Vector3 {
    return new Vector3().fromArray((this.geometry.getAttribute("position") as BufferAttribute).array as Float32Array, 3 * i);
  }
}
