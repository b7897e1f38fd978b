import type { Verdict } from "../../../ipc/contract/decision.ts";
import type { Review, ReviewStage } from "../../../ipc/contract/review.ts";
import type { Denial, Reviewable } from "./examination.ts";

/** One judge that is asked about a call once every stage has said yes: the model as judge, then each validator in its order. */
export interface Reviewer {
  readonly stage: ReviewStage;
  /** The model's or judge agent's name in gate.toml. */
  readonly name: string;
  readonly is_online: boolean;
  /** Whether it has to look at this call. Synchronous, and cheap: asked for every call that the stages let pass. */
  concerns(x: Reviewable): boolean;
  /**
   * Looks at the call, within its own time limit. What it couldn't find out is part of what it returns: it throws only the signal's
   * reason where the review was aborted, and whatever it had begun has ended by then.
   */
  review(x: Reviewable, signal: AbortSignal): Promise<Reviewed>;
}

export interface Reviewed {
  review: Review;
  /** Of the model as judge: it replaces the rules' verdict. */
  verdict?: Verdict;
  /** What the trace says beside the outcome, without the arguments' values; left out: the review's sentence, without them. */
  trace?: string;
  /** Null where the call may pass. */
  denial: Denial | null;
}

/** Of a call that isn't judged, as others are. */
export const TOO_MANY_AT_ONCE: Denial["explain"] = {
  rule: "judge.too-many-at-once",
  instead: "wait for their decisions, then send it again",
};

/** A judge that gave no answer, or wasn't asked. @param ms how long that took */
export function reviewWithoutAnswer(
  { stage, name, is_online }: Reviewer,
  outcome: Review["outcome"],
  sentence = "",
  ms = 0,
): Review {
  return { stage, name, outcome, score: null, confidence: null, sentence, ms, is_online };
}

/** A review, and what the trace says of it: without the arguments' values. */
export interface NotedReview {
  review: Review;
  detail: string;
}
