import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { onTestFinished } from "vitest";

/** The machine's Chromium, where it has one. */
const PROGRAM = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const FLAGS = [
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** False where there is no Chromium, which is printed. On a build machine (`CI=true`) there must be one. */
export function hasChromium(): boolean {
  if (PROGRAM !== undefined) return true;
  if (process.env.CI === "true") throw new Error("no chromium on PATH: the page's tests need one");
  console.log("skipped: no chromium on PATH (Debian: apt-get install chromium)");
  return false;
}

/** A new one, closed when the test ends. */
export async function startChromium(): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error("there is no chromium");
  const is_root = process.getuid?.() === 0; // whom its sandbox doesn't work for
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    headless: true,
    chromiumSandbox: !is_root,
    args: FLAGS,
  });
  onTestFinished(() => browser.close());
  return browser;
}
