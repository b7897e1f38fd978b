import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { goal } from "../../support/safety.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

describe.skipIf(NO_BROWSER !== null)("safety", () => {
  it("pauses for as long as was said, with the reason, and resumes", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "safety", browser: browser() });
    await page.getByText("The gate is running.").waitFor();
    await page.getByLabel("Reason (sent to agents)").fill("at lunch");
    await page.getByRole("button", { name: "1 hour" }).click();
    await page.getByText("The gate is paused.").waitFor();
    const { pause } = await gate.operator.call("safety.status", {});
    expect(pause).toMatchObject({ by: "human", reason: "at lunch" });
    const seconds = (Date.parse(pause.until ?? "") - Date.parse(pause.since ?? "")) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(3600);
    expect(seconds).toBeLessThanOrEqual(3602);
    const banner = page.locator(".pause-banner");
    expect(await banner.textContent()).toContain("You paused the gate: at lunch");
    expect(await banner.locator("time").first().getAttribute("datetime")).toMatch(/Z$/);
    await banner.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The gate is running.").waitFor();
    await page.getByRole("button", { name: "until I resume it" }).click();
    await page.getByText("It ends when you resume the gate.").waitFor();
    expect((await gate.operator.call("safety.status", {})).pause.until).toBeNull();
    expect(problems).toEqual([]);
  });

  it("violations show as they happen, and are acknowledged one by one or all", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const check = (goalId: string, description: string) =>
      agent.send("goal.check", { id: goalId, goal: goal({ goal_id: goalId, description }) });
    check("goal-1", "see http://example.org");
    const { page } = await openPage(gate.operator, { at: "safety", browser: browser() });
    await page.getByText("1 not acknowledged").waitFor();
    check("goal\u202e-2", "x".repeat(3000));
    await page.getByText("2 not acknowledged").waitFor();
    expect(await page.locator(".violation").first().textContent()).toContain("goal\\u{202e}-2");
    await page.getByRole("button", { name: "Acknowledge SR-006 on goal-1" }).click();
    await page.getByText("1 not acknowledged").waitFor();
    const open = await gate.operator.call("safety.violations", { include_acknowledged: false });
    expect(open.map(({ rule_id }) => rule_id)).toEqual(["SR-001"]);
    await page.getByRole("button", { name: "Acknowledge all" }).click();
    await page.getByText("all acknowledged").waitFor();
    await page.getByLabel("Show acknowledged ones").uncheck();
    await page.locator(".violation").first().waitFor({ state: "detached" });
  });

  it("a goal that is never allowed shows as the event and the pause it is, without its description", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { page } = await openPage(gate.operator, { at: "safety", browser: browser() });
    await page.getByText("The gate is running.").waitFor();
    agent.send("goal.check", { id: "g", goal: goal({ description: "SECRET-4711", goal_type: "exfiltrate_data" }) });
    await page.getByText("The gate is paused.").waitFor();
    const event = "tester proposed a goal of type exfiltrate_data (SR-007).";
    await page.locator(".pause-banner").getByText(event).waitFor();
    await page.locator(".violation").getByText(event).waitFor();
    await page.getByText("1 not acknowledged").waitFor();
    expect(await page.textContent("body")).not.toContain("SECRET-4711");
  });

  it("a rule that fails is named, with what happened", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    gate.gate.core.safety.filter.registerRule({
      rule_id: "MINE",
      subject_type: "goal",
      severity: "WARN",
      description: "a rule that is broken",
      predicate: () => {
        throw new TypeError("broken");
      },
    });
    for (let check = 0; check < 3; check++) {
      agent.send("goal.check", { id: `g-${check}`, goal: goal() });
      await agent.next("safety.verdict");
    }
    const { page } = await openPage(gate.operator, { at: "safety", browser: browser() });
    const row = page.getByRole("row").filter({ hasText: "MINE" });
    await row.waitFor();
    expect(await row.textContent()).toContain("3 errors");
    expect(await row.textContent()).toContain("threw TypeError");
    await page.getByText("A rule that fails is skipped").waitFor();
  });
});
