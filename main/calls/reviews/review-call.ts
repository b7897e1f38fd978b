import type { Decision, Verdict } from "../../../ipc/contract/decision.ts";
import type { StandsFor } from "../../../ipc/contract/description.ts";
import { standsForOf } from "../../decide/description/run-by-name.ts";
import { decisionOf, traceOf } from "../../decide/pipeline.ts";
import { placeOf } from "../../decide/places/call-place.ts";
import { reviewersFor, withoutSentence } from "../../decide/reviews/review-steps.ts";
import {
  type Denial,
  type Examined,
  type NotedReview,
  type Reviewable,
  type Reviewed,
  type Reviewer,
  reviewWithoutAnswer,
} from "../../decide/stages/examination.ts";

/** What all judges together made of a call. */
export interface Reviews {
  noted: readonly NotedReview[];
  /** Of the model as judge, where it was asked. */
  verdict: Verdict | undefined;
  /** What names in the call would have run when the first judge was asked. */
  scripts: readonly StandsFor[];
  /** Null where the call may pass. */
  denial: Denial | null;
}

export interface ReviewEvents {
  /** This judge begins. */
  begins?(reviewer: Reviewer): void;
  /** A judge threw what it shouldn't, to log: it counts as a no. */
  failed(what: string, error: unknown): void;
}

/**
 * Has the judges look at a call, one after the other: the first no ends it.
 * @throws the signal's reason where it was aborted; nothing else
 */
export async function reviewCall(
  x: Reviewable,
  reviewers: readonly Reviewer[],
  signal: AbortSignal,
  events: ReviewEvents,
): Promise<Reviews> {
  const noted: NotedReview[] = [];
  const scripts = scriptsOf(x);
  let verdict: Verdict | undefined;
  for (const reviewer of reviewers) {
    signal.throwIfAborted();
    events.begins?.(reviewer);
    const found = await reviewedBy(reviewer, x, signal, events);
    verdict = found.verdict ?? verdict;
    noted.push({ review: found.review, detail: detailOf(found, x) });
    if (found.denial !== null) return { noted, verdict, scripts, denial: found.denial };
  }
  return { noted, verdict, scripts, denial: null };
}

/** What names in a call's command lines would run, as it is now: `npm test`, `bash x.sh`. A judge's yes is for these files alone. */
export function scriptsOf({ call, lines, settings }: Reviewable): readonly StandsFor[] {
  return standsForOf(lines.all, placeOf(call, settings.home, settings.env));
}

async function reviewedBy(
  reviewer: Reviewer,
  x: Reviewable,
  signal: AbortSignal,
  events: ReviewEvents,
): Promise<Reviewed> {
  const began = performance.now();
  try {
    const found = await reviewer.review(x, signal);
    signal.throwIfAborted();
    return found;
  } catch (error) {
    signal.throwIfAborted();
    events.failed(`the review by ${reviewer.name}`, error);
    return crashed(reviewer, performance.now() - began);
  }
}

/** A judge that fails unexpectedly must not let a call pass that it was asked about. */
function crashed(reviewer: Reviewer, ms: number): Reviewed {
  const { stage, name } = reviewer;
  const sentence = "the gate failed while it was judged";
  return {
    review: reviewWithoutAnswer(reviewer, "rejected", sentence, Math.round(ms)),
    denial: {
      stage,
      reason: `${sentence}: ${name}`,
      explain: {
        rule: stage === "judge" ? "judge.failed" : "validators.failed",
        instead: "send the call again, or ask the user to look at the gate's own log",
      },
    },
  };
}

/**
 * What would be decided on a call that nobody makes, its judges included: they are asked, and nobody else is. `examined`: by the
 * stages, with a trace. @throws the signal's reason where it was aborted
 */
export async function triedCall(examined: Examined, signal: AbortSignal, events: ReviewEvents): Promise<Decision> {
  const judged = examined.denial === null ? await judgedNow(examined.x, signal, events) : examined;
  return { ...decisionOf(judged), trace: traceOf(judged) };
}

async function judgedNow(x: Reviewable, signal: AbortSignal, events: ReviewEvents): Promise<Examined> {
  const reviewers = reviewersFor(x);
  if (reviewers.length === 0) return { x, denial: null };
  const { noted, verdict = x.verdict, denial } = await reviewCall(x, reviewers, signal, events);
  return { x: { ...x, noted, verdict }, denial };
}

/** The user allowed the call in spite of this judge, which isn't asked. */
export function overridden(reviewer: Reviewer): NotedReview {
  return {
    review: reviewWithoutAnswer(reviewer, "overridden"),
    detail: `${reviewer.name}: overridden by the user`,
  };
}

function detailOf({ review, trace }: Reviewed, { call }: Reviewable): string {
  const { name, outcome, sentence } = review;
  const said = trace ?? withoutSentence(sentence, review, call.args);
  return said === "" ? `${name}: ${outcome}` : `${name}: ${outcome}, ${said}`;
}
