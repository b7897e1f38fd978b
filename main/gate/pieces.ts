/** How long the event loop is kept by one piece, in milliseconds. */
const PIECE_MS = 4;

/**
 * Work on what may be thousands, in short pieces: the first at once, so that a little is done when the call returns, the others
 * in later turns of the event loop, between which agents are served.
 */
export class Pieces {
  readonly #work: (ends_at: number) => boolean;
  #next: NodeJS.Immediate | undefined;
  #is_working = false;

  /** `work` goes on until `ends_at` (`performance.now()`, in milliseconds) and says whether more is left. It doesn't throw. */
  constructor(work: (ends_at: number) => boolean) {
    this.#work = work;
  }

  /** There is something to do. */
  go(): void {
    if (this.#is_working || this.#next !== undefined) return;
    this.#piece();
    // Also where nothing is left: what many callers bring in one turn of the event loop isn't done in it.
    this.#schedule();
  }

  /** Does all that is left, now. */
  finish(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    while (this.#piece(Number.POSITIVE_INFINITY));
  }

  #piece(ends_at = performance.now() + PIECE_MS): boolean {
    this.#is_working = true;
    try {
      return this.#work(ends_at);
    } finally {
      this.#is_working = false;
    }
  }

  #schedule(): void {
    this.#next = setImmediate(() => {
      this.#next = undefined;
      if (this.#piece()) this.#schedule();
    });
  }
}
