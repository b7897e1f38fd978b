import type { UnsentDecision } from "../../ipc/contract/agent-port.ts";
import type { Decision } from "../../ipc/contract/decision.ts";

/** A run that is prepared for an allowed call. */
export interface PreparedRun {
  argv: readonly string[];
  /** Takes it back. Never throws. */
  discard(): void;
}

/**
 * A decision until its answer is sent: what can't be stored, or must not go unrecorded and can't be recorded, turns it into a denial.
 * Whoever encodes or shows it reads `current` or `sent` then, and keeps no copy from before.
 */
export class RevisableDecision implements UnsentDecision {
  #current: Decision;
  #run: PreparedRun | undefined;

  constructor(decision: Decision) {
    this.#current = decision;
  }

  get current(): Decision {
    return this.#current;
  }

  get sent(): Decision {
    if (this.#run === undefined) return this.#current;
    return { ...this.#current, confine: { argv: [...this.#run.argv] } };
  }

  /** What runs the call, for its agent alone: it counts only while the decision allows it. */
  runBy(run: PreparedRun): void {
    this.#run = run;
  }

  /** `change` gets a copy to change. */
  revise(change: (draft: Decision) => void): void {
    const draft = { ...this.#current };
    change(draft);
    this.#current = draft;
    if (draft.outcome === "allowed") return;
    this.#run?.discard();
    this.#run = undefined;
  }
}
