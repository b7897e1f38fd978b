import type { Verdict } from "../../ipc/decision.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { Executor } from "./executors/catalog.ts";
import { type GuardBlock, type GuardSettings, guard } from "./guard/guard.ts";
import { JUDGE_KIND, judge_score } from "./judge/rule-based.ts";
import type { Need } from "./targets/target.ts";

/** Guard, then judge (seed 000). The guard shuts the door before the judge can rationalise. */

export interface VaglioSettings extends GuardSettings {
  /** Below this score the judge denies. */
  judge_threshold: number;
  /** Milliseconds. */
  now: () => number;
}

export interface Examined {
  verdict: Verdict;
  block: GuardBlock | null;
}

/**
 * One verdict on one call.
 * @param critical for the judge's bonus; see `judge_score`
 */
export function examine(
  call: ProposedCall,
  executor: Executor,
  needs: readonly Need[],
  critical: boolean | undefined,
  settings: VaglioSettings,
): Examined {
  const ts = settings.now() / 1000;
  const block = guard(call, executor, needs, settings);
  if (block !== null) {
    return {
      block,
      verdict: { approved: false, reason: block.reason, ts, judge_kind: JUDGE_KIND, score: 0, blocked_by: "guard" },
    };
  }
  const { score, rationale } = judge_score(call, executor, critical);
  const notes = rationale === "" ? "" : ` (${rationale})`;
  if (score < settings.judge_threshold) {
    const reason = `judge: score ${score.toFixed(2)} < threshold ${settings.judge_threshold.toFixed(2)}${notes}`;
    return { block, verdict: { approved: false, reason, ts, judge_kind: JUDGE_KIND, score, blocked_by: "judge" } };
  }
  const reason = `approved: score ${score.toFixed(2)}${notes}`;
  return { block, verdict: { approved: true, reason, ts, judge_kind: JUDGE_KIND, score, blocked_by: null } };
}
