// Thinning of curves, against the table that the program's own thinning is held to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

const source = new URL("../src/decimate.ts", import.meta.url).pathname;
const bundled = await build({ entryPoints: [source], bundle: true, write: false, format: "esm" });
const { align } = await import(`data:text/javascript,${encodeURIComponent(bundled.outputFiles[0].text)}`);
const curve = (x, y) => ({ x: Float64Array.from(x), y: Float64Array.from(y, (v) => v ?? NaN), n: x.length, minus: 0, times: 1 });

test("of many rows the least and the largest of each stretch are kept, as in the program", async () => {
  const table = JSON.parse(await readFile(new URL("../../tests/unit/report/decimation.json", import.meta.url)));
  const [times, values] = align([curve(table.x, table.y)], -Infinity, Infinity, table.stretches, false);
  assert.equal(times.length, 2 * table.stretches);
  const kept = Array.from({ length: table.stretches }, (_, j) => {
    const [a, b] = values.slice(2 * j, 2 * j + 2);
    return a === undefined ? [] : a === b ? [a] : [a, b];
  });
  assert.deepEqual(kept, table.kept);
  times.forEach((t, k) => assert.ok(t > Math.floor(k / 2) && t < Math.floor(k / 2) + 1, `${t} is in its stretch`));
});

test("few rows are all kept, at their own times", () => {
  assert.deepEqual(align([curve([0, 1, 3], [4, null, 5]), curve([0, 2], [6, 7])], -Infinity, Infinity, 10, false),
    [[0, 1, 2, 3], [4, null, undefined, 5], [6, undefined, 7, undefined]]);
});
