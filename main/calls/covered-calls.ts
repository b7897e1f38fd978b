import type { Principal } from "../../ipc/contract/operator-api.ts";
import type { Rule } from "../../ipc/contract/rules.ts";
import { SlicedWork } from "../base/clocks/sliced-work.ts";
import type { Reviewable } from "../decide/stages/examination.ts";
import type { ExamineAgain } from "./final-decision.ts";

export interface CoveredCallsParts {
  /** The requests that calls wait for. */
  tokens(): Iterable<string>;
  /** The calls that share one. */
  callsOf(token: string): readonly Reviewable[];
  examineAgain: ExamineAgain;
  /** Answers a request as the operator whose grant or refusal covers it. */
  answer(token: string, answer: "approved" | "rejected", by: Principal): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

/** After a grant or a refusal: what it covers of all that waits needs no answer of its own. */
export class CoveredCalls {
  readonly #parts: CoveredCallsParts;
  /** The requests whose calls may be covered by now, and by whose grant. */
  readonly #to_examine = new Map<string, Principal>();
  readonly #examining = new SlicedWork((ends_at) => this.#examineSome(ends_at));

  constructor(parts: CoveredCallsParts) {
    this.#parts = parts;
  }

  /** Examines what waits again, in pieces. */
  end(by: Principal): void {
    for (const token of this.#parts.tokens()) this.#to_examine.set(token, by);
    this.#examining.go();
  }

  #examineSome(ends_at: number): boolean {
    for (const [token, by] of this.#to_examine) {
      if (performance.now() >= ends_at) break;
      this.#to_examine.delete(token);
      try {
        const answer = this.#answerCovering(token);
        if (answer !== undefined) this.#parts.answer(token, answer, by);
      } catch (error) {
        this.#parts.failed("examining a waiting call again", error);
      }
    }
    return this.#to_examine.size > 0;
  }

  /**
   * What the user's grants or refusals answer for all that share a request. They differ in their sessions at the most: a grant for one
   * session covers no other's, and neither does a refusal.
   */
  #answerCovering(token: string): "approved" | "rejected" | undefined {
    const of_each_session = new Map(this.#parts.callsOf(token).map((x) => [x.subject.session, x]));
    const answers = new Set([...of_each_session.values()].map((before) => this.#answerNow(before)));
    const [answer] = answers;
    return answers.size === 1 ? answer : undefined;
  }

  #answerNow(before: Reviewable): "approved" | "rejected" | undefined {
    const { x, denial } = this.#parts.examineAgain(before);
    if (denial === null) return x.outcome === "allowed" ? "approved" : undefined;
    return BY_REFUSAL.has(denial.explain.rule) ? "rejected" : undefined;
  }
}

const BY_REFUSAL: ReadonlySet<Rule> = new Set<Rule>(["approval.refused-for-session", "rate.same-call-stopped"]);
