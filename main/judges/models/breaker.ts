/** Three failures in a row, and nothing is tried for half a minute; then one try says whether that is over. */

export const FAILURES = 3;
export const OPEN_MS = 30_000;

/** One try, which ends in one of three ways. */
export interface Try {
  succeeded(): void;
  failed(): void;
  /** It says nothing: it was given up, or failed for a reason of its own. */
  dropped(): void;
}

export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #open_until = 0;
  #is_trying = false;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True while nothing may be tried. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES && (this.#is_trying || this.#now() < this.#open_until);
  }

  /** True once as many failures in a row were seen, until something succeeds. */
  get hasOpened(): boolean {
    return this.#failures >= FAILURES;
  }

  /** Undefined while nothing may be tried. */
  begin(): Try | undefined {
    if (this.isOpen) return undefined;
    const is_only_one = this.hasOpened;
    if (is_only_one) this.#is_trying = true;
    const ended = () => {
      if (is_only_one) this.#is_trying = false;
    };
    return {
      succeeded: () => {
        ended();
        this.#failures = 0;
      },
      failed: () => {
        ended();
        this.#failures++;
        if (this.hasOpened) this.#open_until = this.#now() + OPEN_MS;
      },
      dropped: ended,
    };
  }
}
