import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

/** The real Chromium whose pages the windows are. Started when the app gets ready. */

/** The one that can only be headless: a page takes it a quarter of the processor's time. */
const HEADLESS = "/usr/bin/chromium-headless-shell";

export const CHROMIUM = process.env.CHROMIUM_PATH || (existsSync(HEADLESS) ? HEADLESS : "/usr/bin/chromium");

const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let context: Promise<BrowserContext> | undefined;
let profile: string | undefined;

export function browserContext(): Promise<BrowserContext> {
  context ??= launch();
  return context;
}

async function launch(): Promise<BrowserContext> {
  // In the test's own home, which is removed with it, however this process ends.
  profile = mkdtempSync(join(process.env.HOME ?? tmpdir(), "chromium-"));
  const launched = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    acceptDownloads: true,
    viewport: null,
    // A port, so that the test's own process sees the same pages.
    args: [...CHROMIUM_FLAGS, "--remote-debugging-port=0"],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const [port] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
  process.send?.({ chromiumPort: Number(port) });
  return launched;
}

const underWay = new Set<Promise<unknown>>();

/** Chromium isn't ended in the middle of this: a page that is closed while playwright prepares it would take us along. */
export function isUnderWay<T>(work: Promise<T>): Promise<T> {
  underWay.add(work);
  const done = () => underWay.delete(work);
  work.then(done, done);
  return work;
}

export async function endChromium(): Promise<void> {
  await Promise.allSettled(underWay);
  await (await context)?.close();
  if (profile !== undefined) rmSync(profile, { recursive: true, force: true });
}
