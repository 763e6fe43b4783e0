// Bundles src into one self-contained page, dist/index.html. With --verify: builds into a temporary
// folder and compares with the committed page.
import { build } from "esbuild";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = ["chrome110", "firefox110", "safari16"];

async function bundle(entry) {
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
  });
  return result.outputFiles[0].text;
}

async function page() {
  const [html, script, style, licences] = await Promise.all([
    readFile(join(here, "src/index.html"), "utf8"),
    bundle("src/main.ts"),
    bundle("src/style.css"),
    readFile(join(here, "LICENSES.md"), "utf8"),
  ]);
  const comment = `<!--\nThe page of Lilyan's live view. MIT. Made by "npm run build" in web/; do not edit.\n\n${licences.trim()}\n-->`;
  if (licences.includes("--")) throw new Error("LICENSES.md must not contain two dashes in a row: it becomes a comment");
  return html
    .replace("<!-- licences -->", () => comment)
    .replace("/* style */", () => style.trim().replaceAll("</style", "<\\/style"))
    .replace("/* script */", () => script.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"));
}

async function write(folder) {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "index.html");
  await writeFile(file, await page());
  return file;
}

if (process.argv.includes("--verify")) {
  const folder = await mkdtemp(join(tmpdir(), "lilyan-page-"));
  try {
    const fresh = await readFile(await write(folder));
    const committed = await readFile(join(here, "dist/index.html"));
    if (!fresh.equals(committed)) {
      console.error("dist/index.html is not what the sources give: run npm run build");
      process.exitCode = 1;
    } else console.log(`dist/index.html is what the sources give (${fresh.length} bytes)`);
  } finally {
    await rm(folder, { recursive: true });
  }
} else {
  const file = await write(join(here, "dist"));
  console.log(`dist/index.html: ${(await readFile(file)).length} bytes`);
}
