import { hash } from "node:crypto";
import { scriptsOf } from "../../../calls/index.ts";
import { callHash, canonicalJson } from "../../../decide/executors/canonical.ts";
import type { Reviewable } from "../../../decide/stages/examination.ts";
import type { SentCall } from "../sent/sent-call.ts";
import type { JudgeAnswer } from "./answer.ts";

/** What a model answered about the same call a short while ago. In memory: of the call a hash only. */

const MAX_AGE_MS = 600_000;
const MAX_ANSWERS = 500;

interface Kept {
  answer: JudgeAnswer;
  /** Milliseconds. */
  answered_at: number;
}

export class AnswerCache {
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
  keyOf(x: Reviewable, sent: SentCall, asked_of: readonly string[]): string | undefined {
    const { call, subject, needs, stated_needs, confinement } = x;
    const scripts = scriptsOf(x);
    if (scripts.some(({ sha256 }) => sha256 === null)) return undefined;
    const runs = scripts.map(({ name, file, sha256 }) => [name, file, sha256]);
    const { agent, session = "", level } = subject;
    const { cwd = "", mode = "" } = call.context ?? {};
    const about = { needs, stated_needs, confined: confinement === null ? null : confinement.declaration, sent };
    const parts = [asked_of, agent?.agent_id ?? "", session, level, cwd, mode, call.intent, runs];
    return hash("sha256", canonicalJson([parts, callHash(call.executor, call.args), about]), "hex");
  }

  /** Undefined where it wasn't answered in the last ten minutes. */
  find(key: string): JudgeAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const age = this.#now() - kept.answered_at;
    if (age >= 0 && age < MAX_AGE_MS) return kept.answer;
    this.#kept.delete(key);
    return undefined;
  }

  keep(key: string, answer: JudgeAnswer): void {
    this.#kept.delete(key);
    this.#kept.set(key, { answer, answered_at: this.#now() });
    const [first] = this.#kept.keys();
    if (this.#kept.size > MAX_ANSWERS && first !== undefined) this.#kept.delete(first);
  }
}
