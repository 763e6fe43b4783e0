// The ellipse that a cloud of initial conditions begins in. The pointer or Alt and arrows move it, the wheel or two
// fingers resize it.

export interface InitialCloud { center: [number, number]; radius: [number, number]; count: number }

interface Owner {
  /** The ellipse that can be dragged now. */
  cloud(): InitialCloud | null;
  place(x: number, y: number): [number, number];
  span(): [number, number];
  moved(cloud: InitialCloud, last: boolean): void;
}

export class InitialCloudDrag {
  grabbed: { dx: number; dy: number } | null = null;
  private readonly fingers = new Map<number, [number, number]>();
  private span = 0; // between two fingers

  constructor(private readonly canvas: HTMLCanvasElement, private readonly owner: Owner) {
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (e) => this.up(e));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("keydown", (e) => this.key(e));
  }

  private get cloud(): InitialCloud | null {
    return this.owner.cloud();
  }

  private place(e: PointerEvent | WheelEvent): [number, number] {
    const r = this.canvas.getBoundingClientRect();
    return this.owner.place(e.clientX - r.left, e.clientY - r.top);
  }

  private inCloud(e: PointerEvent | WheelEvent): boolean {
    if (!this.cloud) return false;
    const [x, y] = this.place(e), { center: c, radius: r } = this.cloud;
    return ((x - c[0]) / r[0]) ** 2 + ((y - c[1]) / r[1]) ** 2 <= 1.3;
  }

  /** Two fingers anywhere resize the cloud. */
  private pinch(e: PointerEvent): void {
    this.fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (this.fingers.size !== 2 || !this.cloud) return;
    const [[ax, ay], [bx, by]] = [...this.fingers.values()], span = Math.hypot(ax - bx, ay - by);
    if (this.span > 0 && span > 0) this.resizeCloud(span / this.span, false);
    this.span = span;
    this.grabbed = null;
  }

  private down(e: PointerEvent): void {
    if (e.pointerType === "touch") this.pinch(e);
    if (this.fingers.size > 1) return;
    if (e.button !== 0 || !this.inCloud(e)) return;
    const [x, y] = this.place(e);
    this.grabbed = { dx: this.cloud!.center[0] - x, dy: this.cloud!.center[1] - y };
    this.canvas.setPointerCapture(e.pointerId);
    e.preventDefault();
  }

  private move(e: PointerEvent): void {
    if (this.fingers.has(e.pointerId)) this.pinch(e);
    this.canvas.style.cursor = this.grabbed ? "grabbing" : this.inCloud(e) ? "grab" : "";
    if (!this.grabbed || !this.cloud) return;
    const [x, y] = this.place(e);
    this.cloud.center = [x + this.grabbed.dx, y + this.grabbed.dy];
    this.owner.moved(this.cloud, false);
  }

  private up(e: PointerEvent): void {
    if (this.fingers.delete(e.pointerId) && this.span && this.cloud) this.owner.moved(this.cloud, true);
    this.span = 0;
    if (!this.grabbed || !this.cloud) return;
    this.grabbed = null;
    this.owner.moved(this.cloud, true);
  }

  private wheel(e: WheelEvent): void {
    if (!this.cloud) return;
    e.preventDefault();
    this.resizeCloud(Math.exp(-0.0015 * e.deltaY));
  }

  private resizeCloud(factor: number, last = true): void {
    const { radius } = this.cloud!;
    this.cloud!.radius = [radius[0] * factor, radius[1] * factor];
    this.owner.moved(this.cloud!, last);
  }

  private key(e: KeyboardEvent): void {
    if (!this.cloud || !e.altKey) return;
    const [dx, dy] = this.owner.span().map((s) => 0.02 * s);
    const c = this.cloud.center;
    if (e.key === "ArrowLeft") c[0] -= dx;
    else if (e.key === "ArrowRight") c[0] += dx;
    else if (e.key === "ArrowUp") c[1] += dy;
    else if (e.key === "ArrowDown") c[1] -= dy;
    else return;
    e.preventDefault();
    e.stopPropagation();
    this.owner.moved(this.cloud, true);
  }
}
