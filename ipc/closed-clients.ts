import type { Client } from "./agent-client.ts";
import type { Job } from "./turns.ts";

/** Clients that have gone: a thousand at once may have to be cleared up after, in turns like any other work. */
export class ClosedClients implements Job {
  readonly share = "";
  readonly #clear: (client: Client) => void;
  readonly #gone = new Set<Client>();

  constructor(clear: (client: Client) => void) {
    this.#clear = clear;
  }

  add(client: Client): void {
    this.#gone.add(client);
  }

  /** Clears up after this agent's connections now: one that has gone must not seem to wait for what another one withdraws. */
  finish(agent_id: string): void {
    for (const client of this.#gone) {
      if (client.agent_id !== agent_id) continue;
      this.#gone.delete(client);
      this.#clear(client);
    }
  }

  work(ends_at: number): boolean {
    for (const client of this.#gone) {
      this.#gone.delete(client);
      this.#clear(client);
      if (performance.now() >= ends_at) break;
    }
    return this.#gone.size > 0;
  }
}
