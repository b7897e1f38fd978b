import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { RETURN_MS } from "../../../ipc/words/return-time.ts";
import { callHash } from "../../decide/executors/canonical.ts";
import type { Withdrawal } from "./withdrawals.ts";

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
  awaited(agent_id: string, session: string, { executor, args }: ProposedCall): (() => void) | undefined {
    if (this.#calls.length === 0) return undefined;
    const at = this.#calls.indexOf(keyOf({ agent_id, session, call_hash: callHash(executor, args) }));
    return at < 0 ? undefined : () => this.#calls.splice(at, 1);
  }
}

function keyOf({ agent_id, session, call_hash }: AskedCall): string {
  return `${call_hash} ${agent_id} ${session}`;
}
