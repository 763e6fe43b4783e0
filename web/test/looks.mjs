// Pictures of the page with the real program, into test/out: for looking at. node test/looks.mjs [part of a name]
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { serve, useDist } from "./program.mjs";

const out = join(dirname(fileURLToPath(import.meta.url)), "out");
await mkdir(out, { recursive: true });
const only = process.argv[2] ?? "";
const METHODS = ["avf", "implicit-midpoint", "newmark", "backward-euler"];
const LAPTOP = [1366, 768], BIG = [1920, 1080], PHONE = [390, 844];
// name, size, scene, step to stop at, what else
const shots = [
  ["bunny-laptop", LAPTOP, "bunny", 40, { colour: "speed" }],
  ["bunny-big-dark", BIG, "bunny", 40, { dark: true, wire: true }],
  ["bunny-phone", PHONE, "bunny", 30, { full: true }],
  ["four-laptop", LAPTOP, "bunny", 45, { compare: true }],
  ["four-big", BIG, "bunny", 45, { compare: true, colour: "energy", log: true }],
  ["four-phone", PHONE, "bunny", 45, { compare: true, log: true }],
  ["settings-laptop", LAPTOP, "bunny", 5, { set: "integrator.step=0.02", settings: true }],
  ["settings-phone", PHONE, "bunny", 5, { set: "integrator.step=0.02", settings: true, full: true }],
  ["pendulum-laptop", LAPTOP, "pendulum", 60, { cloud: true, compare: true }],
  ["pendulum-phone", PHONE, "pendulum", 60, { cloud: true }],
  ["kepler-laptop", LAPTOP, "kepler", 400, {}],
  ["planets-big", BIG, "outer-solar-system", 300, {}],
  ["conveyor-laptop", LAPTOP, "conveyor", 90, {}],
  ["cloth-laptop", LAPTOP, "hanging-cloth", 40, { wire: true }],
  ["rod-laptop", LAPTOP, "rod", 400, { colour: "speed" }],
  ["dragon-big", BIG, "spinning-dragon", 20, { dark: true }],
  ["held-bar-laptop", LAPTOP, "swinging-bar", 30, {}],
  ["held-bar-phone", PHONE, "swinging-bar", 60, { dark: true }],
  ["held-chain-laptop", LAPTOP, "chain-links", 60, { dark: true }],
  ["held-chain-phone", PHONE, "chain-links", 60, {}],
  ["held-spherical-laptop", LAPTOP, "spherical-pendulum", 200, {}],
  ["held-spherical-phone", PHONE, "spherical-pendulum", 200, { dark: true }],
  ["held-dragon-laptop", LAPTOP, "spinning-dragon", 10, {}],
  ["held-dragon-phone", PHONE, "spinning-dragon", 10, { dark: true }],
  ["argon-laptop", LAPTOP, "argon-crystal", 100, {}],
  ["twelve-laptop", LAPTOP, "bunny-12k", 4, {}],
  ["blobs-laptop", LAPTOP, "colliding-blobs", 60, { colour: "energy" }],
  ["capture", LAPTOP, "falling-blob", 60, { compare: true, log: true, capture: true }],
];
const browser = await launch();
for (const [name, [width, height], scene, until, o] of shots) {
  if (!name.includes(only)) continue;
  const server = await serve("view", scene, ...(o.set ? ["--set", o.set] : []));
  const touch = width < 500;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: o.dark ? "dark" : "light", deviceScaleFactor: touch ? 2 : 1, hasTouch: touch, isMobile: touch });
  const page = await context.newPage();
  await useDist(page);
  page.on("pageerror", (e) => console.log(name, String(e)));
  page.on("console", (m) => { if (m.type() === "error") console.log(name, m.text()); });
  await page.goto(server.url);
  await page.waitForFunction(() => window.lilyan.framesReceived > 0, null, { timeout: 60000 });
  if (o.compare) {
    await page.locator("#compare").click();
    await page.waitForFunction(() => window.lilyan.panes.length === 4 && window.lilyan.lastFrame(3));
  }
  if (o.cloud) await page.getByRole("button", { name: "Cloud of initial conditions in pane 1" }).click();
  await page.selectOption("#speed", "0");
  await page.waitForFunction(() => window.lilyan.state.playing !== undefined);
  if (!(await page.evaluate(() => window.lilyan.state.playing))) await page.click("#play");
  await page.waitForFunction((n) => window.lilyan.panes.every((p) => p.rows > n || p.finished || p.failed), until, { timeout: 120000 });
  await page.evaluate((n) => {
    const s = document.getElementById("scrub");
    s.value = String(n);
    s.dispatchEvent(new Event("input", { bubbles: true }));
    s.dispatchEvent(new Event("change", { bubbles: true }));
  }, until);
  await page.waitForFunction(() => window.lilyan.state.playing === false);
  if (o.colour) await page.selectOption("#colour", o.colour).catch((e) => console.log(name, e.message.split("\n")[0]));
  if (o.wire) await page.click("#wire");
  if (o.log) await page.check("#log");
  if (o.settings) await page.click("#tab-settings");
  await page.waitForTimeout(900);
  if (o.capture) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
    await file.saveAs(join(out, `${name}.png`));
  } else await page.screenshot({ path: join(out, `${name}.png`), fullPage: !!o.full });
  await context.close();
  await server.stop();
  console.log(name);
}
await browser.close();
