import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";

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

export type Silence =
  /** The gate does not answer. The link keeps trying. */
  | "silent"
  /** Something answers in the gate's place that doesn't know this page's session: it gets nothing. The link keeps trying. */
  | "stranger"
  /** The gate is there, but this page's session has ended: a new link is needed, and nothing is tried until then. */
  | "shut_out";
export type LinkState = "connecting" | "answering" | Silence;

export function isSilent(state: LinkState): state is Silence {
  return state !== "connecting" && state !== "answering";
}

/** What a call is refused with where nobody takes it. */
export function notAnswering(): GateError {
  return new GateError("not_answering", "the gate is not answering", "start it: metnos-gate start");
}

/** What both transports share: the listeners, and the state that they get. */
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
