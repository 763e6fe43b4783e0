// The page of reports in a browser, filled as the program fills it.
import assert from "node:assert/strict";
import { after, afterEach, before, test as plainTest } from "node:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const test = (name, run) => plainTest(name, { timeout: 240000 }, run);
let browser, folder, file, context, problems, requests;

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const series = (label, colour, x, y, points = false) => ({ label, colour, points, x, y });
const chart = (more) => ({ title: "", note: "", x_label: "time (s)", y_label: "", over_time: true, log: false, equal: false, cut: null, aspect: 0.667, series: [], ...more });
const CHARTS = [
  chart({ title: "Energy", y_label: "(H − H₀) / E₀", cut: 3,
    series: [series("avf", 0, range(400, (i) => 0.1 * i), range(400, () => 0)), series("newmark", 1, range(400, (i) => 0.1 * i), range(400, (i) => Math.exp(0.02 * i) - 1))] }),
  chart({ title: "Energy error", log: true, series: [series("", 0, range(400, (i) => 0.1 * i), range(400, (i) => 10 ** (-12 + 0.01 * i)))] }),
  chart({ title: "Circle", over_time: false, equal: true, x_label: "q", y_label: "q′", aspect: 1,
    series: [series("", 0, range(200, (i) => 5 + Math.cos(0.1 * i)), range(200, (i) => (i === 100 ? null : Math.sin(0.1 * i))))] }),
  chart({ title: "Section", over_time: false, series: [series("a", 0, [1], [1], true), series("b", 1, [2, 3], [2, 3], true)] }),
  chart({ title: "Nothing", series: [series("", 0, [], [])] }),
  // Thousands of periods: strong in the lower half, faint in the upper one.
  chart({ title: "Slab", series: [{ ...series("", 0, [0, 20, 40], [-1, 1, -1]), density: { columns: 40, rows: 20, box: [0, 40, -1, 1], levels: "f".repeat(400) + "3".repeat(400) } }] }),
  chart({ title: "First", apart: true, series: [series("", 0, [0, 1, 2], [0, 1, 0])] }),
];
/** A rod that turns, with a mass at its end that leaves a trail. */
const MOTION = {
  title: "", colour: 0, radii: [1], rods: 1, springs: 0, trails: 1, held: [0], unit: 1000, width: 2000, height: 2000, end: 100, rate: 20,
  t: range(60, (k) => 0.1 * k),
  at: range(60, (k) => [Math.round(1000 + 1000 * Math.cos(0.1 * k)), Math.round(1000 + 1000 * Math.sin(0.1 * k))]).flatMap((p) => [...p, 1000, 1000, ...p, ...p]),
};
/** One pixel each, red on light and green on dark. */
const RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const PICTURE = `<figure><picture><source media="screen and (prefers-color-scheme: dark)" srcset="data:image/png;base64,${RED}#dark"><img alt="a frame" src="data:image/png;base64,${RED}"></picture></figure>`;
/** As wide as the program's widest table. */
const HEAD = ["", "wall", "stepping", "a step", "iterations", "assembly", "factor", "solve", "evaluation", "linear solver", "threads"];
const TABLE = `<div class="wide"><table><thead><tr>${HEAD.map((h) => `<th${h.includes(" ") ? ' class="words"' : ""}>${h}</th>`).join("")}</tr></thead>
<tbody><tr><td>newmark(beta=0.25, gamma=0.5)</td>${HEAD.slice(1).map((h) => `<td data-head="${h}">0.383 s</td>`).join("")}</tr></tbody></table></div>`;

before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), "lilyan-report-"));
  file = join(folder, "report.html");
  const template = await readFile(new URL("../dist/report.html", import.meta.url), "utf8");
  const body = `<h1>Title</h1><div class="plots">${CHARTS.map((c) =>
    `<figure class="chart"><figcaption>${c.title}</figcaption><table><tr><td>largest</td></tr></table><script type="application/json">${JSON.stringify(c)}</script></figure>`).join("")}<figure class="motion"><figcaption></figcaption><script type="application/json">${JSON.stringify(MOTION)}</script></figure></div>${PICTURE}${TABLE}<h2>Scene</h2><details><summary>The scene</summary></details>`;
  await writeFile(file, template.replace("<!-- body -->", () => body).replace("<!-- title -->", "A report"));
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await context?.close();
  context = undefined;
});

async function open(options = {}) {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  problems = [];
  requests = [];
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(pathToFileURL(file).href);
  return page;
}

/** How many pixels of a chart's canvas are about that colour, and where: in parts of its width and height. */
const ink = (page, chart, hex) => page.evaluate(([k, [r, g, b]]) => {
  const canvas = document.querySelectorAll(".plot")[k].querySelector("canvas");
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const box = { count: 0, left: 1, right: 0, top: 1, bottom: 0, width, height };
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) > 30 || data[i + 3] < 200) continue;
    const x = ((i / 4) % width) / width, y = Math.floor(i / 4 / width) / height;
    ++box.count;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}, [chart, [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))]);

async function until(condition) {
  const end = Date.now() + 60000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, String(condition));
    await new Promise((r) => setTimeout(r, 50));
  }
}

test("charts are drawn from the data in the page, and nothing is asked for", async () => {
  const page = await open();
  assert.equal(await page.title(), "A report");
  assert.equal(await page.locator("figure.chart").count(), 0, "each has become a plot");
  assert.equal(await page.locator(".plot canvas").count(), 6);
  assert.equal(await page.locator(".plot:not([hidden])").count(), 6, "a chart without data is not there");
  const avf = await ink(page, 0, "#0072B2"), newmark = await ink(page, 0, "#D55E00");
  assert.ok(avf.count > 1000 && avf.bottom - avf.top < 0.03, "a flat line");
  assert.ok(newmark.top < 0.1 && newmark.right < 0.75, "the other leaves the picture where it is cut");
  const error = await ink(page, 1, "#0072B2");
  assert.ok(error.count > 500 && error.right - error.left > 0.7, "a line from side to side");
  const circle = await ink(page, 2, "#0072B2");
  const wide = (circle.right - circle.left) * circle.width, high = (circle.bottom - circle.top) * circle.height;
  assert.ok(wide > 300 && Math.abs(wide / high - 1) < 0.02, `one unit is as long both ways: ${wide}, ${high}`);
  assert.ok((await ink(page, 3, "#D55E00")).count > 50, "points");
  assert.deepEqual(requests.filter((r) => !r.startsWith("data:")), [pathToFileURL(file).href]);
  assert.deepEqual(problems, []);
});

test("a slab is shaded by the time spent there", async () => {
  const page = await open();
  const shades = await page.evaluate(() => {
    const canvas = document.querySelectorAll(".plot")[5].querySelector("canvas");
    const g = canvas.getContext("2d"), { width, height } = canvas;
    const at = (y) => [...g.getImageData(Math.round(0.6 * width), Math.round(y * height), 1, 1).data];
    return [at(0.3), at(0.65)];
  });
  const strength = ([r, , b, a]) => (a / 255) * (b - r);
  assert.ok(strength(shades[1]) > 3 * strength(shades[0]) && strength(shades[0]) > 10, JSON.stringify(shades));
  assert.match(await page.locator(".plot").nth(5).locator("figcaption").textContent(), /shaded/);
  assert.doesNotMatch(await page.locator(".plot").nth(0).locator("figcaption").textContent(), /shaded/);
});

test("a chart of the first periods keeps its stretch of time", async () => {
  const page = await open();
  const first = page.locator(".plot").nth(6), before = await ink(page, 6, "#0072B2");
  const box = await page.locator(".plot").nth(0).locator(".u-over").boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.9 * box.width, box.y + 20, { steps: 4 });
  await page.mouse.up();
  assert.equal((await ink(page, 6, "#0072B2")).right, before.right);
  await first.scrollIntoViewIfNeeded();
  const own = await first.locator(".u-over").boundingBox();
  await page.mouse.move(own.x + 0.1 * own.width, own.y + 20);
  await page.mouse.down();
  await page.mouse.move(own.x + 0.4 * own.width, own.y + 20, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await ink(page, 6, "#0072B2")).top !== before.top || (await ink(page, 6, "#0072B2")).count !== before.count);
  assert.deepEqual(problems, []);
});

test("the drawing of a system moves, stops and can be looked at", async () => {
  const page = await open();
  const player = page.locator("figure.motion"), canvas = player.locator("canvas");
  await canvas.scrollIntoViewIfNeeded();
  assert.match(await player.locator("figcaption").textContent(), /^the beginning, up to 5\.9 of 100; one second shows a time of 2$/);
  const time = () => player.locator("output").textContent(), first = await time();
  await until(async () => (await time()) !== first);
  await player.getByRole("button", { name: "Pause" }).click();
  const stopped = await time();
  await page.waitForTimeout(300);
  assert.equal(await time(), stopped);
  await player.locator("input").fill("0");
  const disc = await page.evaluate(() => {
    const c = document.querySelector("figure.motion canvas"), { data, width } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
    let n = 0, x = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] < 10 && Math.abs(data[i + 1] - 0x72) < 10) { ++n; x += (i / 4) % width; }
    return { n, x: x / n / width };
  });
  assert.ok(disc.n > 200 && disc.x > 0.6, JSON.stringify(disc));
  await player.getByRole("button", { name: "Play" }).click();
  await until(async () => (await time()) !== "t = 0");
  assert.deepEqual(problems, []);
});

test("who wants nothing to move sees it stand still", async () => {
  const page = await open({ reducedMotion: "reduce" });
  const player = page.locator("figure.motion");
  assert.equal(await player.getByRole("button").textContent(), "Play");
  assert.equal(await player.locator("output").textContent(), "t = 0");
});

test("pictures are those for the scheme", async () => {
  const page = await open();
  const dark = () => page.evaluate(() => document.querySelector("picture img").currentSrc.endsWith("#dark"));
  assert.equal(await dark(), false);
  await page.emulateMedia({ colorScheme: "dark" });
  await until(dark);
});

test("canvases have pixels enough to be printed", async () => {
  const page = await open({ deviceScaleFactor: 1 });
  const { width, shown } = await page.evaluate(() => {
    const canvas = document.querySelector(".plot canvas");
    return { width: canvas.width, shown: canvas.getBoundingClientRect().width };
  });
  assert.equal(width, 2 * shown);
});

test("the pointer reads values, drags zoom all times, a double click shows all again", async () => {
  const page = await open();
  const over = page.locator(".plot").nth(0).locator(".u-over"), box = await over.boundingBox();
  const value = (k) => page.locator(".plot").nth(0).locator(".key b").nth(k).textContent();
  assert.equal(await value(1), "2920", "the last one");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs(Number(await value(1)) - (Math.exp(0.02 * 199.5) - 1)) < 2, await value(1));
  const before = await ink(page, 1, "#0072B2");
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const zoomed = await ink(page, 1, "#0072B2");
  assert.ok(zoomed.bottom - zoomed.top < before.bottom - before.top, "the other plot shows the same stretch");
  await over.dblclick();
  const again = await ink(page, 1, "#0072B2");
  assert.ok(Math.abs(again.bottom - again.top - (before.bottom - before.top)) < 0.02);
  assert.deepEqual(problems, []);
});

test("a plane tells the point next to the pointer, and zooms both ways", async () => {
  const page = await open();
  const plane = page.locator(".plot").nth(2), box = await plane.locator(".u-over").boundingBox();
  const whole = await ink(page, 2, "#0072B2");
  const x = box.x + box.width / 2, radius = (0.5 * (whole.right - whole.left) * whole.width) / 2;
  await page.mouse.move(x + radius, box.y + box.height / 2);
  const [q, v] = (await plane.locator(".plot-head > span").textContent()).split(", ").map((s) => Number(s.replace("−", "-")));
  assert.ok(Math.abs(q - 6) < 0.02 && Math.abs(v) < 0.15, `${q}, ${v}`);
  await page.mouse.move(x, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(x + box.width / 4, box.y + box.height / 4, { steps: 4 });
  await page.mouse.up();
  const part = await ink(page, 2, "#0072B2");
  assert.ok(part.left < 0.25 && part.count > 100, "a quarter of the circle, larger");
  await plane.locator(".u-over").dblclick();
  assert.ok(Math.abs((await ink(page, 2, "#0072B2")).right - whole.right) < 0.01);
  assert.deepEqual(problems, []);
});

test("charts follow the width of the window and the scheme", async () => {
  const page = await open({ viewport: { width: 390, height: 800 } });
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  assert.ok(await fits());
  await page.setViewportSize({ width: 700, height: 800 });
  await page.waitForFunction(() => document.querySelector(".plot canvas").getBoundingClientRect().width > 500);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForFunction(() => document.querySelector(".plot canvas").getBoundingClientRect().width < 390);
  assert.ok(await fits());
  await page.emulateMedia({ colorScheme: "dark" });
  await until(async () => (await ink(page, 1, "#56B4E9")).count > 100);
});

test("a curve without a name says where it has its value", async () => {
  const page = await open();
  const bare = page.locator(".plot").nth(1).locator(".key");
  assert.match(await bare.textContent(), /^9\.8e−9 at 39\.9$/);
  assert.equal(await bare.locator("i").count(), 0, "there is nothing to tell it from");
  assert.equal(await page.locator(".plot").nth(0).locator(".key i").count(), 2);
});

test("on a phone a row of a table is a card, and nothing has to be moved to be read", async () => {
  const page = await open({ viewport: { width: 390, height: 800 } });
  const found = await page.evaluate(() => {
    const wide = document.querySelector(".wide"), cells = [...wide.querySelectorAll("td")];
    return {
      fits: wide.scrollWidth <= wide.clientWidth && cells.every((c) => c.getBoundingClientRect().right <= window.innerWidth),
      head: getComputedStyle(wide.querySelector("thead")).display,
      labels: cells.slice(1).map((c) => getComputedStyle(c, "::before").content),
      rows: new Set(cells.map((c) => Math.round(c.getBoundingClientRect().y))).size,
    };
  });
  assert.ok(found.fits && found.rows > 4, JSON.stringify(found));
  assert.equal(found.head, "none");
  assert.deepEqual(found.labels, HEAD.slice(1).map((h) => `"${h}"`));
});

test("on paper tables fit, legends have their colours, and nothing is empty", async () => {
  const page = await open({ viewport: { width: 700, height: 900 } });
  await page.emulateMedia({ media: "print" });
  const width = await page.evaluate(() => document.querySelector(".wide table").getBoundingClientRect().width);
  assert.ok(width <= 700, `${width}`);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".key i")).printColorAdjust), "exact");
  assert.equal(await page.getByRole("heading", { name: "Scene" }).isVisible(), false, "its text is folded up and cannot be printed");
});

test("printed from a dark screen, charts are dark on white, and come back", async () => {
  const page = await open({ colorScheme: "dark" });
  assert.ok((await ink(page, 1, "#56B4E9")).count > 300);
  await page.evaluate(() => {
    window.during = [];
    window.addEventListener("beforeprint", () => queueMicrotask(() => window.during.push(document.querySelectorAll(".plot")[1].querySelector("canvas").toDataURL().length, document.documentElement.className)));
  });
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 20000);
  const [, paper] = await page.evaluate(() => window.during);
  assert.equal(paper, "paper", "told before it is printed");
  assert.ok((await ink(page, 1, "#56B4E9")).count > 300, "and told after");
  assert.deepEqual(problems, []);
});

test("without scripts the page says what its charts hold", async () => {
  const page = await open({ javaScriptEnabled: false });
  assert.equal(await page.locator("figure.chart table").count(), CHARTS.length);
  assert.equal(await page.getByText("Energy error").isVisible(), true);
  assert.equal((await page.locator("body").innerText()).includes("over_time"), false, "the data themselves are not shown");
});
