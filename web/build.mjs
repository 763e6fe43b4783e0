// Bundles src into self-contained pages: dist/index.html, the page of the live view, and dist/report.html, into which
// the program puts the text and the data of a report. With --verify: builds into a temporary folder and compares with
// the committed pages.
import { build } from "esbuild";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = ["chrome110", "firefox110", "safari16"];

/** Names of the libraries in LICENSES.md and of their packages. */
const PACKAGES = { "three.js": "three", uPlot: "uplot" };

const PAGES = [
  { file: "index.html", script: "src/main.ts", style: "src/style.css", title: "The page of Lilyan's live view", libraries: ["three.js", "uPlot"] },
  { file: "report.html", script: "src/report.ts", style: "src/report.css", title: "A report of Lilyan", libraries: ["uPlot"] },
];

/** The code or the style of a page, which may contain packages with these names only: their licences are in the page. */
async function bundle(entry, packages) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const name = input.match(/node_modules\/((@[^/]*\/)?[^/]*)/)?.[1];
    if (name && !packages.includes(name)) throw new Error(`${entry} contains ${name}, whose licence is not in the page: see PAGES in build.mjs`);
  }
  return result.outputFiles[0].text;
}

/** Those parts of LICENSES.md that are about the libraries in a page. */
function licencesOf(text, libraries) {
  if (text.includes("--")) throw new Error("LICENSES.md must not contain two dashes in a row: it becomes a comment");
  const parts = text.split(/^(?=## )/m).filter((part) => libraries.some((name) => part.startsWith(`## ${name} `)));
  if (parts.length !== libraries.length) throw new Error(`LICENSES.md must have a part for each of ${libraries}`);
  return parts.join("").trim();
}

async function page({ file, script, style, title, libraries }) {
  const [html, code, css, licences] = await Promise.all([
    readFile(join(here, "src", file), "utf8"),
    bundle(script, libraries.map((name) => PACKAGES[name])),
    bundle(style, libraries.map((name) => PACKAGES[name])),
    readFile(join(here, "LICENSES.md"), "utf8"),
  ]);
  const comment = `<!--\n${title}. MIT. Made by "npm run build" in web/; do not edit.\n\n${licencesOf(licences, libraries)}\n-->`;
  return html
    .replace("<!-- licences -->", () => comment)
    .replace("/* style */", () => css.trim().replaceAll("</style", "<\\/style"))
    .replace("/* script */", () => code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"));
}

async function write(folder) {
  await mkdir(folder, { recursive: true });
  for (const one of PAGES) await writeFile(join(folder, one.file), await page(one));
}

if (process.argv.includes("--verify")) {
  const folder = await mkdtemp(join(tmpdir(), "lilyan-page-"));
  try {
    await write(folder);
    for (const { file } of PAGES) {
      const fresh = await readFile(join(folder, file)), committed = await readFile(join(here, "dist", file));
      if (!fresh.equals(committed)) {
        console.error(`dist/${file} is not what the sources give: run npm run build`);
        process.exitCode = 1;
      } else console.log(`dist/${file} is what the sources give (${fresh.length} bytes)`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
} else {
  await write(join(here, "dist"));
  for (const { file } of PAGES) console.log(`dist/${file}: ${(await readFile(join(here, "dist", file))).length} bytes`);
}
