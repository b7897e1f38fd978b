import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** How many requests of each agent wait, so that an ask needn't count them. The database has the truth: this is what it said last. */
export class WaitingCounts {
  readonly #db: PreparedStatements;
  #counts = new Map<string, number>();

  constructor(db: PreparedStatements) {
    this.#db = db;
    this.recount();
  }

  of(agent_id: string): number {
    return this.#counts.get(agent_id) ?? 0;
  }

  change(agent_id: string, by: number): void {
    const count = this.of(agent_id) + by;
    if (count > 0) this.#counts.set(agent_id, count);
    else this.#counts.delete(agent_id);
  }

  recount(): void {
    const rows = this.#db
      .prepare<{ agent_id: string; count: number }>(
        "SELECT agent_id, count(*) AS count FROM pending WHERE status = 'pending' GROUP BY agent_id",
      )
      .all();
    this.#counts = new Map(rows.map(({ agent_id, count }) => [agent_id, count]));
  }
}
