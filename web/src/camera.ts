// One camera for all panes, that turns about a point.

import { PerspectiveCamera, Raycaster, Vector2, Vector3 } from "three";

export interface Rect { x: number; y: number; width: number; height: number }

export class OrbitCamera {
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  readonly target = new Vector3();
  /** Of the scene. */
  size = 1;
  /** It has not been moved by hand. */
  untouched = true;
  /** It looks at a place that was chosen by hand. */
  panned = false;
  private distance = 4;
  private theta = 0.55;
  private phi = 1.2;

  frame(centre: Vector3, size: number): void {
    this.target.copy(centre);
    this.panned = false;
    this.size = size;
    this.distance = 1.75 * size;
    this.theta = 0.55;
    this.phi = 1.25;
  }

  orbit(dx: number, dy: number): void {
    this.untouched = false;
    this.theta -= 0.008 * dx;
    this.phi = Math.max(0.05, Math.min(Math.PI - 0.05, this.phi - 0.008 * dy));
  }

  pan(dx: number, dy: number, height: number): void {
    this.untouched = false;
    this.panned = true;
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, height);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
  }

  zoom(factor: number): void {
    this.untouched = false;
    this.distance = Math.max(0.02 * this.size, Math.min(60 * this.size, this.distance * factor));
  }

  /** As it looks into a rectangle of this shape. */
  aim(rect: Rect): PerspectiveCamera {
    const { camera } = this;
    const aspect = rect.width / Math.max(1, rect.height);
    const away = aspect < 1.15 ? this.distance * (1.15 / Math.max(0.3, aspect)) ** 0.8 : this.distance;
    const s = Math.sin(this.phi);
    camera.position.set(s * Math.sin(this.theta), Math.cos(this.phi), s * Math.cos(this.theta)).multiplyScalar(away).add(this.target);
    camera.lookAt(this.target);
    camera.aspect = aspect;
    camera.near = Math.max(away * 0.01, away - 12 * this.size);
    camera.far = away + 40 * this.size;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return camera;
  }

  /** The ray under a place in the window, and that place between -1 and 1. */
  ray(x: number, y: number, rect: Rect): { ray: Raycaster; pointer: Vector2 } {
    const pointer = new Vector2(((x - rect.x) / rect.width) * 2 - 1, 1 - ((y - rect.y) / rect.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(pointer, this.aim(rect));
    return { ray, pointer };
  }

  /** The place of a point in the window. */
  project(point: Vector3, rect: Rect): [number, number] {
    const p = point.clone().project(this.aim(rect));
    return [rect.x + ((p.x + 1) / 2) * rect.width, rect.y + ((1 - p.y) / 2) * rect.height];
  }
}
