import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SpentToday } from "../../../ipc/contract/costs.ts";
import type { Budget } from "../../../ipc/contract/rate.ts";
import { approvalView } from "../../support/approval-view.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { type OwnMethods, partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

async function openAt(at: string, own: (agentId: string) => OwnMethods, width = 1000) {
  const gate = await startGate();
  await gate.agent("claude-code");
  const { agents } = await gate.operator.call("agents.list", {});
  const { api } = partialOperator(gate.operator, own(agents[0]?.agent_id ?? ""));
  return (await openPage(api, { at, width, browser: browser() })).page;
}

function limits(spent: Partial<SpentToday>[], budgets: Partial<Budget>[]) {
  return (agentId: string): OwnMethods => {
    const whose = { agent_id: agentId, agent_name: "claude-code" };
    return {
      "costs.today": () => [
        ...spent.map((one) => ({ ...whose, amount: 1, currency: "USD", calls: 1, ...one })),
        { agent_id: "another", agent_name: "another", amount: 77, currency: "USD", calls: 7 },
      ],
      "rate.budgets": () =>
        budgets.map((one) => ({ ...whose, capability: "fs:read", capacity: 120, per_minute: 120, left: 80, ...one })),
    };
  };
}

describe.skipIf(NO_BROWSER !== null)("an agent's limits on its page", () => {
  it("what it has spent today, and what is left of its calls, in plain words", async () => {
    const budgets = [{ left: 80.4 }, { capability: "code:exec" as const, capacity: 30, per_minute: 30, left: 0.4 }];
    const page = await openAt("agents/claude-code", limits([{ amount: 1.234, calls: 17 }], budgets), 320);
    await page.getByText("Spent today: 1.23 USD, in 17 calls with a price.").waitFor();
    await page.getByText("80 of 120 calls left; 120 come back each minute").waitFor();
    await page.getByText("no call left; 30 come back each minute").waitFor();
    expect(await page.getByText("77").count()).toBe(0);
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("figures that can't be are short, and below nothing is nothing", async () => {
    const budgets = [{ capacity: 1e308, per_minute: Number.NaN, left: -5 }];
    const page = await openAt("agents/claude-code", limits([{ amount: 1e308, currency: "U\u202eSD" }], budgets), 320);
    await page.getByText("Spent today: 1E308 U\\u{202e}SD, in 1 call with a price.").waitFor();
    await page.getByText("no call left; ? come back each minute").waitFor();
    const sideways = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";
    expect(await page.evaluate(sideways)).toBe(0);
  });

  it("nothing is said of an agent that did neither", async () => {
    const page = await openAt("agents/claude-code", limits([], []));
    await page.getByRole("heading", { name: "Last decisions" }).waitFor();
    expect(await page.getByRole("heading", { name: "Today" }).count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== null)("the trail's newest checkpoint", () => {
  const TEXT = "metnos-gate/local\n1234\nq0Zr0XyUAbQeT5g3rY2nVg5r9n8m6k4h2f0d1s3a5=\n\n— metnos-gate/local AAAA\n";

  it("when it was signed, over how much, itself, and the command that checks the trail against one", async () => {
    const signedAt = new Date(Date.now() - 300_000).toISOString();
    const page = await openAt(
      "safety",
      () => ({ "audit.checkpoint": () => ({ text: TEXT, signed_at: signedAt, lines: 1234 }) }),
      320,
    );
    await page.getByText("The newest checkpoint was signed 5 minutes ago, over 1,234 lines.").waitFor();
    await page.getByText("Show the checkpoint, to keep it elsewhere").click();
    expect(await page.locator(".trail code").first().textContent()).toBe(TEXT);
    await page.getByText("audit verify --against checkpoint.txt").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const sideways = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";
    expect(await page.evaluate(sideways)).toBe(0);
  });

  it("before the first one that is said", async () => {
    const none = { text: null, signed_at: null, lines: null };
    const page = await openAt("safety", () => ({ "audit.checkpoint": () => none }));
    await page.getByText("No checkpoint was signed yet").waitFor();
    expect(await page.getByText("audit verify").count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== null)("the history", () => {
  it("says where each request was answered, what it cost and that it was made again and again", async () => {
    const ended = { decision_at: "2026-11-22T00:00:00Z", token: "1" } as const;
    const price = { amount: 0.17, currency: "USD", is_estimated: false };
    const approvals = [
      approvalView({
        ...ended,
        status: "approved",
        decision_surface: "telegram",
        price,
        repeated: { count: 40, seconds: 60 },
      }),
      approvalView({ ...ended, token: "2", status: "rejected", decision_surface: "ntfy" }),
      approvalView({ ...ended, token: "3", status: "expired" }),
    ];
    const history = () => ({ total: approvals.length, approvals });
    const page = await openAt("approvals/history", () => ({ "approvals.history": history }), 320);
    const outcomes = page.locator(".history .outcome");
    await outcomes.nth(2).waitFor();
    expect(await outcomes.allInnerTexts()).toEqual(["approved, once, in Telegram", "denied, with ntfy", "expired"]);
    await page.locator(".history .what button").first().click();
    const facts = page.locator(".opened-request");
    await facts.getByText("The same call 40 times in a minute").waitFor();
    await facts.getByText("0.17 USD").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });
});
