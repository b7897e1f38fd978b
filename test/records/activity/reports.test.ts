import { describe, expect, it } from "vitest";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Subject } from "../../../main/decide/stages/examination.ts";
import {
  KEPT_OF_AGENT,
  REFUSED_NOTED_MS,
  Reports,
  UNASKED_MS,
  UNASKED_NOTED,
} from "../../../main/records/activity/reports.ts";

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

function call(executor = "fs_read", callId?: string): ProposedCall {
  return { intent: "", executor, args: {}, ...(callId === undefined ? {} : { context: { call_id: callId } }) };
}

function decided(decisionId: string) {
  return { decision_id: decisionId, capabilities: [{ capability: "fs:read" as const, target: "/srv/a" }] };
}

describe("a call that ran without asking", () => {
  it("has a line of its own up to a bound for each agent in a minute, and is counted beyond it", () => {
    const { reports, clock } = reportsAt();
    const noted = () => reports.ranUnasked("id-worker");
    expect(Array.from({ length: UNASKED_NOTED }, noted)).not.toContain(false);
    expect([noted(), noted(), reports.ranUnasked("id-other")]).toEqual([false, false, true]);
    expect(reports.unaskedBeyond()).toEqual([]);
    clock.ms += UNASKED_MS;
    expect(reports.unaskedBeyond()).toEqual([{ agent_id: "id-worker", count: 2 }]);
    expect(reports.unaskedBeyond()).toEqual([]);
    expect(noted()).toBe(true);
  });
});

describe("a report on an allowed call", () => {
  it("counts with the time since the decision, once, by the decision or by the agent's own id of the call", () => {
    const { reports, clock } = reportsAt();
    reports.allowed(decided("d1"), call("Bash", "toolu_1"), subject());
    reports.allowed(decided("d2"), call("Read"), subject());
    clock.ms += 1234.4;
    expect(reports.report("id-worker", { call_id: "toolu_1" }, { ok: false })).toEqual({
      decision_id: "d1",
      executor: "Bash",
      reported: { state: "failed", ms: 1234 },
    });
    expect(reports.report("id-worker", { decision_id: "d1" }, { ok: true })).toBeUndefined();
    expect(reports.of("d1")).toEqual({ state: "failed", ms: 1234 });
    expect(reports.report("id-worker", { decision_id: "d2" }, { ok: true })?.reported).toEqual({
      state: "ok",
      ms: 1234,
    });
  });

  it("of another agent, on what wasn't allowed, or on what isn't known counts for nothing", () => {
    const { reports } = reportsAt();
    reports.allowed(decided("d1"), call("Bash", "toolu_1"), subject());
    for (const named of [{ decision_id: "d1" }, { call_id: "toolu_1" }])
      expect(reports.report("id-other", named, { ok: true })).toBeUndefined();
    for (const named of [{ decision_id: "d9" }, { call_id: "toolu_9" }, { call_id: "d1" }])
      expect(reports.report("id-worker", named, { ok: true })).toBeUndefined();
    expect(reports.of("d1")).toBeUndefined();
    expect(reports.refused()).toEqual([
      { agent_id: "id-worker", count: 3 },
      { agent_id: "id-other", count: 2 },
    ]);
  });

  it("is taken on each agent's last calls: another agent's many calls push none of them out", () => {
    const { reports } = reportsAt();
    reports.allowed(decided("mine"), call("Bash", "toolu_1"), subject());
    for (let index = 0; index <= KEPT_OF_AGENT; index++)
      reports.allowed(decided(`other-${index}`), call("Bash", "same"), subject("other"));
    expect(reports.report("id-other", { decision_id: "other-0" }, { ok: true })).toBeUndefined();
    expect(reports.report("id-other", { call_id: "same" }, { ok: true })?.decision_id).toBe(`other-${KEPT_OF_AGENT}`);
    expect(reports.report("id-worker", { call_id: "toolu_1" }, { ok: true })?.decision_id).toBe("mine");
  });

  it("that doesn't count is counted, and noted at most once a minute for each agent", () => {
    const { reports, clock } = reportsAt();
    const send = (times: number) => {
      for (let index = 0; index < times; index++) reports.report("id-worker", { decision_id: "none" }, { ok: true });
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
    for (const [id, one, who] of calls) reports.allowed(decided(id), one, who);
    const shown = () => calls.map(([id]) => reports.of(id)?.state);
    expect(shown()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    reports.allowed(decided("d0"), call("Bash", "toolu_0"), subject());
    reports.report("id-worker", { call_id: "toolu_0" }, { ok: true });
    expect(shown()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    reports.report("id-worker", { decision_id: "d1" }, { ok: true });
    expect(shown()).toEqual(["ok", "unreported", undefined, undefined, undefined]);
    expect(reports.of("d2")).toEqual({ state: "unreported", ms: null });
  });
});

describe("what ran under an agent's own id of a call", () => {
  const allowed = { ...call("Bash", "toolu_1"), args: { command: "echo fine", timeout: 5 } };
  const other = { executor: "Bash", args: { command: "cat ~/.ssh/id_rsa", timeout: 5 } };

  it("is other than what was allowed by its executor or any of its arguments, in whatever order they are", () => {
    for (const [ran, isOther] of [
      [{ executor: "Bash", args: { timeout: 5, command: "echo fine" } }, false],
      [other, true],
      [{ executor: "Write", args: allowed.args }, true],
      [{ executor: "Bash", args: { command: "echo fine" } }, true],
      [{ executor: "Bash", args: { ...allowed.args, run_in_background: true } }, true],
    ] as const) {
      const { reports } = reportsAt();
      reports.allowed(decided("d1"), allowed, subject());
      expect(reports.ran("id-worker", "toolu_1", ran) !== undefined, JSON.stringify(ran)).toBe(isOther);
      expect(reports.of("d1")?.ran_other).toBe(isOther ? true : undefined);
    }
  });

  it("is found once, and shown beside the report, whichever comes first", () => {
    const { reports } = reportsAt();
    for (const id of ["1", "2"])
      reports.allowed(decided(`d${id}`), { ...allowed, context: { call_id: `toolu_${id}` } }, subject());
    expect(reports.ran("id-worker", "toolu_1", other)).toEqual({
      decision_id: "d1",
      executor: "Bash",
      reported: { state: "unreported", ms: null, ran_other: true },
    });
    expect(reports.ran("id-worker", "toolu_1", other)).toBeUndefined();
    const report = { ok: true, duration_ms: 12.4 };
    const both = { state: "ok", ms: 0, duration_ms: 12, ran_other: true };
    expect(reports.report("id-worker", { call_id: "toolu_1" }, report)?.reported).toEqual(both);
    reports.report("id-worker", { call_id: "toolu_2" }, report);
    expect(reports.ran("id-worker", "toolu_2", other)?.reported).toEqual(both);
    expect([reports.of("d1"), reports.of("d2")]).toEqual([both, both]);
  });

  it("isn't compared of another agent, of an unknown call, of one that touches nothing, or of one that runs confined", () => {
    const { reports } = reportsAt();
    reports.allowed(decided("d1"), allowed, subject());
    expect(reports.ran("id-other", "toolu_1", other)).toBeUndefined();
    expect(reports.ran("id-worker", "toolu_9", other)).toBeUndefined();
    const question = { ...call("AskUserQuestion", "toolu_2"), args: { questions: [] } };
    reports.allowed({ decision_id: "d2", capabilities: [] }, question, subject());
    const answered = { executor: "AskUserQuestion", args: { questions: [], answers: {} } };
    expect(reports.ran("id-worker", "toolu_2", answered)).toBeUndefined();
    const confined = { ...decided("d3"), confined: { project: "/srv/p", network: false } };
    reports.allowed(confined, { ...allowed, context: { call_id: "toolu_3" } }, subject());
    expect(reports.ran("id-worker", "toolu_3", other)).toBeUndefined();
  });

  it("is compared of a command line that touches nothing: it could have become any other", () => {
    const { reports } = reportsAt();
    reports.allowed({ decision_id: "d1", capabilities: [] }, allowed, subject());
    expect(reports.ran("id-worker", "toolu_1", other)?.reported).toMatchObject({ ran_other: true });
  });
});
