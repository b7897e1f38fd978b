import { visible } from "../../../../ipc/base/visible-text.ts";
import type { Review } from "../../../../ipc/contract/review.ts";
import type { Rule } from "../../../../ipc/contract/rules.ts";
import { withoutValues } from "../../../decide/guard/without-values.ts";
import type { ValidatorConfig, When } from "../../../decide/reviews/config.ts";
import type { Denial, Reviewable, Reviewed, Reviewer } from "../../../decide/stages/examination.ts";
import type { JudgeAgent } from "../judge-ports.ts";
import { type GradientResult, problemText, readGradientResult } from "./gradient-result.ts";
import { type PayloadParts, validatorPayload, workerOf } from "./payload.ts";

/** One semantic validator: a judge agent's answer to whether a call may be made (docs/decisions/requirements-validators.md). */

export interface ValidatorParts extends PayloadParts {
  /** Whether a judge with this `when` looks at this call. */
  isConcerned: (x: Reviewable, when: When) => boolean;
}

/** An agent that only changes its words would send it until it passes. */
const CHANGE_IT = "change what the call does, not its wording, or let the user know what was refused";
/** Of a judge's own words, where they are shown. */
const MAX_SENTENCE = 400;
const MAX_TRACED_SIGNALS = 8;
/** Milliseconds that a judge agent which was aborted has to end what it began. */
const GRACE_MS = 1000;

type ValidatorRule = Extract<Rule, `validators.${string}`>;

/** What came of asking: the answer, or why there is none. */
type Answer = { output: string } | NoAnswer;
/** In the gate's own words, or a judge agent's, which have no values. */
interface NoAnswer {
  rule: Exclude<ValidatorRule, "validators.rejected">;
  sentence: string;
}

export function validatorOf(config: ValidatorConfig, agent: JudgeAgent, parts: ValidatorParts): Reviewer {
  return {
    stage: "validators",
    name: agent.name,
    is_online: agent.is_online,
    concerns: (x) => parts.isConcerned(x, config.when),
    async review(x, signal) {
      const start = performance.now();
      const answer = await asked(x, config, agent, parts, signal);
      const { review, ...found } =
        "output" in answer ? judged(x, answer.output, config, agent.name) : notAnswered(answer, agent.name);
      const ms = Math.round(performance.now() - start);
      return { ...found, review: { ...review, ms, is_online: agent.is_online } };
    },
  };
}

/** @throws the signal's reason where it was aborted */
async function asked(
  x: Reviewable,
  config: ValidatorConfig,
  agent: JudgeAgent,
  parts: ValidatorParts,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error("the time for its answer is over")),
    config.timeout_seconds * 1000,
  );
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const output = await untilAborted(either, () =>
      agent.judge(validatorPayload(x, { criteria: config.criteria, agent }, parts), workerOf(x), either),
    );
    return { output };
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted) {
      const sentence = `${agent.name} has not answered within ${config.timeout_seconds} seconds`;
      return { rule: "validators.timed-out", sentence };
    }
    return { rule: "validators.failed", sentence: error instanceof Error ? error.message : "it failed" };
  } finally {
    clearTimeout(timer);
  }
}

/** What `work` comes to; once the signal is aborted, its reason, as soon as the work has ended, or doesn't end in a short time. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  let grace: NodeJS.Timeout | undefined;
  const onAbort = () => {
    grace = setTimeout(() => reject(signal.reason), GRACE_MS);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const found = await Promise.race([work(), givenUp]);
    signal.throwIfAborted();
    return found;
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(grace);
  }
}

type Found = Omit<Reviewed, "review"> & { review: Omit<Review, "ms" | "is_online"> };

function judged(x: Reviewable, output: string, config: ValidatorConfig, name: string): Found {
  const read = readGradientResult(output);
  if ("problem" in read) {
    const sentence = `its answer ${problemText(read)}`;
    return notAnswered({ rule: "validators.unusable-answer", sentence }, name);
  }
  const { result } = read;
  const short = shortfall(result, config);
  const reasoning = shown(result.reasoning);
  const review = reviewOf(name, result, reasoning, short === null);
  const trace = traceText(result, x.call.args);
  if (short === null) return { review, trace, denial: null };
  const denial: Denial = {
    stage: "validators",
    reason: `${name} rejected the call: ${short}`,
    explain: {
      rule: "validators.rejected",
      instead: reasoning === "" ? CHANGE_IT : `${name} says: "${reasoning}"; ${CHANGE_IT}`,
    },
  };
  return { review, trace, denial };
}

/** Which minimum the answer doesn't reach; null where it reaches both. */
function shortfall(
  { score, confidence }: GradientResult,
  { min_score, min_confidence }: ValidatorConfig,
): string | null {
  if (score < min_score) return `its score ${score} is below ${min_score}`;
  if (confidence < min_confidence) return `its confidence ${confidence} is below ${min_confidence}`;
  return null;
}

function notAnswered({ rule, sentence }: NoAnswer, name: string): Found {
  const trace = shown(sentence);
  return { review: reviewOf(name, null, trace), trace, denial: unusable(rule, name, trace) };
}

function reviewOf(name: string, result: GradientResult | null, sentence: string, hasPassed = false): Found["review"] {
  return {
    stage: "validators",
    name,
    outcome: hasPassed ? "passed" : "rejected",
    score: result?.score ?? null,
    confidence: result?.confidence ?? null,
    sentence,
  };
}

const WHAT_HAPPENED: Record<NoAnswer["rule"], string> = {
  "validators.unusable-answer": "gave no usable answer",
  "validators.failed": "could not look at the call",
  "validators.timed-out": "did not answer in time",
};

function unusable(rule: NoAnswer["rule"], name: string, sentence: string): Denial {
  return {
    stage: "validators",
    reason: `${name} ${WHAT_HAPPENED[rule]}, so the call is rejected`,
    explain: {
      rule,
      instead: `try it once more; if that fails too, tell the user that ${name} does not work: ${sentence}`,
    },
  };
}

/** The judge's words on one line, safe to show. */
function shown(text: string): string {
  const line = cut(text.trim().replace(/\s+/g, " "));
  return cut(visible(line));
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_SENTENCE ? text : `${characters.slice(0, MAX_SENTENCE - 1).join("")}…`;
}

function traceText({ score, confidence, reasoning, signals }: GradientResult, args: Record<string, unknown>): string {
  const bare = (text: string) => shown(withoutValues(text, args));
  const parts = signals.slice(0, MAX_TRACED_SIGNALS).map((signal) => {
    const category = bare(signal.category.replaceAll("_", " "));
    return `${category} ${signal.score}: ${bare(signal.message)}`;
  });
  const leftOut = signals.length - parts.length;
  if (leftOut > 0) parts.push(`${leftOut} more signals`);
  return [`score ${score}, confidence ${confidence}`, bare(reasoning), ...parts]
    .filter((part) => part !== "")
    .join("; ");
}
