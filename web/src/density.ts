// A line that would fill an area, drawn as how long it has been where.

import uPlot from "uplot";

/** As app/report/picture/html.cpp writes it: the box is x from and to, y from and to; levels go from "0" to "f", row by row from below. */
export interface Density { columns: number; rows: number; box: [number, number, number, number]; levels: string }

export function drawDensity(u: uPlot, { columns, rows, box: [x0, x1, y0, y1], levels }: Density, colour: string, log: boolean): void {
  const g = u.ctx, { left, top, width, height } = u.bbox;
  const x = Array.from({ length: columns + 1 }, (_, i) => Math.round(u.valToPos(x0 + ((x1 - x0) * i) / columns, "x", true)));
  const y = Array.from({ length: rows + 1 }, (_, i) => Math.round(u.valToPos(log ? y0 * (y1 / y0) ** (i / rows) : y0 + ((y1 - y0) * i) / rows, "y", true)));
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.fillStyle = colour;
  for (let row = 0; row < rows; ++row)
    for (let from = 0, to = 0; from < columns; from = to) {
      const level = levels[row * columns + from];
      while (to < columns && levels[row * columns + to] === level) ++to;
      if (level === "0") continue;
      g.globalAlpha = parseInt(level, 16) / 15;
      g.fillRect(x[from], y[row + 1], x[to] - x[from], y[row] - y[row + 1]);
    }
  g.restore();
}
