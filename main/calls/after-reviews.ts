import type { Rule } from "../../ipc/contract/rules.ts";
import { changedSince } from "../decide/description/run-by-name.ts";
import type { Denial, Examined, Reviewable } from "../decide/stages/examination.ts";
import { type ExamineAgain, isSame } from "./final-decision.ts";
import { scriptsOf } from "./reviews/judged-scripts.ts";
import type { Reviews } from "./reviews/review-call.ts";

const CHANGED: Denial = {
  stage: "judge",
  reason: "what it would do had changed by the time it was judged",
  explain: { rule: "judge.changed-while-judged", instead: "send the call again" },
};

/**
 * What a call comes to once its judges have looked at it. What none of them refuses is examined again: the world may have moved
 * meanwhile, and no judge has seen that. `before`: the call as it was judged.
 */
export function afterReviews(before: Reviewable, reviews: Reviews, examineAgain: ExamineAgain): Examined {
  const { noted, verdict = before.verdict } = reviews;
  const judged = { verdict, noted };
  if (reviews.denial !== null) return { x: { ...before, ...judged }, denial: reviews.denial };
  const { x, denial } = examineAgain(before);
  if (denial !== null) return { x: { ...x, noted }, denial };
  if (!isSame(x, before) || changedSince(reviews.scripts, scriptsOf(x)) !== null)
    return { x: { ...x, ...judged }, denial: CHANGED };
  return { x: { ...x, ...judged }, denial: null };
}

/** The rules by which a judge denies a call that it was asked about. */
const BY_JUDGES: ReadonlySet<Rule> = new Set<Rule>([
  "judge.model-low-score",
  "judge.failed",
  "validators.rejected",
  "validators.unusable-answer",
  "validators.failed",
  "validators.timed-out",
]);

/** Whether it was the last judge that was asked who denied this call, rather than a stage. */
export function isRefusedByJudge(examined: Examined): examined is { x: Reviewable; denial: Denial } {
  const { x, denial } = examined;
  return denial !== null && x.noted !== undefined && x.noted.length > 0 && BY_JUDGES.has(denial.explain.rule);
}
