// The rows of one run, column by column, with what the plots need beside them.

const DERIVED = { momentum: "momentum_", angular: "angular_momentum_" } as const;

export class Series {
  length = 0;
  private capacity = 256;
  private scale = 0;
  private scaleRows = -1;
  private readonly data = new Map<string, Float64Array>();
  private readonly ledger: string[];
  private readonly vectors: { name: string; parts: string[] }[] = [];

  constructor(readonly columns: string[]) {
    for (const name of columns) this.add(name);
    this.ledger = columns.filter((c) => c.startsWith("ledger_"));
    for (const name of this.ledger) this.add(`sum:${name}`);
    for (const [name, prefix] of Object.entries(DERIVED)) {
      const parts = ["x", "y", "z"].map((axis) => prefix + axis).filter((c) => columns.includes(c));
      if (!parts.length) continue;
      this.vectors.push({ name, parts });
      this.add(`size:${name}`);
      this.add(`drift:${name}`);
    }
  }

  has(name: string): boolean {
    return this.data.has(name);
  }

  /** The whole array of a column: only the first `length` entries count. */
  column(name: string): Float64Array | undefined {
    return this.data.get(name);
  }

  at(name: string, row: number): number {
    return this.data.get(name)?.[row] ?? NaN;
  }

  /** The last row not after t. */
  rowAt(t: number): number {
    const times = this.data.get("t");
    if (!times) return -1;
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  push(row: (number | null)[]): void {
    if (this.length === this.capacity) this.grow();
    const i = this.length++;
    for (let c = 0; c < this.columns.length; ++c) {
      const value = row[c];
      this.data.get(this.columns[c])![i] = typeof value === "number" ? value : NaN;
    }
    for (const name of this.ledger) {
      const sum = this.data.get(`sum:${name}`)!;
      sum[i] = (i ? sum[i - 1] : 0) + this.data.get(name)![i];
    }
    for (const { name, parts } of this.vectors) {
      let size = 0, drift = 0;
      for (const part of parts) {
        const values = this.data.get(part)!;
        size += values[i] ** 2;
        drift += (values[i] - values[0]) ** 2;
      }
      this.data.get(`size:${name}`)![i] = Math.sqrt(size);
      this.data.get(`drift:${name}`)![i] = Math.sqrt(drift);
    }
  }

  /** The energy that changes are compared with: the largest of the parts the run began with, or, where it
   * began with nothing but rounding errors, of its first twenty rows. Rounding errors are what the first step
   * leaves far behind, or what no one would call an energy; a run that explodes began with more. */
  energyScale(): number {
    if (this.scale && this.scaleRows === Math.min(this.length, 20)) return this.scale;
    this.scaleRows = Math.min(this.length, 20);
    let first = 0, second = 0, early = 0;
    for (const name of this.columns) {
      if (!name.startsWith("energy_") || name === "energy_total") continue;
      for (let i = 0; i < this.scaleRows; ++i) {
        const value = Math.abs(this.at(name, i));
        if (!Number.isFinite(value)) continue;
        if (i === 0) first = Math.max(first, value);
        if (i <= 1) second = Math.max(second, value);
        early = Math.max(early, value);
      }
    }
    first = Math.max(first, Math.abs(this.at("energy_total", 0)) || 0);
    const noise = first <= 1e-9 * second || (first < 1e-18 && first <= 1e-9 * early);
    this.scale = (noise ? early : first) || 1;
    return this.scale;
  }

  private add(name: string): void {
    if (!this.data.has(name)) this.data.set(name, new Float64Array(this.capacity));
  }

  private grow(): void {
    this.capacity *= 2;
    for (const [name, old] of this.data) {
      const larger = new Float64Array(this.capacity);
      larger.set(old);
      this.data.set(name, larger);
    }
  }
}
