// One plot over time, of the live view and of reports.

import uPlot from "uplot";
import { align, type Curve } from "./decimate";
import { drawDensity, type Density } from "./density";
import { apart, places, short, ticks } from "./format";

export interface Line extends Curve { label: string; colour: string; width?: number; density?: Density | null }

export interface Content {
  title: string;
  unit: string;
  lines: Line[];
  log: boolean;
  /** The axis ends at plus and minus this number, and a note says so. */
  cut?: number;
  cutNote?: string;
  /** The least that the axis spans, relative to the values and absolute, so that rounding errors look like none. */
  flat?: number;
  least?: number;
  /** The axis begins at zero. */
  zero?: boolean;
  /** Written below the time axis. */
  xLabel?: string;
}

/** The plots that share their stretch of time. */
export interface Owner {
  /** The time that the views show. */
  now(): number | null;
  zoom(range: [number, number] | null): void;
  /** Its plots know nothing of the pointer over others. */
  readonly alone?: boolean;
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

/** Curves one on another stay visible: the later ones are thinner. */
export const nested = (lines: Line[]): Line[] =>
  lines.length < 2 ? lines : lines.map((l, k) => ({ ...l, width: 2.7 - (1.5 * k) / (lines.length - 1) }));

/** Said of a density. */
export const SHADED = "shaded by the time spent there";

export const cssValue = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const axisFont = (): string => `11px ${cssValue("--sans") || "sans-serif"}`;

/** What all axes have in common. */
export const axisStyle = (): uPlot.Axis => ({
  stroke: cssValue("--muted"), font: axisFont(), labelFont: axisFont(), labelGap: 0, labelSize: 16,
  grid: { stroke: cssValue("--gridline"), width: 1 }, ticks: { show: false }, border: { show: false },
});

export const axisPlaces: uPlot.Axis.Splits = (_u, _axis, low, high, increment) => places(low, high, increment);

/** The key of a legend: a mark, a label, and room for a value. Without a label there is only the value. */
export function legendKey({ label, colour }: { label: string; colour: string }): HTMLElement {
  const item = document.createElement("span"), mark = document.createElement("i");
  item.className = label ? "key" : "key bare";
  mark.style.background = colour;
  if (label) item.append(mark, label);
  item.append(document.createElement("b"));
  return item;
}

/** Writes what is to be added to the labels of the upright axis, and of the level one, into the corners next to them. */
export function writePlus(u: uPlot, upright: string, level = ""): void {
  const g = u.ctx, ratio = uPlot.pxRatio, { left, top, width, height } = u.bbox;
  g.save();
  g.fillStyle = cssValue("--muted");
  g.font = `${10 * ratio}px ${cssValue("--sans") || "sans-serif"}`;
  g.textAlign = "left";
  g.textBaseline = "top";
  g.fillText(upright, left + 4 * ratio, top + 3 * ratio);
  g.textAlign = "right";
  g.textBaseline = "bottom";
  g.fillText(level, left + width - 4 * ratio, top + height - 3 * ratio);
  g.restore();
}

export class Plot {
  readonly element = document.createElement("figure");
  private readonly title = document.createElement("figcaption");
  private readonly legend = document.createElement("div");
  private readonly holder = document.createElement("div");
  private plot: uPlot | null = null;
  private signature = "";
  private content: Content = { title: "", unit: "", lines: [], log: false };
  private cutting = false;
  private plus = "";
  heading = "";
  pointsDrawn = 0;

  constructor(readonly id: string, private readonly owner: Owner) {
    this.element.className = "plot";
    this.element.dataset.plot = id;
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
    return this.content.lines;
  }
  get rows(): number[] {
    return this.content.lines.map((l) => l.n);
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
    this.signature = "";
  }

  update(content: Content, range: [number, number] | null, width: number, height: number, rebuild: boolean): void {
    this.content = content;
    this.element.hidden = !content.lines.length;
    if (!content.lines.length) {
      this.destroy();
      return;
    }
    const x0 = range ? range[0] : -Infinity, x1 = range ? range[1] : Infinity;
    const data = align(content.lines, x0, x1, Math.max(200, Math.round(width)), content.log) as uPlot.AlignedData;
    this.pointsDrawn = data[0].length;
    const signature = JSON.stringify([content.title, content.unit, content.log, content.lines.map((l) => [l.label, l.colour])]);
    if (rebuild || signature !== this.signature) {
      this.build(width, height, data);
      this.signature = signature;
    }
    if (this.plot!.width !== width || this.plot!.height !== height) this.plot!.setSize({ width, height });
    this.plot!.setData(data, false);
    const last = Math.max(...content.lines.map((l) => l.x[l.n - 1]));
    const first = Math.min(...content.lines.map((l) => l.x[0]));
    this.plot!.batch(() => {
      this.plot!.setScale("x", range ? { min: range[0], max: range[1] } : { min: first, max: last > first ? last : first + 1 });
    });
    this.showValues();
  }

  private build(width: number, height: number, data: uPlot.AlignedData): void {
    this.destroy();
    const { title, unit, log, lines, xLabel } = this.content;
    this.heading = unit ? `${title}  ${unit}` : title;
    const notes = [unit, lines.some((l) => l.density) ? SHADED : ""].filter(Boolean);
    this.title.replaceChildren(title, ...notes.map((textContent) => Object.assign(document.createElement("span"), { textContent })));
    this.legend.replaceChildren(...lines.map(legendKey));
    const axis = axisStyle();
    const options: uPlot.Options = {
      width,
      height,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: {
        ...(this.owner.alone ? {} : { sync: { key: "lilyan", scales: ["x", null] } }),
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
        { ...axis, ...(xLabel ? { label: xLabel } : {}), size: xLabel ? 20 : 26, gap: 4, space: 60, values: (_u, splits, _i, _s, increment) => ticks(splits, increment) },
        {
          ...axis, gap: 5, space: 26,
          size: 64, // of all plots, so that their times are below each other
          ...(log
            ? { filter: (_u: uPlot, splits: number[]) => splits, splits: (_u: uPlot, _i: number, low: number, high: number) => decades(low, high), values: (_u: uPlot, splits: number[]) => splits.map(decade) }
            : { splits: axisPlaces, values: (_u: uPlot, splits: number[], _i: number, _s: number, increment: number) => this.labelsOf(splits, increment) }),
        },
      ],
      series: [
        {},
        ...lines.map((l): uPlot.Series => ({
          label: l.label, stroke: l.density ? "transparent" : l.colour, width: l.width ?? 1.75, points: { show: false }, spanGaps: false,
        })),
      ],
      hooks: {
        drawAxes: [(u) => this.content.lines.forEach((l) => l.density && drawDensity(u, l.density, l.colour, log))],
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
        draw: [(u) => this.drawNow(u), (u) => writePlus(u, this.plus)],
      },
    };
    this.plot = new uPlot(options, data, this.holder);
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", `${title} over time: ${lines.map((l) => l.label).join(", ")}`);
  }

  private range(low: number | null, high: number | null, log: boolean): [number, number] {
    const { cut, flat, least: absolute, zero } = this.content;
    this.cutting = false;
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return log ? [1e-3, 1] : [-1, 1];
    if (log) {
      let a = Math.floor(Math.log10(low)), b = Math.ceil(Math.log10(high));
      if (a === b) { a -= 1; b += 1; }
      if (b - a > 40) a = b - 40;
      return [10 ** a, 10 ** b];
    }
    if (cut) {
      if (high > cut) { high = cut; this.cutting = true; }
      if (low < -cut) { low = -cut; this.cutting = true; }
      if (low > high) low = high - 1;
    }
    if (zero) return [0, Math.max(1, 1.1 * high)];
    const middle = (low + high) / 2, least = Math.max((flat ?? 0) * Math.abs(middle), (absolute ?? 0) / 2);
    if (high - low < least) [low, high] = [middle - least, middle + least];
    if (high - low <= 1e-300) return low === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
    const pad = 0.08 * (high - low);
    return [low >= 0 && low - pad < 0 ? 0 : low - pad, high + (this.cutting ? 0 : pad)];
  }

  private labelsOf(splits: number[], increment: number): string[] {
    const { labels, plus } = apart(splits, increment);
    this.plus = plus;
    return labels;
  }

  /** A line at the time that the views show. */
  private drawNow(u: uPlot): void {
    const g = u.ctx, ratio = uPlot.pxRatio;
    const t = this.owner.now();
    g.save();
    if (t !== null) {
      const x = u.valToPos(t, "x", true);
      if (x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) {
        g.strokeStyle = cssValue("--axis");
        g.lineWidth = ratio;
        g.beginPath();
        g.moveTo(Math.round(x) + 0.5, u.bbox.top);
        g.lineTo(Math.round(x) + 0.5, u.bbox.top + u.bbox.height);
        g.stroke();
      }
    }
    if (this.cutting) {
      g.fillStyle = cssValue("--muted");
      g.font = `${10 * ratio}px ${cssValue("--sans") || "sans-serif"}`;
      g.textAlign = "right";
      g.textBaseline = "top";
      g.fillText(this.content.cutNote ?? "", u.bbox.left + u.bbox.width - 4 * ratio, u.bbox.top + 3 * ratio);
    }
    g.restore();
  }

  private showValues(): void {
    const u = this.plot;
    if (!u) return;
    const index = u.cursor.idx;
    this.content.lines.forEach((l, k) => {
      let value: number | null | undefined, time = l.x[l.n - 1];
      if (index !== null && index !== undefined) {
        const ys = u.data[k + 1];
        let i = index;
        while (i > 0 && ys[i] === undefined) --i;
        value = ys[i];
        time = u.data[0][i];
      } else value = (l.y[l.n - 1] - l.minus) * l.times;
      const cell = this.legend.children[k]?.lastElementChild;
      // Nothing but a number would not say what it is.
      if (cell) cell.textContent = l.label ? short(value, 3) : `${short(value, 3)} at ${short(time)}`;
    });
  }
}
