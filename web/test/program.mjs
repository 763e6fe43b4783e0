// The real program: LILYAN names it where it is not in ../build/release. With PAGE=dist its page is that of
// dist/index.html, which need not have been built into it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const PROGRAM = resolve(process.env.LILYAN ?? join(here, "../../build/release/lilyan"));

const running = new Set();
process.on("exit", () => { for (const child of running) child.kill("SIGKILL"); });

export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Runs the program to its end. */
export async function lilyan(...args) {
  const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { output += data; });
  const [code] = await once(child, "close");
  return { code, output };
}

/** Starts the program and waits until it has said where its page is. */
export async function serve(...args) {
  const port = await freePort();
  const child = spawn(PROGRAM, [...args, "--port", String(port)], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  const ended = once(child, "close").then(([code]) => code);
  const url = await new Promise((found, failed) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        output += data;
        const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(output);
        if (address) found(address[0]);
      });
    child.on("error", failed);
    ended.then((code) => failed(new Error(`the program ended with ${code}: ${output}`)));
  });
  return {
    url, port, ended,
    get output() { return output; },
    get running() { return child.exitCode === null && child.signalCode === null; },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(timer);
      running.delete(child);
    },
  };
}

/** With PAGE=dist, gives the page of dist in place of the one built into the program. */
export async function useDist(page) {
  if (process.env.PAGE !== "dist") return;
  const body = await readFile(join(here, "../dist/index.html"));
  await page.route((url) => url.pathname === "/" && url.hostname === "127.0.0.1", (route) =>
    route.fulfill({
      body, contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'" },
    }));
}
