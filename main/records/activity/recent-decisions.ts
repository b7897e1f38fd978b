import type { OpenedDecision } from "../../../ipc/contract/activity.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";

/** The last decisions, in memory only: their reasons and targets are for display, not for a file. */

export const KEPT = 1000;
/** Of a burst of allowed calls this many a second are kept: more are never read, and keeping them would slow a fast agent down. */
export const KEPT_PER_SECOND = 100;
const MAX_INTENT = 500;

export class RecentDecisions {
  readonly #ring: (OpenedDecision | undefined)[] = new Array(KEPT).fill(undefined);
  #next = 0;
  #second = 0;
  #in_second = 0;

  hasRoom(now: number): boolean {
    return Math.floor(now / 1000) !== this.#second || this.#in_second < KEPT_PER_SECOND;
  }

  /** Keeps a decision; allowed ones only up to the rate above. */
  add(decision: Decision, call: ProposedCall, agent_name: string, now: number): void {
    const has_room = this.hasRoom(now);
    if (!has_room && decision.outcome === "allowed" && decision.status === undefined) return;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#in_second = 0;
    }
    this.#in_second++;
    this.#ring[this.#next++ % KEPT] = {
      ts: now / 1000,
      agent_name,
      executor: call.executor,
      intent: call.intent.slice(0, MAX_INTENT),
      cwd: call.context?.cwd ?? null,
      decision,
    };
  }

  *newestFirst(): Generator<OpenedDecision> {
    for (let index = this.#next - 1; index >= 0 && index >= this.#next - KEPT; index--) {
      const kept = this.#ring[index % KEPT];
      if (kept !== undefined) yield kept;
    }
  }
}
