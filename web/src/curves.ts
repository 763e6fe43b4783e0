// Which plots there are, and of which columns their curves are.

import { curveColour, paneColour } from "./colour";
import type { Curve } from "./decimate";
import { greek } from "./format";
import type { PaneModel } from "./model";

export interface Line extends Curve { label: string; colour: string; width?: number }
export interface Definition {
  id: string;
  height: number;
  /** Title, and the curves; none if the panes do not have them. */
  content(context: Context): { title: string; unit: string; lines: Line[]; log: boolean; cut?: number; flat?: number; /** The least that the axis spans, so that rounding errors look like none. */ least?: number; zero?: boolean };
}
export interface Context { panes: PaneModel[]; selected: PaneModel; drift: boolean; log: boolean }

const EMPTY = { title: "", unit: "", lines: [], log: false };
const PARTS = ["kinetic", "elastic", "potential", "gravity", "contact"];
const LEDGER = ["solver", "quadrature", "work", "dissipation", "method"];
/** A share of the energy beyond which a plot without logarithm is cut. */
export const CUT = 10;

function line(model: PaneModel, column: string, label: string, colour: string, minus = 0, times = 1): Line[] {
  const x = model.series.column("t"), y = model.series.column(column);
  return x && y && model.series.length ? [{ x, y, n: model.series.length, minus, times, label, colour }] : [];
}

const overPanes = (c: Context, column: string, minus: (m: PaneModel) => number = () => 0, times: (m: PaneModel) => number = () => 1) =>
  nested(c.panes.flatMap((m) => line(m, column, m.label, paneColour(m.index), minus(m), times(m))));

/** Curves one on another stay visible: the later ones are thinner. */
const nested = (lines: Line[]): Line[] =>
  lines.length < 2 ? lines : lines.map((l, k) => ({ ...l, width: 2.7 - (1.5 * k) / (lines.length - 1) }));

export const DEFINITIONS: Definition[] = [
  {
    id: "energy", height: 190,
    content: (c) => {
      const scale = (m: PaneModel) => 1 / m.series.energyScale(), start = (m: PaneModel) => m.series.at("energy_total", 0);
      return c.drift
        ? { title: "Energy drift", unit: "(E − E(0)) / E₀", lines: overPanes(c, "energy_total", start, scale), log: c.log, cut: c.log ? undefined : CUT }
        : c.panes.every((m) => !m.series.length || start(m) > 0.2 * m.series.energyScale())
          ? { title: "Total energy", unit: "E / E(0)", lines: overPanes(c, "energy_total", undefined, (m) => 1 / start(m)), log: c.log, cut: c.log ? undefined : CUT, flat: 0.02 }
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
