import { setImmediate as others } from "node:timers/promises";

/** Long work that lets everything else have its turn: the gate answers other agents meanwhile. */

const TURN_MS = 15;

export class Turns {
  #since = performance.now();

  /** So much was done that others are due. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await others();
    this.#since = performance.now();
  }
}
