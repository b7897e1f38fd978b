import type { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { AgentPause } from "./agent-pauses.ts";

/**
 * The events of a gate: those of its surfaces; that a lock, socket or database isn't its own any more; and the pause of one agent or
 * its end, for that agent's connections.
 */
export type GateEvent =
  | OperatorEvent
  | { type: "gate.lost"; data: GateError }
  | { type: "agent.pause"; data: { agent_id: string; pause: AgentPause | null } };

type EventOf<T extends GateEvent["type"]> = Extract<GateEvent, { type: T }>;

/**
 * The listeners, and to which events: one without a listener need not be made. They are called in the order in which they were
 * added. A failing listener affects no other.
 */
export class Listeners {
  readonly #all = new Map<(event: GateEvent) => void, readonly GateEvent["type"][]>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is called with an error that a listener threw. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Returns the function that ends the subscription. */
  add<T extends GateEvent["type"]>(types: readonly T[], listener: (event: EventOf<T>) => void): () => void {
    const own = (event: GateEvent) => {
      if (isOneOf(types, event)) listener(event);
    };
    this.#all.set(own, types);
    return () => this.#all.delete(own);
  }

  hasListener(type: GateEvent["type"]): boolean {
    for (const types of this.#all.values()) if (types.includes(type)) return true;
    return false;
  }

  publish(event: GateEvent): void {
    for (const listener of this.#all.keys()) {
      try {
        listener(event);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}

function isOneOf<T extends GateEvent["type"]>(types: readonly T[], event: GateEvent): event is EventOf<T> {
  return types.some((type) => type === event.type);
}
