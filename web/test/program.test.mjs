// The page with the real program: what the page received is what the program writes, and every control reaches it.
// Nothing here looks at pixels, or at how long something takes that is not the page's own doing.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test as plainTest } from "node:test";
import { pathToFileURL } from "node:url";
import WebSocket from "ws";
import { launch } from "./browser.mjs";
import { lilyan, PROGRAM, serve, useDist } from "./program.mjs";

const PATIENCE = 120000;
const test = (name, run) => plainTest(name, { timeout: 2 * PATIENCE }, run);
let browser, folder, server, page, problems;

before(async () => {
  assert.ok(existsSync(PROGRAM), `${PROGRAM} is not there: build the program, or name it with LILYAN`);
  folder = await mkdtemp(join(tmpdir(), "lilyan-page-test-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await page?.context().close();
  await server?.stop();
  page = server = undefined;
});

async function open(url) {
  const context = await browser.newContext({ viewport: { width: 900, height: 640 }, acceptDownloads: true });
  page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  problems = [];
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  await useDist(page);
  await page.goto(url);
  await until(() => window.lilyan.state.playing !== undefined && window.lilyan.panes.length > 0);
}
const view = async (...args) => {
  server = await serve("view", ...args);
  await open(server.url);
};
const until = (condition, argument) => page.waitForFunction(condition, argument, { timeout: PATIENCE });
const frameIs = (frame, pane = 0) => until(([f, p]) => window.lilyan.lastFrame(p)?.frame === f, [frame, pane]);
const playing = async (on) => {
  if ((await page.evaluate(() => window.lilyan.state.playing)) !== on) await page.click("#play");
  await until((p) => window.lilyan.state.playing === p, on);
};
const seek = (frame) => page.evaluate((f) => {
  const s = document.getElementById("scrub");
  s.value = String(f);
  s.dispatchEvent(new Event("input", { bubbles: true }));
  s.dispatchEvent(new Event("change", { bubbles: true }));
}, frame);
const column = (name, pane = 0) => page.evaluate(([p, n]) => [...window.lilyan.column(p, n)], [pane, name]);
const quiet = () => assert.deepEqual([problems, server.running], [[], true], server.output);

async function table(file) {
  const [head, ...lines] = (await readFile(file, "utf8")).trim().split("\n");
  const names = head.split(",");
  return Object.fromEntries(names.map((n, i) => [n, lines.map((l) => Number(l.split(",")[i]))]));
}

/** Positions of all vertices in a .vtu, whose arrays follow after an underline, each with its size before it. */
async function vtuPositions(file) {
  const data = await readFile(file);
  const start = data.indexOf("_", data.indexOf("<AppendedData")) + 1;
  const offset = Number(/Name="position"[^>]*offset="(\d+)"/.exec(data.subarray(0, start).toString("latin1"))[1]);
  const bytes = Number(data.readBigUInt64LE(start + offset)), from = start + offset + 8;
  return new Float64Array(data.buffer.slice(data.byteOffset + from, data.byteOffset + from + bytes));
}
const vtuFiles = async (run) => (await readdir(join(run, "frames"))).filter((f) => f.endsWith(".vtu")).sort().map((f) => join(run, "frames", f));

const HELLO = '{"type":"hello","protocol":1}';
const socketTo = async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
  await new Promise((done, failed) => { socket.once("open", done).once("error", failed); });
  return socket;
};

/** Compares all rows and some frames with what a run wrote. */
async function sameAsWritten(run, frames) {
  const written = await table(join(run, "series.csv"));
  const rows = written.step.length;
  await until((n) => window.lilyan.panes[0].rows === n, rows);
  assert.deepEqual((await page.evaluate(() => window.lilyan.panes[0].columns)), Object.keys(written));
  for (const name of Object.keys(written)) assert.deepEqual(await column(name), written[name], name);
  const files = await vtuFiles(run);
  assert.equal(files.length, rows);
  let place = null; // of each vertex of the page among those of the file
  for (const frame of frames) {
    await seek(frame);
    await frameIs(frame);
    const got = await page.evaluate(() => {
      const { t, positions } = window.lilyan.lastFrame(0);
      return { t, positions: [...positions] };
    });
    const want = Float32Array.from(await vtuPositions(files[frame]));
    if (!place) {
      const known = new Map();
      for (let i = 0; i < want.length; i += 3) known.set(want.slice(i, i + 3).join(), i);
      assert.equal(known.size, want.length / 3);
      place = Array.from({ length: got.positions.length / 3 }, (_, i) => known.get(got.positions.slice(3 * i, 3 * i + 3).join()));
    }
    assert.equal(got.t, written.t[frame]);
    assert.ok(place.length > 50);
    assert.deepEqual(got.positions, place.flatMap((i) => [...want.slice(i, i + 3)]), `frame ${frame}`);
  }
}

test("rows and frames are those that a run writes, live and shown again", async () => {
  const run = join(folder, "blob");
  const { code, output } = await lilyan("run", "falling-blob", "--steps", "12", "-q", "-o", run);
  assert.equal(code, 0, output);
  await view("falling-blob", "--set", "integrator.steps=12");
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].finished);
  await sameAsWritten(run, [0, 7, 12]);
  quiet();
  await page.context().close();
  await server.stop();
  await view(run);
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].finished);
  await sameAsWritten(run, [0, 5, 12]);
  assert.ok(await page.evaluate(() => window.lilyan.panes[0].replay));
  assert.ok(await page.locator("#compare").isDisabled());
  quiet();
});

test("play, pause, step, reset, seek, speed", async () => {
  await view("falling-blob");
  await playing(false);
  await page.click("#reset");
  await frameIs(0);
  await until(() => window.lilyan.panes[0].rows === 1);
  for (let n = 1; n <= 3; ++n) {
    await page.click("#step");
    await frameIs(n);
  }
  assert.deepEqual(await column("step"), [0, 1, 2, 3]);
  await playing(true);
  await until(() => window.lilyan.lastFrame(0).frame >= 8);
  await playing(false);
  const frames = await page.evaluate(() => window.lilyan.state.panes[0].frames);
  assert.ok(frames >= 9);
  await seek(4);
  await frameIs(4);
  assert.equal(await page.evaluate(() => window.lilyan.state.panes[0].frame), 4);
  for (const speed of [0.5, 5, 0]) {
    await page.selectOption("#speed", String(speed));
    await until((s) => window.lilyan.state.speed === s, speed);
  }
  const { run } = await page.evaluate(() => window.lilyan.panes[0]);
  await page.click("#reset");
  await until((r) => window.lilyan.panes[0].run > r && window.lilyan.lastFrame(0)?.frame === 0, run);
  quiet();
});

test("method, step, damping and material are changed, and taken back", async () => {
  await view("bunny");
  await playing(false);
  await page.getByLabel("Method of pane 1").selectOption("backward-euler");
  await until(() => window.lilyan.panes[0].methodName === "backward-euler");
  await page.click("#tab-settings");
  await page.getByLabel("Step size").fill("0.02");
  await page.getByLabel("mu", { exact: true }).fill("700");
  await page.getByLabel("Stiffness", { exact: true }).fill("0.03");
  await page.getByRole("button", { name: "Apply and restart" }).click();
  await until(() => window.lilyan.panes[0].step === 0.02 && window.lilyan.panes[0].material.mu === 700);
  await page.click("#step");
  await page.click("#step");
  await until(() => window.lilyan.panes[0].rows >= 3);
  assert.deepEqual((await column("step_size")).slice(0, 3), [0, 0.02, 0.02]);
  const lost = await column("ledger_dissipation");
  assert.ok(lost[1] < 0 && lost[2] < 0, lost.join());
  assert.equal(await page.getByLabel("Stiffness", { exact: true }).inputValue(), "0.03");
  // A setting that the scene refuses: its field says why, and the run goes on.
  await page.getByLabel("key=value").fill("integrator.stpe=1");
  await page.getByRole("button", { name: "Apply and restart" }).click();
  await page.locator("#settings-panel .refused").waitFor();
  const told = await page.locator("#settings-panel .refused").textContent();
  assert.match(told, /stpe/);
  assert.match(told, /integrator/);
  assert.match(told, /step/);
  assert.equal(await page.getByLabel("key=value").inputValue(), "integrator.stpe=1");
  const { rows } = await page.evaluate(() => window.lilyan.panes[0]);
  await page.click("#step");
  await until((n) => window.lilyan.panes[0].rows > n, rows);
  quiet();
});

test("a setting is taken away", async () => {
  await view("falling-blob", "--set", "integrator.step=0.01");
  await playing(false);
  await page.click("#tab-settings");
  await page.getByRole("button", { name: "Take away integrator.step" }).click();
  await until(() => window.lilyan.panes[0].step === 0.033);
  assert.deepEqual(await page.evaluate(() => window.lilyan.panes[0].settings), []);
  quiet();
});

test("pulling does work; a picture is taken", async () => {
  await view("bunny");
  await playing(false);
  await page.click("#reset");
  await frameIs(0);
  // In the middle of a scene of one body is the body.
  const box = await page.locator(".pane .stage").boundingBox();
  const at = [box.x + box.width / 2, box.y + box.height / 2];
  await page.keyboard.down("Shift");
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + 80, at[1] - 60, { steps: 4 });
  // The pointer is held: the keyboard plays.
  await page.keyboard.press("Space");
  await until(() => [...window.lilyan.column(0, "ledger_work")].some((w) => w !== 0));
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const [png] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
  assert.equal((await readFile(await png.path())).subarray(0, 8).toString("hex"), "89504e470d0a1a0a");
  quiet();
});

test("what holds bodies is drawn where it is, and a run that is done says what was kept", async () => {
  await view("swinging-bar", "--set", "integrator.duration=0.5");
  const links = () => page.evaluate(() => window.lilyan.looksAt.links[0]);
  assert.deepEqual(await page.evaluate(() => window.lilyan.panes[0].links), [{ kind: "rod", held: [false, true] }]);
  await until(() => window.lilyan.looksAt.links[0]?.first.length === 6);
  await seek(0);
  await frameIs(0);
  const [ax, ay, az, ...pivot] = (await links()).first;
  assert.deepEqual(pivot, [-1, 2, 0]);
  assert.deepEqual([ax, ay, az], [-1, 0, 0]);
  // The pivot is in the picture: the camera looks at a place between it and the bar.
  const target = await page.evaluate(() => window.lilyan.looksAt.target);
  assert.ok(target[1] > 0, `the camera looks at ${target}`);
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].finished && window.lilyan.lastFrame(0).frame === 50);
  const after = (await links()).first;
  assert.deepEqual(after.slice(3), [-1, 2, 0]);
  assert.ok(Math.abs(Math.hypot(after[0] + 1, after[1] - 2, after[2]) - 2) < 1e-6, "the rod keeps its length");
  assert.ok(after[0] > -0.99 || after[1] < -0.01 || after[0] < -1.01, "and has moved");
  await until(() => /energy conserved, \|ΔE\|\/E₀ ≤/.test(document.querySelector(".pane .verdict").textContent));
  assert.equal(await page.locator(".pane .note").textContent(), "Finished");
  assert.match(await page.locator(".pane .verdict").getAttribute("title"), /linear momentum/);
  assert.deepEqual(problems, []);
});

test("a short run of a symplectic method is undecided, and its pivot is marked", async () => {
  await view("pendulum", "--set", "integrator.duration=0.6");
  assert.deepEqual(await page.evaluate(() => window.lilyan.panes[0].draw.held), [0]);
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => /energy undecided/.test(document.querySelector(".pane .verdict").textContent));
});

test("four methods side by side", async () => {
  await view("falling-blob");
  await page.locator("#compare").click();
  await until(() => window.lilyan.panes.length === 4);
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes.every((p) => p.rows >= 6) && window.lilyan.plots[0]?.rows.every((n) => n >= 6));
  await playing(false);
  const methods = ["avf", "energy-momentum", "implicit-midpoint", "backward-euler"];
  assert.deepEqual(await page.evaluate(() => window.lilyan.panes.map((p) => p.methodName)), methods);
  assert.deepEqual(await page.evaluate(() => window.lilyan.plots.find((p) => p.id === "energy").labels), methods);
  // The same start, and by their sixth row not the same numbers.
  const energies = await Promise.all([0, 1, 2, 3].map((p) => column("energy_total", p)));
  assert.equal(new Set(energies.map((e) => e[0])).size, 1);
  const heights = await Promise.all([0, 3].map((p) => column("energy_gravity", p)));
  assert.notEqual(heights[0][5], heights[1][5]);
  quiet();
});

test("four panes under load all get frames", async () => {
  await view("bunny");
  await page.locator("#compare").click();
  await until(() => window.lilyan.panes.length === 4 && window.lilyan.panes.every((p) => p.frames > 0));
  await page.selectOption("#speed", "0");
  await playing(true);
  const frames = await page.evaluate(() => window.lilyan.panes.map((p) => p.frames));
  await until((had) => window.lilyan.panes.every((p, i) => p.frames >= had[i] + 4 && window.lilyan.lastFrame(i).frame >= 4), frames);
  quiet();
});

const EXPLODES = ["integrator.method=explicit-euler", "integrator.step=0.2"].flatMap((s) => ["--set", s]);

test("a run that explodes: how far, and that it failed", async () => {
  await view("falling-blob", ...EXPLODES);
  await page.check("#drift");
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].failed);
  // The last rows come with or before the word that it failed.
  const energy = await column("energy_total"), drift = (energy.at(-1) - energy[0]) / energy[0];
  assert.ok(drift > 1e100, String(drift));
  await until((d) => Math.abs(Number(document.querySelector('[data-plot="energy"] .key b').textContent) / d - 1) < 0.1, drift);
  quiet();
});

test("a run that failed is shown again as failed", async () => {
  const run = join(folder, "failed");
  const { code } = await lilyan("run", "falling-blob", ...EXPLODES, "-q", "-o", run);
  assert.notEqual(code, 0);
  await view(run);
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].failed && /^Failed: /.test(document.querySelector(".pane .note").textContent));
  quiet();
});

test("who vanishes lets go of what was pulled", async () => {
  await view("bunny", "--set", "integrator.steps=1000000");
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.lastFrame(0)?.frame > 1);
  const puller = await socketTo();
  puller.on("message", () => {});
  puller.send(HELLO);
  const [x, y, z] = await page.evaluate(() => [...window.lilyan.lastFrame(0).positions.slice(0, 3)]);
  puller.send(JSON.stringify({ type: "pull", pane: 0, vertex: 0, target: [x + 1, y + 1, z] }));
  await until(() => window.lilyan.column(0, "ledger_work").at(-1) !== 0);
  puller.terminate();
  await until(() => window.lilyan.column(0, "ledger_work").slice(-4).every((w) => w === 0));
  quiet();
});

test("a surface of 62500 vertices", async () => {
  await view("hanging-cloth", ...["body.0.shape.cells=[249, 249]", "body.0.attach.0.region.vertices=[0, 62250]", "body.0.attach.0.stiffness=1",
    "integrator.method=stoermer-verlet", "integrator.step=0.0005", "integrator.steps=1000000"].flatMap((s) => ["--set", s]));
  await page.setViewportSize({ width: 480, height: 400 });
  await until(() => window.lilyan.lastFrame(0) && window.lilyan.drawn.frames > 0);
  assert.equal(await page.evaluate(() => window.lilyan.panes[0].vertices), 62500);
  await page.selectOption("#speed", "0");
  await playing(true);
  const before = await page.evaluate(() => ({ ...window.lilyan.drawn, ticks: window.lilyan.ticks }));
  await until((b) => window.lilyan.drawn.received > b.received + 4 && window.lilyan.drawn.frames > b.frames + 3 && window.lilyan.ticks > b.ticks + 3, before);
  // What the page itself does with a frame, without what a renderer in software takes; the least of some, as the
  // machine may be busy with other things.
  const { least, parse, received } = await page.evaluate(() => window.lilyan.drawn);
  assert.ok(least < 100, `${least} ms`);
  assert.ok(parse / received < 100, `${parse / received} ms`);
  quiet();
});

test("a cloud goes along with a pendulum", async () => {
  await view("pendulum");
  await playing(false);
  await page.click("#reset");
  await frameIs(0);
  await page.getByLabel("Cloud of initial conditions in pane 1").click();
  await until(() => window.lilyan.panes[0].cloud > 100);
  const before = await page.evaluate(() => [...window.lilyan.lastCloud(0).q]);
  await page.click("#step");
  await until(() => window.lilyan.lastFrame(0).frame >= 1 && window.lilyan.lastCloud(0).frame === window.lilyan.lastFrame(0).frame);
  const now = await page.evaluate(() => [...window.lilyan.lastCloud(0).q]);
  assert.equal(now.length, before.length);
  assert.notDeepEqual(now, before);
  assert.ok(now.every(Number.isFinite));
  // Every row of the path.
  await page.selectOption("#speed", "0");
  await playing(true);
  await until(() => window.lilyan.panes[0].rows >= 50);
  await playing(false);
  await until(() => window.lilyan.panes[0].wholePath && window.lilyan.panes[0].path === window.lilyan.panes[0].rows);
  // After a reload it is in the hand as before.
  const count = await page.evaluate(() => window.lilyan.panes[0].cloud);
  await page.reload();
  await until((n) => window.lilyan.panes[0]?.cloud === n && document.querySelector('[aria-label^="Cloud"]').getAttribute("aria-pressed") === "true", count);
  // Removed while it moves it stays away.
  await page.click("#reset");
  await page.selectOption("#speed", "1");
  await playing(true);
  await until(() => window.lilyan.panes[0].cloud > 0 && window.lilyan.lastCloud(0).frame > 3);
  await page.getByLabel("Cloud of initial conditions in pane 1").click();
  await until(() => window.lilyan.panes[0].cloud === 0);
  const { frame } = await page.evaluate(() => window.lilyan.lastFrame(0));
  await until((f) => window.lilyan.lastFrame(0).frame > f + 5, frame);
  assert.equal(await page.evaluate(() => window.lilyan.panes[0].cloud), 0);
  quiet();
});

test("a run that is watched", async () => {
  const run = join(folder, "watched");
  server = await serve("run", "falling-blob", "--view", "--steps", "1000000", "--set", "output.every=0",
    "--set", "output.series_every=1", "-o", run);
  await open(server.url);
  await until(() => window.lilyan.panes[0].rows > 10 && window.lilyan.framesReceived > 2);
  // It goes on by itself: it cannot be changed or reset.
  assert.ok(await page.evaluate(() => window.lilyan.panes[0].watched));
  assert.ok(await page.getByLabel("Method of pane 1").isDisabled());
  await page.click("#reset");
  await until(() => document.querySelector(".toast"));
  const got = await column("energy_kinetic"), { frame, t } = await page.evaluate(() => window.lilyan.lastFrame(0));
  quiet();
  await server.stop("SIGINT");
  const written = await table(join(run, "series.csv"));
  assert.ok(written.step.length >= got.length);
  assert.deepEqual(got, written.energy_kinetic.slice(0, got.length));
  assert.equal(t, written.t[frame]);

  // It goes on from where it was, watched again; the page of before had lost its server.
  await page.goto("about:blank");
  problems.length = 0;
  const last = written.step.at(-1);
  server = await serve("run", "--resume", run, "--view");
  await open(server.url);
  await until((n) => window.lilyan.panes[0].rows > 5 && window.lilyan.lastFrame(0).frame > n, last);
  const steps = await column("step"), kinetic = await column("energy_kinetic");
  assert.equal(steps[0], last);
  quiet();
  await server.stop("SIGINT");
  const longer = await table(join(run, "series.csv"));
  assert.deepEqual(longer.step.slice(0, last + 1), written.step);
  assert.deepEqual(kinetic.slice(1), longer.energy_kinetic.slice(last + 1, last + kinetic.length));
});

const reply = (socket) => new Promise((done, failed) => {
  socket.once("close", () => failed(new Error("closed")));
  socket.on("message", (data, binary) => {
    if (binary) return;
    const m = JSON.parse(data);
    if (m.type === "error") done(m);
  });
});

test("wrong messages, and clients that do not read or vanish, harm no one", async () => {
  await view("falling-blob", "--set", "integrator.steps=1000000");
  await playing(false);
  for (const bad of ["{", "[]", "null", '{"type":"nonsense"}', '{"type":"seek","frame":-1}', '{"type":"seek","frame":"x"}', '{"type":"pull","pane":9}',
    '{"type":"open","panes":[]}', '{"type":"open","panes":[{"scene":"../../etc/passwd"}]}', '{"type":"change","pane":0,"settings":7}',
    '{"type":"change","pane":0,"settings":["body.0.mesh=/etc/passwd"]}', `{"type":"${"x".repeat(70000)}"}`, Buffer.alloc(40)]) {
    const socket = await socketTo(), answer = reply(socket);
    socket.send(HELLO);
    socket.send(bad);
    assert.ok((await answer).message, String(bad).slice(0, 60));
    socket.terminate();
  }
  // One says hello and reads nothing, one vanishes in the middle of a message.
  const deaf = createConnection(server.port, "127.0.0.1");
  deaf.write(`GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`);
  await new Promise((done) => deaf.once("data", done));
  deaf.pause();
  deaf.write(Buffer.concat([Buffer.from([0x81, 0x80 | HELLO.length]), Buffer.alloc(4), Buffer.from(HELLO)]));
  const gone = await socketTo();
  gone.send(HELLO);
  gone._socket.destroy();
  const more = async () => {
    const [rows, frames] = await page.evaluate(() => [window.lilyan.rowsReceived, window.lilyan.framesReceived]);
    await until(([r, f]) => window.lilyan.rowsReceived > r + 20 && window.lilyan.framesReceived > f + 2, [rows, frames]);
  };
  await page.selectOption("#speed", "0");
  await playing(true);
  await more();
  deaf.destroy();
  await more();
  quiet();
});

test("reports need no network and have their pictures, curves and tables", async () => {
  const one = join(folder, "report"), small = join(folder, "small"), several = join(folder, "compare");
  for (const args of [["run", "falling-blob", "--steps", "6", "-q", "-o", one], ["run", "pendulum", "--steps", "200", "-q", "-o", small], ["compare", "falling-blob", "--steps", "6", "--methods", "avf,backward-euler", "-o", several]]) {
    const { code, output } = await lilyan(...args);
    assert.equal(code, 0, output);
  }
  const context = await browser.newContext();
  page = await context.newPage();
  for (const report of [one, small, several]) {
    const asked = [], wrong = [], address = pathToFileURL(join(report, "report.html")).href;
    page.removeAllListeners();
    page.on("request", (r) => { if (!/^(data|blob):/.test(r.url())) asked.push(r.url()); });
    page.on("pageerror", (e) => wrong.push(String(e)));
    page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") wrong.push(m.text()); });
    await page.goto(address);
    assert.deepEqual(wrong, []);
    assert.deepEqual(asked, [address]);
    const has = await page.evaluate(() => ({
      pictures: [...document.querySelectorAll("img")].filter((i) => i.complete && i.naturalWidth > 10).length,
      broken: [...document.querySelectorAll("img")].filter((i) => !i.complete || !i.naturalWidth).length,
      charts: [...document.querySelectorAll(".plot:not([hidden]) canvas")].filter((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v)).length,
      planes: document.querySelectorAll(".plot.plane").length, left: document.querySelectorAll("figure.chart").length,
      rows: document.querySelectorAll("table tr").length, text: document.body.innerText,
    }));
    assert.equal(has.broken, 0);
    assert.equal(has.left, 0, "every chart was drawn");
    assert.ok(has.charts >= 4, JSON.stringify(has));
    assert.ok(report === small ? has.planes >= 1 : has.pictures >= 4, JSON.stringify(has));
    assert.ok(has.rows >= 2, JSON.stringify(has));
    assert.match(has.text, report === small ? /Pendulum/ : /avf/);
  }
  assert.match(await page.evaluate(() => document.body.innerText), /backward-euler/);
});
