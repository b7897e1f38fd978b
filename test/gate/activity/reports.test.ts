import { describe, expect, it } from "vitest";
import type { ProposedCall } from "../../../ipc/wire.ts";
import { KEPT_OF_AGENT, REFUSED_NOTED_MS, Reports } from "../../../main/gate/activity/reports.ts";
import type { Subject } from "../../../main/gate/stages/examination.ts";

function reportsAt(clock = { ms: 1000 }) {
  return { clock, reports: new Reports(() => clock.ms) };
}

function subject(name = "worker", session = "s1"): Subject {
  return {
    agent: { agent_id: `id-${name}`, name, level: "Full", paired_at: "", last_seen_at: null, revoked_at: null },
    level: "Full",
    session,
    principal: { channel: "local", sender_id: "me" },
  };
}

function call(executor = "fs_read", call_id?: string): ProposedCall {
  return { intent: "", executor, args: {}, ...(call_id === undefined ? {} : { context: { call_id } }) };
}

describe("a report on an allowed call", () => {
  it("counts with the time since the decision, once, by the decision or by the agent's own id of the call", () => {
    const { reports, clock } = reportsAt();
    reports.allowed("d1", call("Bash", "toolu_1"), subject());
    reports.allowed("d2", call("Read"), subject());
    clock.ms += 1234.4;
    expect(reports.report("id-worker", { call_id: "toolu_1" }, false)).toEqual({
      decision_id: "d1",
      executor: "Bash",
      reported: { state: "failed", ms: 1234 },
    });
    expect(reports.report("id-worker", { decision_id: "d1" }, true)).toBeUndefined();
    expect(reports.of("d1")).toEqual({ state: "failed", ms: 1234 });
    expect(reports.report("id-worker", { decision_id: "d2" }, true)?.reported).toEqual({ state: "ok", ms: 1234 });
  });

  it("of another agent, on what wasn't allowed, or on what isn't known counts for nothing", () => {
    const { reports } = reportsAt();
    reports.allowed("d1", call("Bash", "toolu_1"), subject());
    for (const named of [{ decision_id: "d1" }, { call_id: "toolu_1" }])
      expect(reports.report("id-other", named, true)).toBeUndefined();
    for (const named of [{ decision_id: "d9" }, { call_id: "toolu_9" }, { call_id: "d1" }])
      expect(reports.report("id-worker", named, true)).toBeUndefined();
    expect(reports.of("d1")).toBeUndefined();
    expect(reports.refused()).toEqual([
      { agent_id: "id-worker", count: 3 },
      { agent_id: "id-other", count: 2 },
    ]);
  });

  it("is taken on each agent's last calls: another agent's many calls push none of them out", () => {
    const { reports } = reportsAt();
    reports.allowed("mine", call("Bash", "toolu_1"), subject());
    for (let index = 0; index <= KEPT_OF_AGENT; index++)
      reports.allowed(`other-${index}`, call("Bash", "same"), subject("other"));
    expect(reports.report("id-other", { decision_id: "other-0" }, true)).toBeUndefined();
    expect(reports.report("id-other", { call_id: "same" }, true)?.decision_id).toBe(`other-${KEPT_OF_AGENT}`);
    expect(reports.report("id-worker", { call_id: "toolu_1" }, true)?.decision_id).toBe("mine");
  });

  it("that doesn't count is counted, and noted at most once a minute for each agent", () => {
    const { reports, clock } = reportsAt();
    const send = (times: number) => {
      for (let index = 0; index < times; index++) reports.report("id-worker", { decision_id: "none" }, true);
    };
    send(3);
    expect(reports.refused()).toEqual([{ agent_id: "id-worker", count: 3 }]);
    send(5000);
    clock.ms += REFUSED_NOTED_MS - 1;
    expect(reports.refused()).toEqual([]);
    clock.ms += 1;
    expect(reports.refused()).toEqual([{ agent_id: "id-worker", count: 5000 }]);
    clock.ms += REFUSED_NOTED_MS;
    expect(reports.refused()).toEqual([]);
  });
});

describe("a call without a report", () => {
  it("is unreported only where its agent reported another call of this executor in this session, by its decision", () => {
    const { reports } = reportsAt();
    const calls = [
      ["d1", call("Bash"), subject()],
      ["d2", call("Bash"), subject()],
      ["d3", call("Read"), subject()],
      ["d4", call("Bash"), subject("worker", "s2")],
      ["d5", call("Bash"), subject("other")],
    ] as const;
    for (const [id, one, who] of calls) reports.allowed(id, one, who);
    const shown = () => calls.map(([id]) => reports.of(id)?.state);
    expect(shown()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    reports.allowed("d0", call("Bash", "toolu_0"), subject());
    reports.report("id-worker", { call_id: "toolu_0" }, true);
    expect(shown()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    reports.report("id-worker", { decision_id: "d1" }, true);
    expect(shown()).toEqual(["ok", "unreported", undefined, undefined, undefined]);
    expect(reports.of("d2")).toEqual({ state: "unreported", ms: null });
  });
});
