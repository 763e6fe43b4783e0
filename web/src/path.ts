import type { PathData } from "./protocol";

/** As many entries as are kept: of a longer path every second one is left out. */
export const MOST = 120000;
/** As many of the last entries are kept whatever is left out. */
const RECENT = 3000;

/** Where a small system has been, in order of time. A program that sends every step of the path is asked for no
 * more; of one that does not, the frames that came have to do. */
export class Path {
  length = 0;
  /** Nothing is missing. */
  whole = false;
  /** Steps from one entry to the next, as far as this page knows. */
  stride = 1;
  private seen = 0;
  private capacity = 256;
  frames = new Float64Array(this.capacity);
  t = new Float64Array(this.capacity);
  /** The coordinates, then the velocities, then the places of trails, each an array over the frames. */
  values: Float64Array[];
  /** Counts up whenever entries other than the last ones have changed. */
  version = 0;

  /** The last entries, none left out. */
  readonly recent = { length: 0, t: new Float64Array(2 * RECENT), values: [] as Float64Array[] };

  /** Of n coordinates and m numbers of trails. */
  constructor(readonly n: number, readonly m = 0) {
    this.recent.values = Array.from({ length: 2 * n + m }, () => new Float64Array(2 * RECENT));
    this.values = Array.from({ length: 2 * n + m }, () => new Float64Array(this.capacity));
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

  append({ first, count, t, q, v, trails }: PathData): void {
    if (!this.whole) {
      this.whole = true;
      this.length = 0;
      ++this.version;
    }
    if (first > 0 && this.length === 0) throw new Error(`a path goes on at entry ${first} and not 0`);
    const { n, m } = this;
    for (let k = 0; k < count; ++k) {
      // What is there already may come again.
      const { recent } = this;
      if (recent.length && t[k] <= recent.t[recent.length - 1]) continue;
      if (recent.length === 2 * RECENT) {
        for (const a of [recent.t, ...recent.values]) a.copyWithin(0, RECENT);
        recent.length = RECENT;
      }
      recent.t[recent.length] = t[k];
      for (let i = 0; i < n; ++i) {
        recent.values[i][recent.length] = q[k * n + i];
        recent.values[n + i][recent.length] = v[k * n + i];
      }
      for (let i = 0; i < m; ++i) recent.values[2 * n + i][recent.length] = trails[k * m + i];
      ++recent.length;
      if (this.seen++ % this.stride) continue;
      if (this.length === MOST) this.thin();
      if (this.length === this.capacity) this.grow();
      const at = this.length++;
      this.frames[at] = at;
      this.t[at] = t[k];
      for (let i = 0; i < n; ++i) {
        this.values[i][at] = q[k * n + i];
        this.values[n + i][at] = v[k * n + i];
      }
      for (let i = 0; i < m; ++i) this.values[2 * n + i][at] = trails[k * m + i];
    }
  }

  /** The parts of what is to be drawn up to a time: older entries, of which some may be left out and which are then to be
   * drawn as points, and the last `count` ones, all of them. */
  parts(t: number, count: number, older: number): { values: Float64Array[]; from: number; to: number; points: boolean; recent: boolean }[] {
    const end = this.at(t) + 1, { recent } = this;
    let last = recent.length;
    while (last > 0 && recent.t[last - 1] > t) --last;
    // Of what is looked back at, and of a path put together from frames, there is no more.
    if (!this.whole || last === 0)
      return [{ values: this.values, from: Math.max(0, end - older), to: end, points: this.stride > 1, recent: this.stride === 1 }];
    const from = Math.max(0, last - count), until = this.at(recent.t[from]) + 1;
    return [
      { values: this.values, from: Math.max(0, until - older), to: Math.min(end, until), points: this.stride > 1, recent: false },
      { values: recent.values, from, to: last, points: false, recent: true },
    ];
  }

  /** The last entry not after t. */
  at(t: number): number {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private thin(): void {
    const half = this.length >> 1;
    for (const a of [this.t, ...this.values]) for (let i = 0; i < half; ++i) a[i] = a[2 * i];
    this.length = half;
    this.stride *= 2;
    ++this.version;
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
