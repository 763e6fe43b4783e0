import type { PathData } from "./protocol";

/** Where a small system has been, in order of time. A program that sends every row of the path is asked for no
 * more; of one that does not, the frames that came have to do. */
export class Path {
  length = 0;
  /** Nothing is missing. */
  whole = false;
  private capacity = 256;
  frames = new Float64Array(this.capacity);
  t = new Float64Array(this.capacity);
  /** The coordinates, then the velocities, each an array over the frames. */
  values: Float64Array[];

  constructor(readonly n: number) {
    this.values = Array.from({ length: 2 * n }, () => new Float64Array(this.capacity));
  }

  put(frame: number, t: number, q: Float64Array, v: Float64Array): void {
    if (this.whole) return;
    let at = this.length;
    while (at > 0 && this.frames[at - 1] > frame) --at;
    const known = at > 0 && this.frames[at - 1] === frame;
    if (known) --at;
    else {
      if (this.length === this.capacity) this.grow();
      if (at < this.length)
        for (const a of [this.frames, this.t, ...this.values]) a.copyWithin(at + 1, at, this.length);
      ++this.length;
    }
    this.frames[at] = frame;
    this.t[at] = t;
    for (let i = 0; i < this.n; ++i) {
      this.values[i][at] = q[i];
      this.values[this.n + i][at] = v[i];
    }
  }

  append({ first, count, t, q, v }: PathData): void {
    if (!this.whole) {
      this.whole = true;
      this.length = 0;
    }
    if (first > this.length) throw new Error(`a path goes on at row ${first} and not ${this.length}`);
    while (this.capacity < first + count) this.grow();
    for (let k = 0, at = first; k < count; ++k, ++at) {
      this.frames[at] = at;
      this.t[at] = t[k];
      for (let i = 0; i < this.n; ++i) {
        this.values[i][at] = q[k * this.n + i];
        this.values[this.n + i][at] = v[k * this.n + i];
      }
    }
    this.length = Math.max(this.length, first + count);
  }

  private grow(): void {
    this.capacity *= 2;
    const larger = (old: Float64Array) => {
      const a = new Float64Array(this.capacity);
      a.set(old);
      return a;
    };
    this.frames = larger(this.frames);
    this.t = larger(this.t);
    this.values = this.values.map(larger);
  }
}
