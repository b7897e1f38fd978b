import { describe, expect, it } from "vitest";
import type { AuditLine } from "../../../ipc/contract/operator-api.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };
const WRITE = { executor: "fs_write", args: { path: "/srv/a", content: "x" } };

function trail({ paths }: GateUnderTest): AuditLine[] {
  return linesIn(paths.auditDir).map((line) => JSON.parse(line) as AuditLine);
}

async function entry(gate: GateUnderTest, decisionId: string) {
  const entries = (await gate.operator.call("activity.list", {})).entries;
  return entries.find((one) => one.decision_id === decisionId && one.outcome !== "approval_required");
}

describe("what an agent reports of an allowed call", () => {
  it("is in Activity, in the opened decision, in the trail without its text, and sent to the surfaces", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const [first, second, third] = [await agent.ask(READ), await agent.ask(READ), await agent.ask(READ)];
    const published = gate.event(({ type }) => type === "call.reported");
    const { decision_id } = second.decision;
    agent.send("tool.outcome", { decision_id, ok: false, error: "OUTCOME-VALUE" });
    const reported = { state: "failed", ms: expect.any(Number) };
    expect(await published).toEqual({ type: "call.reported", data: { decision_id, reported } });
    agent.send("tool.outcome", { decision_id: third.decision.decision_id, ok: true });
    await agent.ping();
    expect((await entry(gate, decision_id))?.reported).toEqual(reported);
    expect((await gate.operator.call("activity.open", { decision_id })).reported).toEqual(reported);
    expect((await entry(gate, third.decision.decision_id))?.reported?.state).toBe("ok");
    expect((await entry(gate, first.decision.decision_id))?.reported).toEqual({ state: "unreported", ms: null });
    const lines = trail(gate).filter(({ event }) => event === "outcome");
    expect(lines).toMatchObject([
      { decision_id, ok: false, agent: "tester", executor: "fs_read", ms: expect.any(Number) },
      { decision_id: third.decision.decision_id, ok: true },
    ]);
    expect(JSON.stringify(lines)).not.toContain("OUTCOME-VALUE");
  });

  it("by the agent's own id of the call counts the same, where it says how it ended", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const named = { ...READ, context: { call_id: "toolu_1" } };
    const { decision } = await agent.ask(named);
    agent.send("tool.ran", { id: "r1", call_id: "toolu_1" });
    expect((await agent.next("tool.ran.ok")).data).toEqual({ id: "r1", confined: null });
    expect((await entry(gate, decision.decision_id))?.reported).toBeUndefined();
    agent.send("tool.ran", { id: "r2", call_id: "toolu_1", ok: true });
    await agent.next("tool.ran.ok");
    expect((await entry(gate, decision.decision_id))?.reported?.state).toBe("ok");
  });

  it("is on the call that was allowed after a question, not on the question", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const asked = await agent.ask(WRITE);
    const { decision_id } = asked.decision;
    agent.send("tool.outcome", { decision_id, ok: true });
    await agent.ping();
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    expect((await asked.final()).outcome).toBe("allowed");
    expect((await entry(gate, decision_id))?.reported).toBeUndefined();
    agent.send("tool.outcome", { decision_id, ok: true });
    await agent.ping();
    const entries = (await gate.operator.call("activity.list", {})).entries;
    expect(entries.map(({ outcome, reported }) => [outcome, reported?.state])).toEqual([["allowed", "ok"]]);
  });

  it("of another agent's call, of a denied one, or a second time changes nothing, and leaves one bounded line", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const stranger = await gate.agent("stranger", "Full");
    const { decision_id } = (await agent.ask(READ)).decision;
    const denied = (await agent.ask({ executor: "shell_exec", args: { command: "rm -rf /" } })).decision;
    expect(denied.outcome).toBe("denied");
    for (let index = 0; index < 50; index++) stranger.send("tool.outcome", { decision_id, ok: false });
    await stranger.ping();
    expect((await entry(gate, decision_id))?.reported).toBeUndefined();
    agent.send("tool.outcome", { decision_id: denied.decision_id, ok: true });
    agent.send("tool.outcome", { decision_id, ok: true });
    agent.send("tool.outcome", { decision_id, ok: false });
    await agent.ping();
    expect((await entry(gate, decision_id))?.reported?.state).toBe("ok");
    expect((await entry(gate, denied.decision_id))?.reported).toBeUndefined();
    await gate.close();
    const lines = trail(gate).filter(({ event }) => event.startsWith("outcome"));
    const refused = lines.filter(({ event }) => event === "outcome.refused");
    expect(refused.map(({ agent: name, count }) => [name, count])).toEqual(
      expect.arrayContaining([
        ["stranger", 50],
        ["tester", 2],
      ]),
    );
    expect(refused.every((line) => !("decision_id" in line))).toBe(true);
    expect(lines.filter(({ event }) => event === "outcome")).toMatchObject([{ decision_id, ok: true }]);
  });
});
