/** Does something at once, and then at intervals for as long as it is asked for: what is shown needn't follow each change. */
export class Throttle {
  readonly #interval_ms: number;
  readonly #act: () => void;
  #is_wanted = false;
  #timer: NodeJS.Timeout | undefined;

  /** `act` must not throw. */
  constructor(interval_ms: number, act: () => void) {
    this.#interval_ms = interval_ms;
    this.#act = act;
  }

  go(): void {
    if (this.#timer !== undefined) {
      this.#is_wanted = true;
      return;
    }
    this.#act();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#is_wanted) return;
      this.#is_wanted = false;
      this.go();
    }, this.#interval_ms);
    this.#timer.unref();
  }
}
