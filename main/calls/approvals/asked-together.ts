import type { PendingRequest } from "./pending-request.ts";
import type { ApprovalRegistry } from "./registry.ts";

/** What is asked in one turn of the event loop: on disk together, or not at all. */
export class AskedTogether {
  /** What to do where it can't be stored. */
  readonly undo: (() => void)[] = [];
  readonly #registry: ApprovalRegistry;
  readonly #failed: (error: unknown) => void;
  readonly #pending: PendingRequest[] = [];

  /** `registry.begin` was called. */
  constructor(registry: ApprovalRegistry, failed: (error: unknown) => void) {
    this.#registry = registry;
    this.#failed = failed;
  }

  add(pending: PendingRequest): void {
    this.#pending.push(pending);
  }

  /** Returns what is stored now: all of it, or nothing. */
  commit(): readonly PendingRequest[] {
    try {
      this.#registry.commit();
      return this.#pending;
    } catch (error) {
      this.abandon(error);
      return [];
    }
  }

  abandon(error: unknown): void {
    this.#failed(error);
    try {
      this.#registry.rollback();
    } catch (failure) {
      this.#failed(failure);
    }
    for (const undo of this.undo) undo();
  }
}
