import type { Verdict } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import type { Executor } from "../executors/catalog.ts";
import { type GuardBlock, type GuardSettings, guard } from "../guard/guard.ts";
import { JUDGE_KIND, judgeScore, NOTE_TEXT } from "./rule-based.ts";

/** Guard, then judge (docs/decisions/requirements-vaglio.md). The judge never scores what the guard blocks. */

export interface VerdictSettings extends GuardSettings, JudgeSettings {}

export interface JudgeSettings {
  /** Below this score the judge denies. */
  judge_threshold: number;
  /** Milliseconds. */
  now: () => number;
}

/** Both of them on one call, for `vaglio check`. In the pipeline they are separate stages. */
export function guardThenJudge(
  call: ProposedCall,
  executor: Executor,
  needs: readonly ResolvedRequirement[],
  critical: boolean | undefined,
  settings: VerdictSettings,
): Verdict {
  const block = guard(call, executor, needs, settings);
  return block === null ? judgeVerdict(call, executor, critical, settings) : guardVerdict(block, settings);
}

/** The verdict on a call that the guard blocks: its score is 0, the judge is not evaluated. */
export function guardVerdict(block: GuardBlock, { now }: Pick<JudgeSettings, "now">): Verdict {
  return {
    approved: false,
    reason: block.reason,
    ts: now() / 1000,
    judge_kind: JUDGE_KIND,
    score: 0,
    blocked_by: "guard",
  };
}

/**
 * The verdict on a call that the guard lets pass.
 * @param critical for the judge's bonus; see `judgeScore`
 */
export function judgeVerdict(
  call: ProposedCall,
  executor: Executor,
  critical: boolean | undefined,
  { judge_threshold, now }: JudgeSettings,
): Verdict {
  const { score, notes } = judgeScore(call, executor, critical);
  const rationale = notes.map((note) => NOTE_TEXT[note]).join(", ");
  const verdict = scoreVerdict(score, { threshold: judge_threshold, rationale, now, judge_kind: JUDGE_KIND });
  return { ...verdict, notes };
}

/** The verdict of a judge that gave this score, in [0, 1]. @param rationale why, in words; empty: nothing is said */
export function scoreVerdict(
  score: number,
  {
    threshold,
    rationale,
    now,
    judge_kind,
  }: { threshold: number; rationale: string; judge_kind: string } & Pick<JudgeSettings, "now">,
): Verdict {
  const approved = score >= threshold;
  const outcome = approved
    ? `approved: score ${score.toFixed(2)}`
    : `judge: score ${score.toFixed(2)} < threshold ${threshold.toFixed(2)}`;
  const reason = rationale === "" ? outcome : `${outcome} (${rationale})`;
  return { approved, reason, ts: now() / 1000, judge_kind, score, blocked_by: approved ? null : "judge" };
}
