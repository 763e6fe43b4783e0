// Panes whose scene is being loaded: their old picture stands back until the new one is there.

import type { App } from "./app";

export class Loading {
  private readonly panes = new Set<number>();
  private timer = 0;
  private shown = false;

  constructor(private readonly app: App) {}

  begin(panes: number[]): void {
    for (const pane of panes) this.panes.add(pane);
    // What is there at once needs no note.
    if (!this.timer && !this.shown) this.timer = window.setTimeout(() => this.show(true), 150);
    else this.show(this.shown);
  }

  /** Of one pane, or of all. */
  end(pane?: number): void {
    if (pane === undefined) this.panes.clear();
    else this.panes.delete(pane);
    if (!this.panes.size) clearTimeout(this.timer);
    this.show(this.shown && this.panes.size > 0);
    if (!this.panes.size) this.timer = 0;
  }

  has(pane: number): boolean {
    return this.shown && this.panes.has(pane);
  }

  private show(on: boolean): void {
    this.timer = on ? 0 : this.timer;
    this.shown = on;
    for (const [i, view] of this.app.views) {
      view.element.classList.toggle("loading", this.has(i));
      const model = this.app.models.get(i);
      if (model) view.update(model);
    }
  }
}
