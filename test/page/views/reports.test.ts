import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reported } from "../../../ipc/contract/activity.ts";
import type { OperatorParams } from "../../../ipc/contract/operator-api.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** A gate that has allowed a call for each of these reports. */
async function openActivity(reports: readonly Reported[], width = 1000) {
  const gate = await startGate();
  const agent = await gate.agent("claude-code", "Full");
  for (const _ of reports) await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/a.txt` } });
  const { api, tell } = partialOperator(gate.operator, {
    "activity.list": async (params: OperatorParams<"activity.list">) => {
      const page = await gate.operator.call("activity.list", params);
      // Newest first.
      const reportedAt = (index: number) => reports[reports.length - 1 - index];
      return { ...page, entries: page.entries.map((entry, index) => ({ ...entry, reported: reportedAt(index) })) };
    },
  });
  const { page } = await openPage(api, { at: "activity", width, browser: browser() });
  const rows = page.locator(".decision");
  await rows.nth(reports.length - 1).waitFor();
  const [newest] = (await gate.operator.call("activity.list", {})).entries;
  return { gate, agent, page, rows, tell, newest: newest?.decision_id ?? "" };
}

describe.skipIf(NO_BROWSER !== null)("what an agent reported of an allowed call", () => {
  it("is a word and a shape in its row; opened, with how long it took, and that it is the agent's own word", async () => {
    const { page, rows } = await openActivity([
      { state: "unreported", ms: null },
      { state: "failed", ms: 12 },
      { state: "ok", ms: 1234 },
    ]);
    await rows.nth(0).locator(".report.ok svg.tick").waitFor();
    expect(await rows.nth(0).locator(".report").textContent()).toBe("worked");
    expect(await rows.nth(1).locator(".report").textContent()).toBe("failed");
    await rows.nth(1).locator(".report svg.cross").waitFor();
    await rows.nth(2).locator(".report svg.neither").waitFor();
    expect(await rows.nth(2).locator(".report .unseen").textContent()).toBe("nothing yet");
    await rows.nth(0).getByRole("button").click();
    await page.getByText("it worked, after 1.2 s").waitFor();
    await page.getByText("the agent's own word, which nothing proves").waitFor();
    await rows.nth(1).getByRole("button").click();
    await page.getByText("it failed, after 12 ms").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("a call that ran other than it was allowed is marked as that, whatever else was reported; and how long it took", async () => {
    const { page, rows } = await openActivity([
      { state: "unreported", ms: null, ran_other: true },
      { state: "ok", ms: 1234, duration_ms: 900, ran_other: true },
      { state: "ok", ms: 1234, duration_ms: 900 },
    ]);
    for (const row of [1, 2]) {
      await rows.nth(row).locator(".report.failed svg.cross").waitFor();
      expect(await rows.nth(row).locator(".report").textContent()).toBe("not as allowed");
    }
    await rows.nth(0).getByRole("button").click();
    await page.getByText("it worked, after 1.2 s, took 900 ms", { exact: true }).waitFor();
    await rows.nth(1).getByRole("button").click();
    await page.getByText("it ran other than it was allowed, it worked, after 1.2 s, took 900 ms").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("a call that changed what runs later, unnamed, is marked as that", async () => {
    const { page, rows } = await openActivity([
      { state: "unreported", ms: null, changed_later: true },
      { state: "ok", ms: 1234, changed_later: true },
    ]);
    for (const row of [0, 1])
      expect(await rows.nth(row).locator(".report").textContent()).toBe("changed what runs later");
    await rows.nth(0).getByRole("button").click();
    await page
      .getByText("it worked, after 1.2 s; it changed files that run later, which its command doesn't name")
      .waitFor();
    await rows.nth(1).getByRole("button").click();
    await page.getByText("it changed files that run later, which its command doesn't name", { exact: true }).waitFor();
  });

  it("it appears in its row as it is reported, also where the row came live", async () => {
    const { agent, gate, page, rows, tell, newest } = await openActivity([{ state: "unreported", ms: null }]);
    tell({ type: "call.reported", data: { decision_id: newest, reported: { state: "ok", ms: 5 } } });
    await rows.nth(0).locator(".report.ok").waitFor();
    const { decision } = await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/b.txt` } });
    tell({ type: "call.reported", data: { decision_id: decision.decision_id, reported: { state: "failed", ms: 7 } } });
    await rows.nth(1).waitFor();
    await rows.nth(0).locator(".report.failed").waitFor();
    expect(await page.locator(".report.ok").count()).toBe(1);
  });

  it.each([
    [-5, "it worked"],
    [Number.NaN, "it worked"],
    [1e308, "it worked, after more than a day"],
    [90_000, "it worked, after 2 min"],
  ])("a length that can't be (%d ms) is no length", async (ms, text) => {
    const { page, rows } = await openActivity([{ state: "ok", ms }], 320);
    await rows.nth(0).getByRole("button").click();
    await page.locator(".facts .report").waitFor();
    expect(await page.locator(".facts .report").textContent()).toBe(text);
  });
});
