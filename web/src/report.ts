// The charts of report.html, drawn from the data beside them. The page asks the network for nothing.

import "./pixels";
import { curveColour, onSchemeChange, usePaper } from "./colour";
import type { Density } from "./density";
import { MotionPlayer } from "./motion-player";
import { PlaneChart } from "./plane-chart";
import { nested, Plot } from "./plot";

/** As app/report/picture/html.cpp writes it. */
interface ChartData {
  title: string;
  note: string;
  x_label: string;
  y_label: string;
  over_time: boolean;
  /** It shows a stretch of time of its own. */
  apart?: boolean;
  log: boolean;
  /** Of charts that are not over time. */
  log_x?: boolean;
  equal: boolean;
  cut: number | null;
  aspect: number;
  series: { label: string; colour: number; points: boolean; density?: Density | null; x: (number | null)[]; y: (number | null)[] }[];
}

interface Chart { element: HTMLElement; draw(width: number, rebuild: boolean): void }

let range: [number, number] | null = null;
const owner = {
  now: () => null,
  zoom: (to: [number, number] | null) => {
    range = to;
    drawAll(false);
  },
};

const numbers = (values: (number | null)[]): Float64Array => Float64Array.from(values, (v) => v ?? NaN);

function overTime(data: ChartData): Chart {
  let own: [number, number] | null = null;
  const apart = { alone: true, now: () => null, zoom: (to: [number, number] | null) => { own = to; drawAll(false); } };
  const plot = new Plot(data.title, data.apart ? apart : owner);
  const curves = data.series.map((s) => ({ ...s, x: numbers(s.x), y: numbers(s.y), n: s.x.length, minus: 0, times: 1 })).filter((c) => c.n);
  return {
    element: plot.element,
    draw: (width, rebuild) => {
      const lines = curves.map((c) => ({ ...c, colour: curveColour(c.colour) }));
      plot.update({
        title: data.title, unit: data.y_label, xLabel: data.x_label, log: data.log, lines: nested(lines),
        ...(data.cut ? { cut: data.cut, cutNote: `cut at ${data.cut}` } : {}),
      }, data.apart ? own : range, width, Math.round(Math.max(180, 0.5 * width)), rebuild);
    },
  };
}

function overPlane(data: ChartData): Chart {
  const curves = data.series.map((s) => ({ ...s, x: numbers(s.x), y: numbers(s.y), colour: "" }));
  const chart = new PlaneChart({ title: data.title, note: data.note, xLabel: data.x_label, yLabel: data.y_label, equal: data.equal, logX: data.log_x, logY: data.log, curves });
  return {
    element: chart.element,
    draw: (width, rebuild) => {
      curves.forEach((c, k) => { c.colour = curveColour(data.series[k].colour); });
      chart.update(width, Math.round(data.aspect * width), rebuild);
    },
  };
}

const charts = [...document.querySelectorAll<HTMLElement>("figure.chart, figure.motion")].map((figure): Chart => {
  const content = JSON.parse(figure.querySelector("script")!.textContent!);
  if (figure.classList.contains("motion")) {
    const player = new MotionPlayer(content);
    figure.replaceWith(player.element);
    return { element: player.element, draw: (width) => player.update(width) };
  }
  const data: ChartData = content;
  const chart = data.over_time ? overTime(data) : overPlane(data);
  figure.replaceWith(chart.element);
  return chart;
});

function drawAll(rebuild: boolean): void {
  // Measured before anything is drawn: a chart must not make room for itself.
  const widths = charts.map((c) => Math.floor(c.element.clientWidth));
  charts.forEach((c, k) => { if (widths[k] >= 60) c.draw(widths[k], rebuild); });
}

drawAll(true);
let before = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === before) return;
  before = window.innerWidth;
  drawAll(false);
});
onSchemeChange(() => drawAll(true));
for (const [event, on] of [["beforeprint", true], ["afterprint", false]] as const)
  window.addEventListener(event, () => {
    usePaper(on);
    drawAll(true);
  });
