// Numbers as labels of axes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";

const source = new URL("../src/format.ts", import.meta.url).pathname;
const bundled = await build({ entryPoints: [source], bundle: true, write: false, format: "esm" });
const { apart, decades, places } = await import(`data:text/javascript,${encodeURIComponent(bundled.outputFiles[0].text)}`);
const from = (first, increment, count) => Array.from({ length: count }, (_, i) => first + i * increment);

test("labels of a narrow range leave out what they have in common", () => {
  const cases = [
    [0, 0.5, "0|0.5|1.0", ""],
    [1000, 5, "1000|1005|1010", ""],
    [1.00002, 0.00002, "1.00002|1.00004|1.00006", ""],
    [1.0000000012, 2e-10, "1.2e−9|1.4e−9|1.6e−9", "+ 1"],
    [-1.0000000016, 2e-10, "−1.6e−9|−1.4e−9|−1.2e−9", "− 1"],
    [6.183821e-6, 1e-12, "8.21e−10|8.22e−10|8.23e−10", "+ 6.183e−6"],
    [123456, 1, "456|457|458", "+ 1.23e5"],
    [-123658, 1, "−658|−657|−656", "− 1.23e5"],
    [0.9999998, 2e-7, "−2e−7|0|2e−7", "+ 1"],
    [0, 5e4, "0|5e4|1e5", ""],
  ];
  for (const [first, increment, labels, plus] of cases) {
    const found = apart(from(first, increment, 3), increment);
    assert.deepEqual([found.labels.join("|"), found.plus], [labels, plus], `${first}`);
  }
  assert.deepEqual(apart([], 1), { labels: [], plus: "" });
});

test("axes have labels however short they are", () => {
  assert.deepEqual(places(-0.5, 1.1, 0.5), [-0.5, 0, 0.5, 1]);
  const labels = (low, high, increment) => apart(places(low, high, increment), increment).labels.join("|");
  assert.equal(labels(-4.2e-20, 3e-21, 1e-16), "−4e−20|−3e−20|−2e−20|−1e−20|0");
  assert.equal(labels(-4.2e-20, 3e-21, 0), "−4e−20|−3e−20|−2e−20|−1e−20|0", "uPlot found none");
  assert.equal(labels(0, 1, 0.25), "0|0.25|0.50|0.75|1.00");
  assert.equal(labels(-1.2e-8, 1.2e-8, 5e-9), "−1e−8|−5e−9|0|5e−9|1e−8");
});

test("logarithmic axes have powers of ten, and more where there are few", () => {
  const labels = (low, high, most) => decades(Math.log10(low), Math.log10(high), most).map((v) => Number((10 ** v).toPrecision(3)));
  assert.deepEqual(labels(1e-14, 1e-6, 4), [1e-14, 1e-12, 1e-10, 1e-8, 1e-6]);
  assert.deepEqual(labels(0.9e-3, 1.1, 8), [1e-3, 1e-2, 0.1, 1]);
  assert.deepEqual(labels(0.009, 0.035, 8), [0.009, 0.01, 0.02, 0.03]);
  assert.deepEqual(labels(6e-16, 1.6e-15, 8), [6e-16, 7e-16, 8e-16, 9e-16, 1e-15]);
  assert.deepEqual(labels(0.018, 1.1, 8), [0.02, 0.05, 0.1, 0.2, 0.5, 1]);
});
