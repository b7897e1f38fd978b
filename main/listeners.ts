import type { OperatorEvent, OperatorEventType } from "../ipc/operator-api.ts";

type Listener = (event: OperatorEvent) => void;

/** The surfaces that listen, and to which events: one without a listener need not be made. A failing listener affects no other. */
export class Listeners {
  readonly #all = new Map<Listener, readonly OperatorEventType[] | undefined>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is called with an error that a listener threw. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Without `types`: to all events. Returns the function that ends the subscription. */
  add(listener: Listener, types?: readonly OperatorEventType[]): () => void {
    const own: Listener = (event) => listener(event);
    this.#all.set(own, types);
    return () => this.#all.delete(own);
  }

  hasListener(type: OperatorEventType): boolean {
    for (const types of this.#all.values()) if (types?.includes(type) ?? true) return true;
    return false;
  }

  publish(event: OperatorEvent): void {
    for (const [listener, types] of this.#all) {
      if (!(types?.includes(event.type) ?? true)) continue;
      try {
        listener(event);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
