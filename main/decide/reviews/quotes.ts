import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import { withoutValues } from "../guard/without-values.ts";

/** A judge's words may quote what it looked at: what is shown beside the agent and the waiting card is without the arguments' values. */

/** A text, with the judge's sentence in it as far as it quotes nothing. What else is in the text are the gate's own words. */
export function withoutSentence(text: string, review: Review, args: Record<string, unknown>): string {
  // The gate says in its own words why a judge could not answer.
  const { outcome, score, sentence } = review;
  if (outcome === "fallback" || score === null || sentence === "") return text;
  if (text.includes(sentence)) return text.replaceAll(sentence, () => withoutValues(sentence, args));
  // Where the gate takes a validator's sentence into its own, it takes it whole; of a model's answer that isn't known.
  return review.stage === "validators" ? text : withoutValues(text, args);
}

/** A decision as surfaces that keep it show it. */
export function withoutQuotes(decision: Decision, args: Record<string, unknown>): Decision {
  const { reviews, verdict, explain, stage } = decision;
  if (reviews === undefined) return decision;
  // The rules' verdict has notes; a model's quotes what it likes.
  const judge = verdict?.notes === undefined ? reviews.find((review) => review.stage === "judge") : undefined;
  const rejecting = reviews.find((review) => review.stage === stage && review.outcome === "rejected");
  const { instead } = explain;
  return {
    ...decision,
    reason: rejecting === undefined ? decision.reason : withoutSentence(decision.reason, rejecting, args),
    explain:
      instead === undefined || rejecting === undefined || !instead.includes(rejecting.sentence)
        ? explain
        : { ...explain, instead: withoutSentence(instead, rejecting, args) },
    verdict:
      verdict === null || judge === undefined
        ? verdict
        : { ...verdict, reason: withoutSentence(verdict.reason, judge, args) },
    reviews: reviews.map((review) => ({ ...review, sentence: withoutSentence(review.sentence, review, args) })),
  };
}
