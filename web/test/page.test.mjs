// The page in a browser against the stand-in server: what it sends, and what it has of what it was sent.
import assert from "node:assert/strict";
import { after, afterEach, before, test as plainTest } from "node:test";
import { readFile } from "node:fs/promises";
import { launch } from "./browser.mjs";
import { COLUMNS, METHODS, MockServer, SCENES } from "./mock-server.mjs";

/** For a machine that is slow, and busy with other things. */
const PATIENCE = 120000;
const test = (name, run) => plainTest(name, { timeout: 2 * PATIENCE }, run);
let browser, server, page, problems;

before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

async function open(scene = "blob", { width = 1280, height = 800, colorScheme = "light", settings = [] } = {}) {
  server = await new MockServer().listen(0, { scene, settings });
  page = await browser.newPage({ viewport: { width, height }, colorScheme, acceptDownloads: true });
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
const plots = () => page.evaluate(() => window.lilyan.plots);

async function framesEqual(pane) {
  const got = await page.evaluate((p) => {
    const { frame, t, positions } = window.lilyan.lastFrame(p);
    return { frame, t, positions: [...positions] };
  }, pane);
  const want = server.frames.findLast((f) => f.pane === pane);
  assert.equal(got.frame, want.frame);
  assert.equal(got.t, want.t);
  assert.deepEqual(got.positions, [...want.values]);
}

test("one page without other requests, within its size", async () => {
  await open();
  const asked = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.reload();
  await page.waitForFunction(() => window.lilyan.framesReceived > 0);
  assert.deepEqual(asked.filter((u) => !u.startsWith("data:") && !u.startsWith("blob:")), [server.url]);
  assert.deepEqual([...new Set(server.requests)], ["/"]);
  const html = await readFile(new URL("../dist/index.html", import.meta.url));
  assert.ok(html.length < 1_000_000, `${html.length} bytes`);
  assert.deepEqual(server.received[0], { type: "hello", protocol: 1 });
  assert.deepEqual(problems, []);
});

test("frames and rows are the numbers that were sent", async () => {
  await open();
  await frameIs(0);
  await framesEqual(0);
  await sent(() => page.click("#play"), ofType("play"));
  await page.waitForFunction(() => window.lilyan.lastFrame(0).frame >= 12);
  await sent(() => page.click("#play"), ofType("pause"));
  await frameIs(server.panes[0].frame);
  await framesEqual(0);
  await page.waitForFunction((n) => window.lilyan.rowsReceived === n, server.panes[0].frame + 1);
  const energy = await page.evaluate(() => [...window.lilyan.column(0, "energy_total")]);
  assert.equal(energy.length, server.panes[0].frame + 1);
  energy.forEach((e, i) => assert.equal(e, server.panes[0].energy(i).total));
  assert.deepEqual((await panes())[0].columns, COLUMNS);
  assert.deepEqual(problems, []);
});

test("playback controls and keys", async () => {
  await open();
  await sent(() => page.click("#step"), ofType("step"));
  await frameIs(1);
  await page.locator("body").press("ArrowRight");
  await frameIs(2);
  await sent(() => page.locator("body").press(" "), ofType("play"));
  await page.waitForFunction(() => window.lilyan.state.playing);
  await page.waitForFunction(() => document.getElementById("play").getAttribute("aria-label") === "Pause");
  await sent(() => page.locator("body").press(" "), ofType("pause"));
  for (const [option, value] of [["0.1", 0.1], ["5", 5], ["0", 0]])
    assert.equal((await sent(() => page.selectOption("#speed", option), ofType("speed"))).value, value);
  server.stepAll(20);
  await frameIs(server.panes[0].frame);
  const seek = await sent(() => page.evaluate(() => {
    const s = document.getElementById("scrub");
    s.value = "7";
    s.dispatchEvent(new Event("input", { bubbles: true }));
    s.dispatchEvent(new Event("change", { bubbles: true }));
  }), ofType("seek"));
  assert.equal(seek.frame, 7);
  await frameIs(7);
  await framesEqual(0);
  await sent(() => page.locator("body").press("r"), ofType("reset"));
  await frameIs(0);
  await page.waitForFunction(() => window.lilyan.panes[0].rows === 1);
  await sent(() => page.click("#reset"), ofType("reset"));
  assert.deepEqual(problems, []);
});

test("scenes, methods and settings", async () => {
  await open();
  assert.deepEqual(await page.$$eval("#scene option", (o) => o.map((x) => x.value)), SCENES);
  assert.deepEqual(await page.$$eval(".pane header select option", (o) => o.map((x) => x.value)), METHODS.map((m) => m.name));
  assert.deepEqual(await sent(() => page.getByLabel("Method of pane 1").selectOption("newmark"), ofType("change")),
    { type: "change", pane: 0, settings: ["integrator.method=newmark"] });
  await page.waitForFunction(() => window.lilyan.panes[0].methodName === "newmark");
  await page.click("#tab-settings");
  await page.getByLabel("Step size").fill("0.01");
  await page.getByLabel("mu", { exact: true }).fill("750");
  await page.getByLabel("Stiffness", { exact: true }).fill("0.02");
  await page.getByLabel("key=value").fill("world.gravity=[0, -1, 0]");
  assert.deepEqual(await sent(() => page.getByRole("button", { name: "Apply and restart" }).click(), ofType("change")), {
    type: "change", pane: 0,
    settings: ["integrator.step=0.01", "body.0.material.mu=750", "body.0.damping.stiffness=0.02", "world.gravity=[0, -1, 0]"],
  });
  await page.waitForFunction(() => window.lilyan.panes[0].step === 0.01 && window.lilyan.panes[0].material.mu === 750);
  assert.equal(await page.getByLabel("Stiffness", { exact: true }).inputValue(), "0.02");
  assert.deepEqual(await page.$$eval("#settings-panel li span", (all) => all.map((s) => s.textContent)),
    ["integrator.method=newmark", "integrator.step=0.01", "body.0.material.mu=750", "body.0.damping.stiffness=0.02", "world.gravity=[0, -1, 0]"]);
  assert.deepEqual(await sent(() => page.getByRole("button", { name: "Take away integrator.step" }).click(), ofType("change")),
    { type: "change", pane: 0, settings: [], remove: ["integrator.step"] });
  await page.waitForFunction(() => window.lilyan.panes[0].step === 0.033);
  assert.equal(await page.locator("#settings-panel li").count(), 4);
  await sent(() => page.getByRole("button", { name: "Take away body.0.damping.stiffness" }).click(), ofType("change"));
  await page.waitForFunction(() => document.querySelector('[name="body.0.damping.stiffness"]').value === "0");
  assert.deepEqual(await sent(() => page.selectOption("#scene", "two-blobs"), ofType("open")),
    { type: "open", panes: [{ scene: "two-blobs", settings: [] }] });
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "two-blobs" && window.lilyan.lastFrame(0));
  await framesEqual(0);
  await sent(() => page.selectOption("#scene", "broken"), ofType("open"));
  await page.waitForFunction(() => document.querySelector(".pane .note")?.textContent.startsWith("Cannot run: broken.toml:3:1"));
  assert.deepEqual(problems, []);
});

test("four panes, compared, added and removed", async () => {
  await open("blob", { settings: ["integrator.step=0.02"] });
  const methods = ["avf", "implicit-midpoint", "newmark", "backward-euler"];
  assert.deepEqual(await sent(() => page.getByRole("button", { name: "Compare: avf, implicit-midpoint, newmark, backward-euler" }).click(), ofType("open")),
    { type: "open", panes: methods.map((m) => ({ scene: "blob", settings: ["integrator.step=0.02", `integrator.method=${m}`] })) });
  await page.waitForFunction(() => window.lilyan.panes.length === 4);
  assert.equal(await page.locator(".pane:visible").count(), 4);
  assert.deepEqual((await panes()).map((p) => p.methodName), methods);
  server.stepAll(155);
  await page.waitForFunction(() => window.lilyan.panes[3].rows === 156 && window.lilyan.panes[1].failed);
  for (let p = 0; p < 4; ++p) await framesEqual(p);
  await page.waitForFunction(() => document.querySelectorAll(".pane")[1].querySelector(".note").textContent === "Failed: step 151: the energy is not finite");
  await page.waitForFunction(() => JSON.stringify(window.lilyan.plots[0].rows) === "[156,151,156,156]");
  const energy = (await plots()).find((p) => p.id === "energy");
  assert.deepEqual(energy.labels, methods);
  for (const id of ["parts", "ledger", "momentum", "angular", "iterations"]) assert.ok((await plots()).some((p) => p.id === id), id);
  await page.getByRole("radio", { name: "newmark" }).click();
  await page.waitForFunction(() => window.lilyan.plots.find((p) => p.id === "ledger").heading.includes("newmark"));
  server.stepAll(200);
  await page.waitForFunction(() => document.querySelectorAll(".pane")[0].querySelector(".note").textContent === "Finished");

  const removed = await sent(() => page.getByLabel("Remove pane 2").click(), ofType("open"));
  assert.deepEqual(removed.panes.map((p) => p.settings.at(-1)), ["avf", "newmark", "backward-euler"].map((m) => `integrator.method=${m}`));
  await page.waitForFunction(() => window.lilyan.panes.length === 3 && document.querySelectorAll(".pane").length === 3);
  const added = await sent(() => page.getByLabel("Add pane").click(), ofType("open"));
  assert.equal(added.panes.length, 4);
  assert.equal(added.panes[3].settings.at(-1), "integrator.method=implicit-midpoint");
  await page.waitForFunction(() => window.lilyan.panes.length === 4);
  assert.ok(await page.getByLabel("Add pane").isDisabled());
  const other = await sent(() => page.selectOption("#scene", "two-blobs"), ofType("open"));
  assert.deepEqual(other.panes[1], { scene: "two-blobs", settings: ["integrator.method=newmark"] });
  assert.deepEqual(problems, []);
});

test("drift, logarithm and a hundred thousand rows", async () => {
  await open("long");
  await page.waitForFunction(() => window.lilyan.rowsReceived === 100001);
  await page.waitForFunction(() => window.lilyan.plots.find((p) => p.id === "energy")?.rows[0] === 100001);
  for (const p of await plots()) {
    assert.equal(p.rows[0], 100001, p.id);
    assert.ok(p.points <= 2000, `${p.id}: ${p.points} points are drawn`);
  }
  await page.check("#drift");
  await page.check("#log");
  await page.waitForFunction(() => window.lilyan.plots[0].heading.startsWith("Energy drift"));
  assert.ok((await plots()).some((p) => p.heading.includes("|p − p(0)|")));
  // Dragging shows a part of the time, in all plots; a double click all of it.
  const box = await page.locator('[data-plot="energy"] .u-over').boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 40, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => window.lilyan.plotRange);
  const [from, to] = await page.evaluate(() => window.lilyan.plotRange);
  assert.ok(Math.abs(from - 1650) < 30 && Math.abs(to - 2475) < 30, `${from} to ${to}`);
  await page.mouse.dblclick(box.x + 0.3 * box.width, box.y + 40);
  await page.waitForFunction(() => window.lilyan.plotRange === null);
  // The cursor is in all plots at the same time.
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 40);
  const places = await page.$$eval(".plot:not([hidden]) .u-cursor-x", (lines) => lines.map((l) => l.style.transform));
  assert.ok(places.length >= 4);
  assert.equal(new Set(places).size, 1, places.join());
  const cumulative = await page.evaluate(() => [...window.lilyan.column(0, "sum:ledger_solver")].at(-1));
  const solver = await page.evaluate(() => [...window.lilyan.column(0, "ledger_solver")].reduce((a, b) => a + b, 0));
  assert.equal(cumulative, solver);
  assert.deepEqual(problems, []);
});

test("a body is pulled", async () => {
  await open();
  await frameIs(0);
  await page.waitForTimeout(300);
  // A vertex that is seen: on the sphere, towards the camera.
  const box = await page.locator(".pane .stage").boundingBox();
  const start = [box.x + box.width / 2, box.y + box.height / 2];
  const pull = await sent(async () => {
    await page.keyboard.down("Shift");
    await page.mouse.move(...start);
    await page.mouse.down();
  }, ofType("pull"));
  const at = await page.evaluate((v) => [...window.lilyan.lastFrame(0).positions.slice(3 * v, 3 * v + 3)], pull.vertex);
  assert.equal(pull.pane, 0);
  const seen = await page.evaluate((v) => window.lilyan.place(0, v), pull.vertex);
  assert.ok(Math.hypot(seen[0] - start[0], seen[1] - start[1]) < 30, `vertex ${pull.vertex} is at ${seen}`);
  const moved = await sent(() => page.mouse.move(start[0] + 90, start[1] - 60, { steps: 4 }), (m) => m.type === "pull" && m.target[1] > at[1] + 0.1);
  assert.equal(moved.vertex, pull.vertex);
  assert.equal(moved.target.length, 3);
  assert.deepEqual(await sent(() => page.mouse.up(), ofType("release")), { type: "release", pane: 0 });
  await page.keyboard.up("Shift");
  // Without Shift a drag turns the camera, unless the tool is on.
  const count = server.received.length;
  const before = await page.evaluate((v) => window.lilyan.place(0, v), pull.vertex);
  await page.mouse.move(...start);
  await page.mouse.down();
  await page.mouse.move(start[0] + 60, start[1], { steps: 3 });
  await page.mouse.up();
  assert.equal(server.received.length, count);
  assert.notDeepEqual(await page.evaluate((v) => window.lilyan.place(0, v), pull.vertex), before);
  await page.click("#pull");
  await sent(async () => {
    await page.mouse.move(...start);
    await page.mouse.down();
  }, ofType("pull"));
  await sent(() => page.mouse.up(), ofType("release"));
  assert.deepEqual(problems, []);
});

test("colours, wireframe, grid, framing", async () => {
  await open();
  await frameIs(0);
  for (const by of ["speed", "energy", "displacement"]) {
    await page.selectOption("#colour", by);
    server.stepAll(3);
    await page.waitForFunction(() => !document.getElementById("bar").hidden && document.getElementById("bar-high").textContent !== "");
  }
  const high = () => page.textContent("#bar-high");
  await page.waitForTimeout(200);
  await page.check("#hold");
  const held = await high();
  server.stepAll(11);
  await frameIs(server.panes[0].frame);
  await page.waitForTimeout(200);
  assert.equal(await high(), held);
  await page.uncheck("#hold");
  await page.waitForFunction((h) => document.getElementById("bar-high").textContent !== h, held);
  for (const id of ["wire", "grid"]) {
    const was = await page.getAttribute(`#${id}`, "aria-pressed");
    await page.click(`#${id}`);
    assert.notEqual(await page.getAttribute(`#${id}`, "aria-pressed"), was);
  }
  await page.click("#frame-all");
  await page.selectOption("#colour", "body");
  assert.ok(await page.locator("#bar").isHidden());
  assert.deepEqual(problems, []);
});

test("obstacles that move", async () => {
  await open("two-blobs");
  server.stepAll(9);
  await frameIs(9);
  const poses = await page.evaluate(() => [...window.lilyan.lastFrame(0).poses]);
  assert.equal(poses.length, 12);
  assert.deepEqual(poses, server.frames.at(-1).poses);
  assert.deepEqual(problems, []);
});

test("strain energy is offered only where it is known", async () => {
  await open("rod");
  server.stepAll(3);
  await page.waitForFunction(() => window.lilyan.panes[0].strainKnown === false);
  const disabled = () => page.$eval('#colour option[value="energy"]', (o) => o.disabled);
  assert.equal(await disabled(), true);
  assert.equal(await page.textContent('#colour option[value="energy"]'), "strain energy (solids only)");
  await page.selectOption("#scene", "blob");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "blob" && window.lilyan.panes[0].strainKnown);
  assert.equal(await disabled(), false);
  await page.selectOption("#colour", "energy");
  await page.selectOption("#scene", "rod");
  await page.waitForFunction(() => /known for solids/.test(document.getElementById("bar-title").textContent) && document.getElementById("bar-scale").hidden);
  assert.deepEqual(problems, []);
});

test("a program that does not send the path", async () => {
  await open("pendulum");
  await frameIs(0);
  server.sendsPath = false;
  await sent(() => page.click("#reset"), ofType("reset"));
  await page.waitForFunction(() => window.lilyan.panes[0].path === 1 && !window.lilyan.panes[0].wholePath);
  server.stepAll(5);
  await frameIs(5);
  assert.equal((await panes())[0].path, 2);
  assert.deepEqual(problems, []);
});

test("a small system: path, cloud, axes", async () => {
  await open("pendulum");
  await frameIs(0);
  await framesEqualSystem();
  const cloud = await sent(() => page.getByLabel("Cloud of initial conditions in pane 1").click(), ofType("cloud"));
  assert.equal(cloud.count, 2000);
  assert.deepEqual(cloud.center, [1.2, 0]);
  await page.waitForFunction(() => window.lilyan.panes[0].cloud === 2000);
  server.stepAll(10);
  await frameIs(10);
  await page.waitForFunction(() => window.lilyan.lastCloud(0).frame === 10);
  assert.deepEqual(await page.evaluate(() => [...window.lilyan.path(0, 0)]), server.panes[0].history.map((h) => h.q[0]));
  assert.deepEqual(await page.evaluate(() => [...window.lilyan.path(0, 1)]), server.panes[0].history.map((h) => h.v[0]));
  const points = await page.evaluate(() => [...window.lilyan.lastCloud(0).q]);
  assert.deepEqual(points, [...server.panes[0].cloud.q]);
  const at = await page.evaluate((c) => window.lilyan.place(0, c), cloud.center);
  const dropped = await sent(async () => {
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0] - 80, at[1] - 50, { steps: 5 });
    await page.mouse.up();
  }, (m) => m.type === "cloud" && m.center[0] < cloud.center[0] && m.center[1] > cloud.center[1]);
  assert.deepEqual(dropped.radius, cloud.radius);
  const larger = await sent(() => page.mouse.wheel(0, -300), (m) => m.type === "cloud" && m.radius[0] > cloud.radius[0]);
  assert.ok(Math.abs(larger.radius[0] / larger.radius[1] - cloud.radius[0] / cloud.radius[1]) < 1e-9);
  assert.deepEqual(await sent(() => page.getByLabel("Cloud of initial conditions in pane 1").click(), (m) => m.type === "cloud" && m.count === 0),
    { type: "cloud", pane: 0, count: 0 });
  await page.waitForFunction(() => window.lilyan.panes[0].cloud === 0);
  assert.equal((await panes())[0].path, 11);
  await page.waitForFunction(() => window.lilyan.plots.some((p) => p.id === "trajectory"));

  await page.selectOption("#scene", "kepler");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "kepler" && window.lilyan.lastFrame(0));
  assert.deepEqual(await page.getByLabel("Vertical axis of pane 1").locator("option").allTextContents(), ["x", "y", "x′", "y′"]);
  await page.getByLabel("Vertical axis of pane 1").selectOption("2");
  server.stepAll(5);
  await frameIs(5);
  await framesEqualSystem();
  await page.waitForFunction(() => window.lilyan.plots.some((p) => p.id === "invariants"));
  assert.deepEqual(problems, []);
});

async function framesEqualSystem() {
  const got = await page.evaluate(() => [...window.lilyan.lastFrame(0).q]);
  assert.deepEqual(got, server.frames.at(-1).values);
}

test("fingers turn, zoom, pull, and resize a cloud", async () => {
  server = await new MockServer().listen(0, { scene: "blob", settings: [] });
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  problems = [];
  page.on("pageerror", (e) => problems.push(String(e)));
  await page.goto(server.url);
  await frameIs(0);
  const cdp = await context.newCDPSession(page);
  const touch = (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const middle = async () => {
    const box = await page.locator(".pane .stage").boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const place = (v) => page.evaluate((i) => window.lilyan.place(0, i), v);
  const [x, y] = await middle(), before = [await place(0), await place(3)];
  await touch("touchStart", [x, y]);
  await touch("touchMove", [x + 50, y + 10]);
  await touch("touchEnd");
  const turned = [await place(0), await place(3)];
  assert.notDeepEqual(turned, before);
  await touch("touchStart", [x - 30, y], [x + 30, y]);
  await touch("touchMove", [x - 60, y], [x + 60, y]);
  await touch("touchEnd");
  const apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  assert.ok(apart([await place(0), await place(3)]) > 1.2 * apart(turned));
  await page.locator("#pull").tap();
  await sent(() => touch("touchStart", [x, y]), ofType("pull"));
  await sent(() => touch("touchEnd"), ofType("release"));
  await page.selectOption("#scene", "pendulum");
  await page.waitForFunction(() => window.lilyan.panes[0].kind === "system" && window.lilyan.lastFrame(0));
  const cloud = await sent(() => page.getByLabel("Cloud of initial conditions in pane 1").tap(), ofType("cloud"));
  const [u, v] = await middle();
  const larger = await sent(async () => {
    await touch("touchStart", [u - 30, v], [u + 30, v]);
    await touch("touchMove", [u - 60, v], [u + 60, v]);
    await touch("touchEnd");
  }, (m) => m.type === "cloud" && m.radius[0] > 1.5 * cloud.radius[0]);
  assert.deepEqual(larger.center, cloud.center);
  assert.deepEqual(problems, []);
  await context.close();
});

test("messages that are wrong are told and do no harm", async () => {
  await open();
  await frameIs(0);
  const bad = [
    "{", "[]", "null", '{"type":"nonsense"}', '{"type":"rows","pane":9,"run":1,"rows":[]}', '{"type":"rows","pane":0,"run":1,"rows":[7]}',
    '{"type":"state"}', '{"type":"pane"}', '{"type":"rows","pane":0,"run":1,"rows":5}',
  ];
  for (const m of bad) server.text(m);
  const short = Buffer.alloc(40), cut = server.panes[0].body.mesh(0, server.panes[0].run).subarray(0, 400);
  server.binary(Buffer.alloc(3));
  server.binary(short);
  server.binary(cut);
  const wrong = Buffer.from(server.panes[0].body.mesh(0, server.panes[0].run));
  wrong.writeUInt32LE(4000000, 32);
  server.binary(wrong);
  await page.waitForFunction((n) => window.lilyan.malformed === n, bad.length + 4);
  // Messages of an older run are passed over.
  const rows = (await panes())[0].rows;
  server.text({ type: "rows", pane: 0, run: server.panes[0].run - 1, rows: [[1, 2, 3]] });
  server.text({ type: "rows", pane: 2, run: 1, rows: [[1, 2, 3]] });
  server.text({ type: "error", message: "the program says <b>no</b>" });
  await page.waitForFunction(() => [...document.querySelectorAll(".toast span")].some((t) => t.textContent === "the program says <b>no</b>"));
  assert.equal((await panes())[0].rows, rows);
  await sent(() => page.click("#step"), ofType("step"));
  await frameIs(1);
  await framesEqual(0);
  assert.equal((await panes())[0].rows, rows + 1);
  assert.deepEqual(problems, []);
});

test("a lost connection comes back", async () => {
  await open();
  await frameIs(0);
  server.stepAll(5);
  await frameIs(5);
  const hello = await sent(() => server.disconnect(), ofType("hello"));
  assert.equal(hello.protocol, 1);
  await frameIs(0);
  assert.equal((await panes()).length, 1);
  assert.equal((await page.evaluate(() => window.lilyan.state)).connection, "connected");
  assert.deepEqual(problems, []);
});

test("picture and film", async () => {
  await open();
  await frameIs(0);
  const [png] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
  assert.equal(png.suggestedFilename(), "lilyan-blob-0.png");
  const bytes = await readFile(await png.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.readUInt32BE(16) >= 1280 && bytes.readUInt32BE(20) > 700);
  await page.click("#webm");
  server.stepAll(2);
  await page.waitForFunction(() => window.lilyan.filmBytes > 2000);
  const [webm] = await Promise.all([page.waitForEvent("download"), page.click("#webm")]);
  assert.match(webm.suggestedFilename(), /^lilyan-blob-\d+\.webm$/);
  const film = await readFile(await webm.path());
  assert.equal(film.readUInt32BE(0), 0x1a45dfa3);
  assert.ok(film.length > 2000, `${film.length} bytes`);
  assert.deepEqual(problems, []);
});

for (const [width, height] of [[390, 844], [1280, 800], [900, 700]])
  test(`nothing is wider than the page at ${width}×${height}`, async () => {
    await open("blob", { width, height, colorScheme: "dark" });
    const fits = async (what) => assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), what);
    await frameIs(0);
    await fits("one pane");
    await page.getByRole("button", { name: "Compare: avf" }).click();
    await page.waitForFunction(() => window.lilyan.panes.length === 4);
    server.stepAll(155);
    await page.waitForFunction(() => window.lilyan.panes[1].failed);
    await page.waitForTimeout(300);
    await fits("four panes");
    await page.click("#tab-settings");
    await fits("settings");
    await page.click("#tab-plots");
    await page.selectOption("#scene", "pendulum");
    await page.waitForFunction(() => window.lilyan.panes[3]?.kind === "system");
    await fits("systems");
    if (width >= 1280) assert.ok(await page.evaluate(() => document.scrollingElement.scrollHeight <= innerHeight));
    assert.deepEqual(problems, []);
  });

test("every control has a name", async () => {
  await open();
  await page.click("#tab-settings");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input")].filter((e) =>
      !(e.getAttribute("aria-label") || e.textContent.trim() && e.tagName === "BUTTON" || [...(e.labels ?? [])].some((l) => l.textContent.trim()))).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
});

const labels = () => page.evaluate(() => window.lilyan.panes.map((p) => p.label));
const openPanes = async (...all) => {
  await server.open(all);
  server.state();
  await page.waitForFunction((n) => window.lilyan.panes.length === n && window.lilyan.panes.every((p) => p.label), all.length);
};

test("panes are told apart by what differs", async () => {
  await open();
  const blob = (...settings) => ({ scene: "blob", settings });
  await openPanes(blob("integrator.step=0.01"), blob("integrator.step=0.02"), blob("integrator.step=0.02", "body.0.material.mu=700"));
  await page.waitForFunction(() => window.lilyan.panes[2].label === "h = 0.02, mu = 700");
  assert.deepEqual(await labels(), ["h = 0.01", "h = 0.02", "h = 0.02, mu = 700"]);
  assert.deepEqual(await page.$$eval(".pane header .label", (all) => all.map((e) => e.textContent)), await labels());
  assert.deepEqual(await page.$$eval("#chips button", (all) => all.map((e) => e.textContent)), await labels());
  await page.waitForFunction(() => window.lilyan.plots[0]?.labels[2] === "h = 0.02, mu = 700");
  // Twice the same, and other scenes: of another one no trajectory is in the same plot, and settings are its own.
  await openPanes(blob(), blob(), { scene: "pendulum", settings: [] }, { scene: "kepler", settings: ["integrator.method=newmark"] });
  await page.waitForFunction(() => window.lilyan.panes[3].label === "kepler · newmark");
  assert.deepEqual(await labels(), ["blob · avf · pane 1", "blob · avf · pane 2", "pendulum · avf", "kepler · newmark"]);
  await page.getByRole("radio", { name: "pendulum" }).click();
  await page.waitForFunction(() => window.lilyan.plots.find((p) => p.id === "trajectory")?.labels.join() === "pendulum · avf");
  await page.getByRole("radio", { name: "pane 1" }).click();
  await page.click("#tab-settings");
  await page.getByLabel("Step size").fill("0.05");
  const from = server.received.length;
  await sent(() => page.getByRole("button", { name: "Apply to all of this scene" }).click(), (m) => m.type === "change" && m.pane === 1);
  assert.deepEqual(server.received.slice(from).map((m) => [m.type, m.pane]), [["change", 0], ["change", 1]]);
  assert.deepEqual(problems, []);
});

test("a scene that cannot be run is not the end", async () => {
  await open("broken");
  await page.waitForFunction(() => window.lilyan.panes[0].error);
  const added = await sent(() => page.getByLabel("Add pane").click(), ofType("open"));
  assert.deepEqual(added.panes, [{ scene: "broken", settings: [] }, { scene: "broken", settings: ["integrator.method=avf"] }]);
  await page.waitForFunction(() => window.lilyan.panes.length === 2);
  const other = await sent(() => page.selectOption("#scene", "blob"), ofType("open"));
  assert.deepEqual(other.panes, [{ scene: "blob", settings: [] }, { scene: "blob", settings: [] }]);
  await page.waitForFunction(() => window.lilyan.panes.every((p) => !p.error) && window.lilyan.lastFrame(1));
  assert.deepEqual(problems, []);
});

test("a run that is shown again or watched cannot be changed", async () => {
  await open();
  await frameIs(0);
  server.replay = true;
  await sent(() => page.click("#reset"), ofType("reset"));
  await page.waitForFunction(() => window.lilyan.panes[0].replay);
  for (const id of ["compare", "add"]) {
    assert.ok(await page.locator(`#${id}`).isDisabled(), id);
    assert.match(await page.locator(`#${id}`).getAttribute("title"), /shown again/);
  }
  assert.ok(await page.getByLabel("Method of pane 1").isDisabled());
  await page.click("#tab-settings");
  assert.equal(await page.locator("#settings-panel :is(input, select, button):enabled").count(), 0);
  server.replay = false;
  server.watched = true;
  await sent(() => page.click("#reset"), ofType("reset"));
  await page.waitForFunction(() => window.lilyan.panes[0].watched);
  assert.ok(await page.getByLabel("Method of pane 1").isDisabled());
  server.watched = false;
  await sent(() => page.click("#reset"), ofType("reset"));
  await page.waitForFunction(() => !window.lilyan.panes[0].watched);
  assert.match(await page.locator("#compare").getAttribute("title"), /^Compare/);
  // What is refused is not shown as if it were.
  server.watched = true;
  await sent(() => page.getByLabel("Method of pane 1").selectOption("newmark"), ofType("change"));
  await page.waitForFunction(() => document.querySelector(".toast") && document.querySelector(".pane header select").value === "avf");
  assert.deepEqual(problems, []);
});

test("the slider is let go where it was taken", async () => {
  await open();
  server.stepAll(20);
  await frameIs(20);
  await page.waitForFunction(() => document.getElementById("scrub").value === "20");
  const box = await page.locator("#scrub").boundingBox(), y = box.y + box.height / 2, end = box.x + box.width - 8;
  await page.mouse.move(end, y);
  await page.mouse.down();
  await sent(() => page.mouse.move(box.x + box.width / 2, y, { steps: 5 }), ofType("seek"));
  // The last frame may be asked for on the way there, or when the slider is let go.
  await sent(async () => { await page.mouse.move(end, y, { steps: 5 }); await page.mouse.up(); }, (m) => m.type === "seek" && m.frame === 20);
  server.stepAll(5);
  await page.waitForFunction(() => document.getElementById("scrub").value === "25");
  assert.equal(await page.textContent("#counter"), "25 / 25");
  assert.deepEqual(problems, []);
});

test("a key that is held asks for one step at a time", async () => {
  await open();
  await frameIs(0);
  server.stalled = true;
  const steps = () => server.received.filter(ofType("step")).length;
  await page.locator("body").press("ArrowRight");
  const press = (repeat) => page.evaluate((r) => { document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, repeat: r })); }, repeat);
  for (let i = 0; i < 5; ++i) await press(true);
  await sent(() => press(false), ofType("step"));
  assert.equal(steps(), 2);
  server.stepAll();
  await frameIs(1);
  await sent(() => press(true), ofType("step"));
  assert.equal(steps(), 3);
  assert.deepEqual(problems, []);
});

test("a cloud that is there is taken over", async () => {
  await open("pendulum");
  await frameIs(0);
  server.keeps = true;
  server.handle({ type: "cloud", pane: 0, center: [0.5, 0.25], radius: [0.1, 0.2], count: 900 });
  const button = page.getByLabel("Cloud of initial conditions in pane 1");
  const on = () => page.waitForFunction(() => window.lilyan.panes[0]?.cloud === 900 && document.querySelector('[aria-label^="Cloud"]').getAttribute("aria-pressed") === "true");
  await on();
  await page.reload();
  await on();
  await sent(() => server.disconnect(), ofType("hello"));
  await on();
  const at = await page.evaluate(() => window.lilyan.place(0, [0.5, 0.25]));
  const moved = await sent(async () => {
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0] + 60, at[1], { steps: 4 });
    await page.mouse.up();
  }, ofType("cloud"));
  assert.ok(moved.center[0] > 0.5 && Math.abs(moved.center[1] - 0.25) < 0.02, JSON.stringify(moved));
  assert.ok(Math.abs(moved.radius[0] - 0.1) < 0.01 && Math.abs(moved.radius[1] - 0.2) < 0.02, JSON.stringify(moved));
  // One that was on its way when it was removed does not bring it back.
  await sent(() => button.click(), (m) => m.type === "cloud" && m.count === 0);
  server.handle({ type: "cloud", pane: 0, center: [0.5, 0.25], radius: [0.1, 0.2], count: 900 });
  await page.waitForFunction(() => window.lilyan.panes[0].cloud === 900);
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  assert.deepEqual(problems, []);
});

test("a camera that was moved stays when the connection comes back", async () => {
  await open();
  await frameIs(0);
  server.keeps = true;
  await page.waitForFunction(() => window.lilyan.drawn.frames > 0);
  const box = await page.locator(".pane .stage").boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 70, y + 20, { steps: 3 });
  await page.mouse.up();
  await page.mouse.wheel(0, 300);
  const places = () => page.evaluate(() => [0, 5, 9].map((v) => window.lilyan.place(0, v)));
  // The camera swings to a stop.
  let before = await places(), same = 0;
  while (same < 3) {
    await page.waitForTimeout(100);
    const now = await places();
    same = JSON.stringify(now) === JSON.stringify(before) ? same + 1 : 0;
    before = now;
  }
  const drawn = await page.evaluate(() => window.lilyan.drawn.frames);
  await sent(() => server.disconnect(), ofType("hello"));
  await page.waitForFunction((n) => window.lilyan.state.connection === "connected" && window.lilyan.lastFrame(0) && window.lilyan.drawn.frames > n, drawn);
  assert.deepEqual(await places(), before);
  // Another scene is framed anew.
  await page.selectOption("#scene", "two-blobs");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "two-blobs" && window.lilyan.lastFrame(0));
  assert.notDeepEqual(await places(), before);
  assert.deepEqual(problems, []);
});

test("numbers that are not finite", async () => {
  await open();
  await frameIs(0);
  const pane = server.panes[0], positions = pane.body.positions.bind(pane.body);
  pane.body.positions = (...args) => {
    const all = positions(...args);
    all.x.fill(NaN);
    all.speed.fill(Infinity, 0, all.speed.length / 2);
    all.speed.fill(3, all.speed.length / 2);
    return all;
  };
  await page.selectOption("#colour", "speed");
  server.stepAll();
  await frameIs(1);
  await page.waitForFunction(() => document.getElementById("bar-high").textContent === "3");
  const box = await page.locator(".pane .stage").boundingBox(), from = server.received.length;
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await sent(() => page.click("#step"), ofType("step"));
  assert.deepEqual(server.received.slice(from).filter((m) => m.type === "pull"), []);
  assert.deepEqual(problems, []);
});

test("a page that is refused says why", async () => {
  await open();
  await frameIs(0);
  const shows = (why) => page.waitForFunction((w) => new RegExp(w).test(document.getElementById("connection").textContent), why);
  const expected = problems; // the browser itself tells of a connection that failed
  server.full = true;
  server.disconnect();
  await shows("too many are open");
  server.full = false;
  server.fullBecause = "eight pages are open already";
  await shows("Eight pages are open already\\.");
  server.fullBecause = "";
  await shows("^Connected$");
  assert.deepEqual(expected.filter((p) => !/WebSocket|503/.test(p)), []);
});

test("while a scene loads its pane says so", async () => {
  await open();
  await frameIs(0);
  server.loadTime = 1500;
  await page.selectOption("#scene", "two-blobs");
  await page.waitForFunction(() => document.querySelector(".pane.loading .note")?.textContent === "Loading …");
  await page.waitForFunction(() => window.lilyan.panes[0].scene === "two-blobs" && !document.querySelector(".pane.loading") && document.querySelector(".pane .note").hidden);
  assert.deepEqual(problems, []);
});

test("one mistake does not stop the page; a window without room can be filmed", async () => {
  await open();
  await frameIs(0);
  await page.click("#webm");
  await page.setViewportSize({ width: 900, height: 60 });
  await page.evaluate(() => { document.getElementById("views").style.display = "none"; });
  const ticks = await page.evaluate(() => window.lilyan.ticks);
  await page.waitForFunction((n) => window.lilyan.ticks > n + 3, ticks);
  assert.deepEqual(problems, []);
  await page.evaluate(() => {
    document.getElementById("views").style.display = "";
    const before = HTMLElement.prototype.getBoundingClientRect;
    HTMLElement.prototype.getBoundingClientRect = function () {
      HTMLElement.prototype.getBoundingClientRect = before;
      throw new Error("on purpose");
    };
  });
  await page.setViewportSize({ width: 900, height: 700 });
  const now = await page.evaluate(() => window.lilyan.ticks);
  await page.waitForFunction((n) => window.lilyan.ticks > n + 3, now);
  server.stepAll();
  await frameIs(1);
});

test("the energy of a run that explodes is compared with what it began with", async () => {
  await open();
  await frameIs(0);
  const pane = server.panes[0];
  const drift = () => page.evaluate(() => Number(document.querySelector('[data-plot="energy"] .key b').textContent.replaceAll("−", "-")));
  await page.check("#drift");
  const run = async (values) => {
    pane.frame = pane.shown = 0;
    pane.run = ++server.run;
    server.text(pane.info());
    server.binary(pane.body.mesh(0, pane.run));
    server.text({ type: "rows", pane: 0, run: pane.run, rows: values.map(([kinetic, elastic, gravity], i) => {
      const row = COLUMNS.map(() => 0);
      Object.entries({ step: i, t: 0.2 * i, energy_kinetic: kinetic, energy_elastic: elastic, energy_gravity: gravity, energy_total: kinetic + elastic + gravity })
        .forEach(([name, value]) => { row[COLUMNS.indexOf(name)] = value; });
      return row;
    }) });
    await page.waitForFunction((n) => window.lilyan.plots.find((p) => p.id === "energy")?.rows[0] === n && window.lilyan.plots[0].heading.startsWith("Energy drift"), values.length);
    await page.waitForTimeout(300);
    return drift();
  };
  assert.equal(await run([[0, 2e-29, 20], [2, 2e-29, 20], [8, 1e-20, 16], [2e33, 1e20, 1e10], [2e255, 1e200, 1e30]]), 1e254);
  // At rest, with nothing but rounding errors, then moved.
  assert.equal(await run([[0, 2e-29, 0], [0, 2e-29, 0], [4, 0, 0]]), 1);
  assert.equal(await run([[0, 0, 1e-16], [4, 0, 1e-16]]), 1);
  assert.deepEqual(problems, []);
});
