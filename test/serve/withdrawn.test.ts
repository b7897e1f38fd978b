import { describe, expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { linesIn } from "../support/audit-trail.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

/** The gate's sentence quotes these words of the call: they must stay in it all the same. */
const MAKE = { executor: "Bash", args: { command: "make disconnected paused level agent" } };

async function shown(gate: GateUnderTest, decisionId: string) {
  const [entry] = (await gate.operator.call("activity.list", {})).entries.filter(
    (one) => one.decision_id === decisionId,
  );
  const opened = await gate.operator.call("activity.open", { decision_id: decisionId });
  return { status: entry?.status, outcome: entry?.outcome, rule: opened.decision.explain.rule, reason: entry?.reason };
}

const closed = (gate: GateUnderTest) => gate.event(({ type }) => type === "approval.closed");

describe("what an agent was asked about ends where it was withdrawn", () => {
  it("by the agent: in the activity and in the history", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision } = await agent.ask(MAKE);
    const token = tokenOf(decision);
    agent.send("tool.cancel", { id: "c", token, reason: "no longer needed" });
    await agent.next(({ data }) => data.id === "c");
    expect(await shown(gate, decision.decision_id)).toMatchObject({
      status: "cancelled",
      outcome: "denied",
      rule: "approval.withdrawn",
    });
    expect(await gate.request(token)).toMatchObject({ withdrawn: "approval.withdrawn", message: "no longer needed" });
    expect((await gate.operator.call("status", {})).decisions.denied).toBe(0);
  });

  it("by its end: the gate's sentence is whole, whatever the call said", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision } = await agent.ask(MAKE);
    const ended = closed(gate);
    await agent.close();
    await ended;
    expect(await shown(gate, decision.decision_id)).toEqual({
      status: "cancelled",
      outcome: "denied",
      rule: "approval.withdrawn-disconnect",
      reason: "withdrawn: the agent disconnected",
    });
    expect(await gate.request(tokenOf(decision))).toMatchObject({
      withdrawn: "approval.withdrawn-disconnect",
      message: "the agent disconnected",
    });
  });

  it("of two who asked the same, by one: the other is still asked about", async () => {
    const gate = await startGate();
    const [first, second] = [await gate.agent(), await gate.agent()];
    const [left, stays] = [await first.ask(MAKE), await second.ask(MAKE)];
    expect(tokenOf(left.decision)).toBe(tokenOf(stays.decision));
    const shownLeft = gate.event(({ type, data }) => type === "decision" && JSON.stringify(data).includes("cancelled"));
    await first.close();
    await shownLeft;
    expect(await shown(gate, left.decision.decision_id)).toMatchObject({ status: "cancelled" });
    expect(await shown(gate, stays.decision.decision_id)).toMatchObject({ outcome: "approval_required" });
    expect(await gate.waiting()).toHaveLength(1);
  });

  it("by the user: a pause and a level are named as what they are, in the trail too", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const level = await agent.ask(MAKE);
    await gate.operator.call("agents.level", { name: "tester", level: "Full" });
    expect((await level.final()).explain.rule).toBe("approval.withdrawn-level");
    const pause = await agent.ask(MAKE);
    await gate.operator.call("safety.pause", { reason: "lunch" });
    expect((await pause.final()).explain.rule).toBe("approval.withdrawn-pause");
    expect(await shown(gate, pause.decision.decision_id)).toMatchObject({ status: "cancelled" });
    await gate.operator.call("safety.resume", {});
    const withdrawn = await Promise.all([level, pause].map(({ decision }) => gate.request(tokenOf(decision))));
    expect(withdrawn.map((request) => request.withdrawn)).toEqual([
      "approval.withdrawn-level",
      "approval.withdrawn-pause",
    ]);
    await gate.close();
    const lines = linesIn(gate.paths.auditDir).filter((line) => line.includes("withdrawn: the gate is paused: lunch"));
    expect(lines).toHaveLength(1);
  });
});
