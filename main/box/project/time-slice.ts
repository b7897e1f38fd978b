/** Long work that lets everything else have its turn: the gate answers other agents meanwhile. */

const TURN_MS = 4;

/** All long work of this process: however much there is, each turn of the event loop has one piece of it. */
const waiting: (() => void)[] = [];

function nextPiece(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextPiece);
}

export class TimeSlice {
  #since = performance.now();

  /** So much was done that others are due. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets others have their turn, where this one's is over. */
  async shared(): Promise<void> {
    if (this.isOver) await this.next();
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(nextPiece);
    });
    this.#since = performance.now();
  }
}
