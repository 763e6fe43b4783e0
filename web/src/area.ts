// The area of a cloud of initial conditions, compared with the ellipse it began as.

import type { InitialCloud } from "./initial-cloud";
import type { CloudData } from "./protocol";

const GOLDEN = Math.PI * (3 - Math.sqrt(5)), RING = 90;

/** By the outermost points, which the program spreads like the seeds of a sunflower; NaN where one is lost. */
export function areaFactor(cloud: CloudData, began: InitialCloud): number {
  const n = cloud.q.length;
  if (n < RING) return NaN;
  const ring = Array.from({ length: RING }, (_, k) => n - RING + k).map((i) => ({ i, angle: (GOLDEN * i) % (2 * Math.PI) }));
  ring.sort((a, b) => a.angle - b.angle);
  const area = (x: (i: number) => number, y: (i: number) => number) => {
    let sum = 0;
    ring.forEach(({ i }, k) => {
      const j = ring[(k + 1) % RING].i;
      sum += x(i) * y(j) - x(j) * y(i);
    });
    return sum / 2;
  };
  const r = (i: number) => Math.sqrt((i + 0.5) / n);
  const start = area((i) => began.radius[0] * r(i) * Math.cos(GOLDEN * i), (i) => began.radius[1] * r(i) * Math.sin(GOLDEN * i));
  return area((i) => cloud.q[i] - cloud.q[ring[0].i], (i) => cloud.v[i] - cloud.v[ring[0].i]) / start;
}
