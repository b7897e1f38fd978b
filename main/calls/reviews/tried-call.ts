import type { Decision } from "../../../ipc/contract/decision.ts";
import { decisionOf, traceOf } from "../../decide/pipeline.ts";
import { reviewersFor } from "../../decide/reviews/concerns.ts";
import type { Examined, Reviewable } from "../../decide/stages/examination.ts";
import { type ReviewEvents, reviewCall } from "./review-call.ts";

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
