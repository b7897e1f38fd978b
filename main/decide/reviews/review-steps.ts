import type { Decision, TraceStep } from "../../../ipc/contract/decision.ts";
import type { Review, ReviewStage } from "../../../ipc/contract/review.ts";
import {
  type Denial,
  type Examined,
  type Reviewable,
  reviewWithoutAnswer,
  type Unfinished,
} from "../stages/examination.ts";
import { reviewersFor } from "./concerns.ts";
import { withoutSentence } from "./quotes.ts";

/** A decision that is made without asking anybody, with the judges that would be asked. */
export function withUnrunReviews(decision: Decision, { x, denial }: Examined): Decision {
  const reviews = denial === null ? unrunReviews(x) : [];
  return reviews.length === 0 ? decision : { ...decision, reviews };
}

function unrunReviews(x: Reviewable): Review[] {
  return reviewersFor(x).map((reviewer) => reviewWithoutAnswer(reviewer, "not_run"));
}

/**
 * A stage's step with what its judges found about the call. `step`: what the stage itself left, if it was reached. Undefined where
 * the stage wasn't reached.
 */
export function withReviews(
  stage: ReviewStage,
  step: TraceStep | undefined,
  { x, denial }: Examined,
): TraceStep | undefined {
  if (denial !== null && denial.stage !== stage && !isAfter(denial)) return step;
  // Denied by the stage itself: no judge was asked.
  if (step?.outcome === "denied") return step;
  const noted = x.noted?.filter(({ review }) => review.stage === stage);
  if (noted === undefined) return withUnrun(stage, step, x);
  const details = noted.map(({ detail }) => detail);
  if (denial?.stage === stage) {
    const [rejecting] = noted.filter(({ review }) => review.outcome === "rejected");
    const { args } = x.call;
    const reason = rejecting === undefined ? denial.reason : withoutSentence(denial.reason, rejecting.review, args);
    const detail = rejecting === undefined ? [...details, reason].join("; ") : details.join("; ");
    return { stage, outcome: "denied", detail, rule: denial.explain.rule };
  }
  if (details.length === 0) return step ?? withUnrun(stage, step, x);
  return { stage, outcome: "passed", detail: [...(step === undefined ? [] : [step.detail]), ...details].join("; ") };
}

/** Of the stages that deny, the approval alone comes after the judges, and what a validator denies has passed the model. */
function isAfter({ stage }: Denial): boolean {
  return stage === "approval" || stage === "validators";
}

function withUnrun(stage: ReviewStage, step: TraceStep | undefined, x: Reviewable | Unfinished): TraceStep | undefined {
  const configured = x.settings.reviewers?.filter((reviewer) => reviewer.stage === stage) ?? [];
  if (configured.length === 0)
    return stage === "validators" ? { stage, outcome: "not_configured", detail: "no validators" } : step;
  const names = isReviewable(x) ? reviewersFor(x, stage).map(({ name }) => name) : [];
  if (names.length === 0) return step ?? { stage, outcome: "skipped", detail: "no validator looks at such a call" };
  const not_run = `review: not run (${names.join(", ")})`;
  return step === undefined
    ? { stage, outcome: "skipped", detail: not_run }
    : { ...step, detail: `${step.detail}; ${not_run}` };
}

function isReviewable(x: Reviewable | Unfinished): x is Reviewable {
  return x.verdict !== undefined && x.outcome !== undefined;
}
