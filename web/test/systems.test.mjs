// Small systems in the page, what it says of runs that do not go on, and how panes share what they show. In a browser
// against the stand-in server.
import assert from "node:assert/strict";
import { after, afterEach, before, test as plainTest } from "node:test";
import { launch } from "./browser.mjs";
import { MockServer } from "./mock-server.mjs";

/** For a machine that is slow, and busy with other things. */
const PATIENCE = 120000;
const test = (name, run) => plainTest(name, { timeout: 2 * PATIENCE }, run);
let browser, server, page, problems;

before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

async function open(scene = "blob", { width = 1280, height = 800, colorScheme = "light", settings = [], touch = false, told = {} } = {}) {
  server = await Object.assign(new MockServer(), told).listen(0, { scene, settings });
  page = await browser.newPage({ viewport: { width, height }, colorScheme, hasTouch: touch, isMobile: touch });
  page.setDefaultTimeout(PATIENCE);
  problems = [];
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  await page.goto(server.url);
  await page.waitForFunction(() => window.lilyan.state.playing !== undefined);
}

afterEach(async () => {
  await page?.close();
  await server?.close();
  page = server = undefined;
});

/** What the page sent after `act`, up to the first message that `wanted` accepts. */
async function sent(act, wanted) {
  const from = server.received.length;
  await act();
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = server.received.slice(from).find(wanted);
    if (found) return found;
    if (Date.now() > end) assert.fail(`not sent; came: ${JSON.stringify(server.received.slice(from))}`);
    await new Promise((r) => setTimeout(r, 20));
  }
}
const ofType = (type) => (m) => m.type === type;
const frameIs = (frame, pane = 0) => page.waitForFunction(([f, p]) => window.lilyan.lastFrame(p)?.frame === f, [frame, pane]);
const panes = () => page.evaluate(() => window.lilyan.panes);
const shown = (pane = 0) => page.evaluate((p) => window.lilyan.shown(p), pane);
const note = (pane = 0) => page.locator(".pane .note").nth(pane);

test("a system with a drawing moves in space, and has every step of its trail", async () => {
  await open("swing");
  await frameIs(0);
  server.stepAll(40);
  await frameIs(40);
  const now = await shown();
  assert.equal(now.mode, "motion");
  const theta = server.panes[0].q[0], bob = [Math.sin(theta), -Math.cos(theta), 0];
  assert.deepEqual(now.places, [...Float32Array.from([0, 0, 0, ...bob, 0, 0, 0, ...bob])]);
  await page.waitForFunction(() => window.lilyan.panes[0].path === 41);
  const trail = await page.evaluate(() => [...window.lilyan.path(0, 2)]);
  server.panes[0].history.forEach(({ q }, i) => assert.equal(trail[i], Math.sin(q[0])));
  // The picture has the pivot and the bob in it.
  for (const [x, y] of [[0, 0], bob]) assert.ok(x > now.box.x0 && x < now.box.x1 && y > now.box.y0 && y < now.box.y1);
  // The phase portrait is a choice away, and clouds belong to it.
  await page.getByLabel("What is shown in pane 1").selectOption("phase");
  assert.equal((await shown()).mode, "phase");
  await page.getByLabel("What is shown in pane 1").selectOption("motion");
  await sent(() => page.getByRole("button", { name: "Cloud of initial conditions in pane 1" }).click(), ofType("cloud"));
  assert.equal((await shown()).mode, "phase");
  assert.deepEqual(problems, []);
});

test("a cloud of before is taken over in its phase portrait, without a factor that nobody knows", async () => {
  await open("swing");
  await frameIs(0);
  server.keeps = true;
  await sent(() => page.getByRole("button", { name: "Cloud of initial conditions in pane 1" }).click(), ofType("cloud"));
  await page.waitForFunction(() => /area × 1\.000/.test(document.querySelector(".pane footer").textContent));
  await page.reload();
  await page.waitForFunction(() => window.lilyan.panes[0]?.cloud > 0 && window.lilyan.shown(0).cloud);
  assert.equal((await shown()).mode, "phase");
  assert.ok(await page.locator(".pane footer span", { hasText: "area" }).isHidden());
  assert.deepEqual(problems, []);
});

test("sections fill while the system runs", async () => {
  await open("orbit");
  await page.getByLabel("What is shown in pane 1").selectOption("0");
  server.stepAll(300);
  await frameIs(300);
  const crossings = server.panes[0].history.filter((h, i, all) => i && all[i - 1].q[1] < 0 && h.q[1] >= 0);
  assert.ok(crossings.length >= 1);
  await page.waitForFunction((n) => window.lilyan.shown(0).sections[0] === n, crossings.length);
  const { box } = await shown();
  assert.ok(box.x0 < crossings[0].q[0] && box.x1 > crossings[0].q[0]);
  assert.deepEqual(problems, []);
});

test("points of sections have the colours of their orbits", async () => {
  await open("orbit");
  await page.getByLabel("What is shown in pane 1").selectOption("0");
  await frameIs(0);
  const points = [[0, 0.2, 0.1], [1, 0.8, 0.1], [1, 0.8, 0.5], [2, 0.2, 0.5]], { run } = server.panes[0];
  const out = Buffer.alloc(32 + 24 * points.length);
  [0x594c494c, 6, 0, run, 0, points.length, 0, 0].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
  points.flat().forEach((v, i) => out.writeDoubleLE(v, 32 + 8 * i));
  server.binary(out);
  await page.waitForFunction(() => window.lilyan.shown(0).sections[0] === 4);
  const colours = () => page.evaluate(() => {
    const c = document.querySelector("canvas.phase"), { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
    const count = ([r, g, b]) => { let n = 0; for (let i = 0; i < data.length; i += 4) n += Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12 ? 1 : 0; return n; };
    return [[0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00], [0x00, 0x9e, 0x73]].map(count);
  });
  let found = await colours();
  for (let k = 0; k < 100 && !found.every((n) => n > 3); ++k) { await page.waitForTimeout(50); found = await colours(); }
  assert.ok(found.every((n) => n > 3), JSON.stringify(found));
  assert.deepEqual(problems, []);
});

test("a path that is very long stays bounded, and a part that comes twice is taken once", async () => {
  await open("pendulum");
  await frameIs(0);
  const count = 150000, { run } = server.panes[0];
  const send = (first, from) => {
    const out = Buffer.alloc(32 + 24 * count);
    [0x594c494c, 5, 0, run, first, count, 1, 0].forEach((v, i) => out.writeUInt32LE(v, 4 * i));
    for (let i = 0; i < count; ++i) [from + i, Math.sin(i), 0].forEach((v, k) => out.writeDoubleLE(v, 32 + 8 * (k * count + i)));
    server.binary(out);
  };
  send(1, 1);
  await page.waitForFunction(() => window.lilyan.panes[0].path > 60000);
  const length = (await panes())[0].path;
  assert.ok(length <= 120000, String(length));
  send(1, 1);
  server.stepAll(1);
  await frameIs(1);
  assert.equal((await panes())[0].path, length);
  assert.deepEqual([problems, await page.evaluate(() => window.lilyan.malformed)], [[], 0]);
});

test("compared systems have the program's methods, one cloud, the same axes and the area's factor", async () => {
  await open("pendulum");
  const { panes: opened } = await sent(() => page.click("#compare"), ofType("open"));
  assert.deepEqual(opened.map((p) => p.settings), ["stoermer-verlet", "explicit-euler", "backward-euler"].map((m) => [`integrator.method=${m}`]));
  await page.waitForFunction(() => window.lilyan.panes.length === 3 && window.lilyan.lastFrame(2));
  const from = server.received.length;
  await page.getByRole("button", { name: "Cloud of initial conditions in pane 2" }).click();
  await page.waitForFunction(() => window.lilyan.panes.every((p) => p.cloud > 0));
  const clouds = server.received.slice(from).filter(ofType("cloud"));
  assert.deepEqual(clouds.map((c) => c.pane).sort(), [0, 1, 2]);
  for (const c of clouds) assert.deepEqual([c.center, c.radius], [clouds[0].center, clouds[0].radius]);
  for (let k = 0; k < 10; ++k) server.stepAll(6);
  await frameIs(60, 2);
  await page.waitForFunction(() => [...document.querySelectorAll(".pane footer")].every((f) => /area × \d/.test(f.textContent)));
  const factors = await page.$$eval(".pane footer", (all) => all.map((f) => Number(/area × ([\d.]+)/.exec(f.textContent)[1])));
  assert.ok(Math.abs(factors[0] - 1) < 0.02, String(factors)); // symplectic
  assert.ok(factors[1] > 1.05 && factors[2] < 0.95, String(factors));
  await page.evaluate(() => { for (let k = 0; k < 3; ++k) for (let p = 0; p < 3; ++p) window.lilyan.shown(p); });
  const boxes = await Promise.all([0, 1, 2].map(shown));
  for (const b of boxes) assert.deepEqual(b.box, boxes[0].box);
  assert.deepEqual(problems, []);
});

test("axes that are chosen are those of all panes of the scene", async () => {
  await open("kepler");
  await sent(() => page.click("#compare"), ofType("open"));
  await page.waitForFunction(() => window.lilyan.panes.length === 3 && window.lilyan.lastFrame(2));
  await page.getByLabel("Vertical axis of pane 3").selectOption("2");
  for (const p of [0, 1, 2]) assert.equal((await shown(p)).yAxis, 2);
  assert.equal(await page.getByLabel("Vertical axis of pane 1").inputValue(), "2");
});

test("what is refused leaves the run, and says so at its field", async () => {
  await open("pendulum");
  server.stepAll(5);
  await frameIs(5);
  await page.click("#tab-settings");
  server.refuses = "setting integrator.step: 'step' must be positive";
  await page.getByLabel("Step size").fill("-3");
  await page.getByLabel("key=value").fill("system.parameters.l=2");
  await sent(() => page.getByRole("button", { name: "Apply and restart" }).click(), ofType("change"));
  const refused = page.locator("#settings-panel .refused");
  await refused.waitFor();
  assert.match(await refused.textContent(), /'step' must be positive/);
  // At its field, with what was typed, and the run goes on.
  assert.equal(await page.locator("[aria-invalid]").getAttribute("name"), "integrator.step");
  assert.equal(await page.getByLabel("Step size").inputValue(), "-3");
  assert.equal(await page.getByLabel("key=value").inputValue(), "system.parameters.l=2");
  server.stepAll(1);
  await frameIs(6);
  server.refuses = "";
  await page.getByLabel("Step size").fill("0.02");
  await sent(() => page.getByRole("button", { name: "Apply and restart" }).click(), ofType("change"));
  await page.waitForFunction(() => window.lilyan.panes[0].step === 0.02);
  assert.equal(await refused.count(), 0);
  assert.deepEqual(problems, []);
});

test("a late frame of an old run does no harm", async () => {
  await open("pendulum");
  await frameIs(0);
  const run = server.panes[0].run;
  // The pane becomes one of bodies, that of a scene that cannot be run; frames of the old run are still under way.
  server.text({ ...server.panes[0].info(), run: run + 1, kind: "body", error: "it cannot be run" });
  server.panes[0].sendFrame();
  server.panes[0].sendPath(0, 1);
  await page.waitForFunction(() => /Cannot run/.test(document.querySelector(".pane .note").textContent));
  server.state();
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.lilyan.malformed), 0);
  assert.equal(await page.locator("#toasts").textContent(), "");
});

test("an interrupted run is not called finished", async () => {
  await open("pendulum");
  await frameIs(0);
  Object.assign(server.panes[0], { finished: true, interrupted: true });
  server.state();
  await page.waitForFunction(() => /^Interrupted/.test(document.querySelector(".pane .note").textContent));
  assert.ok(await note().isVisible());
});

test("a program that is gone is told across the page, until it is back", async () => {
  await open();
  await frameIs(0);
  assert.ok(await page.locator("#banner").isHidden());
  server.full = true;
  server.disconnect();
  await page.locator("#banner").waitFor({ state: "visible" });
  const width = (await page.locator("#banner").boundingBox()).width;
  assert.ok(width >= 1200, String(width));
  server.full = false;
  await page.locator("#banner").waitFor({ state: "hidden" });
});

test("speeds are offered about the one that suits the run", async () => {
  await open("pendulum");
  server.speed = server.usualSpeed = 2000;
  server.state();
  await page.waitForFunction(() => document.getElementById("speed").value === "2000");
  const options = await page.$$eval("#speed option", (all) => all.map((o) => [o.value, o.textContent]));
  assert.deepEqual(options.map(([v]) => Number(v)), [20, 200, 500, 1000, 2000, 4000, 10000, 20000, 0]);
  assert.equal(options[4][1], "2000 per s");
  assert.equal((await sent(() => page.selectOption("#speed", "200"), ofType("speed"))).value, 200);
});

test("the speed is said in periods of the motion", async () => {
  await open("pendulum", { told: { period: 5 } });
  server.speed = server.usualSpeed = 4;
  server.state();
  await page.waitForFunction(() => document.getElementById("pace").textContent === "0.8 periods per s");
  assert.match(await page.locator("#speed").getAttribute("title"), /0\.8 periods in a second/);
});

test("the button that compares names the methods that it opens", async () => {
  await open("pendulum");
  const methods = ["stoermer-verlet", "explicit-euler", "backward-euler"], title = await page.locator("#compare").getAttribute("title");
  assert.equal(title, `Compare: ${methods.join(", ")}`);
  const opened = await sent(() => page.getByRole("button", { name: title }).click(), ofType("open"));
  assert.deepEqual(opened.panes.map((p) => p.settings.at(-1)), methods.map((m) => `integrator.method=${m}`));
});

test("of many orbits the section is shown first", async () => {
  const mode = async () => {
    await frameIs(0);
    return (await shown()).mode;
  };
  await open("orbit");
  assert.equal(await mode(), "motion");
  await page.close();
  await server.close();
  await open("orbit", { told: { orbits: 20 } });
  assert.equal(await mode(), "0");
  // Also after another scene with the same coordinates, in which something else was looked at.
  await page.selectOption(".pane select.mode", "phase");
  server.orbits = 0;
  await page.selectOption("#scene", "kepler");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "kepler" && window.lilyan.lastFrame(0));
  assert.equal(await mode(), "phase");
  server.orbits = 20;
  await page.selectOption("#scene", "orbit");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "orbit" && window.lilyan.lastFrame(0));
  assert.equal(await mode(), "0");
});

test("the space bar plays whatever was used last, but not in text fields", async () => {
  await open();
  await frameIs(0);
  for (const id of ["#grid", "#speed", "#log", "#scene", "#tab-plots"]) {
    const pressed = await page.locator("#grid").getAttribute("aria-pressed");
    await page.locator(id).focus();
    const message = await sent(() => page.keyboard.press(" "), (m) => m.type === "play" || m.type === "pause");
    await page.waitForFunction((on) => window.lilyan.state.playing === on, message.type === "play");
    assert.equal(await page.locator("#grid").getAttribute("aria-pressed"), pressed);
    assert.equal(await page.locator("#log").isChecked(), false);
  }
  await page.locator("#log").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#log").isChecked(), true);
  await page.click("#tab-settings");
  const from = server.received.length;
  await page.getByLabel("key=value").fill("");
  await page.getByLabel("key=value").pressSequentially("a b");
  assert.equal(await page.getByLabel("key=value").inputValue(), "a b");
  assert.deepEqual(server.received.slice(from).filter((m) => m.type === "play" || m.type === "pause"), []);
});

test("the camera goes after bodies that leave; vertices that are held are marked", async () => {
  await open("runaway");
  await frameIs(0);
  for (let k = 0; k < 30; ++k) {
    server.stepAll(5);
    await frameIs(5 * (k + 1));
  }
  const gone = 2 * server.panes[0].frame * server.panes[0].step;
  assert.ok(gone > 8);
  await page.waitForFunction((x) => Math.abs(window.lilyan.looksAt.target[0] - x) < 2.5, gone);
  await sent(() => page.selectOption("#scene", "rod"), ofType("open"));
  await page.waitForFunction(() => window.lilyan.looksAt.held[0] === 2);
});

test("on a phone one pane is shown at a time", async () => {
  await open("blob", { width: 390, height: 844, touch: true });
  await sent(() => page.click("#compare"), ofType("open"));
  await page.waitForFunction(() => window.lilyan.panes.length === 4 && window.lilyan.lastFrame(3));
  const visible = () => page.$$eval(".pane", (all) => all.flatMap((p, i) => (p.getBoundingClientRect().width > 0 ? [i] : [])));
  assert.deepEqual(await visible(), [0]);
  assert.equal(await page.locator("#pane-tabs button").count(), 4);
  await page.locator("#pane-tabs button").nth(2).tap();
  assert.deepEqual(await visible(), [2]);
  assert.ok((await page.locator(".pane.selected").boundingBox()).width > 380);
  // A finger over the notes turns to the next.
  await page.evaluate(() => {
    const footer = document.querySelector(".pane.selected footer"), r = footer.getBoundingClientRect();
    const at = (type, x) => footer.dispatchEvent(new PointerEvent(type, { pointerId: 5, pointerType: "touch", isPrimary: true, bubbles: true, clientX: x, clientY: r.y + 5 }));
    at("pointerdown", 300);
    at("pointerup", 120);
  });
  assert.deepEqual(await visible(), [3]);
});

test("methods have their colours, and bodies are tinted by them beside others", async () => {
  await open("blob", { settings: ["integrator.method=newmark"] });
  await frameIs(0);
  const swatches = () => page.$$eval(".pane header .swatch", (all) => all.map((s) => getComputedStyle(s).backgroundColor));
  assert.deepEqual(await swatches(), ["rgb(0, 158, 115)"]);
  await sent(() => page.click("#compare"), ofType("open"));
  await page.waitForFunction(() => window.lilyan.panes.length === 4 && window.lilyan.lastFrame(3));
  assert.deepEqual(await swatches(), ["rgb(0, 114, 178)", "rgb(213, 94, 0)", "rgb(0, 158, 115)", "rgb(184, 87, 140)"]);
  // One is taken away: the others keep theirs.
  await page.getByRole("button", { name: "Remove pane 1" }).click();
  await page.waitForFunction(() => window.lilyan.panes.length === 3);
  assert.deepEqual(await swatches(), ["rgb(213, 94, 0)", "rgb(0, 158, 115)", "rgb(184, 87, 140)"]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => getComputedStyle(document.querySelector(".pane header .swatch")).backgroundColor === "rgb(240, 128, 60)");
});
