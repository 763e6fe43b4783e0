// The first picture of the README: one bunny under four methods at the same moments, beside their energies. The
// bunnies are captured from the page of the real program, in step and with one camera.
//
//   node picture.mjs [FILE] [--results FOLDER]
//
// FOLDER has a result folder of each method, as `lilyan compare bunny --steps 130` writes them; without it that is done first.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./test/browser.mjs";
import { lilyan, serve, useDist } from "./test/program.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const arguments_ = process.argv.slice(2);
const at = arguments_.indexOf("--results");
let results = at >= 0 ? resolve(arguments_.splice(at, 2)[1]) : null;
const file = resolve(arguments_[0] ?? join(here, "test/out/bunny-four-methods.png"));

const STEPS = 130, MOMENTS = [0, 9, 30, 61, 121];
const METHODS = [["avf", "AVF"], ["implicit-midpoint", "Implicit midpoint"], ["newmark", "Newmark"], ["backward-euler", "Backward Euler"]];
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#B8578C"];
const PATIENCE = { timeout: 300000 };

let temporary = null;
if (!results) {
  temporary = await mkdtemp(join(tmpdir(), "lilyan-picture-"));
  results = join(temporary, "compare");
  console.log("simulating …");
  const { code, output } = await lilyan("compare", "bunny", "--steps", String(STEPS), "--methods", METHODS.map(([m]) => m).join(), "-o", results);
  if (code) throw new Error(output);
}

/** The panes at each moment, and the energies. */
async function capture(browser) {
  const server = await serve("view", ...METHODS.map(([m]) => join(results, m)));
  const page = await browser.newPage({ viewport: { width: 800, height: 800 }, deviceScaleFactor: 1, colorScheme: "light" });
  await useDist(page);
  await page.goto(server.url);
  await page.addStyleTag({ content: `
    :root { --stage: #fff !important; --line: #fff !important; }
    .top, .transport, .bar, .side, .pane header, .pane footer, .pane .note, .pane::after, .toasts { display: none !important; }
    main { grid-template-columns: 1fr !important; display: grid !important; height: 100vh; }
    .views { height: 100vh !important; gap: 0 !important; }` });
  await page.waitForFunction(() => window.lilyan.panes.length === 4 && window.lilyan.state.playing !== undefined, null, PATIENCE);
  await page.evaluate(() => {
    const speed = document.getElementById("speed");
    speed.value = "0";
    speed.dispatchEvent(new Event("change"));
    if (!window.lilyan.state.playing) document.getElementById("play").click();
  });
  await page.waitForFunction((n) => window.lilyan.panes.every((p) => p.rows > n), MOMENTS.at(-1), PATIENCE);
  await page.waitForFunction(() => window.lilyan.panes.every((p) => p.finished || p.failed), null, PATIENCE);
  for (let k = 0; k < 2; ++k) await page.keyboard.press("+");
  const pictures = [];
  for (const frame of MOMENTS) {
    await page.evaluate((f) => {
      const s = document.getElementById("scrub");
      s.value = String(f);
      s.dispatchEvent(new Event("input"));
      s.dispatchEvent(new Event("change"));
    }, frame);
    await page.waitForFunction((f) => [0, 1, 2, 3].every((p) => window.lilyan.lastFrame(p)?.frame === f), frame, PATIENCE);
    // Two frames of the browser later it is drawn.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
    const column = [];
    for (let p = 0; p < 4; ++p) {
      const box = await page.locator(".pane .stage").nth(p).boundingBox();
      column.push((await page.screenshot({ clip: box })).toString("base64"));
    }
    pictures.push(column);
  }
  const energies = await page.evaluate(() => [0, 1, 2, 3].map((p) => ({ t: [...window.lilyan.column(p, "t")], e: [...window.lilyan.column(p, "energy_total")] })));
  await page.close();
  await server.stop();
  return { pictures, energies };
}

const sup = (n) => String(n).replace("-", "−").replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["−0123456789".indexOf(c)] ?? c);

function energyPlot(energies, times, width, height) {
  const left = 62, right = 16, top = 14, bottom = 58, w = width - left - right, h = height - top - bottom;
  const relative = energies.map(({ t, e }) => t.map((x, i) => [x, e[i] / e[0]]));
  const all = relative.flat().map(([, y]) => y).filter((y) => y > 0);
  const low = Math.floor(Math.log10(Math.min(...all)) + 0.15), high = Math.ceil(Math.log10(Math.max(...all)));
  const end = Math.max(...relative.flat().map(([x]) => x));
  const X = (t) => left + (t / end) * w, Y = (y) => top + (1 - (Math.log10(y) - low) / (high - low)) * h;
  const parts = [];
  for (let k = low; k <= high; ++k)
    parts.push(`<line x1="${left}" x2="${left + w}" y1="${Y(10 ** k)}" y2="${Y(10 ** k)}" stroke="${k ? "#e3e7eb" : "#b3bcc5"}"/>`,
      `<text x="${left - 10}" y="${Y(10 ** k) + 7}" text-anchor="end">${k === 0 ? "1" : k === 1 ? "10" : `10${sup(k)}`}</text>`);
  for (const t of times) parts.push(`<line x1="${X(t)}" x2="${X(t)}" y1="${top}" y2="${top + h}" stroke="#c9d0d7" stroke-dasharray="2 5"/>`);
  for (let t = 0; t <= end; ++t) parts.push(`<text x="${X(t)}" y="${top + h + 28}" text-anchor="middle">${t}</text>`);
  parts.push(`<text x="${left + w}" y="${top + h + 54}" text-anchor="end">t in s</text>`);
  relative.forEach((line, k) => {
    const points = line.filter(([, y]) => y > 0).map(([x, y]) => `${X(x).toFixed(1)},${Y(y).toFixed(1)}`);
    parts.push(`<polyline points="${points.join(" ")}" fill="none" stroke="${COLOURS[k]}" stroke-width="3.5" stroke-linejoin="round"/>`);
    // Its name beside the curve, on the side that the curve bends away from.
    const [share, anchor, over] = [[0.98, "end", -14], [0.7, "end", -14], [0.56, "start", 36], [0.34, "start", -16]][k];
    const [x, y] = line[Math.round(share * (line.length - 1))];
    parts.push(`<text x="${X(x)}" y="${Y(y) + over}" text-anchor="${anchor}" style="fill:${COLOURS[k]};font-weight:650">${METHODS[k][1]}</text>`);
  });
  return `<svg width="${width}" height="${height}">${parts.join("")}</svg>`;
}

function compose({ pictures, energies }) {
  const times = MOMENTS.map((m) => energies[0].t[m]);
  const share = ({ e }) => {
    const r = e[e.length - 1] / e[0];
    return Math.abs(r - 1) < 1e-6 ? "energy kept" : r > 10 ? `energy × ${Number(r.toPrecision(2)).toLocaleString("en").replaceAll(",", " ")}` : r < 0.01 ? `energy × ${r.toPrecision(1)}` : `energy × ${r.toPrecision(2)}`;
  };
  const rows = METHODS.map(([, name], k) => `
    <div class="name"><b style="color:${COLOURS[k]}">${name}</b><span>${share(energies[k])}</span></div>
    ${MOMENTS.map((_, i) => `<img src="data:image/png;base64,${pictures[i][k]}">`).join("")}`).join("");
  const head = ["", ...times.map((t) => `t = ${Number(t.toFixed(1))} s`)].map((t) => `<div class="t">${t}</div>`).join("");
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: #fff; color: #1b2129; font: 21px/1.3 "Inter", "Noto Sans", "DejaVu Sans", sans-serif; width: 1800px; }
    main { display: grid; grid-template-columns: 1246px 1fr; gap: 30px; padding: 22px 26px 20px 30px; align-items: end; }
    .cells { display: grid; grid-template-columns: 216px repeat(5, 200px); gap: 6px; }
    .cells img { width: 200px; height: 200px; border-radius: 5px; box-shadow: inset 0 0 0 1px #e3e7eb; outline: 1px solid #e3e7eb; outline-offset: -1px; object-fit: cover; }
    .t { text-align: center; color: #56606c; padding-bottom: 4px; }
    .name { display: grid; align-content: center; gap: 3px; }
    .name b { font-size: 23px; font-weight: 650; letter-spacing: -.01em; }
    .name span, svg text { font-size: 19px; color: #56606c; fill: #56606c; }
    h2 { margin: 0 0 6px 4px; font-size: 22px; font-weight: 650; }
    h2 span { font-weight: 400; color: #56606c; font-size: 19px; }
    svg { display: block; }
  </style><main><div class="cells">${head}${rows}</div>
  <div><h2>Energy <span>E(t) / E(0)</span></h2>${energyPlot(energies, times, 466, 806)}</div></main>`;
}

const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1800, height: 900 }, deviceScaleFactor: 1 });
  await page.setContent(compose(await capture(browser)));
  await mkdir(dirname(file), { recursive: true });
  await page.screenshot({ path: file, fullPage: true });
  console.log(file);
} finally {
  await browser.close();
  if (temporary) await rm(temporary, { recursive: true });
}
