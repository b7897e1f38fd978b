import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { SessionDecisions } from "../../../main/calls/reviews/session-decisions.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import type { Subject } from "../../../main/decide/stages/examination.ts";
import { PAIRED } from "../../support/examinations.ts";
import { ROBERTO } from "../../support/gate-stores.ts";

const MINUTE = 60_000;

function kept() {
  const time = { now: 1_714_225_863_214 };
  const decisions = new SessionDecisions(new ExecutorCatalog(), () => time.now);
  /** Notes a decision on a call of `executor`. */
  const note = (
    executor: string,
    decision: Partial<Decision> = {},
    { turn, session = "s1", agent = "agent-1" }: { turn?: string; session?: string; agent?: string } = {},
  ) => {
    const subject: Subject = {
      agent: { ...PAIRED, agent_id: agent },
      level: "Supervised",
      session,
      principal: ROBERTO,
    };
    const context = turn === undefined ? {} : { context: { turn } };
    decisions.note(decisionOf(decision), { intent: "", executor, args: {}, ...context }, subject);
  };
  const deny = (executor: string, options?: Parameters<typeof note>[2]) => note(executor, DENIED, options);
  return { time, decisions, note, deny };
}

const DENIED: Partial<Decision> = { outcome: "denied", stage: "guard", explain: { rule: "guard.protected-path" } };

function decisionOf(decision: Partial<Decision>): Decision {
  return {
    decision_id: randomUUID(),
    outcome: "allowed",
    stage: "policy",
    reason: "",
    explain: { rule: "policy.level-allows" },
    verdict: null,
    capabilities: [],
    ...decision,
  };
}

describe("a session's last decisions", () => {
  it("are the last twenty, the oldest first, each with its stage and rule", () => {
    const { decisions, note, deny } = kept();
    for (let count = 0; count < 25; count++) note(`tool_${count}`);
    deny("Bash");
    const last = decisions.of("agent-1", "s1");
    expect(last.map(({ executor }) => executor)).toEqual([
      ...Array.from({ length: 19 }, (_, index) => `tool_${index + 6}`),
      "Bash",
    ]);
    expect(last.at(-1)).toMatchObject({
      outcome: "denied",
      stage: "guard",
      rule: "guard.protected-path",
      ts: 1_714_225_863.214,
    });
  });

  it("hold the final decision of a call that waited in place of the first", () => {
    const { decisions, note } = kept();
    const asked = { decision_id: randomUUID(), outcome: "approval_required", stage: "approval" } as const;
    note("Bash", asked);
    note("Read");
    note("Bash", { ...asked, outcome: "denied", status: "rejected" });
    expect(decisions.of("agent-1", "s1").map(({ executor, outcome }) => [executor, outcome])).toEqual([
      ["Bash", "denied"],
      ["Read", "allowed"],
    ]);
  });

  it("name an executor as the trail does: a name of the agent's own that may hold a value isn't kept", () => {
    const { decisions, note } = kept();
    note("x".repeat(100));
    expect(decisions.of("agent-1", "s1")[0]?.executor).toBe("(unnamed:100)");
  });

  it("are each session's and each agent's own", () => {
    const { decisions, note } = kept();
    note("Read", {}, { session: "other" });
    note("Read", {}, { agent: "agent-2" });
    expect(decisions.of("agent-1", "s1")).toEqual([]);
  });

  it("are kept of an agent's last 64 sessions only, however many it names, and of every other agent", () => {
    const { decisions, note } = kept();
    note("Read", {}, { agent: "agent-2" });
    note("Read", {}, { session: "first" });
    for (let count = 0; count < 64; count++) note("Read", {}, { session: `s${count}` });
    expect(decisions.of("agent-1", "first")).toEqual([]);
    expect(decisions.of("agent-1", "s0")).toHaveLength(1);
    expect(decisions.of("agent-2", "s1")).toHaveLength(1);
  });

  it("say how often a target was touched, without keeping it", () => {
    const { decisions, note } = kept();
    const needs = [{ capability: "fs:write", target: "/srv/secret-name.txt" } as const];
    note("Write", { capabilities: needs });
    note("Write", { capabilities: needs });
    note("Write", { ...DENIED, capabilities: needs });
    note("Read", { capabilities: [{ capability: "fs:read", target: "/srv/secret-name.txt" }] });
    expect(decisions.touched("agent-1", "s1", needs)).toBe(2);
    expect(decisions.touched("agent-1", "s2", needs)).toBe(0);
    expect(JSON.stringify(decisions.of("agent-1", "s1"))).not.toContain("secret-name");
  });
});

describe("what was denied in the same turn", () => {
  it("are the names of the executors, each once, of the turn that is named", () => {
    const { decisions, note, deny, time } = kept();
    deny("Write", { turn: "1" });
    deny("Bash", { turn: "2" });
    note("Read", {}, { turn: "2" });
    deny("Bash", { turn: "2" });
    deny("WebFetch", { turn: "2" });
    expect(decisions.deniedInTurn("agent-1", "s1", "2", time.now)).toEqual(["Bash", "WebFetch"]);
    expect(decisions.deniedInTurn("agent-1", "s1", "3", time.now)).toEqual([]);
  });

  it("a call that names no turn belongs to the last one that its session named, however long ago", () => {
    const { decisions, deny, time } = kept();
    deny("Write", { turn: "1" });
    deny("Bash", { turn: "2" });
    deny("WebFetch");
    time.now += 60 * MINUTE;
    expect(decisions.deniedInTurn("agent-1", "s1", undefined, time.now)).toEqual(["Bash", "WebFetch"]);
  });

  it("where no turn was ever named, of the last ten minutes", () => {
    const { decisions, deny, time } = kept();
    deny("Bash");
    time.now += 6 * MINUTE;
    deny("Write");
    expect(decisions.deniedInTurn("agent-1", "s1", undefined, time.now)).toEqual(["Bash", "Write"]);
    time.now += 5 * MINUTE;
    expect(decisions.deniedInTurn("agent-1", "s1", undefined, time.now)).toEqual(["Write"]);
  });

  it("isn't pushed out by what is allowed afterwards", () => {
    const { decisions, note, deny, time } = kept();
    deny("Bash", { turn: "1" });
    for (let count = 0; count < 100; count++) note("Read", {}, { turn: "1" });
    expect(decisions.deniedInTurn("agent-1", "s1", "1", time.now)).toEqual(["Bash"]);
  });

  it("is what somebody said no to: no request that nobody answered, no pause", () => {
    const { decisions, note, time } = kept();
    note("Bash", { ...DENIED, status: "expired" });
    note("Read", { ...DENIED, status: "cancelled" });
    note("Glob", { ...DENIED, stage: "safety", explain: { rule: "safety.paused" } });
    note("Write", { ...DENIED, status: "rejected" });
    expect(decisions.deniedInTurn("agent-1", "s1", undefined, time.now)).toEqual(["Write"]);
  });
});
