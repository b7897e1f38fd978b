import { describe, expect, it } from "vitest";
import { isDenial } from "../../../main/decide/stages/examination.ts";
import { judge } from "../../../main/decide/stages/judge.ts";
import { examinationOf, type Situation } from "../../support/examinations.ts";

const READ: Situation = { executor: "fs_read", args: { path: "/srv/a.txt" } };
const WRITE: Situation = { executor: "fs_write", args: { path: "/srv/a.txt" } };

function scoreOf(situation: Situation): number | undefined {
  const found = judge(examinationOf(situation));
  return (isDenial(found) ? found.found?.verdict : found.verdict)?.score;
}

it("a score at the threshold passes; the verdict is kept, the trace says why", () => {
  const x = examinationOf({ ...WRITE, settings: { judge_threshold: 0.7 } });
  expect(judge(x)).toEqual({
    verdict: {
      approved: true,
      reason: "approved: score 0.70",
      ts: 1_714_225_863.214,
      judge_kind: "rule-based-v1",
      score: 0.7,
      blocked_by: null,
      notes: [],
    },
  });
  expect(x.trace).toEqual([{ stage: "judge", outcome: "passed", detail: "approved: score 0.70" }]);
});

it("a score below the threshold is denied, and the verdict says by whom", () => {
  const x = examinationOf({ ...WRITE, settings: { judge_threshold: 0.71 } });
  const reason = "judge: score 0.70 < threshold 0.71";
  expect(judge(x)).toEqual({
    stage: "judge",
    reason,
    explain: { rule: "judge.low-score", instead: "say what it is for, and name plain paths" },
    found: { verdict: expect.objectContaining({ approved: false, reason, score: 0.7, blocked_by: "judge" }) },
  });
  expect(x.trace).toEqual([{ stage: "judge", outcome: "denied", detail: reason, rule: "judge.low-score" }]);
});

describe("the bonus for what changes nothing", () => {
  it("is given by the manifest", () => {
    expect(scoreOf(READ)).toBe(0.75);
    expect(scoreOf(WRITE)).toBe(0.7);
  });

  it("an agent can call its own call critical, and loses it", () => {
    expect(scoreOf({ ...READ, context: { critical: true } })).toBe(0.7);
    const x = examinationOf({ ...READ, context: { critical: true }, settings: { judge_threshold: 0.72 } });
    expect(judge(x)).toMatchObject({ stage: "judge" });
  });

  it("it can't call it harmless: the manifest's word stays", () => {
    expect(scoreOf({ ...WRITE, context: { critical: false } })).toBe(0.7);
    expect(scoreOf({ ...READ, context: { critical: false } })).toBe(0.75);
    expect(scoreOf({ executor: "mcp__a__b", context: { critical: false } })).toBe(0.7);
  });
});
