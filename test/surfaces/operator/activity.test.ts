import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { startGate } from "../../support/running-gate.ts";

it("each decision can be opened, stage by stage, also the final one after the operator's answer", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const asked = await agent.ask({ executor: "fs_write", args: { path: "/srv/a", content: "x" } });
  await gate.operator.call("approvals.resolve", {
    token: tokenOf(asked.decision),
    decision: "rejected",
    message: "no",
  });
  const [final, first] = await gate.operator.call("activity.list", {});
  expect([final?.status, final?.outcome, first?.outcome]).toEqual(["rejected", "denied", "approval_required"]);
  const opened = await gate.operator.call("activity.open", { decision_id: final?.decision_id ?? "" });
  expect(opened.decision.trace?.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
    "pairing passed",
    expect.stringMatching(/^safety /),
    "validation passed",
    "scope passed",
    "policy ask",
    expect.stringMatching(/^rate /),
    "guard passed",
    "judge passed",
    expect.stringMatching(/^validators /),
    "approval denied",
  ]);
});

it("an agent never gets the trace", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const { decision } = await agent.ask({ executor: "time_now" });
  expect(decision).not.toHaveProperty("trace");
  const [entry] = await gate.operator.call("activity.list", {});
  expect(
    (await gate.operator.call("activity.open", { decision_id: entry?.decision_id ?? "" })).decision.trace,
  ).toHaveLength(10);
});

it("agents show how many calls they made today", async () => {
  const gate = await startGate();
  const agent = await gate.agent("busy");
  for (let call = 0; call < 3; call++) await agent.ask({ executor: "time_now" });
  expect((await gate.operator.call("agents.list", {})).agents[0]).toMatchObject({ name: "busy", calls_today: 3 });
  const { buckets } = await gate.operator.call("activity.counts", { range: "hour" });
  expect(buckets.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(3);
});
