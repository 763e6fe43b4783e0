// The plots beside the panes, which show the same stretch of time.

import { DEFINITIONS, type Context } from "./curves";
import type { PaneModel } from "./model";
import { Plot } from "./plot";

export class Plots {
  private readonly plots: Plot[];
  range: [number, number] | null = null;
  private context: Context | null = null;
  private rebuildNext = false;
  drift = false;
  log = false;

  constructor(private readonly holder: HTMLElement, readonly now: () => number | null) {
    this.plots = DEFINITIONS.map((d) => new Plot(d, this));
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
    for (const p of this.plots) p.update(this.context, this.range, width, this.rebuildNext);
    this.rebuildNext = false;
  }

  shown(): { id: string; heading: string; canvas: HTMLCanvasElement; labels: { label: string; colour: string }[]; rows: number[]; points: number }[] {
    return this.plots.flatMap((p) =>
      p.canvas && !p.element.hidden
        ? [{ id: p.definition.id, heading: p.heading, canvas: p.canvas, labels: p.labels, rows: p.rows, points: p.pointsDrawn }]
        : [],
    );
  }
}
