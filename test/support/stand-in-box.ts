import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import type { Box, ConfinedRun } from "../../main/decide/confinement/box.ts";

/** A box that prepares runs and runs nothing: what the gate asks of it is kept. */
export class StandInBox implements Box {
  is_available = true;
  has_network = true;
  /** What `prepare` throws, where it is set. */
  failure: Error | undefined;
  /** A folder that a command which runs may change. */
  beingChanged: string | undefined;
  readonly prepared: ConfinedRun[] = [];
  readonly discarded: (readonly string[])[] = [];

  isBeingChanged(path: string): boolean {
    return this.beingChanged !== undefined && isAtOrBelow(path, this.beingChanged);
  }

  prepare(run: ConfinedRun): { argv: readonly string[] } {
    if (this.failure !== undefined) throw this.failure;
    this.prepared.push(run);
    return { argv: ["/state/box/metnos-gate-box", "run", `secret-run-${this.prepared.length}`] };
  }

  discard(argv: readonly string[]): void {
    this.discarded.push(argv);
  }
}

/** Puts a stand-in in the place of a running gate's own box: the gate asks that very object. */
export function standInFor(own: Box): StandInBox {
  const box = new StandInBox();
  Object.defineProperties(own, {
    // The gate's own box says of itself what it finds, later.
    is_available: { get: () => box.is_available, set: () => undefined },
    has_network: { get: () => box.has_network, set: () => undefined },
    prepare: { value: (run: ConfinedRun) => box.prepare(run) },
    discard: { value: (argv: readonly string[]) => box.discard(argv) },
  });
  return box;
}
