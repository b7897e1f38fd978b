import type { OperatorEvent, OperatorEventType } from "../ipc/operator-api.ts";

type Listener = (event: OperatorEvent) => void;

/** The surfaces that listen, and to what: an event that nobody wants need not be made. One that fails keeps nothing from the others. */
export class Listeners {
  readonly #all = new Map<Listener, readonly OperatorEventType[] | undefined>();
  readonly #failed: (error: unknown) => void;

  /** `failed` hears of what a listener threw. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Without `types`: to everything. The function that is returned ends it. */
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
