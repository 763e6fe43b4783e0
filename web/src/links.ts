// What holds the bodies of a pane and ties them to each other: pivots, hinges, rods, joints, springs and attachments.

import {
  CatmullRomCurve3, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion,
  SphereGeometry, TubeGeometry, Vector3, type BufferGeometry,
} from "three";
import { isDark } from "./colour";
import type { LinkInfo } from "./protocol";

const UP = new Vector3(0, 1, 0);

/** A coil of length one along y, for springs, whose wire is round when the coil is stretched to LONG times its radius. */
const LONG = 15;
function coil(): BufferGeometry {
  const turns = 6, points = 12 * turns, way: Vector3[] = [];
  for (let i = 0; i <= points; ++i) {
    const s = i / points, wide = Math.min(1, 8 * s, 8 * (1 - s));
    way.push(new Vector3(wide * Math.cos(2 * Math.PI * turns * s), LONG * (s - 0.5), wide * Math.sin(2 * Math.PI * turns * s)));
  }
  return new TubeGeometry(new CatmullRomCurve3(way), 2 * points, 0.2, 5).scale(1, 1 / LONG, 1);
}

/** Many copies of one shape, seen through bodies as faint ones. */
class Copies {
  private readonly meshes: InstancedMesh[];
  private count = 0;

  constructor(group: Group, geometry: BufferGeometry, materials: MeshBasicMaterial[], private readonly most: number) {
    this.meshes = materials.map((material, i) => {
      const mesh = new InstancedMesh(geometry, material, most);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = i ? 9 : 0;
      group.add(mesh);
      return mesh;
    });
  }
  begin(): void { this.count = 0; }
  add(matrix: Matrix4): void {
    if (this.count < this.most) for (const mesh of this.meshes) mesh.setMatrixAt(this.count, matrix);
    ++this.count;
  }
  end(): void {
    for (const mesh of this.meshes) {
      mesh.count = Math.min(this.count, this.most);
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
  dispose(): void { for (const mesh of this.meshes) mesh.dispose(); }
}

export class Links {
  readonly group = new Group();
  private readonly solid = new MeshBasicMaterial();
  private readonly ghost = new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.4 });
  private readonly bars: Copies;
  private readonly balls: Copies;
  private readonly coils: Copies;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();

  /** `size`: of the scene. */
  constructor(private readonly links: LinkInfo[], private readonly size: number) {
    const materials = [this.solid, this.ghost], n = links.length;
    this.bars = new Copies(this.group, new CylinderGeometry(1, 1, 1, 12), materials, n);
    this.balls = new Copies(this.group, new SphereGeometry(1, 16, 12), materials, 2 * n);
    this.coils = new Copies(this.group, coil(), materials, n);
    this.recolour();
  }

  dispose(): void {
    for (const copies of [this.bars, this.balls, this.coils]) copies.dispose();
  }

  recolour(): void {
    for (const material of [this.solid, this.ghost]) material.color.set(isDark() ? 0xf2f4f6 : 0x20262d);
  }

  /** Puts them where their ends are, six numbers each. */
  move(ends: Float32Array): void {
    for (const copies of [this.bars, this.balls, this.coils]) copies.begin();
    // Of very many the marks are smaller.
    const few = this.links.length <= 40, ball = (few ? 0.011 : 0.005) * this.size, a = new Vector3(), b = new Vector3();
    for (let i = 0; i < this.links.length && 6 * i + 5 < ends.length; ++i) {
      a.fromArray(ends, 6 * i);
      b.fromArray(ends, 6 * i + 3);
      if (!Number.isFinite(a.x + a.y + a.z + b.x + b.y + b.z)) continue;
      const { kind, held } = this.links[i];
      if (kind === "hinge") {
        // The axis goes on beyond its ends.
        const beyond = b.clone().sub(a).multiplyScalar(0.15);
        this.along(this.bars, a.clone().sub(beyond), b.clone().add(beyond), 0.4 * ball);
      } else if (kind === "rod") this.along(this.bars, a, b, 0.35 * ball);
      else if (kind === "spring" || kind === "anchor") {
        if (a.distanceTo(b) > 1e-3 * this.size) this.along(this.coils, a, b, few ? 0.9 * ball : 0.5 * ball);
      }
      const round = (at: Vector3, radius: number) => this.balls.add(this.matrix.makeScale(radius, radius, radius).setPosition(at));
      const small = kind === "slider" || kind === "spring" ? 0.6 : kind === "rod" ? 0.7 : 1;
      // What does not move is larger.
      round(a, (held[0] ? 1.3 : small) * ball);
      if (a.distanceToSquared(b) > 0) round(b, (held[1] ? 1.3 : small) * ball);
    }
    for (const copies of [this.bars, this.balls, this.coils]) copies.end();
  }

  private along(copies: Copies, a: Vector3, b: Vector3, radius: number): void {
    const way = b.clone().sub(a), length = way.length();
    this.turn.setFromUnitVectors(UP, length > 0 ? way.divideScalar(length) : UP);
    copies.add(this.matrix.compose(a.clone().add(b).multiplyScalar(0.5), this.turn, new Vector3(radius, length, radius)));
  }
}
