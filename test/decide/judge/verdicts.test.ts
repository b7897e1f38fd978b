import { describe, expect, it } from "vitest";
import { verdictSchema } from "../../../ipc/contract/decision.ts";
import { guardThenJudge } from "../../../main/decide/judge/verdicts.ts";
import { prepared } from "../../support/proposed-calls.ts";

// docs/decisions/requirements-vaglio.md; the log's cases are in audit/.

const HOME = "/home/roberto";
const NOW_MS = 1_714_225_863_214;

function verdictOn(
  executorName: string,
  args: Record<string, unknown>,
  more: { intent?: string; threshold?: number } = {},
) {
  const { call, executor, needs } = prepared(
    HOME,
    executorName,
    args,
    more.intent === undefined ? {} : { intent: more.intent },
  );
  const settings = { home: HOME, judge_threshold: more.threshold ?? 0.3, now: () => NOW_MS };
  return guardThenJudge(call, executor, needs, undefined, settings);
}

describe("guard, then judge", () => {
  // approva_path_innocuo
  it("a harmless path is approved, with the judge's kind and a score in [0, 1]", () => {
    const verdict = verdictOn("fs_read", { path: "/tmp/x" });
    expect(verdict).toEqual({
      approved: true,
      reason: "approved: score 0.70",
      ts: 1_714_225_863.214,
      judge_kind: "rule-based-v1",
      score: 0.7,
      blocked_by: null,
      notes: [],
    });
    expect(verdictSchema.parse(verdict)).toEqual(verdict);
  });

  it.each([
    ["guard_blocca_ssh", "fs_read", { path: "~/.ssh/id_rsa" }, "forbidden path"],
    ["guard_blocca_etc_passwd", "fs_read", { path: "/etc/passwd" }, "forbidden path"],
    ["guard_blocca_credentials_user", "fs_read", { path: "~/.config/metnos/credentials.env" }, "forbidden path"],
    ["guard_blocca_rm_rf_root", "shell_exec", { command: "rm -rf /" }, "irrecoverable"],
    ["guard_blocca_fork_bomb", "shell_exec", { command: ":(){ :|:& };:" }, "irrecoverable"],
  ])("%s: the guard blocks, the score is 0 and the judge isn't asked", (_case, executor, args, says) => {
    const verdict = verdictOn(executor, args, { intent: `please ${executor}`, threshold: 0 });
    expect(verdict).toMatchObject({ approved: false, blocked_by: "guard", score: 0 });
    expect(verdict.reason).toContain(says);
    expect(verdict.reason.startsWith("guard: ")).toBe(true);
  });

  it("the reason for a forbidden path is worded as the requirements' log line has it", () => {
    expect(verdictOn("fs_read", { path: "~/.ssh/id" }).reason).toBe(
      "guard: forbidden path violated: pattern '(^|/)\\.ssh(/|$)' in args",
    );
  });

  // guard_lascia_passare_shell_innocua
  it("a harmless command passes the guard", () => {
    expect(verdictOn("shell_exec", { command: "ls -la /tmp" })).toMatchObject({ approved: true, blocked_by: null });
  });

  // judge_intent_menziona_executor_alza_score
  it("an intent that mentions the executor scores 0.80, more than a generic one", () => {
    const mentioned = verdictOn("fs_read", { path: "/tmp/n.txt" }, { intent: "read my notes in /tmp/n.txt" });
    expect(mentioned).toMatchObject({
      approved: true,
      score: 0.8,
      reason: "approved: score 0.80 (intent matches executor)",
    });
    expect(verdictOn("fs_read", { path: "/tmp/n.txt" }, { intent: "do something" }).score).toBeLessThan(0.8);
  });

  // judge_path_traversal_abbassa_score
  it("a path with .. scores 0.50: approved, with a note in the reason", () => {
    const verdict = verdictOn("fs_read", { path: "/tmp/../etc/foo" });
    expect(verdict).toMatchObject({ approved: true, score: 0.5 });
    expect(verdict.reason).toContain("possible path traversal ('..' in path)");
    expect(verdict.score).toBeLessThan(verdictOn("fs_read", { path: "/tmp/foo" }).score);
  });

  // judge_sotto_soglia_blocca
  it("with a threshold of 0.99 any action is denied by the judge", () => {
    for (const [executor, args] of [
      ["fs_read", { path: "/tmp/x" }],
      ["shell_exec", { command: "ls" }],
      ["time_now", {}],
    ] as const) {
      const verdict = verdictOn(executor, args, { intent: `${executor} read shell now`, threshold: 0.99 });
      expect(verdict).toMatchObject({ approved: false, blocked_by: "judge", judge_kind: "rule-based-v1" });
      expect(verdict.reason).toBe("judge: score 0.80 < threshold 0.99 (intent matches executor)");
    }
  });

  it("a score that equals the threshold is enough", () => {
    expect(verdictOn("fs_read", { path: "/tmp/x" }, { threshold: 0.7 }).approved).toBe(true);
    expect(verdictOn("fs_read", { path: "/tmp/x" }, { threshold: 0.71 }).approved).toBe(false);
  });
});
