// One plot over time.

import uPlot from "uplot";
import { CUT, type Context, type Definition, type Line } from "./curves";
import { align } from "./decimate";
import { short, ticks } from "./format";

/** What a plot asks of all plots. */
export interface Owner {
  now(): number | null;
  zoom(range: [number, number] | null): void;
}

/** Powers of ten, not more than there is room for. */
function decades(low: number, high: number): number[] {
  const a = Math.ceil(Math.log10(low) - 1e-9), b = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((b - a) / 5));
  const powers: number[] = [];
  for (let p = Math.ceil(a / every) * every; p <= b; p += every) powers.push(10 ** p);
  return powers;
}
function decade(value: number): string {
  const p = Math.round(Math.log10(value));
  return Math.abs(p) <= 2 ? String(Number((10 ** p).toPrecision(1))) : `1e${p}`.replace("-", "−");
}

export class Plot {
  readonly element = document.createElement("figure");
  private readonly title = document.createElement("figcaption");
  private readonly legend = document.createElement("div");
  private readonly holder = document.createElement("div");
  private plot: uPlot | null = null;
  private signature = "";
  private lines: Line[] = [];
  private cut = 0;
  private flat = 0;
  private least = 0;
  private zero = false;
  private cutting = false;
  heading = "";
  pointsDrawn = 0;

  constructor(readonly definition: Definition, private readonly owner: Owner) {
    this.element.className = "plot";
    this.element.dataset.plot = definition.id;
    this.legend.className = "legend";
    const head = document.createElement("div");
    head.className = "plot-head";
    head.append(this.title, this.legend);
    this.element.append(head, this.holder);
  }

  get canvas(): HTMLCanvasElement | null {
    return this.plot?.ctx.canvas ?? null;
  }
  get labels(): { label: string; colour: string }[] {
    return this.lines;
  }
  get rows(): number[] {
    return this.lines.map((l) => l.n);
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
    this.signature = "";
  }

  update(context: Context, range: [number, number] | null, width: number, rebuild: boolean): void {
    const content = this.definition.content(context);
    this.lines = content.lines;
    this.element.hidden = !content.lines.length;
    if (!content.lines.length) {
      this.destroy();
      return;
    }
    this.cut = content.cut ?? 0;
    this.flat = content.flat ?? 0;
    this.least = content.least ?? 0;
    this.zero = content.zero ?? false;
    const x0 = range ? range[0] : -Infinity, x1 = range ? range[1] : Infinity;
    const data = align(content.lines, x0, x1, Math.max(200, Math.round(width)), content.log) as uPlot.AlignedData;
    this.pointsDrawn = data[0].length;
    const signature = JSON.stringify([content.title, content.unit, content.log, content.lines.map((l) => [l.label, l.colour])]);
    if (rebuild || signature !== this.signature) {
      this.signature = signature;
      this.build(content.title, content.unit, content.log, width, data);
    }
    if (this.plot!.width !== width) this.plot!.setSize({ width, height: this.definition.height });
    this.plot!.setData(data, false);
    const last = Math.max(...content.lines.map((l) => l.x[l.n - 1]));
    const first = Math.min(...content.lines.map((l) => l.x[0]));
    this.plot!.batch(() => {
      this.plot!.setScale("x", range ? { min: range[0], max: range[1] } : { min: first, max: last > first ? last : first + 1 });
    });
    this.showValues();
  }

  private build(title: string, unit: string, log: boolean, width: number, data: uPlot.AlignedData): void {
    this.destroy();
    this.signature = JSON.stringify([title, unit, log, this.lines.map((l) => [l.label, l.colour])]);
    this.heading = unit ? `${title}  ${unit}` : title;
    this.title.replaceChildren(title, ...(unit ? [Object.assign(document.createElement("span"), { textContent: unit })] : []));
    this.legend.replaceChildren(
      ...this.lines.map((l) => {
        const item = document.createElement("span");
        item.className = "key";
        const mark = document.createElement("i");
        mark.style.background = l.colour;
        const value = document.createElement("b");
        item.append(mark, l.label, value);
        return item;
      }),
    );
    const css = getComputedStyle(document.documentElement);
    const ink = css.getPropertyValue("--muted").trim(), grid = css.getPropertyValue("--gridline").trim();
    const font = `11px ${css.getPropertyValue("--sans").trim() || "sans-serif"}`;
    const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false }, border: { show: false } };
    const options: uPlot.Options = {
      width,
      height: this.definition.height,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: {
        sync: { key: "lilyan", scales: ["x", null] },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
        bind: {
          dblclick: () => () => {
            this.owner.zoom(null);
            return null;
          },
        },
      },
      scales: {
        x: { time: false, auto: false },
        y: { distr: log ? 3 : 1, log: 10, range: (_u, low, high) => this.range(low, high, log) },
      },
      axes: [
        { ...axis, size: 26, gap: 4, space: 60, values: (_u, splits, _i, _s, increment) => ticks(splits, increment) },
        {
          ...axis, gap: 5, space: 26,
          size: 64, // of all plots, so that their times are below each other
          ...(log
            ? { filter: (_u: uPlot, splits: number[]) => splits, splits: (_u: uPlot, _i: number, low: number, high: number) => decades(low, high), values: (_u: uPlot, splits: number[]) => splits.map(decade) }
            : { values: (_u: uPlot, splits: number[], _i: number, _s: number, increment: number) => ticks(splits, increment) }),
        },
      ],
      series: [
        {},
        ...this.lines.map((l): uPlot.Series => ({
          label: l.label, stroke: l.colour, width: l.width ?? 1.75, points: { show: false }, spanGaps: false,
        })),
      ],
      hooks: {
        setCursor: [() => this.showValues()],
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            const range: [number, number] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            // Later: the other plots, told of the same selection, still have the range it was made in.
            queueMicrotask(() => this.owner.zoom(range));
          },
        ],
        draw: [(u) => this.drawNow(u)],
      },
    };
    this.plot = new uPlot(options, data, this.holder);
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", `${title} over time: ${this.lines.map((l) => l.label).join(", ")}`);
  }

  private range(low: number | null, high: number | null, log: boolean): [number, number] {
    this.cutting = false;
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return log ? [1e-3, 1] : [-1, 1];
    if (log) {
      let a = Math.floor(Math.log10(low)), b = Math.ceil(Math.log10(high));
      if (a === b) { a -= 1; b += 1; }
      if (b - a > 40) a = b - 40;
      return [10 ** a, 10 ** b];
    }
    if (this.cut) {
      if (high > this.cut) { high = this.cut; this.cutting = true; }
      if (low < -this.cut) { low = -this.cut; this.cutting = true; }
      if (low > high) low = high - 1;
    }
    if (this.zero) return [0, Math.max(1, 1.1 * high)];
    const middle = (low + high) / 2, least = Math.max(this.flat * Math.abs(middle), this.least / 2);
    if (high - low < least) [low, high] = [middle - least, middle + least];
    if (high - low <= 1e-300) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
    const pad = 0.08 * (high - low);
    const zero = low >= 0 && low - pad < 0;
    return [zero ? 0 : low - pad, high + (this.cutting ? 0 : pad)];
  }

  /** A line at the time that the views show. */
  private drawNow(u: uPlot): void {
    const g = u.ctx, ratio = uPlot.pxRatio;
    const t = this.owner.now();
    g.save();
    if (t !== null) {
      const x = u.valToPos(t, "x", true);
      if (x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) {
        g.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--axis").trim();
        g.lineWidth = ratio;
        g.beginPath();
        g.moveTo(Math.round(x) + 0.5, u.bbox.top);
        g.lineTo(Math.round(x) + 0.5, u.bbox.top + u.bbox.height);
        g.stroke();
      }
    }
    if (this.cutting) {
      g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--muted").trim();
      g.font = `${10 * ratio}px ${getComputedStyle(document.documentElement).getPropertyValue("--sans") || "sans-serif"}`;
      g.textAlign = "right";
      g.textBaseline = "top";
      g.fillText(`cut at ${CUT}; log scale shows all`, u.bbox.left + u.bbox.width - 4 * ratio, u.bbox.top + 3 * ratio);
    }
    g.restore();
  }

  private showValues(): void {
    const u = this.plot;
    if (!u) return;
    const index = u.cursor.idx;
    this.lines.forEach((l, k) => {
      let value: number | null | undefined;
      if (index !== null && index !== undefined) {
        const ys = u.data[k + 1];
        let i = index;
        while (i > 0 && ys[i] === undefined) --i;
        value = ys[i];
      } else value = (l.y[l.n - 1] - l.minus) * l.times;
      const cell = this.legend.children[k]?.lastElementChild;
      if (cell) cell.textContent = short(value, 3);
    });
  }
}
