import type { WithdrawalRule } from "../../../ipc/contract/rules.ts";
import { SlicedWork } from "../../base/clocks/sliced-work.ts";

/**
 * Requests that are to be withdrawn: a pause, a revocation or a crowd that disconnects ends thousands. They end in short pieces, a
 * transaction each. Until then none of them may be answered or joined any more: `carryOut` ends one at once.
 */

export interface Withdrawal {
  token: string;
  reason: string;
  rule: WithdrawalRule;
  agent_id: string;
}

/** A piece is half of it writing, half of it telling; in milliseconds. */
const WRITING_MS = 2;
/** What can't be withdrawn, as on a full disk, is tried again after this, in milliseconds. */
const RETRY_MS = 1000;

export interface WithdrawalParts {
  /** Withdraws, in one transaction, as many as `next` gives. @throws SQLite's error: none is withdrawn then */
  withdraw(next: () => Withdrawal | undefined): void;
  failed(error: unknown): void;
}

export class Withdrawals {
  readonly #parts: WithdrawalParts;
  readonly #waiting = new Map<string, Withdrawal>();
  readonly #counts = new Map<string, number>();
  readonly #pieces = new SlicedWork((ends_at) => this.#work(ends_at));
  /** After a failure one at a time, so that one that can't be withdrawn keeps no other. */
  #is_one_by_one = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: WithdrawalParts) {
    this.#parts = parts;
  }

  /** How many of this agent's requests are still to be withdrawn. */
  count(agent_id: string): number {
    return this.#counts.get(agent_id) ?? 0;
  }

  /** The withdrawal of this request; undefined if it isn't to be withdrawn. */
  get(token: string): Withdrawal | undefined {
    return this.#waiting.get(token);
  }

  add(withdrawals: Iterable<Withdrawal>): void {
    for (const withdrawal of withdrawals) this.#put(withdrawal);
    if (this.#waiting.size > 0 && this.#retry === undefined) this.#pieces.go();
  }

  /** `act` ends this request, whether it is to be withdrawn or not. It still is where `act` throws. */
  carryOut<T>(token: string, act: () => T): T {
    const done = act();
    this.take(token);
    return done;
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

  /** Withdraws all of them now; those that can't be are tried again later. */
  complete(): void {
    this.#pieces.finish();
  }

  /** Withdraws all of them now, those excepted that can't be: the last call. */
  finish(): void {
    this.#pieces.finish();
    clearTimeout(this.#retry);
  }

  #put(withdrawal: Withdrawal): void {
    if (this.#waiting.has(withdrawal.token)) return;
    this.#waiting.set(withdrawal.token, withdrawal);
    this.#counts.set(withdrawal.agent_id, this.count(withdrawal.agent_id) + 1);
  }

  #work(ends_at: number): boolean {
    const is_last_time = ends_at === Number.POSITIVE_INFINITY;
    if (this.#waiting.size === 0 || (this.#retry !== undefined && !is_last_time)) return false;
    const writing_ends_at = Math.min(ends_at, performance.now() + WRITING_MS);
    const taken: Withdrawal[] = [];
    const next = () => {
      const is_enough = this.#is_one_by_one || performance.now() >= writing_ends_at;
      if (taken.length > 0 && is_enough) return undefined;
      const [token] = this.#waiting.keys();
      const withdrawal = token === undefined ? undefined : this.take(token);
      if (withdrawal !== undefined) taken.push(withdrawal);
      return withdrawal;
    };
    try {
      this.#parts.withdraw(next);
      this.#is_one_by_one = false;
    } catch (error) {
      // Behind the others: none of them may be answered meanwhile.
      for (const withdrawal of taken) this.#put(withdrawal);
      this.#is_one_by_one = true;
      if (taken.length <= 1) return this.#waitAfter(error);
    }
    return this.#waiting.size > 0;
  }

  #waitAfter(error: unknown): false {
    this.#parts.failed(error);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#pieces.go();
    }, RETRY_MS);
    this.#retry.unref();
    return false;
  }
}
