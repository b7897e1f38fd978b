import { execFileSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";
import type { OperatorApi } from "../ipc/contract/operator-api.ts";

/** The system's Chromium, and the gate's page in it. @throws Error where there is no Chromium on PATH */
export function openBrowser(): Promise<Browser> {
  const executablePath = execFileSync("/bin/sh", ["-c", "command -v chromium || command -v google-chrome"], {
    encoding: "utf8",
  }).trim();
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars"],
  });
}

export interface PageLook {
  width: number;
  height: number;
  scheme?: "light" | "dark";
}

/** The gate's page, by a link for one use. Pictures are taken at two pixels a CSS pixel. */
export async function openGatePage(browser: Browser, operator: OperatorApi, look: PageLook): Promise<Page> {
  const { url } = await operator.call("web.link", {});
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    deviceScaleFactor: 2,
    colorScheme: look.scheme ?? "light",
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}
