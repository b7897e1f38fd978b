import { RETURN_MS } from "../../../ipc/return-time.ts";

/** How long after a gate's start who asked an earlier one is expected back, in milliseconds: their own time and a margin. */
export const RETURN_WITHIN_MS = RETURN_MS + 5000;

/** So many requests are withdrawn in one turn of the event loop. */
const SLICE = 50;

/**
 * The requests that an earlier gate left behind: their agents look for the gate for a while, then give up. What nobody has come back
 * for by then must not be answered any more: the answer would be for a call that nobody makes.
 */
export class LeftBehind {
  readonly #giveUp: (token: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #slice: NodeJS.Immediate | undefined;

  /** @param giveUp is called for each token once the time is over, whether somebody has come back for it or not */
  constructor(giveUp: (token: string) => void) {
    this.#giveUp = giveUp;
  }

  /** True while an agent that asked an earlier gate may still come back. */
  get is_expected(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins the time of return for these requests. */
  start(tokens: readonly string[]): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#giveUpFrom(tokens, 0);
    }, RETURN_WITHIN_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#slice);
    this.#timer = undefined;
  }

  #giveUpFrom(tokens: readonly string[], first: number): void {
    for (const token of tokens.slice(first, first + SLICE)) this.#giveUp(token);
    if (first + SLICE < tokens.length) this.#slice = setImmediate(() => this.#giveUpFrom(tokens, first + SLICE));
  }
}
