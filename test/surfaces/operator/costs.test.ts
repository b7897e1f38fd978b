import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { GateUnderTest } from "../../support/running-gate.ts";
import { startGate } from "../../support/running-gate.ts";

// Midnight is the user's: this zone's.
let zone: string | undefined;
beforeEach(() => {
  zone = process.env.TZ;
  process.env.TZ = "Europe/Rome";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const PRICES = `[costs]
currency = "EUR"
ask_above = { Full = 0.1 }

[[prices]]
executor = "llm_online"
per_million_tokens = 15

[[prices]]
executor = "http_get"
per_call = 0.02
`;

const CHEAP = { executor: "http_get", args: { url: "https://example.com/a" } };
/** About 2000 tokens, and 1000 of the answer. */
const SHORT = { executor: "llm_online", args: { prompt: "x".repeat(6986) } };
const LONG = { executor: "llm_online", args: { prompt: "x".repeat(40_000) } };

const spent = (gate: GateUnderTest) => gate.operator.call("costs.today", {});

describe("what was spent today", () => {
  it("is on the disk before the answer leaves: a gate that is killed then has lost no cost of a call that it allowed", async () => {
    const gate = await startGate({ config: PRICES });
    const agent = await gate.agent("aider", "Full");
    // As if it were killed once the answer was sent: nothing that follows the answer is done.
    vi.spyOn(gate.gate.core.gate, "publish").mockImplementation(() => undefined);
    expect((await agent.ask(CHEAP)).decision.outcome).toBe("allowed");
    const db = new Database(gate.home.paths.activity_db, { readonly: true });
    onTestFinished(() => void db.close());
    expect(db.prepare("SELECT calls, amount FROM call_spending").all()).toEqual([{ calls: 1, amount: 0.02 }]);
  });

  it("is of each agent what was allowed, at once or by an answer, once; a restart continues the day, midnight ends it", async () => {
    let now = Date.parse("2026-11-21T12:00:00Z");
    const gate = await startGate({ config: PRICES, now: () => now });
    expect(await spent(gate)).toEqual([]);
    const agent = await gate.agent("aider", "Full");
    const other = await gate.agent("goose", "Full");
    expect((await agent.ask(CHEAP)).decision).toMatchObject({
      outcome: "allowed",
      price: { amount: 0.02, currency: "EUR", is_estimated: false },
    });
    const short = (await agent.ask(SHORT)).decision;
    expect(short).toMatchObject({ outcome: "allowed", price: { currency: "EUR", is_estimated: true } });
    expect(short.price?.amount).toBeCloseTo(0.045, 3);
    await other.ask(CHEAP);
    const asked = await agent.ask(LONG);
    expect(asked.decision).toMatchObject({ outcome: "approval_required", explain: { rule: "policy.price-asks" } });
    const before = 0.02 + (short.price?.amount ?? 0);
    expect((await spent(gate))[0]).toMatchObject({ agent_name: "aider", calls: 2, currency: "EUR" });
    expect((await spent(gate))[0]?.amount).toBeCloseTo(before, 9);
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    const long = await asked.final();
    expect(long).toMatchObject({ outcome: "allowed", price: asked.decision.price });
    const denied = await agent.ask(LONG);
    const [second = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token: second, decision: "rejected" });
    expect((await denied.final()).outcome).toBe("denied");
    const after = before + (long.price?.amount ?? 0);
    const found = await spent(gate);
    expect(found.map(({ agent_name, calls }) => [agent_name, calls])).toEqual([
      ["aider", 3],
      ["goose", 1],
    ]);
    expect(found[0]?.amount).toBeCloseTo(after, 9);
    await gate.close();
    const again = await startGate({ home: gate.home, now: () => now });
    expect((await spent(again))[0]).toMatchObject({ agent_name: "aider", calls: 3 });
    now = Date.parse("2026-11-21T23:00:00Z");
    expect(await spent(again)).toEqual([]);
  });

  it("a plan and what is denied anyway cost nothing, and what is free isn't counted", async () => {
    const gate = await startGate({ config: PRICES });
    const agent = await gate.agent("aider", "Full");
    agent.send("tool.plan", { id: "p", intent: "", calls: [CHEAP, SHORT] });
    const plan = await agent.next("tool.plan.decisions");
    expect(plan.data.decisions).toMatchObject([{ price: { amount: 0.02 } }, { price: { is_estimated: true } }]);
    const reader = await gate.agent("reader", "ReadOnly");
    expect((await reader.ask(CHEAP)).decision.outcome).toBe("denied");
    expect((await agent.ask({ executor: "time_now" })).decision).not.toHaveProperty("price");
    expect(await spent(gate)).toEqual([]);
  });
});

describe("a card of a call with a price", () => {
  it("says it in its third line, and can be approved once alone; the trail has the amount", async () => {
    const gate = await startGate({ config: PRICES });
    const agent = await gate.agent("aider", "Full");
    await gate.operator.call("grants.add", { capability: "llm:online", target: "*" });
    const asked = await agent.ask(LONG);
    const [view] = await gate.operator.call("approvals.list", {});
    expect(view?.price).toEqual(asked.decision.price);
    expect(asked.decision.pending?.card.lines).toHaveLength(3);
    expect(asked.decision.pending?.card.lines[2]).toMatch(/^\S.* \| about 0\.19 EUR \| class: llm_online$/);
    expect(view?.choices.map(({ scope }) => scope)).toEqual(["none"]);
    const lines = trailOf(gate);
    const decided = lines.filter(({ event, executor }) => event === "decision" && executor === "llm_online");
    expect(decided).toMatchObject([
      { price: asked.decision.price?.amount, currency: "EUR", rule: "policy.price-asks" },
    ]);
  });
});

function trailOf(gate: GateUnderTest): Record<string, unknown>[] {
  const { auditDir } = gate.paths;
  return readdirSync(auditDir)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(auditDir, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
