import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { NO_BROWSER } from "../support/browser.ts";
import { cards } from "../support/card-page.ts";
import { CHECKOUT, StartedProcess } from "../support/gate-process.ts";
import { ask, PageSocket, sessionIn, upgradeStatus } from "../support/page-visitor.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { tempFolder } from "../support/temp-folder.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** `npm run dev` with a separate folder for temporary files. */
async function startDev(): Promise<{ dev: StartedProcess; link: URL; folder: string }> {
  const folder = tempFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder };
  const dev = new StartedProcess(process.execPath, [join(CHECKOUT, "dev/run.ts"), "--port", "0"], {
    env,
    cwd: CHECKOUT,
  });
  await dev.printed(/Ctrl-C/);
  const [link = ""] = dev.stdout.match(/http:\/\/\S+/) ?? [];
  return { dev, link: new URL(link), folder };
}

describe("npm run dev", () => {
  it.skipIf(NO_BROWSER !== null)(
    "shows the page from its sources, with requests that wait; Ctrl-C ends all of it and leaves nothing behind",
    async () => {
      const { dev, link, folder } = await startDev();
      const page = await browser().newPage({ locale: "en-GB" });
      onTestFinished(() => page.close());
      // The first load compiles the page.
      page.setDefaultTimeout(90_000);
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(link.href);
      await cards(page).nth(2).waitFor();
      expect(await page.locator("script[src*='@vite/client']").count()).toBe(1);
      expect(errors).toEqual([]);
      expect(existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("metnos-dev-"))).toBe(true);
      expect(await dev.end("SIGINT")).toBe(0);
      expect(readdirSync(folder).filter((name) => name.startsWith("metnos-dev-"))).toEqual([]);
    },
  );

  it("bypasses none of the gate's own checks: another Host or Origin, and a session without the page's secret, are refused", async () => {
    const { link } = await startDev();
    const port = Number(link.port);
    const path = link.pathname + link.search;
    expect((await ask(port, path, { headers: { Host: `localhost:${port}` } })).status).toBe(421);
    expect((await ask(port, path, { headers: { Origin: "http://127.0.0.1:1" } })).status).toBe(403);
    const entered = await ask(port, path);
    const { cookie } = sessionIn(port, entered);
    const origin = link.origin;
    const headers = { Cookie: cookie };
    expect(await upgradeStatus({ port }, { origin: "http://127.0.0.1:1", headers })).toBe(403);
    const page = await PageSocket.connect({ port, cookie });
    await page.proofs("1".repeat(64));
    page.send({ secret: "0".repeat(64) });
    expect((await page.closed).code).toBe(4401);
    expect(await upgradeStatus({ port }, { origin })).toBe(403);
    expect(await upgradeStatus({ port }, { origin, headers })).toBe(101);
  });
});
