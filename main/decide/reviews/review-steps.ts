import type { Decision, TraceStep } from "../../../ipc/contract/decision.ts";
import type { Review, ReviewStage } from "../../../ipc/contract/review.ts";
import { CAPABILITY_REGISTRY, changesNothing } from "../../targets/capabilities.ts";
import { isSent, sendsAway } from "../description/effect.ts";
import { withoutValues } from "../guard/without-values.ts";
import {
  type Denial,
  type Examined,
  kindOf,
  type Reviewable,
  type Reviewer,
  reviewWithoutAnswer,
  type Unfinished,
} from "../stages/examination.ts";
import type { McpToolConfig, When } from "./config.ts";

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
  const notRun = `review: not run (${names.join(", ")})`;
  return step === undefined
    ? { stage, outcome: "skipped", detail: notRun }
    : { ...step, detail: `${step.detail}; ${notRun}` };
}

function isReviewable(x: Reviewable | Unfinished): x is Reviewable {
  return x.verdict !== undefined && x.outcome !== undefined;
}

// A judge's words may quote what it looked at: what is shown beside the agent and the waiting card is without the arguments' values.

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

/** Names of executors at which no judge looks, beside those whose manifest says so. */
type SkipJudge = ReadonlySet<string>;

/** The tools of MCP servers of which the user says that no judge has to look at them, by the names that agents call them by. */
export function skippedTools(tools: readonly McpToolConfig[]): SkipJudge {
  return new Set(tools.filter(({ skip_judge }) => skip_judge).map(({ server, tool }) => `mcp__${server}__${tool}`));
}

/** Whether a judge with this `when` looks at this call. */
export function isConcerned(x: Reviewable, when: When, skipped: SkipJudge): boolean {
  return !isSkipped(x, skipped) && fitsAgent(x, when) && fitsExecutor(x, when) && fitsCapabilities(x, when);
}

/** A manifest speaks for a call only while nothing that the call states itself changes or sends anything. */
function isSkipped({ call, executor, stated_needs }: Reviewable, skipped: SkipJudge): boolean {
  if (executor.manifest.skip_judge)
    return stated_needs.every((need) => changesNothing(need.capability) && !isSent(need));
  return !executor.is_described && skipped.has(call.executor);
}

/** Where no agent is involved, none is left out. */
function fitsAgent({ subject }: Reviewable, { agents }: When): boolean {
  if (agents === undefined) return true;
  const kind = kindOf(subject);
  if (kind === "any") return true;
  return agents.includes(kind) || (subject.agent !== null && agents.includes(subject.agent.name));
}

/** Whichever of its names the agent calls it by, and whichever of them is meant here. */
function fitsExecutor({ call, executor: { manifest } }: Reviewable, { executors }: When): boolean {
  if (executors === undefined) return true;
  return [call.executor, manifest.name, ...manifest.aliases].some((name) => executors.includes(name));
}

/** A confined call is what its command line says, whatever its box lets through. */
function fitsCapabilities({ executor, stated_needs }: Reviewable, { capabilities, executors }: When): boolean {
  if (capabilities !== undefined) return stated_needs.some(({ capability }) => capabilities.includes(capability));
  if (executors !== undefined) return true;
  const isCritical = stated_needs.some(({ capability }) => CAPABILITY_REGISTRY[capability].critical);
  return isCritical || !executor.is_described || sendsAway(executor, stated_needs);
}

const NOBODY: readonly Reviewer[] = [];

/** Whom to ask about a call that every stage lets pass, in their order. */
export function reviewersFor(x: Reviewable, stage?: ReviewStage): readonly Reviewer[] {
  const { reviewers } = x.settings;
  if (reviewers === undefined || reviewers.length === 0) return NOBODY;
  return reviewers.filter((reviewer) => (stage === undefined || reviewer.stage === stage) && reviewer.concerns(x));
}
