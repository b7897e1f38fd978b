import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeScore } from "../../../main/decide/judge/verdicts.ts";
import { prepared } from "../../support/proposed-calls.ts";

function scoreOf(executorName: string, args: Record<string, unknown>, intent = "", critical?: boolean) {
  const { call, executor } = prepared("/home/r", executorName, args, { intent });
  return judgeScore(call, executor, critical);
}

describe("the required signals", () => {
  it("the base is 0.7", () => {
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" })).toEqual({ score: 0.7, notes: [] });
  });

  // judge_intent_menziona_executor_alza_score
  it("an intent that mentions the executor, or a part of its name of three letters at least, scores 0.80", () => {
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" }, "read my notes in /tmp/n.txt")).toEqual({
      score: 0.8,
      notes: ["judge.intent-matches"],
    });
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" }, "READ it").score).toBe(0.8);
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" }, "use fs_read").score).toBe(0.8);
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" }, "look at the fs").score).toBe(0.7);
    expect(scoreOf("fs_read", { path: "/tmp/n.txt" }, "show my notes").score).toBe(0.7);
  });

  // judge_path_traversal_abbassa_score
  it("a value with .. and / scores 0.50, nested too, with a note", () => {
    expect(scoreOf("fs_read", { path: "/tmp/../etc/foo" })).toEqual({
      score: 0.5,
      notes: ["judge.path-traversal"],
    });
    expect(scoreOf("mcp__x__y", { a: { b: ["../x"] } }).score).toBe(0.5);
    expect(scoreOf("fs_read", { path: "a..b" }).score).toBe(0.7);
    expect(scoreOf("fs_write", { path: "/srv/a", content: "see ../x" }).score).toBe(0.7);
  });

  it("an argument whose name is no identifier costs 0.10, once", () => {
    for (const key of ["a-b", "a b", "1a", "a.b", "", "$x"]) {
      expect([key, scoreOf("mcp__x__y", { [key]: 1, "c-d": 2 }).score]).toEqual([key, 0.6]);
    }
    expect(scoreOf("mcp__x__y", { a_b1: 1, _x: 2, città: 3 }).score).toBe(0.7);
  });

  it("a call that is said not to be critical gets 0.05; one that says nothing gets nothing", () => {
    expect(scoreOf("fs_read", { path: "/x" }, "", false).score).toBe(0.75);
    expect(scoreOf("fs_read", { path: "/x" }, "", true).score).toBe(0.7);
    expect(scoreOf("fs_read", { path: "/x" }, "read", false).score).toBe(0.85);
  });

  it("they add up to the required numbers and stay within [0, 1]", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(true, false, undefined),
        (says, climbs, isOdd, critical) => {
          const args = { path: climbs ? "../x" : "/x", ...(isOdd ? { "a-b": 1 } : {}) };
          const { score } = scoreOf("fs_read", args, says ? "read" : "", critical);
          const expected =
            0.7 + (says ? 0.1 : 0) - (climbs ? 0.2 : 0) - (isOdd ? 0.1 : 0) + (critical === false ? 0.05 : 0);
          expect(score).toBeCloseTo(expected, 10);
          expect(score >= 0 && score <= 1).toBe(true);
        },
      ),
    );
  });
});
