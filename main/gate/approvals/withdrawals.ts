import { Pieces } from "../pieces.ts";

/**
 * Requests that are to be withdrawn: a pause, a revocation or a crowd that disconnects ends thousands. They end in short pieces, a
 * transaction each. Until then none of them may be answered or joined any more: `take` ends one at once.
 */

export interface Withdrawal {
  token: string;
  reason: string;
  agent_id: string;
}

/** A piece is half of it writing, half of it telling; in milliseconds. */
const WRITING_MS = 2;

export interface WithdrawalParts {
  /** Withdraws, in one transaction, as many as `next` gives. @throws SQLite's error: none is withdrawn then */
  withdraw(next: () => Withdrawal | undefined): void;
  failed(error: unknown): void;
}

export class Withdrawals {
  readonly #parts: WithdrawalParts;
  readonly #waiting = new Map<string, Withdrawal>();
  readonly #counts = new Map<string, number>();
  readonly #pieces = new Pieces((ends_at) => this.#work(ends_at));

  constructor(parts: WithdrawalParts) {
    this.#parts = parts;
  }

  /** How many of this agent's requests are still to be withdrawn. */
  count(agent_id: string): number {
    return this.#counts.get(agent_id) ?? 0;
  }

  add(withdrawals: Iterable<Withdrawal>): void {
    for (const withdrawal of withdrawals) {
      if (this.#waiting.has(withdrawal.token)) continue;
      this.#waiting.set(withdrawal.token, withdrawal);
      this.#counts.set(withdrawal.agent_id, this.count(withdrawal.agent_id) + 1);
    }
    if (this.#waiting.size > 0) this.#pieces.go();
  }

  /** The withdrawal of this request, which is the caller's to carry out from now on. Undefined if it isn't to be withdrawn. */
  take(token: string): Withdrawal | undefined {
    const withdrawal = this.#waiting.get(token);
    if (withdrawal === undefined) return undefined;
    this.#waiting.delete(token);
    const left = this.count(withdrawal.agent_id) - 1;
    if (left > 0) this.#counts.set(withdrawal.agent_id, left);
    else this.#counts.delete(withdrawal.agent_id);
    return withdrawal;
  }

  /** Withdraws all of them now. */
  finish(): void {
    this.#pieces.finish();
  }

  #work(ends_at: number): boolean {
    const writing_ends_at = Math.min(ends_at, performance.now() + WRITING_MS);
    let is_first = true;
    try {
      if (this.#waiting.size > 0)
        this.#parts.withdraw(() => {
          if (!is_first && performance.now() >= writing_ends_at) return undefined;
          is_first = false;
          const [token] = this.#waiting.keys();
          return token === undefined ? undefined : this.take(token);
        });
    } catch (error) {
      // These stay as they are until they expire; the others are tried.
      this.#parts.failed(error);
    }
    return this.#waiting.size > 0;
  }
}
