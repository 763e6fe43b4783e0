// Pictures of the page against the stand-in server, into test/out: for looking at.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { MockServer } from "./mock-server.mjs";

const out = join(dirname(fileURLToPath(import.meta.url)), "out");
await mkdir(out, { recursive: true });
const only = process.argv[2] ?? "";
const browser = await launch();
const four = ["avf", "implicit-midpoint", "newmark", "backward-euler"].map((m) => [`integrator.method=${m}`]);
const shots = [
  ["one-light", "light", 1280, 800, "blob", [[]], {}],
  ["one-speed-dark", "dark", 1280, 800, "two-blobs", [[]], { colour: "speed", wire: true }],
  ["four-light", "light", 1280, 800, "blob", four, { settings: false }],
  ["four-log-dark", "dark", 1280, 800, "blob", four, { log: true, drift: true }],
  ["settings-light", "light", 1280, 800, "blob", four.slice(0, 2), { settings: true }],
  ["system-light", "light", 1280, 800, "pendulum", [[], ["integrator.method=explicit-euler"]], { cloud: true }],
  ["system-dark", "dark", 1280, 800, "kepler", [[]], {}],
  ["rod-light", "light", 1280, 800, "rod", [[]], {}],
  ["phone-one-light", "light", 390, 844, "blob", [[]], { full: true }],
  ["phone-four-dark", "dark", 390, 844, "blob", four, {}],
  ["phone-system-light", "light", 390, 844, "pendulum", [[]], { cloud: true }],
  ["capture", "light", 1280, 800, "blob", four, { capture: true }],
];
for (const [name, colorScheme, width, height, scene, settings, o] of shots) {
  if (!name.includes(only)) continue;
  const server = await new MockServer().listen();
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, deviceScaleFactor: 1 });
  page.on("pageerror", (e) => console.log(name, String(e)));
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") console.log(name, m.text()); });
  await page.goto(server.url);
  await page.waitForFunction(() => window.lilyan.framesReceived > 0);
  server.handle({ type: "open", panes: settings.map((s) => ({ scene, settings: s })) });
  if (o.cloud) await page.getByRole("button", { name: "Cloud of initial conditions in pane 1" }).click();
  await page.waitForTimeout(200);
  for (let k = 0; k < 40; ++k) server.stepAll(4);
  if (o.colour) await page.selectOption("#colour", o.colour);
  if (o.wire) await page.click("#wire");
  if (o.log) await page.check("#log");
  if (o.drift) await page.check("#drift");
  if (o.settings) await page.click("#tab-settings");
  await page.waitForTimeout(1200);
  if (o.capture) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
    await file.saveAs(join(out, `${name}.png`));
  } else await page.screenshot({ path: join(out, `${name}.png`), fullPage: !!o.full });
  await page.close();
  await server.close();
}
await browser.close();
