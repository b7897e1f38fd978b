import type { UnsentDecision } from "../../ipc/agent-port.ts";
import type { Decision } from "../../ipc/decision.ts";

/**
 * A decision until its answer is sent: what can't be stored, or must not go unrecorded and can't be recorded, turns it into a denial.
 * Whoever encodes or shows it reads `current` then, and keeps no copy from before.
 */
export class RevisableDecision implements UnsentDecision {
  #current: Decision;

  constructor(decision: Decision) {
    this.#current = decision;
  }

  get current(): Decision {
    return this.#current;
  }

  /** `change` gets a copy to change. */
  revise(change: (draft: Decision) => void): void {
    const draft = { ...this.#current };
    change(draft);
    this.#current = draft;
  }
}
