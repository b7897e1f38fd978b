import type { WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { RETURN_MS } from "../../../ipc/words/return-time.ts";
import { SlicedWork } from "../../base/clocks/sliced-work.ts";
import { callHash } from "../../decide/executors/canonical.ts";

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
  readonly #pieces = new SlicedWork((endsAt) => this.#work(endsAt));
  /** After a failure one at a time, so that one that can't be withdrawn keeps no other. */
  #isOneByOne = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: WithdrawalParts) {
    this.#parts = parts;
  }

  /** How many of this agent's requests are still to be withdrawn. */
  count(agentId: string): number {
    return this.#counts.get(agentId) ?? 0;
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

  #work(endsAt: number): boolean {
    const isLastTime = endsAt === Number.POSITIVE_INFINITY;
    if (this.#waiting.size === 0 || (this.#retry !== undefined && !isLastTime)) return false;
    const writingEndsAt = Math.min(endsAt, performance.now() + WRITING_MS);
    const taken: Withdrawal[] = [];
    const next = () => {
      const isEnough = this.#isOneByOne || performance.now() >= writingEndsAt;
      if (taken.length > 0 && isEnough) return undefined;
      const [token] = this.#waiting.keys();
      const withdrawal = token === undefined ? undefined : this.take(token);
      if (withdrawal !== undefined) taken.push(withdrawal);
      return withdrawal;
    };
    try {
      this.#parts.withdraw(next);
      this.#isOneByOne = false;
    } catch (error) {
      // Behind the others: none of them may be answered meanwhile.
      for (const withdrawal of taken) this.#put(withdrawal);
      this.#isOneByOne = true;
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

/** How long after a gate's start who asked an earlier one is expected back, in milliseconds: their own time and a margin. */
export const RETURN_WITHIN_MS = RETURN_MS + 5000;

const REASON = "the agent that asked did not come back";

/** Whose call it is, and which, by its hash. */
export interface AskedCall {
  agent_id: string;
  session: string;
  call_hash: string;
}

/**
 * The requests that an earlier gate left behind: their agents look for the gate for a while, then give up. What nobody has come back
 * for by then must not be answered any more: the answer would be for a call that nobody makes.
 */
export class OrphanedRequests {
  readonly #giveUp: (left: Withdrawal[]) => void;
  #timer: NodeJS.Timeout | undefined;
  /** The calls that may still come back, each as often as it was asked about. */
  #calls: string[] = [];

  /** @param giveUp is called with all of them once the time is over, whether somebody has come back for one or not */
  constructor(giveUp: (left: Withdrawal[]) => void) {
    this.#giveUp = giveUp;
  }

  /** True while an agent that asked an earlier gate may still come back. */
  get isExpected(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins the time of return for these requests. `answered`: those whose answer has reached nobody. */
  start(requests: readonly (AskedCall & { token: string })[], answered: readonly AskedCall[]): void {
    this.stop();
    this.#calls = [...requests, ...answered].map(keyOf);
    const left = requests.map(({ token, agent_id }) => ({
      token,
      agent_id,
      reason: REASON,
      rule: "approval.withdrawn-disconnect" as const,
    }));
    this.#timer = setTimeout(() => {
      this.stop();
      this.#giveUp(left);
    }, RETURN_WITHIN_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#calls = [];
  }

  /** Where an earlier gate asked about this call, and it has not come back yet: what notes, once, that it has. */
  awaited(agentId: string, session: string, { executor, args }: ProposedCall): (() => void) | undefined {
    if (this.#calls.length === 0) return undefined;
    const at = this.#calls.indexOf(keyOf({ agent_id: agentId, session, call_hash: callHash(executor, args) }));
    return at < 0 ? undefined : () => this.#calls.splice(at, 1);
  }
}

function keyOf({ agent_id, session, call_hash }: AskedCall): string {
  return `${call_hash} ${agent_id} ${session}`;
}
