import { execFileSync } from "node:child_process";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { inject, onTestFinished } from "vitest";
import { ofDay } from "./whole-run.ts";

declare module "vitest" {
  interface ProvidedContext {
    browser: string;
  }
}

/** What each page is looked at in: one of them a day, else both. */
export const SCHEMES = ofDay(["light", "dark"] as const, 2);

/** The system's own Chromium. Playwright's download isn't needed. */

/** The first can only be headless: a page takes it a quarter of the processor's time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

function findChromium(): string | null {
  for (const name of NAMES) {
    try {
      return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // this one isn't installed: the next
    }
  }
  return null;
}

const CHROMIUM = findChromium();

/** Null where a browser is there; else why the tests that need one are skipped. With CI=true that is a failure. */
export const NO_BROWSER: string | null =
  CHROMIUM === null ? "no Chromium on PATH (apt-get install chromium-headless-shell)" : null;
if (NO_BROWSER !== null) {
  if (process.env.CI === "true") throw new Error(NO_BROWSER);
  console.log(`skipped: ${NO_BROWSER}`);
}

/**
 * Connects to the run's browser; each page in it has a separate context. The caller closes the connection: that ends its pages
 * and no others.
 */
export function launchBrowser(): Promise<Browser> {
  return chromium.connect(inject("browser"));
}

/** As a browser of its own: cookies, caches and pages are shared with no other. Closed when the test ends. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  return await browser.newContext(options);
}

/** Starts the one that all test files share, and gives its address; `close` ends it. */
export async function startBrowser(): Promise<{ address: string; close(): Promise<void> }> {
  const server = await chromium.launchServer({
    executablePath: CHROMIUM ?? "",
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return { address: server.wsEndpoint(), close: () => server.close() };
}
