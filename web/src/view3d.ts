// Bodies and obstacles of all panes, drawn by one WebGL canvas with one camera.

import {
  AmbientLight, BackSide, Box3, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, FrontSide, Group, HemisphereLight, InstancedBufferAttribute, InstancedMesh,
  LineBasicMaterial, LineSegments, Material, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Object3D,
  PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry, Quaternion, Raycaster, Scene, ShaderMaterial, ShadowMaterial,
  SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { bodyColour, hexToLinear, isDark, paneColour, RAMP } from "./colour";
import type { PaneModel } from "./model";
import type { Obstacle } from "./protocol";

export type ColourBy = "body" | "speed" | "energy" | "displacement";
export interface Rect { x: number; y: number; width: number; height: number }

const UP = new Vector3(0, 1, 0);

const gridMaterial = (colour: string, cell: number, fade: number, strength: number) =>
  new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      colour: { value: new Color(colour) }, cell: { value: cell }, fade: { value: fade }, strength: { value: strength },
      centre: { value: new Vector2() },
    },
    vertexShader: `varying vec2 p; void main() { p = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `
      varying vec2 p; uniform vec3 colour; uniform float cell, fade, strength; uniform vec2 centre;
      float lines(float size, float width) {
        vec2 a = p / size, w = max(fwidth(a) * width, 1e-6);
        vec2 d = abs(fract(a - 0.5) - 0.5) / w;
        vec2 line = (1.0 - min(d, 1.0)) * clamp(0.35 / w, 0.0, 1.0);
        return max(line.x, line.y);
      }
      void main() {
        float far = 1.0 - smoothstep(0.25 * fade, fade, length(p - centre));
        float alpha = max(0.5 * lines(cell, 1.0), lines(5.0 * cell, 1.2)) * far * strength;
        if (alpha < 0.004) discard;
        gl_FragColor = vec4(colour, alpha);
        #include <colorspace_fragment>
      }`,
  });

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

class PaneScene {
  readonly scene = new Scene();
  private readonly surroundings = new Group();
  private geometry = new BufferGeometry();
  private surface: Mesh | null = null;
  private wire: Mesh | null = null;
  private rods: InstancedMesh | null = null;
  private lines: LineSegments | null = null;
  private edges: Uint32Array = new Uint32Array(0);
  private rodRadius = 0.01;
  private rodColours: InstancedBufferAttribute | null = null;
  private readonly arrow = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly hemisphere = new HemisphereLight(0xffffff, 0x8a8f98, 1.3);
  private readonly ambient = new AmbientLight(0xffffff, 0.5);
  readonly box = new Box3();

  constructor(readonly model: PaneModel) {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 6;
    this.sun.shadow.bias = -0.0005;
    this.scene.add(this.sun, this.sun.target, this.hemisphere, this.ambient, this.surroundings, this.arrow);
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
    this.sun.dispose();
  }

  setMesh(): void {
    const mesh = this.model.mesh!;
    const nv = mesh.rest.length / 3;
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(mesh.rest), 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("normal", new BufferAttribute(new Float32Array(3 * nv), 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * nv), 3).setUsage(DynamicDrawUsage));
    this.geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
    const positions = this.geometry.getAttribute("position") as BufferAttribute;
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
      this.wire = new Mesh(this.geometry, new MeshBasicMaterial({ wireframe: true, color: 0x101418, transparent: true, opacity: 0.35, depthWrite: false }));
      this.wire.frustumCulled = false;
      this.wire.visible = false;
      this.scene.add(this.surface, this.wire);
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
    if (!box.isEmpty()) this.box.copy(box);
  }

  /** Floor, obstacles and light, sized to the whole scene. */
  surround(size: number, floor: number, centre: Vector3, grid: boolean): void {
    for (const child of [...this.surroundings.children]) {
      this.surroundings.remove(child);
      const m = child as Mesh;
      m.geometry?.dispose();
      for (const material of ([] as Material[]).concat(m.material ?? [])) material.dispose();
    }
    const dark = isDark();
    const lineColour = dark ? "#9aa7b5" : "#5c6873";
    const cell = 10 ** Math.round(Math.log10(size / 5));
    const planes = this.model.info.obstacles.filter((o) => o.kind === "plane");
    const plane = (point: Vector3, normal: Vector3, solid: boolean) => {
      const extent = 8 * size;
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
      const foot = centre.clone().addScaledVector(normal, point.clone().sub(centre).dot(normal));
      const add = (material: Material, receive: boolean, lift: number) => {
        const mesh = new Mesh(new PlaneGeometry(2 * extent, 2 * extent), material);
        mesh.quaternion.copy(turn);
        mesh.position.copy(foot).addScaledVector(normal, lift);
        mesh.receiveShadow = receive;
        mesh.renderOrder = -1;
        this.surroundings.add(mesh);
      };
      if (solid) add(new ShadowMaterial({ opacity: dark ? 0.45 : 0.2 }), true, -0.0005 * size);
      if (grid) add(gridMaterial(lineColour, cell, 3.2 * size, solid ? 0.5 : 0.32), false, -0.001 * size);
    };
    for (const o of planes)
      plane(new Vector3(...(o.point ?? [0, 0, 0])), new Vector3(...(o.normal ?? [0, 1, 0])).normalize(), true);
    if (!planes.length) plane(new Vector3(centre.x, floor, centre.z), UP, grid);
    for (const o of this.model.info.obstacles) {
      const shape = obstacleShape(o, dark);
      if (shape) this.surroundings.add(shape);
    }
    this.sun.position.copy(centre).add(new Vector3(0.9, 2.2, 1.3).multiplyScalar(size));
    this.sun.target.position.copy(centre);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.6 * size;
    camera.right = camera.top = 1.6 * size;
    camera.near = 0.1 * size;
    camera.far = 8 * size;
    camera.updateProjectionMatrix();
    this.ambient.intensity = dark ? 0.12 : 0.5;
    this.hemisphere.groundColor.set(dark ? 0x3a4048 : 0x8a8f98);
  }

  /** Copies the last frame to the GPU's arrays. */
  update(): void {
    const { model, geometry } = this;
    if (!model.mesh || !geometry.getAttribute("position")) return;
    const positions = geometry.getAttribute("position") as BufferAttribute;
    const x = positions.array as Float32Array;
    if (model.frame) x.set(model.positions());
    positions.needsUpdate = true;
    if (model.mesh.triangles.length) {
      const normals = geometry.getAttribute("normal") as BufferAttribute;
      vertexNormals(x, model.mesh.triangles, normals.array as Float32Array);
      normals.needsUpdate = true;
    }
    geometry.boundingSphere = null;
    if (this.rods) this.updateRods(x);
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
    if (by === "energy") return model.energies();
    const x = model.positions(), rest = model.mesh.rest;
    const d = new Float32Array(x.length / 3);
    for (let i = 0; i < d.length; ++i)
      d[i] = Math.hypot(x[3 * i] - rest[3 * i], x[3 * i + 1] - rest[3 * i + 1], x[3 * i + 2] - rest[3 * i + 2]);
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
          c = hexToLinear(several ? bodyColour(body) : paneColour(this.model.index));
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
    attribute.needsUpdate = true;
    if (this.rods && this.rodColours) {
      const c = this.rodColours.array as Float32Array;
      for (let e = 0; e < this.edges.length; e += 2)
        for (let k = 0; k < 3; ++k) c[(3 * e) / 2 + k] = 0.5 * (colours[3 * this.edges[e] + k] + colours[3 * this.edges[e + 1] + k]);
      this.rodColours.needsUpdate = true;
    }
  }

  wireframe(on: boolean): void {
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
        return best;
      }
    }
    // Nothing hit: the vertex nearest on the screen, if it is near.
    let best = -1, least = 28 ** 2;
    const p = new Vector3();
    for (let i = 0; i < x.length / 3; ++i) {
      p.fromArray(x, 3 * i).project(camera);
      const d = ((p.x - pointer.x) * 0.5 * rect.width) ** 2 + ((p.y - pointer.y) * 0.5 * rect.height) ** 2;
      if (d < least && p.z < 1) { least = d; best = i; }
    }
    return best;
  }

  vertex(i: number): Vector3 {
    return new Vector3().fromArray((this.geometry.getAttribute("position") as BufferAttribute).array as Float32Array, 3 * i);
  }
}

function obstacleShape(o: Obstacle, dark: boolean): Mesh | null {
  const material = new MeshStandardMaterial({
    color: dark ? 0x6b7784 : 0xc3c9cf, roughness: 0.85, transparent: true, opacity: o.inside ? 0.28 : o.moves ? 0.4 : 0.9, // one that moves is shown where it began
    side: o.inside ? BackSide : FrontSide, depthWrite: !o.inside,
  });
  let mesh: Mesh | null = null;
  if (o.kind === "sphere" && o.center && o.radius) {
    mesh = new Mesh(new SphereGeometry(o.radius, 64, 40), material);
    mesh.position.set(...(o.center as [number, number, number]));
  } else if (o.kind === "box" && o.center && o.size) {
    mesh = new Mesh(new BoxGeometry(...(o.size as [number, number, number])), material);
    mesh.position.set(...(o.center as [number, number, number]));
  } else if (o.kind === "capsule" && o.from && o.to && o.radius) {
    const from = new Vector3(...o.from), to = new Vector3(...o.to);
    const way = to.clone().sub(from), length = way.length();
    mesh = new Mesh(new CapsuleGeometry(o.radius, length, 24, 48), material);
    mesh.position.copy(from).addScaledVector(way, 0.5);
    if (length > 0) mesh.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
  }
  if (mesh) mesh.receiveShadow = !o.inside;
  return mesh;
}

export class View3D {
  readonly renderer: WebGLRenderer | null;
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly panes = new Map<number, PaneScene>();
  private target = new Vector3();
  private distance = 4;
  private theta = 0.55;
  private phi = 1.2;
  private size = 1;
  private framed = false;
  private untouched = true; // the camera has not been moved by hand
  private readonly stale = new Set<number>();
  private colourDirty = true;
  private surroundDirty = true;
  dirty = true;
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
      if (this.untouched) this.frameAll();
      this.surroundDirty = true;
    }
    this.stale.add(pane);
    this.dirty = true;
  }

  /** The next mesh to come is framed anew: another scene has been opened. */
  unframe(): void {
    this.framed = false;
    this.untouched = true;
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
    this.size = box.getSize(new Vector3()).length() || 1;
    box.getCenter(this.target);
    this.distance = 1.75 * this.size;
    this.theta = 0.55;
    this.phi = 1.25;
    this.framed = this.panes.size > 0 && [...this.panes.values()].some((p) => p.model.mesh);
    this.surroundDirty = this.dirty = true;
  }

  orbit(dx: number, dy: number): void {
    this.untouched = false;
    this.theta -= 0.008 * dx;
    this.phi = Math.max(0.05, Math.min(Math.PI - 0.05, this.phi - 0.008 * dy));
    this.dirty = true;
  }

  pan(dx: number, dy: number, height: number): void {
    this.untouched = false;
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, height);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.dirty = true;
  }

  zoom(factor: number): void {
    this.untouched = false;
    this.distance = Math.max(0.02 * this.size, Math.min(60 * this.size, this.distance * factor));
    this.dirty = true;
  }

  private aim(rect: Rect): void {
    const aspect = rect.width / Math.max(1, rect.height);
    const away = aspect < 1.15 ? this.distance * (1.15 / Math.max(0.3, aspect)) ** 0.8 : this.distance;
    const s = Math.sin(this.phi);
    this.camera.position.set(s * Math.sin(this.theta), Math.cos(this.phi), s * Math.cos(this.theta)).multiplyScalar(away).add(this.target);
    this.camera.lookAt(this.target);
    this.camera.aspect = aspect;
    this.camera.near = Math.max(away * 0.01, away - 12 * this.size);
    this.camera.far = away + 40 * this.size;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private pointerIn(x: number, y: number, rect: Rect): Vector2 {
    return new Vector2(((x - rect.x) / rect.width) * 2 - 1, 1 - ((y - rect.y) / rect.height) * 2);
  }

  startPull(pane: number, x: number, y: number, rect: Rect): { vertex: number; target: Vector3 } | null {
    const scene = this.panes.get(pane);
    if (!scene?.model.mesh) return null;
    this.aim(rect);
    const pointer = this.pointerIn(x, y, rect), ray = new Raycaster();
    ray.setFromCamera(pointer, this.camera);
    const vertex = scene.pick(ray, this.camera, pointer, rect);
    if (vertex < 0) return null;
    const at = scene.vertex(vertex);
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), at);
    this.pulled = { pane, vertex, target: at.clone(), plane };
    this.dirty = true;
    return { vertex, target: at };
  }

  movePull(x: number, y: number, rect: Rect): Vector3 | null {
    if (!this.pulled) return null;
    this.aim(rect);
    const ray = new Raycaster();
    ray.setFromCamera(this.pointerIn(x, y, rect), this.camera);
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
    this.aim(rect);
    const p = scene.vertex(vertex).project(this.camera);
    return [rect.x + ((p.x + 1) / 2) * rect.width, rect.y + ((1 - p.y) / 2) * rect.height];
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
        highs.push(sample[Math.floor(0.98 * (sample.length - 1))] ?? 0);
      }
      // The middle one of the panes: one that explodes does not leave the others dark.
      const high = highs.sort((a, b) => a - b)[(highs.length - 1) >> 1] ?? 0;
      this.low = 0;
      this.high = high > 0 ? high : 1;
    }
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
    if (this.stale.size) {
      for (const pane of this.stale) this.panes.get(pane)?.update();
      this.stale.clear();
      if (this.colourBy !== "body") this.colourDirty = true;
    }
    if (this.surroundDirty) {
      const box = this.bounds(), centre = box.getCenter(new Vector3());
      const size = box.getSize(new Vector3()).length() || 1;
      for (const scene of this.panes.values()) scene.surround(size, box.min.y - 0.04 * size, centre, this.grid);
      this.surroundDirty = false;
    }
    if (this.colourDirty) {
      this.colour();
      this.colourDirty = false;
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
      this.aim(rect);
      scene.wireframe(this.wireframe);
      const p = this.pulled?.pane === pane ? this.pulled : null;
      scene.showArrow(p && scene.vertex(p.vertex), p && p.target, this.size);
      renderer.render(scene.scene, this.camera);
    }
  }
}
