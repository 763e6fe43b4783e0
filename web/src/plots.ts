// The plots beside the panes: which there are, of which columns their curves are, and that they all show the same
// stretch of time.

import { curveColour, paneColour } from "./colour";
import { greek } from "./format";
import type { PaneModel } from "./model";
import { nested, Plot, type Content, type Line } from "./plot";

interface Definition {
  id: string;
  height: number;
  /** Without lines if the panes do not have them. */
  content(context: Context): Content;
}
interface Context { panes: PaneModel[]; selected: PaneModel; drift: boolean; log: boolean }

const EMPTY = { title: "", unit: "", lines: [], log: false };
const PARTS = ["kinetic", "elastic", "potential", "gravity", "contact"];
const LEDGER = ["solver", "quadrature", "work", "dissipation", "method"];
/** A share of the energy beyond which a plot without logarithm is cut. */
const CUT = 10, CUT_NOTE = `cut at ${CUT}; log scale shows all`;

function line(model: PaneModel, column: string, label: string, colour: string, minus = 0, times = 1): Line[] {
  const x = model.series.column("t"), y = model.series.column(column);
  return x && y && model.series.length ? [{ x, y, n: model.series.length, minus, times, label, colour }] : [];
}

const overPanes = (c: Context, column: string, minus: (m: PaneModel) => number = () => 0, times: (m: PaneModel) => number = () => 1) =>
  nested(c.panes.flatMap((m) => line(m, column, m.label, paneColour(m.index), minus(m), times(m))));

const DEFINITIONS: Definition[] = [
  {
    id: "energy", height: 190,
    content: (c) => {
      const scale = (m: PaneModel) => 1 / m.series.energyScale(), start = (m: PaneModel) => m.series.at("energy_total", 0);
      return c.drift
        ? { title: "Energy drift", unit: "(E − E(0)) / E₀", lines: overPanes(c, "energy_total", start, scale), log: c.log, cut: c.log ? undefined : CUT, cutNote: CUT_NOTE }
        : c.panes.every((m) => !m.series.length || start(m) > 0.2 * m.series.energyScale())
          ? { title: "Total energy", unit: "E / E(0)", lines: overPanes(c, "energy_total", undefined, (m) => 1 / start(m)), log: c.log, cut: c.log ? undefined : CUT, cutNote: CUT_NOTE, flat: 0.02 }
          : { title: "Total energy", unit: "E", lines: overPanes(c, "energy_total"), log: c.log, flat: 0.02, least: 0.04 * Math.max(...c.panes.map((m) => m.series.energyScale())) };
    },
  },
  {
    id: "trajectory", height: 150,
    content: (c) => {
      if (c.selected.info.kind !== "system") return EMPTY;
      const of = (m: PaneModel, i: number, label: string, colour: string): Line[] =>
        m.info.kind === "system" && m.path.length && m.path.values[i] ? [{ x: m.path.t, y: m.path.values[i], n: m.path.length, minus: 0, times: 1, label, colour }] : [];
      const names = c.selected.info.coordinates;
      return names.length === 1
        ? { title: "Trajectory", unit: greek(names[0]), lines: nested(c.panes.filter((m) => m.info.coordinates.join() === names.join()).flatMap((m) => of(m, 0, m.label, paneColour(m.index)))), log: false }
        : { title: "Trajectory", unit: c.selected.label, lines: names.slice(0, 8).flatMap((name, i) => of(c.selected, i, greek(name), curveColour(i))), log: false };
    },
  },
  {
    id: "parts", height: 140,
    content: (c) => ({
      title: "Parts of the energy", unit: c.panes.length > 1 ? c.selected.label : "",
      lines: PARTS.flatMap((p, i) => (nonzero(c.selected, `energy_${p}`) ? line(c.selected, `energy_${p}`, p, curveColour(i)) : [])), log: false, flat: 1e-3,
    }),
  },
  {
    id: "ledger", height: 140,
    content: (c) => ({
      title: "Ledger, summed", unit: c.panes.length > 1 ? c.selected.label : "",
      lines: LEDGER.flatMap((p, i) => line(c.selected, `sum:ledger_${p}`, p, curveColour(i))), log: c.log,
    }),
  },
  {
    id: "momentum", height: 120,
    content: (c) => c.drift
      ? { title: "Linear momentum drift", unit: "|p − p(0)|", lines: overPanes(c, "drift:momentum"), log: c.log }
      : { title: "Linear momentum", unit: "|p|", lines: overPanes(c, "size:momentum"), log: c.log, flat: 1e-3 },
  },
  {
    id: "angular", height: 120,
    content: (c) => c.drift
      ? { title: "Angular momentum drift", unit: "|L − L(0)|", lines: overPanes(c, "drift:angular"), log: c.log }
      : { title: "Angular momentum", unit: "|L|", lines: overPanes(c, "size:angular"), log: c.log, flat: 1e-3 },
  },
  {
    id: "invariants", height: 130,
    content: (c) => {
      const names = c.selected.series.columns.filter((n) => n.startsWith("invariant_")).slice(0, 8);
      return {
        title: "Invariants, change", unit: c.panes.length > 1 ? c.selected.label : "",
        lines: names.flatMap((n, i) => line(c.selected, n, n.slice(10), curveColour(i), c.selected.series.at(n, 0))), log: c.log,
      };
    },
  },
  { id: "error", height: 120, content: (c) => ({ title: "Error", unit: "against the exact solution", lines: overPanes(c, "exact_error"), log: c.log }) },
  { id: "iterations", height: 110, content: (c) => ({ title: "Iterations per step", unit: "", lines: overPanes(c, "newton_iterations"), log: false, zero: true }) },
];

/** Whether a column holds anything; looks at the first rows and then at a few. */
function nonzero(model: PaneModel, column: string): boolean {
  const y = model.series.column(column), n = model.series.length;
  if (!y) return false;
  const stride = Math.max(1, Math.floor(n / 400));
  for (let i = 0; i < n; i += stride) if (y[i] !== 0) return true;
  return n > 0 && y[n - 1] !== 0;
}

export class Plots {
  private readonly plots: Plot[];
  range: [number, number] | null = null;
  private context: Context | null = null;
  private rebuildNext = false;
  drift = false;
  log = false;

  constructor(private readonly holder: HTMLElement, readonly now: () => number | null) {
    this.plots = DEFINITIONS.map((d) => new Plot(d.id, this));
    holder.append(...this.plots.map((p) => p.element));
  }

  /** All of the time, or a part of it. */
  zoom(range: [number, number] | null): void {
    this.range = range;
    if (this.context) this.update(this.context.panes, this.context.selected);
  }

  rebuild(): void {
    this.rebuildNext = true;
  }

  update(panes: PaneModel[], selected: PaneModel | null): void {
    if (!selected) {
      for (const p of this.plots) {
        p.destroy();
        p.element.hidden = true;
      }
      return;
    }
    this.context = { panes, selected, drift: this.drift, log: this.log };
    const width = Math.floor(this.holder.clientWidth - 24);
    if (width < 60) return;
    DEFINITIONS.forEach((d, k) => this.plots[k].update(d.content(this.context!), this.range, width, d.height, this.rebuildNext));
    this.rebuildNext = false;
  }

  shown(): { id: string; heading: string; canvas: HTMLCanvasElement; labels: { label: string; colour: string }[]; rows: number[]; points: number }[] {
    return this.plots.flatMap((p) =>
      p.canvas && !p.element.hidden
        ? [{ id: p.id, heading: p.heading, canvas: p.canvas, labels: p.labels, rows: p.rows, points: p.pointsDrawn }]
        : [],
    );
  }
}
