// One value over another: orbits, phase portraits and sections of reports. uPlot draws the axes and the cursor, and
// the curves, which may go anywhere, are drawn here.

import uPlot from "uplot";
import { drawDensity, type Density } from "./density";
import { apart, decades, places, short } from "./format";
import { axisStyle, legendKey, SHADED, writePlus } from "./plot";

export interface PlaneCurve { label: string; colour: string; points: boolean; density?: Density | null; x: Float64Array; y: Float64Array }

export interface PlaneContent {
  title: string;
  note: string;
  xLabel: string;
  yLabel: string;
  /** One unit is as long on one axis as on the other. */
  equal: boolean;
  /** Logarithmic axes. */
  logX?: boolean;
  logY?: boolean;
  curves: PlaneCurve[];
}

interface Box { x0: number; x1: number; y0: number; y1: number }

export class PlaneChart {
  readonly element = document.createElement("figure");
  private readonly holder = document.createElement("div");
  private readonly legend = document.createElement("div");
  private readonly where = document.createElement("span");
  private readonly mark = document.createElement("i");
  private readonly all: Box;
  private shown: Box;
  private plot: uPlot | null = null;
  private readonly plus = ["", ""];

  constructor(private readonly content: PlaneContent) {
    // Logarithmic axes are linear ones of the logarithms, with other labels.
    for (const c of content.curves) {
      if (content.logX) c.x = c.x.map(logarithm);
      if (content.logY) c.y = c.y.map(logarithm);
    }
    this.element.className = "plot plane";
    this.legend.className = "legend";
    this.mark.className = "nearest";
    const head = document.createElement("div"), title = document.createElement("figcaption"), note = document.createElement("span");
    head.className = "plot-head";
    note.textContent = [content.note, content.curves.some((c) => c.density) ? SHADED : ""].filter(Boolean).join(", ");
    title.append(content.title, note);
    head.append(title, this.legend, this.where);
    this.element.append(head, this.holder);
    this.all = this.shown = extent(content.curves);
  }

  update(width: number, height: number, rebuild: boolean): void {
    if (rebuild || !this.plot) this.build(width, height);
    if (this.plot!.width !== width || this.plot!.height !== height) this.plot!.setSize({ width, height });
    this.zoom(this.shown);
  }

  private build(width: number, height: number): void {
    this.plot?.destroy();
    const { curves, xLabel, yLabel, title } = this.content, axis = axisStyle();
    const labelled = curves.filter((c) => c.label);
    this.legend.replaceChildren(...(labelled.length > 1 ? labelled.map(legendKey) : []));
    const scale: uPlot.Scale = { time: false, auto: false, range: (_u, low, high) => [low, high] };
    const log = [this.content.logX, this.content.logY];
    const splits: uPlot.Axis.Splits = (u, axis, low, high, increment) => {
      const most = (axis === 0 ? u.bbox.width / 60 : u.bbox.height / 30) / uPlot.pxRatio;
      return log[axis] ? decades(low, high, most) : places(low, high, increment);
    };
    const values = (_u: uPlot, splits: number[], axis: number, _s: number, increment: number) => {
      if (log[axis]) return splits.map((v) => short(10 ** v, 2));
      const { labels, plus } = apart(splits, increment);
      this.plus[axis] = plus;
      return labels;
    };
    this.plot = new uPlot({
      width, height,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      cursor: { drag: { x: true, y: true, setScale: false }, points: { show: false }, bind: { dblclick: () => () => { this.zoom(this.all); return null; } } },
      scales: { x: scale, y: scale },
      axes: [
        { ...axis, label: xLabel, size: 20, gap: 4, space: 60, splits, values },
        { ...axis, label: yLabel, size: 50, gap: 5, space: 36, splits, values },
      ],
      series: [{}, { show: false }],
      hooks: {
        draw: [(u) => this.draw(u), (u) => writePlus(u, this.plus[1], this.plus[0])],
        setCursor: [(u) => this.showNearest(u)],
        setSelect: [
          (u) => {
            const { left, top, width: w, height: h } = u.select;
            if (w < 4 || h < 4) return;
            const box = { x0: u.posToVal(left, "x"), x1: u.posToVal(left + w, "x"), y0: u.posToVal(top + h, "y"), y1: u.posToVal(top, "y") };
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            queueMicrotask(() => this.zoom(box));
          },
        ],
      },
    }, [[0, 1], [0, 1]], this.holder);
    this.plot.over.append(this.mark);
    this.holder.setAttribute("role", "img");
    this.holder.setAttribute("aria-label", `${title}: ${yLabel} over ${xLabel}`);
  }

  private zoom(box: Box): void {
    const u = this.plot!;
    this.shown = box;
    let { x0, x1, y0, y1 } = box;
    if (this.content.equal) {
      const { width, height } = u.bbox, unit = Math.max((x1 - x0) / width, (y1 - y0) / height);
      [x0, x1] = widened(x0, x1, unit * width);
      [y0, y1] = widened(y0, y1, unit * height);
    }
    u.batch(() => {
      u.setScale("x", { min: x0, max: x1 });
      u.setScale("y", { min: y0, max: y1 });
    });
  }

  private draw(u: uPlot): void {
    const g = u.ctx, { left, top, width, height } = u.bbox, ratio = uPlot.pxRatio;
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    for (const { x, y, points, colour, density } of this.content.curves) {
      if (density) {
        drawDensity(u, density, colour, false);
        continue;
      }
      const size = (x.length <= 200 ? 4.5 : x.length <= 2000 ? 3 : 2) * ratio;
      g.strokeStyle = g.fillStyle = colour;
      g.lineWidth = 1.5 * ratio;
      g.lineJoin = "round";
      g.beginPath();
      let joined = false;
      for (let i = 0; i < x.length; ++i) {
        if (!Number.isFinite(x[i]) || !Number.isFinite(y[i])) {
          joined = false;
          continue;
        }
        const px = u.valToPos(x[i], "x", true), py = u.valToPos(y[i], "y", true);
        if (points) g.fillRect(px - size / 2, py - size / 2, size, size);
        else if (joined) g.lineTo(px, py);
        else g.moveTo(px, py);
        joined = true;
      }
      if (!points) g.stroke();
    }
    g.restore();
  }

  /** Marks the point next to the cursor, and says where it is. */
  private showNearest(u: uPlot): void {
    const { left, top } = u.cursor, { logX, logY } = this.content;
    let best = 30 ** 2, text = "", place = "";
    if (left !== undefined && top !== undefined && left >= 0)
      for (const { x, y, colour } of this.content.curves)
        for (let i = 0; i < x.length; ++i) {
          const px = u.valToPos(x[i], "x"), py = u.valToPos(y[i], "y"), distance = (px - left) ** 2 + (py - top) ** 2;
          if (!(distance < best)) continue;
          best = distance;
          text = `${short(logX ? 10 ** x[i] : x[i])}, ${short(logY ? 10 ** y[i] : y[i])}`;
          place = `translate(${px}px, ${py}px)`;
          this.mark.style.background = colour;
        }
    this.where.textContent = text;
    this.mark.hidden = !text;
    this.mark.style.transform = place;
  }
}

const logarithm = (v: number): number => (v > 0 ? Math.log10(v) : NaN);

const widened = (low: number, high: number, length: number): [number, number] => [(low + high - length) / 2, (low + high + length) / 2];

/** Around all points, with some air. */
function extent(curves: PlaneCurve[]): Box {
  const range = (values: (c: PlaneCurve) => Float64Array, other: (c: PlaneCurve) => Float64Array): [number, number] => {
    let low = Infinity, high = -Infinity;
    for (const c of curves)
      values(c).forEach((v, i) => {
        if (!Number.isFinite(v) || !Number.isFinite(other(c)[i])) return;
        low = Math.min(low, v);
        high = Math.max(high, v);
      });
    if (low > high) return [-1, 1];
    return low < high ? widened(low, high, 1.1 * (high - low)) : widened(low, high, 0.2 * Math.abs(low) || 2);
  };
  const [x0, x1] = range((c) => c.x, (c) => c.y), [y0, y1] = range((c) => c.y, (c) => c.x);
  return { x0, x1, y0, y1 };
}
