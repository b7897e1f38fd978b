import type { ServedConnection } from "./line-connection.ts";

/** Connections that haven't sent hello: limited in number and time, so that they can't keep other clients out. */

export interface UngreetedLimits {
  /** How many may be silent for longer than the grace period. */
  max: number;
  /** How long one may take until it is admitted, in milliseconds. */
  greeting_ms: number;
}

/** Grace period, in milliseconds, before a connection counts as silent: many at once are read over several turns of the event loop. */
const GRACE_MS = 1000;

export class UngreetedConnections {
  readonly #limits: UngreetedLimits;
  readonly #late: (connection: ServedConnection) => void;
  /** The oldest first. */
  readonly #timers = new Map<ServedConnection, NodeJS.Timeout>();

  /** `late` is called for one that isn't admitted in time. */
  constructor(limits: UngreetedLimits, late: (connection: ServedConnection) => void) {
    this.#limits = limits;
    this.#late = late;
  }

  add(connection: ServedConnection): void {
    this.#timers.set(connection, this.#timer(connection));
  }

  delete(connection: ServedConnection): void {
    clearTimeout(this.#timers.get(connection));
    this.#timers.delete(connection);
  }

  /** The connection to close before another is accepted; undefined while there is room. `is_full`: all connections are in use. */
  excess(is_full: boolean): ServedConnection | undefined {
    if (!is_full && this.#timers.size <= this.#limits.max) return undefined;
    const heard_by = performance.now() - (is_full ? 0 : GRACE_MS);
    for (const connection of this.#timers.keys()) {
      if (connection.opened_at > heard_by) return undefined;
      if (connection.isSilent) return connection;
    }
    return undefined;
  }

  #timer(connection: ServedConnection): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // It is late only if nothing that it sent is still unhandled.
      if (connection.isSilent) this.#late(connection);
      else this.#timers.set(connection, this.#timer(connection));
    }, this.#limits.greeting_ms);
    timer.unref();
    return timer;
  }
}
