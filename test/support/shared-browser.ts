import type { Browser } from "playwright-core";
import { launchBrowser, NO_BROWSER } from "./browser.ts";

type Hook = (run: () => Promise<void>) => unknown;

/** One browser for a file's tests, each with its own pages. Give it the file's `beforeAll` and `afterAll`. */
export function sharedBrowser(before: Hook, after: Hook): () => Browser {
  let browser: Browser | undefined;
  before(async () => {
    if (NO_BROWSER === null) browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
  });
  return () => {
    if (browser === undefined) throw new Error("there is no browser");
    return browser;
  };
}
