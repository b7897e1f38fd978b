import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VIEWS_IN_ORDER } from "../../../renderer/window/view-names.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { goal } from "../../support/safety.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const banner = (page: Page) => page.locator(".pause-banner");
const control = (page: Page) => page.locator(".pause-control");

describe.skipIf(NO_BROWSER !== null)("the pause", () => {
  it("is one press away in every view, at every width, and so is its end", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { browser: browser() });
    for (const [index, view] of VIEWS_IN_ORDER.entries()) {
      await page.setViewportSize(index % 2 === 0 ? { width: 1000, height: 680 } : { width: 320, height: 640 });
      await page.goto(`${page.url().split("#")[0]}#/${view}`);
      await page.locator(`.side a[href="#/${view}"][aria-current]`).waitFor();
      await control(page).getByRole("button", { name: "Pause" }).click();
      await control(page).getByRole("button", { name: "1 hour" }).click();
      await banner(page).getByText("You paused the gate.").waitFor();
      expect((await gate.operator.call("status", {})).pause).toMatchObject({ is_paused: true, by: "human" });
      await control(page).getByRole("button", { name: "Resume" }).click();
      await banner(page).waitFor({ state: "detached" });
      expect((await gate.operator.call("status", {})).paused).toBe(false);
    }
    expect(problems).toEqual([]);
  });

  it("by keys: p offers the lengths with the focus on the first, Escape closes and pauses nothing, ? lists the keys", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await control(page).getByRole("button", { name: "Pause" }).waitFor();
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "5 minutes" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "5 minutes" }).waitFor({ state: "detached" });
    expect((await gate.operator.call("status", {})).paused).toBe(false);
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keys" });
    expect(await sheet.textContent()).toContain("Pause");
    await page.keyboard.press("p"); // the sheet has the keyboard to itself
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "5 minutes" }).count()).toBe(0);
    await page.keyboard.press("5");
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  });

  it("that a violation began tells the event in both languages, leads to it, and marks Safety", async () => {
    const gate = await startGate();
    const agent = await gate.agent("claude-code");
    agent.send("goal.check", { id: "g", goal: goal({ goal_type: "disable_safety_filter" }) });
    await agent.next("safety.verdict");
    const { page } = await openPage(gate.operator, { browser: browser() });
    await banner(page).getByText("claude-code proposed a goal of type disable_safety_filter (SR-007).").waitFor();
    expect(await banner(page).textContent()).toContain("Everything is paused");
    await page.getByRole("link", { name: "Safety 1 violation not acknowledged" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await banner(page).getByRole("button", { name: "Look at it" }).click();
    await page.locator(".violation").getByText("It was refused, and everything was paused.").waitFor();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await banner(page)
      .getByText("claude-code ha proposto un obiettivo di tipo disable_safety_filter (SR-007).")
      .waitFor();
    await banner(page).getByRole("button", { name: "Riprendi" }).click();
    await banner(page).waitFor({ state: "detached" });
    expect((await gate.operator.call("status", {})).paused).toBe(false);
  });

  it("an agent's words in a violation are bounded and visible, and no agent gets them", async () => {
    const gate = await startGate();
    const agent = await gate.agent("claude-code");
    const hidden = `exec:arbitrary\u202e${"x".repeat(200)}`;
    agent.send("subtask.check", { id: "s", subtask: { subtask_id: "s-1", required_caps: [hidden] } });
    const verdict = await agent.next("safety.verdict");
    expect(JSON.stringify(verdict)).not.toContain("exec:arbitrary\u202e");
    const { page } = await openPage(gate.operator, { at: "safety", browser: browser() });
    const row = page.locator(".violation").filter({ hasText: "planned a subtask that needs" }).first();
    await row.waitFor();
    const text = (await row.textContent()) ?? "";
    expect(text).toContain("\\u{202e}");
    expect(text).not.toContain("\u202e");
    expect(text.length).toBeLessThan(300);
  });
});
