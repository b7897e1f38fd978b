import type { Decision } from "../../ipc/contract/decision.ts";

/**
 * What the gate is asked about. A question outlives the request it was asked for: its card stays when the client was answered that it
 * still waits, and the same call, sent again, gets its answer.
 */

/** How the gate decided, or why it didn't. */
export type Decided = { kind: "decision"; decision: Decision } | { kind: "error"; reason: string };

export interface Asked {
  readonly key: string;
  readonly ended: Promise<Decided>;
  withdraw(): void;
}

/** An answer that nobody asks for again is forgotten, in milliseconds. */
const KEPT_MS = 5 * 60_000;
/** Questions whose client was answered; the oldest one beyond is withdrawn. */
const MAX_LEFT = 64;

interface Left {
  asked: Asked;
  decided: Decided | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class AskedCalls {
  readonly #left: Left[] = [];

  /** The question for this very call that nobody waits for any more. It answers one request. */
  take(key: string): Asked | undefined {
    const index = this.#left.findIndex(({ asked }) => asked.key === key);
    const [left] = index === -1 ? [] : this.#left.splice(index, 1);
    clearTimeout(left?.timer);
    return left?.asked;
  }

  /** Keeps a question whose request was answered without its answer. */
  leave(asked: Asked): void {
    const left: Left = { asked, decided: undefined, timer: undefined };
    this.#left.push(left);
    if (this.#left.length > MAX_LEFT) this.#forget(this.#left[0]);
    asked.ended.then((decided) => this.#decided(left, decided)).catch(() => this.#forget(left));
  }

  /** What was allowed before counts no more: the gate was paused, or was replaced. */
  forgetAllowed(): void {
    for (const left of this.#left.filter(({ decided }) => isAllowed(decided))) this.#forget(left);
  }

  close(): void {
    for (const left of [...this.#left]) this.#forget(left);
  }

  #decided(left: Left, decided: Decided): void {
    left.decided = decided;
    // Only what the user said is kept: what nobody has answered is asked again.
    const isAnswer = decided.kind === "decision" && ["approved", "rejected"].includes(decided.decision.status ?? "");
    if (!isAnswer) return this.#forget(left);
    left.timer = setTimeout(() => this.#forget(left), KEPT_MS);
    left.timer.unref();
  }

  #forget(left: Left | undefined): void {
    const index = left === undefined ? -1 : this.#left.indexOf(left);
    if (left === undefined || index === -1) return;
    this.#left.splice(index, 1);
    clearTimeout(left.timer);
    if (left.decided === undefined) left.asked.withdraw();
  }
}

function isAllowed(decided: Decided | undefined): boolean {
  return decided?.kind === "decision" && decided.decision.outcome === "allowed";
}
