import type { Client } from "./agent-client.ts";
import type { Job } from "./job-turns.ts";

/** Disconnected clients whose state is still to be released: a thousand at once are worked through in turns, like any other work. */
export class ClosedClients implements Job {
  readonly share = "";
  readonly #clear: (client: Client) => void;
  readonly #clients = new Set<Client>();

  constructor(clear: (client: Client) => void) {
    this.#clear = clear;
  }

  add(client: Client): void {
    this.#clients.add(client);
  }

  /** Releases this agent's closed connections now: none of them may count as waiting for a request that another one withdraws. */
  finish(agent_id: string): void {
    for (const client of this.#clients) {
      if (client.agent_id !== agent_id) continue;
      this.#clients.delete(client);
      this.#clear(client);
    }
  }

  work(ends_at: number): boolean {
    for (const client of this.#clients) {
      this.#clients.delete(client);
      this.#clear(client);
      if (performance.now() >= ends_at) break;
    }
    return this.#clients.size > 0;
  }
}
