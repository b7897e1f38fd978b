/** How long one piece occupies the event loop, in milliseconds. */
const PIECE_MS = 4;

/**
 * Work on possibly thousands of items, in short pieces: the first at once, so that few items are done when the call returns, the
 * others in later turns of the event loop, between which agents are served.
 */
export class SlicedWork {
  readonly #work: (endsAt: number) => boolean;
  #next: NodeJS.Immediate | undefined;
  #isWorking = false;

  /** `work` continues until `ends_at` (`performance.now()`, in milliseconds) and returns whether more is left. It must not throw. */
  constructor(work: (endsAt: number) => boolean) {
    this.#work = work;
  }

  /** Starts or continues the work. */
  go(): void {
    if (this.#isWorking || this.#next !== undefined) return;
    this.#piece();
    // Also where nothing is left: work that many callers add in one turn of the event loop isn't all done in it.
    this.#schedule();
  }

  /** Does all remaining work now. */
  finish(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    while (this.#piece(Number.POSITIVE_INFINITY));
  }

  #piece(endsAt = performance.now() + PIECE_MS): boolean {
    this.#isWorking = true;
    try {
      return this.#work(endsAt);
    } finally {
      this.#isWorking = false;
    }
  }

  #schedule(): void {
    this.#next = setImmediate(() => {
      this.#next = undefined;
      if (this.#piece()) this.#schedule();
    });
  }
}
