import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALARM_CODES } from "../../ipc/contract/alarms.ts";
import { ALARM_WORDS } from "../../ipc/words/alarm-words.ts";
import { alarm } from "../support/alarm.ts";
import { seriousProblems } from "../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../support/browser.ts";
import { openPage } from "../support/page-home.ts";
import { linkTo } from "../support/page-visitor.ts";
import { startGate } from "../support/running-gate.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

const VIEWS = ["policy", "grants", "agents", "activity", "safety", "settings", "approvals", "popup"];

const restarted = alarm({
  code: "gate_restarted",
  subject: "gate",
  message: "the gate before this one was ended by SIGKILL",
  hint: "see its log",
});

/** True if nothing but the alarms themselves is higher on the page. */
async function isOnTop(page: Page): Promise<boolean> {
  const [banner, heading] = await Promise.all([
    page.getByRole("alert").first().boundingBox(),
    page.getByRole("heading", { level: 1 }).boundingBox(),
  ]);
  return banner !== null && heading !== null && banner.y + banner.height <= heading.y + 1;
}

describe.skipIf(NO_BROWSER !== null)("an alarm on the page", () => {
  it("is above every view with the gate's own words, from when it is raised until it is over", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await page.getByRole("heading", { level: 1, name: "Policy" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    gate.gate.core.alarms.raise(alarm());
    for (const at of VIEWS) {
      await page.goto(`${page.url().split("#")[0]}#/${at}`);
      const banner = page.getByRole("alert");
      await banner.getByText(ALARM_WORDS.en.trail_unwritable.title).waitFor();
      expect(await banner.innerText()).toContain(`${alarm().message}; ${alarm().hint}`);
      // Of the popup the heading is for screen readers.
      expect([at, at === "popup" || (await isOnTop(page))]).toEqual([at, true]);
      // What holds can't be put aside.
      expect(await banner.getByRole("button").count()).toBe(0);
    }
    gate.gate.core.alarms.clear(alarm().code, alarm().subject);
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("of something past closes once it is acknowledged, on every page, and the trail records it", async () => {
    const gate = await startGate();
    gate.gate.core.alarms.raise(restarted);
    const first = await openPage(gate.operator, { browser: browser() });
    const second = await openPage(gate.operator, { at: "grants", browser: browser() });
    await second.page.getByRole("alert").getByText(restarted.message).waitFor();
    await first.page.getByRole("button", { name: "I have seen it" }).click();
    for (const { page } of [first, second]) await page.getByRole("alert").waitFor({ state: "detached" });
    const lines = await gate.operator.call("audit.tail", { lines: 5 });
    expect(lines).toContainEqual(expect.objectContaining({ event: "alarm.acknowledged", code: "gate_restarted" }));
  });

  it.each(SCHEMES)("each of them is accessible and fits a narrow window, in both languages (%s)", async (scheme) => {
    const gate = await startGate();
    for (const code of ALARM_CODES) gate.gate.core.alarms.raise(alarm({ code, subject: `/srv/${"long/".repeat(30)}` }));
    const { page } = await openPage(gate.operator, { width: 640, height: 480, scheme, browser: browser() });
    for (const language of ["en", "it"] as const) {
      await gate.operator.call("settings.set", { key: "language", value: language });
      for (const code of ALARM_CODES) await page.getByText(ALARM_WORDS[language][code].title).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(640);
      // What waits keeps its room.
      const { height } = (await page.locator(".pane").boundingBox()) ?? { height: 0 };
      expect(height).toBeGreaterThan(200);
    }
  });

  it("that the gate ends itself for stays on the page, which says that the gate isn't answering", async () => {
    const gate = await startGate({ web: true });
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto((await linkTo(gate)).url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const message = "the lock /srv/gate.lock isn't this gate's any more";
    gate.gate.core.alarms.raise(alarm({ code: "gate_replaced", message, hint: "see: metnos-gate status" }));
    await gate.close();
    await page.getByRole("alert").filter({ hasText: "The gate isn't answering" }).waitFor();
    await page.getByRole("alert").filter({ hasText: message }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(2);
    await context.close();
  });
});
