// Floor, obstacles and light around the bodies of a pane.

import {
  AmbientLight, BackSide, BoxGeometry, CapsuleGeometry, Color, DirectionalLight, DoubleSide, FrontSide, Group, HemisphereLight,
  Material, Matrix4, Mesh, MeshStandardMaterial, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, SphereGeometry, Vector3,
} from "three";
import { isDark } from "./colour";
import type { Obstacle } from "./protocol";

const UP = new Vector3(0, 1, 0), OUT = new Vector3(0, 0, 1);

/** Lines in the frame of the plane, which may move under the patch that is drawn; one that moves has squares, too. */
const gridMaterial = (colour: string, cell: number, fade: number, strength: number, squares: number) =>
  new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      colour: { value: new Color(colour) }, cell: { value: cell }, fade: { value: fade }, strength: { value: strength },
      squares: { value: squares }, toPlane: { value: new Matrix4() },
    },
    vertexShader: `
      varying vec2 p, q; uniform mat4 toPlane;
      void main() {
        q = position.xy;
        p = (toPlane * modelMatrix * vec4(position, 1.0)).xy;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      varying vec2 p, q; uniform vec3 colour; uniform float cell, fade, strength, squares;
      float lines(float size, float width) {
        vec2 a = p / size, w = max(fwidth(a) * width, 1e-6);
        vec2 d = abs(fract(a - 0.5) - 0.5) / w;
        vec2 line = (1.0 - min(d, 1.0)) * clamp(0.35 / w, 0.0, 1.0);
        return max(line.x, line.y);
      }
      float checker(float size) {
        vec2 a = p / size, w = max(fwidth(a), 1e-6);
        vec2 s = clamp((abs(fract(0.5 * a) - 0.5) - 0.25) * 2.0 / w, -0.5, 0.5);
        return (0.5 - 2.0 * s.x * s.y) * clamp(1.2 - max(w.x, w.y), 0.0, 1.0);
      }
      void main() {
        float far = 1.0 - smoothstep(0.25 * fade, fade, length(q));
        float alpha = max(max(0.5 * lines(cell, 1.0), lines(5.0 * cell, 1.2)) * strength, squares > 0.0 ? squares * checker(cell) : 0.0) * far;
        if (alpha < 0.004) discard;
        gl_FragColor = vec4(colour, alpha);
        #include <colorspace_fragment>
      }`,
  });

function obstacleShape(o: Obstacle, dark: boolean): Mesh | null {
  const material = new MeshStandardMaterial({
    color: dark ? 0x6b7784 : 0xc3c9cf, roughness: 0.85, transparent: true, opacity: o.inside ? 0.28 : 0.9,
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
  if (mesh) {
    mesh.receiveShadow = !o.inside;
    mesh.castShadow = !o.inside && !!o.moves;
  }
  return mesh;
}

const empty = (group: Group) => {
  for (const child of [...group.children]) {
    group.remove(child);
    const m = child as Mesh;
    m.geometry?.dispose();
    for (const material of ([] as Material[]).concat(m.material ?? [])) material.dispose();
  }
};

/** A plane, of which a patch around the scene is drawn, wherever it has moved to. */
interface Floor { patches: { mesh: Mesh; lift: number }[]; point: Vector3; normal: Vector3; frame: Matrix4; moving: number }

export class Surroundings {
  readonly group = new Group();
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly hemisphere = new HemisphereLight(0xffffff, 0x8a8f98, 1.3);
  private readonly ambient = new AmbientLight(0xffffff, 0.5);
  private readonly things = new Group();
  private readonly centre = new Vector3();
  private floors: Floor[] = [];
  private movers: { mesh: Mesh; start: Matrix4; moving: number }[] = [];
  private poses: Float32Array = new Float32Array(0);
  private imagined = false;
  private fallen = 0;
  private size = 1;

  constructor(private readonly obstacles: Obstacle[]) {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 6;
    this.sun.shadow.bias = -0.0005;
    this.group.add(this.sun, this.sun.target, this.hemisphere, this.ambient, this.things);
  }

  dispose(): void {
    empty(this.things);
    this.sun.dispose();
  }

  /** Made anew for a scene of this size. */
  build(size: number, floor: number, centre: Vector3, grid: boolean): void {
    empty(this.things);
    this.floors = [];
    this.movers = [];
    this.centre.copy(centre);
    this.size = size;
    const dark = isDark();
    const lineColour = dark ? "#9aa7b5" : "#5c6873";
    const cell = 10 ** Math.round(Math.log10(size / 5));
    const plane = (point: Vector3, normal: Vector3, solid: boolean, moving: number) => {
      const turn = new Quaternion().setFromUnitVectors(OUT, normal), patches: Floor["patches"] = [];
      const add = (material: Material, receive: boolean, lift: number) => {
        const mesh = new Mesh(new PlaneGeometry(16 * size, 16 * size), material);
        mesh.receiveShadow = receive;
        mesh.renderOrder = -1;
        this.things.add(mesh);
        patches.push({ mesh, lift });
      };
      if (solid) add(new ShadowMaterial({ opacity: dark ? 0.45 : 0.2, depthWrite: false }), true, -0.0005 * size);
      const squares = moving < 0 ? 0 : dark ? 0.1 : 0.07;
      if (grid || squares) add(gridMaterial(lineColour, cell, 3.2 * size, !grid ? 0 : solid ? 0.5 : 0.32, squares), false, -0.001 * size);
      const foot = centre.clone().addScaledVector(normal, point.clone().sub(centre).dot(normal));
      this.floors.push({ patches, point, normal, frame: new Matrix4().compose(foot, turn, new Vector3(1, 1, 1)), moving });
    };
    let moving = 0, planes = 0;
    for (const o of this.obstacles) {
      const mover = o.moves ? moving++ : -1;
      if (o.kind === "plane") {
        ++planes;
        plane(new Vector3(...(o.point ?? [0, 0, 0])), new Vector3(...(o.normal ?? [0, 1, 0])).normalize(), true, mover);
      }
      const shape = obstacleShape(o, dark);
      if (!shape) continue;
      this.things.add(shape);
      if (mover < 0) continue;
      shape.updateMatrix();
      this.movers.push({ mesh: shape, start: shape.matrix.clone(), moving: mover });
      shape.matrixAutoUpdate = false;
    }
    this.imagined = !planes;
    if (!planes) plane(new Vector3(centre.x, floor, centre.z), UP, grid, -1);
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
    this.move(this.poses);
  }

  /** A floor that is only imagined makes way for bodies that fall or hang. */
  makeWay(fallen: number): void {
    if (Number.isFinite(fallen)) this.fallen = Math.max(this.fallen, fallen - 0.06 * this.size);
  }

  /** Obstacles that move are put where they are. */
  move(poses: Float32Array): void {
    this.poses = poses;
    const pose = (i: number): Matrix4 | null => {
      const p = poses.subarray(12 * i, 12 * i + 12);
      return i >= 0 && p.length === 12
        ? new Matrix4().set(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], 0, 0, 0, 1) : null;
    };
    for (const { mesh, start, moving } of this.movers) {
      const to = pose(moving);
      mesh.matrix.copy(start);
      if (to) mesh.matrix.premultiply(to);
      // Where it is not told where it is, it is shown faintly where it began.
      const material = mesh.material as MeshStandardMaterial;
      if (material.side === FrontSide) material.opacity = to ? 0.9 : 0.4;
    }
    for (const { patches, point, normal, frame, moving } of this.floors) {
      const to = pose(moving), at = point.clone(), up = normal.clone(), now = frame.clone();
      if (to) {
        at.applyMatrix4(to);
        up.transformDirection(to);
        now.premultiply(to);
      }
      if (this.imagined) at.y -= 2 * this.fallen;
      const toPlane = now.invert();
      const foot = this.centre.clone().addScaledVector(up, at.sub(this.centre).dot(up));
      for (const { mesh, lift } of patches) {
        mesh.quaternion.setFromUnitVectors(OUT, up);
        mesh.position.copy(foot).addScaledVector(up, lift);
        const uniforms = (mesh.material as ShaderMaterial).uniforms as { toPlane?: { value: Matrix4 } } | undefined;
        if (uniforms?.toPlane) uniforms.toPlane.value.copy(toPlane);
      }
    }
  }
}
