import type { TestProject } from "vitest/node";
import { NO_BROWSER, startBrowser } from "./browser.ts";

/** One browser for all tests of the page: starting one takes longer than most of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (NO_BROWSER !== null) return async () => undefined;
  const { address, close } = await startBrowser();
  project.provide("browser", address);
  return close;
}
