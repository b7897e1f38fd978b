import { GateError } from "../../ipc/gate-error.ts";
import type { OperatorApi } from "../../ipc/operator-api.ts";

/**
 * The page's way to the gate, whichever home it runs in.
 * Of `ipc/` the page loads types and a few files of plain values only (test/architecture.test.ts lists them): the schemas' library compiles code at
 * run time, which the page's Content-Security-Policy refuses.
 */
export interface GateLink extends OperatorApi {
  readonly state: LinkState;
  /** The function that is returned ends it. */
  onState(listener: (state: LinkState) => void): () => void;
}

/** The link goes on trying in each of them. */
export type Silence =
  /** The gate does not answer. */
  | "silent"
  /** It said that it closes. */
  | "ended"
  /** It is there, but this page's session isn't one of its own: a new link is needed. */
  | "shut_out";
export type LinkState = "connecting" | "answering" | Silence;

export function isSilent(state: LinkState): state is Silence {
  return state !== "connecting" && state !== "answering";
}

/** What a call is refused with where nobody takes it. */
export function notAnswering(): GateError {
  return new GateError("not_answering", "the gate is not answering", "start it: metnos-gate start");
}

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
