import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { startGate } from "../../support/running-gate.ts";
import { goal } from "../../support/safety.ts";

async function figures(gate: Awaited<ReturnType<typeof startGate>>) {
  const { text, content_type } = await gate.operator.call("metrics", {});
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return {
    text,
    content_type,
    values: new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/ (\S+)$/.exec(line)?.[1])])),
  };
}

it("the safety filter's five are there from the start, with zeros", async () => {
  const { values, content_type, text } = await figures(await startGate());
  expect(content_type).toContain("version=0.0.4");
  for (const type of ["goal", "subtask", "graph"]) {
    for (const result of ["allowed", "blocked"])
      expect(values.get(`asi_safety_checks_total{subject_type="${type}",result="${result}"}`)).toBe(0);
    expect(values.get(`asi_safety_check_duration_seconds_count{subject_type="${type}"}`)).toBe(0);
  }
  for (let rule = 1; rule <= 7; rule++)
    expect(text).toContain(`asi_safety_violations_total{rule_id="SR-00${rule}",severity="`);
  expect(values.get("asi_safety_paused")).toBe(0);
  expect(values.get("asi_safety_rules_registered")).toBe(7);
});

it("count what happens, and no label carries what an agent chose", async () => {
  const gate = await startGate();
  const agent = await gate.agent("SECRET-name");
  const asked = await agent.ask({ executor: "fs_read", intent: "SECRET-intent", args: { path: "/srv/SECRET-path" } });
  await agent.ask({ executor: "time_now" });
  await agent.ask({ executor: "SECRET.tool", args: { host: "SECRET.example" } });
  await gate.operator.call("approvals.resolve", {
    token: tokenOf(asked.decision),
    decision: "approved",
    scope: "permanent",
  });
  await asked.final();
  agent.send("goal.check", { id: "g", goal: goal({ goal_id: "SECRET-goal", goal_type: "exfiltrate_data" }) });
  await agent.next("safety.verdict");
  const { values, text } = await figures(gate);
  expect(text).not.toContain("SECRET");
  const expected: Record<string, number> = {
    'metnos_gate_decisions_total{outcome="approval_required",stage="approval",capability="fs:read"}': 1,
    'metnos_gate_decisions_total{outcome="allowed",stage="policy",capability="time:read"}': 1,
    'metnos_gate_decisions_total{outcome="approval_required",stage="approval",capability="code:exec"}': 1,
    'metnos_gate_decision_duration_seconds_count{stage="policy"}': 1,
    'metnos_gate_decision_duration_seconds_bucket{le="+Inf",stage="approval"}': 2,
    'metnos_gate_answer_duration_seconds_count{by="human"}': 1,
    metnos_gate_approvals_pending: 0,
    metnos_gate_agents_connected: 1,
    metnos_gate_grants_active: 1,
    metnos_gate_audit_write_failures_total: 0,
    'asi_safety_checks_total{subject_type="goal",result="blocked"}': 1,
    'asi_safety_violations_total{rule_id="SR-007",severity="CRITICAL"}': 1,
    asi_safety_paused: 1,
  };
  for (const [name, value] of Object.entries(expected)) expect([name, values.get(name)]).toEqual([name, value]);
});
