import { z } from "zod";
import type { Decided, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import type { Verdict } from "../../ipc/contract/decision.ts";
import type { Review } from "../../ipc/contract/review.ts";
import type { Core } from "../../main/core/core.ts";
import { type ReviewConfig, reviewSections } from "../../main/decide/reviews/config.ts";
import type { Denial, Reviewable, Reviewed, Reviewer } from "../../main/decide/stages/examination.ts";

/** Judges that the test holds in its hand, and what a gate decides with them. */

/** Of a call that no judge looks at. */
export function decidedAtOnce(decided: Decided): Decided & { decision: UnsentDecision } {
  const { decision } = decided;
  if (decision === undefined) throw new Error("it is being judged");
  return { ...decided, decision };
}

/** A call that the judge looks at now. */
export interface HeldReview {
  readonly x: Reviewable;
  readonly signal: AbortSignal;
  pass(sentence?: string): void;
  reject(sentence?: string): void;
  answer(reviewed: Reviewed): void;
  /** Throws. */
  crash(error: unknown): void;
}

/** A judge that answers each call when the test says so. */
export class HeldJudge implements Reviewer {
  readonly stage: Reviewer["stage"];
  readonly name: string;
  readonly is_online = false;
  /** Every call that it was asked about, in order. */
  readonly asked: HeldReview[] = [];
  #concerns: (x: Reviewable) => boolean;
  #waiting: (() => void)[] = [];

  constructor(
    name = "held",
    stage: Reviewer["stage"] = "validators",
    concerns: (x: Reviewable) => boolean = () => true,
  ) {
    this.name = name;
    this.stage = stage;
    this.#concerns = concerns;
  }

  concerns(x: Reviewable): boolean {
    return this.#concerns(x);
  }

  review(x: Reviewable, signal: AbortSignal): Promise<Reviewed> {
    return new Promise((resolve, reject) => {
      const answer = (passed: boolean, sentence: string) => resolve(this.#reviewed(passed, sentence));
      this.asked.push({
        x,
        signal,
        pass: (sentence = "it does what is asked for") => answer(true, sentence),
        reject: (sentence = "it does more than is asked for") => answer(false, sentence),
        answer: resolve,
        crash: reject,
      });
      for (const begins of this.#waiting.splice(0)) begins();
    });
  }

  /** The call that it was asked about as the `count`-th, once it was. */
  async reviewing(count = this.asked.length + 1): Promise<HeldReview> {
    for (;;) {
      const found = this.asked[count - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** As it would answer itself. */
  #reviewed(passed: boolean, sentence: string): Reviewed {
    const { stage, name } = this;
    const score = passed ? 0.9 : 0.1;
    const review: Review = {
      stage,
      name,
      outcome: passed ? "passed" : "rejected",
      score,
      confidence: stage === "validators" ? 0.8 : null,
      sentence,
      ms: 3,
      is_online: false,
    };
    const verdict: Verdict = {
      approved: passed,
      reason: `score ${score}: ${sentence}`,
      ts: 1_714_225_863,
      judge_kind: "llm-v1",
      score,
      blocked_by: passed ? null : "judge",
    };
    return {
      review,
      ...(stage === "judge" ? { verdict } : {}),
      denial: passed ? null : denialBy(stage, name, verdict.reason),
    };
  }
}

function denialBy(stage: Reviewer["stage"], name: string, reason: string): Denial {
  return stage === "judge"
    ? { stage, reason, explain: { rule: "judge.model-low-score", instead: "say what it is for" } }
    : { stage, reason: `the judge ${name} rejects it`, explain: { rule: "validators.rejected", instead: reason } };
}

/** Has these judges look at the calls of an open gate, after those of its configuration. */
export function judgedBy({ judges }: Pick<Core, "judges">, ...reviewers: Reviewer[]): void {
  (judges.reviewers as Reviewer[]).push(...reviewers);
}

/** The sections of gate.toml about judges, as they are written there. */
export function reviewConfig(sections: z.input<typeof SECTIONS>): ReviewConfig {
  return SECTIONS.parse(sections);
}

const SECTIONS = z.strictObject(reviewSections);
