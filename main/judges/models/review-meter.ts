import { REVIEW_OUTCOMES, REVIEW_STAGES, type Review, type ReviewStage } from "../../../ipc/contract/review.ts";
import { Histogram } from "../../base/histogram.ts";
import type { Reviewer } from "../../decide/stages/examination.ts";

/** Seconds. */
const BOUNDS = [0.005, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 300];

const COUNTED = REVIEW_OUTCOMES.filter(
  (outcome) => outcome === "passed" || outcome === "rejected" || outcome === "fallback",
);

/** How reviews came out, and how long they took, as plain numbers: they are read when the metrics are requested. */
export class ReviewMeter {
  readonly seconds = byStage(() => new Histogram(BOUNDS));
  readonly outcomes = byStage(() => new Map<Review["outcome"], number>(COUNTED.map((outcome) => [outcome, 0])));

  /** The same judge; its reviews are counted. */
  metered(reviewer: Reviewer): Reviewer {
    return {
      stage: reviewer.stage,
      name: reviewer.name,
      is_online: reviewer.is_online,
      concerns: (x) => reviewer.concerns(x),
      review: async (x, signal) => {
        const begun = performance.now();
        const reviewed = await reviewer.review(x, signal);
        this.#count(reviewed.review, performance.now() - begun);
        return reviewed;
      },
    };
  }

  #count({ stage, outcome }: Review, ms: number): void {
    this.seconds[stage].add(ms / 1000);
    this.outcomes[stage].set(outcome, (this.outcomes[stage].get(outcome) ?? 0) + 1);
  }
}

function byStage<T>(make: () => T): Readonly<Record<ReviewStage, T>> {
  return Object.fromEntries(REVIEW_STAGES.map((stage) => [stage, make()])) as Record<ReviewStage, T>;
}
