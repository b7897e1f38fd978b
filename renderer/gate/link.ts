import type { OperatorApi } from "../../ipc/operator-api.ts";

/**
 * The page's way to the gate, whichever home it runs in.
 * Of `ipc/` the page loads types and `operator-error.ts`, `page-secret.ts`, `visible-text.ts` only: the schemas' library compiles code at
 * run time, which the page's Content-Security-Policy refuses.
 */
export interface GateLink extends OperatorApi {
  readonly state: LinkState;
  /** The function that is returned ends it. */
  onState(listener: (state: LinkState) => void): () => void;
}

/** `silent`: the gate does not answer; the link goes on trying. */
export type LinkState = "connecting" | "answering" | "silent";

/** What both transports share: who listens, and the state they are told of. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
