import { hash } from "node:crypto";
import type { Verdict } from "../../../../ipc/contract/decision.ts";
import { JUDGE_FALLBACKS, type JudgeFallback } from "../../../../ipc/contract/judge-fallbacks.ts";
import type { Review } from "../../../../ipc/contract/review.ts";
import { scriptsOf } from "../../../calls/index.ts";
import { callHash, canonicalJson } from "../../../decide/executors/canonical.ts";
import { scoreVerdict } from "../../../decide/judge/verdicts.ts";
import { LLM_JUDGE, type Send, sendToModel } from "../../../decide/reviews/config.ts";
import {
  type Denial,
  type Reviewable,
  type Reviewed,
  type Reviewer,
  reviewWithoutAnswer,
  TOO_MANY_AT_ONCE,
} from "../../../decide/stages/examination.ts";
import { type Model, ModelBusy, ModelError } from "../judge-ports.ts";
import { type SentCall, sentCall } from "../sent/sent-call.ts";
import { isClearYes, JUDGE_ANSWER_SCHEMA, type JudgeAnswer, readJudgeAnswer } from "./answer.ts";
import type { CallHistory, History } from "./history.ts";
import { judgeData, judgePrompt, type Prompt, quickPrompt } from "./prompt.ts";

/** The graded judge, by a model (docs/decisions/requirements-vaglio.md, "Judge: a model"). It can refuse or let pass; it never lifts a denial. */

/** Of a model that can't be asked, or whose answer can't be read. */
const FALLBACK_SCORE = 0.5;
/** Of a call that the short question lets pass: it was asked for a word, not for a score. */
export const QUICK_SCORE = 0.9;
const QUICK_REASON = "clearly fits, at a first look";

const INSTEAD =
  "don't send it again in other words or in pieces: do only what the user asked for, or let them know what was refused and why; only they can allow it";
const INSTEAD_WITHOUT_ANSWER = "the judge can't be asked at the moment: try again later, or ask the user";

export interface ModelJudgeParts {
  /** Null where none is configured: every answer is the fallback. */
  model: Model | null;
  /** A score below it is denied; in [0, 1]. */
  threshold: number;
  /** What of a call the model gets. Left out: the arguments' names where it is online, else masked values. */
  send?: Send | undefined;
  /** Tokens of the answer to a short question that comes first; left out: there is none. */
  stage1_max_tokens?: number | undefined;
  /** Whether the judge has to look at a call at all. */
  isConcerned: (x: Reviewable) => boolean;
  /** Left out: nothing is known of earlier calls. */
  history?: Pick<CallHistory, "of"> | undefined;
  /** Milliseconds. */
  now?: (() => number) | undefined;
  /** Something unexpected that only makes the judge know less, to log. */
  failed?: ((what: string, error: unknown) => void) | undefined;
  /** False: what it answered is asked for again each time (measuring it). */
  isCached?: boolean | undefined;
}

/** The model as judge. */
export function modelJudge(parts: ModelJudgeParts): Reviewer {
  return new ModelJudge(parts);
}

/** What it is asked about. */
interface Asked {
  data: string;
  asked_for: string | undefined;
}

/** What came of asking. */
type Outcome =
  | { kind: "answer"; answer: JudgeAnswer }
  | { kind: "fallback"; why: JudgeFallback }
  /** Used up while it was being asked: the rules' verdict remains. */
  | { kind: "over-budget" }
  /** Else an agent that asks about many calls at once would have one of them pass unseen. */
  | { kind: "busy" };

const BUSY_SENTENCE = "too many calls are being judged";

class ModelJudge implements Reviewer {
  readonly stage = "judge";
  readonly name: string;
  readonly is_online: boolean;
  readonly #parts: ModelJudgeParts;
  readonly #send: Send;
  readonly #now: () => number;
  readonly #cache: AnswerCache;

  constructor(parts: ModelJudgeParts) {
    const { model, send, now = Date.now } = parts;
    this.#parts = parts;
    this.name = model?.name ?? LLM_JUDGE;
    this.is_online = model?.is_online ?? false;
    this.#send = sendToModel(send, this.is_online);
    this.#now = now;
    this.#cache = new AnswerCache(now);
  }

  concerns(x: Reviewable): boolean {
    // In this order: what problem a model has may take reading its key's file, and most calls concern no judge.
    return this.#parts.isConcerned(x) && this.#parts.model?.problem !== "over-budget";
  }

  async review(x: Reviewable, signal: AbortSignal): Promise<Reviewed> {
    signal.throwIfAborted();
    const began = performance.now();
    const { model, isCached = true } = this.#parts;
    if (model === null) return this.#reviewed({ kind: "fallback", why: "router-missing" }, 0);
    const sent = sentCall(x, this.#send);
    const key = isCached ? this.#cache.keyOf(x, sent, [model.name, this.#send]) : undefined;
    const kept = key === undefined ? undefined : this.#cache.find(key);
    if (kept !== undefined) return this.#reviewed({ kind: "answer", answer: kept }, 0);
    const data = judgeData(sent, this.#historyOf(x));
    const outcome = await this.#ask(model, { data, asked_for: x.subject.agent?.name }, signal);
    if (key !== undefined && outcome.kind === "answer") this.#cache.keep(key, outcome.answer);
    return this.#reviewed(outcome, Math.round(performance.now() - began));
  }

  /** @throws the signal's reason */
  async #ask(model: Model, asked: Asked, signal: AbortSignal): Promise<Outcome> {
    try {
      const { stage1_max_tokens } = this.#parts;
      if (stage1_max_tokens === undefined) return await scored(model, asked, signal);
      const began = performance.now();
      if (await isClear(model, asked, stage1_max_tokens, signal))
        return { kind: "answer", answer: { score: QUICK_SCORE, reason: QUICK_REASON } };
      return await within(model.timeoutMs - (performance.now() - began), signal, (both) => scored(model, asked, both));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelError && error.problem === "over-budget") return { kind: "over-budget" };
      if (error instanceof ModelBusy) return { kind: "busy" };
      if (!(error instanceof ModelError)) this.#parts.failed?.("asking the judge", error);
      return { kind: "fallback", why: "chat-failed" };
    }
  }

  /** A judge that knows less of what was before still judges. */
  #historyOf(x: Reviewable): History | null {
    try {
      return this.#parts.history?.of(x) ?? null;
    } catch (error) {
      this.#parts.failed?.("reading what was decided before", error);
      return null;
    }
  }

  #reviewed(outcome: Outcome, ms: number): Reviewed {
    const { threshold } = this.#parts;
    if (outcome.kind === "busy")
      return { review: reviewWithoutAnswer(this, "rejected", BUSY_SENTENCE, ms), denial: BUSY };
    const degraded = outcome.kind !== "answer";
    const score = degraded ? FALLBACK_SCORE : outcome.answer.score;
    const sentence = sentenceOf(outcome);
    const review: Omit<Review, "outcome"> = {
      stage: this.stage,
      name: this.name,
      score,
      confidence: null,
      sentence,
      ms,
      is_online: this.is_online,
    };
    if (outcome.kind === "over-budget") return { review: { ...review, outcome: "fallback" }, denial: null };
    const found = scoreVerdict(score, { threshold, rationale: sentence, now: this.#now, judge_kind: LLM_JUDGE });
    const verdict: Verdict = degraded ? { ...found, degraded: true } : found;
    const passedOrNot = verdict.approved ? "passed" : "rejected";
    return {
      review: { ...review, outcome: degraded ? "fallback" : passedOrNot },
      verdict,
      denial: verdict.approved ? null : denialOf(verdict),
    };
  }
}

const BUSY: Denial = {
  stage: "judge",
  reason: `${BUSY_SENTENCE}: this one was not`,
  explain: TOO_MANY_AT_ONCE,
};

async function scored(model: Model, { data, asked_for }: Asked, signal: AbortSignal): Promise<Outcome> {
  const question = {
    ...questionOf(judgePrompt(data), asked_for),
    schema: JUDGE_ANSWER_SCHEMA,
    max_tokens: model.max_tokens,
  };
  const answer = readJudgeAnswer((await model.ask(question, signal)).text);
  return answer === null ? { kind: "fallback", why: "parse-fail" } : { kind: "answer", answer };
}

/** The short question. An answer that is cut off, or none at all, isn't a clear yes: the long one follows. */
async function isClear(
  model: Model,
  { data, asked_for }: Asked,
  maxTokens: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return isClearYes(
      (await model.ask({ ...questionOf(quickPrompt(data), asked_for), max_tokens: maxTokens }, signal)).text,
    );
  } catch (error) {
    if (error instanceof ModelError && error.problem === "malformed") return false;
    throw error;
  }
}

/** What is left of the model's own time for both questions. @throws ModelError where it is over; what `act` throws */
async function within<T>(ms: number, signal: AbortSignal, act: (both: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const error = new ModelError("not-answering", "both questions took too long");
  const timer = setTimeout(() => late.abort(error), Math.max(0, ms));
  try {
    return await act(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function questionOf({ system, text }: Prompt, askedFor: string | undefined) {
  const messages = [{ role: "user" as const, text }];
  return { system, messages, ...(askedFor === undefined ? {} : { asked_for: askedFor }) };
}

function sentenceOf(outcome: Exclude<Outcome, { kind: "busy" }>): string {
  if (outcome.kind === "answer") return outcome.answer.reason;
  return JUDGE_FALLBACKS[outcome.kind === "fallback" ? outcome.why : "chat-failed"];
}

/** The reason has the model's sentence in it: the trail leaves it out. */
function denialOf(verdict: Verdict): Denial {
  const instead = verdict.degraded === true ? INSTEAD_WITHOUT_ANSWER : INSTEAD;
  return {
    stage: "judge",
    reason: verdict.reason,
    explain: { rule: "judge.model-low-score", instead },
    found: { verdict },
  };
}

// What a model answered about the same call a short while ago. In memory: of the call a hash only.

const MAX_AGE_MS = 600_000;
const MAX_ANSWERS = 500;

interface Kept {
  answer: JudgeAnswer;
  /** Milliseconds. */
  answeredAt: number;
}

class AnswerCache {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * By what the answer depends on: a link that was moved, another intent or another folder makes it another call; and so does what the
   * gate itself read, and any change of a script that a name in the call runs. `sent`: what the model is given of it. Undefined where
   * it can't be said what a name would run.
   */
  keyOf(x: Reviewable, sent: SentCall, askedOf: readonly string[]): string | undefined {
    const { call, subject, needs, stated_needs, confinement } = x;
    const scripts = scriptsOf(x);
    if (scripts.some(({ sha256 }) => sha256 === null)) return undefined;
    const runs = scripts.map(({ name, file, sha256 }) => [name, file, sha256]);
    const { agent, session = "", level } = subject;
    const { cwd = "", mode = "" } = call.context ?? {};
    const about = { needs, stated_needs, confined: confinement === null ? null : confinement.declaration, sent };
    const parts = [askedOf, agent?.agent_id ?? "", session, level, cwd, mode, call.intent, runs];
    return hash("sha256", canonicalJson([parts, callHash(call.executor, call.args), about]), "hex");
  }

  /** Undefined where it wasn't answered in the last ten minutes. */
  find(key: string): JudgeAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const age = this.#now() - kept.answeredAt;
    if (age >= 0 && age < MAX_AGE_MS) return kept.answer;
    this.#kept.delete(key);
    return undefined;
  }

  keep(key: string, answer: JudgeAnswer): void {
    this.#kept.delete(key);
    this.#kept.set(key, { answer, answeredAt: this.#now() });
    const [first] = this.#kept.keys();
    if (this.#kept.size > MAX_ANSWERS && first !== undefined) this.#kept.delete(first);
  }
}
