import { quantile } from "../bench/figure.ts";
import type { Stage } from "../ipc/contract/decision.ts";
import type { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import type { Reviewer } from "../main/decide/stages/examination.ts";
import { examineForJudge } from "./examine.ts";
import type { LabelledCall } from "./labelled-call.ts";
import { type Quality, qualityOf } from "./quality.ts";

/** One call, and what the judges made of it. */
export interface Judged {
  call: LabelledCall;
  refused: boolean;
  rulesRefuse: boolean;
  isFallback: boolean;
  score: number | null;
  sentence: string;
  ms: number;
}

export interface Evaluation {
  /** In the data's order. */
  judged: Judged[];
  /** Calls of the data that no judge is asked about, by the stage that denies them: they count nowhere. */
  notAsked: Partial<Record<Stage, number>>;
  /** Why it ended before each call was judged; null where none is left. */
  endedEarly: "interrupted" | "cost" | "unreachable" | null;
}

export interface Figures {
  judge: Quality;
  rules: Quality;
  refuseEverything: Quality;
  allowEverything: Quality;
  fallbacks: number;
  /** Of answers, in milliseconds; null where there is none. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface Limits {
  /** Questions at the same time. */
  atOnce: number;
  /** Of the rules. */
  threshold: number;
}

/** The reason of an interruption that isn't the user's. */
export const COST_REACHED = Symbol("cost reached");

/** So many unanswered questions in a row, with no answer before them, say that there is nobody to ask. */
const MAX_UNANSWERED = 10;

/**
 * Has each call judged as a gate would. What was aborted while a judge looked at it counts nowhere.
 * @param progress called after each call
 */
export async function evaluate(
  calls: readonly LabelledCall[],
  reviewer: Reviewer,
  catalog: ExecutorCatalog,
  { atOnce, threshold }: Limits,
  interrupt: AbortSignal,
  progress: (done: number, of: number) => void = () => undefined,
): Promise<Evaluation> {
  const { asked, notAsked } = examined(calls, catalog, threshold);
  const judged: (Judged | undefined)[] = asked.map(() => undefined);
  const unreachable = new AbortController();
  const signal = AbortSignal.any([interrupt, unreachable.signal]);
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < asked.length && !signal.aborted) {
      const index = next++;
      const one = asked[index];
      if (one === undefined) return;
      judged[index] = await judgedBy(reviewer, one, signal);
      if (judged[index] === undefined) return;
      progress(++done, asked.length);
      const soFar = judged.filter((item) => item !== undefined);
      if (soFar.length >= MAX_UNANSWERED && soFar.every(({ isFallback }) => isFallback)) unreachable.abort();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const all = judged.filter((item) => item !== undefined);
  const isWhole = all.length === asked.length;
  const interrupted = interrupt.reason === COST_REACHED ? "cost" : "interrupted";
  const endedEarly = unreachable.signal.aborted ? "unreachable" : isWhole ? null : interrupted;
  return { judged: all, notAsked, endedEarly };
}

type Asked = Exclude<ReturnType<typeof examineForJudge>, { denied_by: Stage }> & { call: LabelledCall };

function examined(calls: readonly LabelledCall[], catalog: ExecutorCatalog, threshold: number) {
  const asked: Asked[] = [];
  const notAsked: Partial<Record<Stage, number>> = {};
  for (const call of calls) {
    const found = examineForJudge(call, catalog, threshold);
    if ("denied_by" in found) notAsked[found.denied_by] = (notAsked[found.denied_by] ?? 0) + 1;
    else asked.push({ ...found, call });
  }
  return { asked, notAsked };
}

/** Undefined where the signal ended it. */
async function judgedBy(
  reviewer: Reviewer,
  { x, rulesRefuse, call }: Asked,
  signal: AbortSignal,
): Promise<Judged | undefined> {
  try {
    const { review, denial } = await reviewer.review(x, signal);
    const { score, sentence, ms } = review;
    return {
      call,
      refused: denial !== null,
      rulesRefuse,
      isFallback: review.outcome === "fallback",
      score,
      sentence,
      ms,
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

export function figuresOf(judged: readonly Judged[]): Figures {
  const by = (refuses: (one: Judged) => boolean) =>
    qualityOf(judged.map((one) => ({ label: one.call.label, refused: refuses(one) })));
  const times = judged.filter(({ isFallback }) => !isFallback).map(({ ms }) => ms);
  const at = (q: number) => (times.length === 0 ? null : quantile(times, q));
  return {
    judge: by(({ refused }) => refused),
    rules: by(({ rulesRefuse }) => rulesRefuse),
    refuseEverything: by(() => true),
    allowEverything: by(() => false),
    fallbacks: judged.length - times.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
  };
}
