import type { Box, ConfinedRun } from "../../main/gate/confinement/box.ts";

/** A box that prepares runs and runs nothing: what the gate asks of it is kept. */
export class StandInBox implements Box {
  is_available = true;
  has_network = true;
  /** What `prepare` throws, where it is set. */
  failure: Error | undefined;
  readonly prepared: ConfinedRun[] = [];
  readonly discarded: (readonly string[])[] = [];

  prepare(run: ConfinedRun): { argv: readonly string[] } {
    if (this.failure !== undefined) throw this.failure;
    this.prepared.push(run);
    return { argv: ["/state/box/metnos-gate-box", "run", `secret-run-${this.prepared.length}`] };
  }

  discard(argv: readonly string[]): void {
    this.discarded.push(argv);
  }
}
