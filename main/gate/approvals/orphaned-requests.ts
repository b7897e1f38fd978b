import { RETURN_MS } from "../../../ipc/return-time.ts";
import type { Withdrawal } from "./withdrawals.ts";

/** How long after a gate's start who asked an earlier one is expected back, in milliseconds: their own time and a margin. */
export const RETURN_WITHIN_MS = RETURN_MS + 5000;

const REASON = "the agent that asked did not come back";

/**
 * The requests that an earlier gate left behind: their agents look for the gate for a while, then give up. What nobody has come back
 * for by then must not be answered any more: the answer would be for a call that nobody makes.
 */
export class OrphanedRequests {
  readonly #giveUp: (left: Withdrawal[]) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp is called with all of them once the time is over, whether somebody has come back for one or not */
  constructor(giveUp: (left: Withdrawal[]) => void) {
    this.#giveUp = giveUp;
  }

  /** True while an agent that asked an earlier gate may still come back. */
  get isExpected(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins the time of return for these requests. */
  start(requests: readonly { token: string; agent_id: string }[]): void {
    this.stop();
    const left = requests.map(({ token, agent_id }) => ({
      token,
      agent_id,
      reason: REASON,
      rule: "approval.withdrawn-disconnect" as const,
    }));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#giveUp(left);
    }, RETURN_WITHIN_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
