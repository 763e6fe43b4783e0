// Curves over different times, brought onto one axis for drawing, with no more points than can be seen.

export interface Curve {
  x: Float64Array;
  y: Float64Array;
  n: number;
  /** What is drawn is (y − minus) · times. */
  minus: number;
  times: number;
}

export type Aligned = [number[], ...(number | null | undefined)[][]];

function firstAtLeast(x: Float64Array, n: number, value: number): number {
  let low = 0, high = n;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (x[mid] < value) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** With logarithmic: sizes, and nothing where there is none. */
export function align(curves: Curve[], from: number, to: number, buckets: number, logarithmic: boolean): Aligned {
  const value = (c: Curve, i: number): number | null => {
    const v = (c.y[i] - c.minus) * c.times;
    if (!Number.isFinite(v)) return null;
    if (!logarithmic) return v;
    const size = Math.abs(v);
    return size > 1e-300 ? size : null;
  };
  const ranges = curves.map((c) => {
    const a = Math.max(0, firstAtLeast(c.x, c.n, from) - 1);
    const b = Math.min(c.n, firstAtLeast(c.x, c.n, to) + 2);
    return [a, b] as const;
  });
  const most = Math.max(0, ...ranges.map(([a, b]) => b - a));
  const xs: number[] = [];
  const ys: (number | null | undefined)[][] = curves.map(() => []);
  if (most <= 2 * buckets) {
    // Few enough: every row, at its own time.
    const at = ranges.map(([a]) => a);
    for (;;) {
      let next = Infinity;
      for (let k = 0; k < curves.length; ++k) if (at[k] < ranges[k][1]) next = Math.min(next, curves[k].x[at[k]]);
      if (next === Infinity) break;
      xs.push(next);
      for (let k = 0; k < curves.length; ++k) {
        let v: number | null | undefined = undefined;
        while (at[k] < ranges[k][1] && curves[k].x[at[k]] <= next) v = value(curves[k], at[k]++);
        ys[k].push(v);
      }
    }
    return [xs, ...ys];
  }
  // Many: the least and the largest of each stretch of time, in the order they came.
  let start = Infinity, end = -Infinity;
  for (let k = 0; k < curves.length; ++k) {
    const [a, b] = ranges[k];
    if (a >= b) continue;
    start = Math.min(start, curves[k].x[a]);
    end = Math.max(end, curves[k].x[b - 1]);
  }
  const width = (end - start) / buckets;
  const at = ranges.map(([a]) => a);
  for (let j = 0; j < buckets; ++j) {
    const limit = j === buckets - 1 ? Infinity : start + (j + 1) * width;
    xs.push(start + (j + 0.25) * width, start + (j + 0.75) * width);
    for (let k = 0; k < curves.length; ++k) {
      const c = curves[k], stop = ranges[k][1];
      const end = Math.min(stop, firstAtLeast(c.x, stop, limit)), { y, minus, times } = c;
      let least = Number.MAX_VALUE, largest = -Number.MAX_VALUE, leastAt = -1, largestAt = -1;
      for (let i = at[k]; i < end; ++i) {
        let v = (y[i] - minus) * times;
        if (logarithmic) {
          v = Math.abs(v);
          if (v < 1e-300) continue;
        }
        // What is not finite is passed over.
        if (v < least && v >= -Number.MAX_VALUE) { least = v; leastAt = i; }
        if (v > largest && v <= Number.MAX_VALUE) { largest = v; largestAt = i; }
      }
      const some = end > at[k];
      at[k] = end;
      if (leastAt < 0 || largestAt < 0) ys[k].push(some ? null : undefined, some ? null : undefined);
      else if (leastAt <= largestAt) ys[k].push(least, largest);
      else ys[k].push(largest, least);
    }
  }
  return [xs, ...ys];
}
