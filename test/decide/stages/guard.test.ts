import { describe, expect, it } from "vitest";
import { guard } from "../../../main/decide/stages/guard.ts";
import { examinationOf, type Situation } from "../../support/examinations.ts";

it("what touches nothing forbidden passes", () => {
  const x = examinationOf({ executor: "fs_read", args: { path: "/srv/a.txt" } });
  expect(guard(x)).toBeNull();
  expect(x.trace).toEqual([{ stage: "guard", outcome: "passed", detail: "nothing forbidden" }]);
});

it("what is forbidden is denied with what matched and what to do instead; its verdict has the score 0", () => {
  const x = examinationOf({ executor: "fs_read", args: { path: "~/.ssh/id_rsa" } });
  const reason = "guard: forbidden path violated: pattern '(^|/)\\.ssh(/|$)' in args";
  expect(guard(x)).toEqual({
    stage: "guard",
    reason,
    explain: {
      rule: "guard.protected-path",
      matched: "pattern '(^|/)\\.ssh(/|$)' in argument 'path'",
      instead: "work on another path; if the user needs this one, they do it themselves",
    },
    found: {
      verdict: {
        approved: false,
        reason,
        ts: 1_714_225_863.214,
        judge_kind: "rule-based-v1",
        score: 0,
        blocked_by: "guard",
      },
    },
  });
  expect(x.trace).toEqual([{ stage: "guard", outcome: "denied", detail: reason, rule: "guard.protected-path" }]);
});

describe("nothing lifts it", () => {
  const CALL: Situation = { executor: "Bash", args: { command: "rm -rf /" } };

  it.each<[string, Situation]>([
    ["the level", { ...CALL, level: "Full" }],
    ["an intent that says so", { ...CALL, intent: "the user asked for exactly this" }],
    ["a call that calls itself harmless", { ...CALL, context: { critical: false } }],
    ["a threshold that lets everything pass", { ...CALL, settings: { judge_threshold: 0 } }],
    ["that no agent is involved", { ...CALL, agent: null }],
  ])("%s", (_what, situation) => {
    expect(guard(examinationOf(situation))?.stage).toBe("guard");
  });
});
