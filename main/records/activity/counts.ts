import type Database from "better-sqlite3";
import type { ActivityCounts, ActivityRange } from "../../../ipc/contract/activity.ts";
import type { Outcome } from "../../../ipc/contract/decision.ts";
import { localMidnight } from "../../base/clocks/local-time.ts";
import type { Schema } from "../../base/sqlite/database-schema.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { createCallSpending, createSpending } from "./spending.ts";

/** How many calls were allowed, asked and denied, for each minute and agent: numbers only. */

export const ACTIVITY_SCHEMA: Schema = {
  title: "activity database",
  table: "minutes",
  migrations: [
    (db) =>
      db.exec(`CREATE TABLE minutes (
        minute   INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        allowed  INTEGER NOT NULL,
        asked    INTEGER NOT NULL,
        denied   INTEGER NOT NULL,
        PRIMARY KEY (minute, agent_id)
      ) WITHOUT ROWID`),
    createSpending,
    createCallSpending,
  ],
};

interface Counts {
  allowed: number;
  asked: number;
  denied: number;
}

const BUCKETS: Readonly<Record<ActivityRange, { seconds: number; count: number }>> = {
  hour: { seconds: 60, count: 60 },
  day: { seconds: 1800, count: 48 },
  week: { seconds: 4 * 3600, count: 42 },
};
/** A little more than the longest range. */
const KEPT_MINUTES = 8 * 24 * 60;

export class DecisionCounts {
  readonly #db: PreparedStatements;
  readonly #now: () => number;
  /** Counted, not yet written: by minute, then by agent. */
  readonly #waiting = new Map<number, Map<string, Counts>>();

  constructor(db: Database.Database, now: () => number) {
    this.#db = new PreparedStatements(db);
    this.#now = now;
  }

  add(agent_id: string, outcome: Outcome): void {
    const minute = minuteOf(this.#now());
    let agents = this.#waiting.get(minute);
    if (agents === undefined) {
      agents = new Map();
      this.#waiting.set(minute, agents);
    }
    let counts = agents.get(agent_id);
    if (counts === undefined) {
      counts = { allowed: 0, asked: 0, denied: 0 };
      agents.set(agent_id, counts);
    }
    counts[outcome === "approval_required" ? "asked" : outcome]++;
  }

  /** Writes the counts, and deletes those beyond the longest range. @throws SQLite's error; the counts are kept for the next time */
  flush(): void {
    if (this.#waiting.size === 0) return;
    const oldest = minuteOf(this.#now()) - KEPT_MINUTES;
    for (const minute of this.#waiting.keys()) if (minute < oldest) this.#waiting.delete(minute);
    const add = this.#db.prepare(
      `INSERT INTO minutes VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         allowed = allowed + excluded.allowed, asked = asked + excluded.asked, denied = denied + excluded.denied`,
    );
    this.#db.together(() => {
      for (const [minute, agents] of this.#waiting)
        for (const [agent_id, { allowed, asked, denied }] of agents) add.run(minute, agent_id, allowed, asked, denied);
      this.#db.prepare("DELETE FROM minutes WHERE minute < ?").run(oldest);
    });
    this.#waiting.clear();
  }

  over(range: ActivityRange): ActivityCounts {
    this.flush();
    const { seconds, count } = BUCKETS[range];
    const last = Math.floor(this.#now() / 1000 / seconds);
    const first = last - count + 1;
    // The driver binds numbers as reals: without the cast a bucket would be a fraction that is never found.
    const rows = this.#db
      .prepare<Counts & { bucket: number }>(
        `SELECT minute * 60 / CAST($seconds AS INTEGER) AS bucket, sum(allowed) AS allowed, sum(asked) AS asked, sum(denied) AS denied
         FROM minutes WHERE minute >= $from GROUP BY bucket`,
      )
      .all({ seconds, from: Math.floor((first * seconds) / 60) });
    const found = new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]));
    return {
      range,
      bucket_seconds: seconds,
      buckets: Array.from({ length: count }, (_, index) => ({
        start: (first + index) * seconds,
        ...(found.get(first + index) ?? { allowed: 0, asked: 0, denied: 0 }),
      })),
    };
  }

  /** Calls of each agent since midnight, local time, by what the gate decided. */
  today(): Map<string, Record<Outcome, number>> {
    this.flush();
    const rows = this.#db
      .prepare<Counts & { agent_id: string }>(
        "SELECT agent_id, sum(allowed) AS allowed, sum(asked) AS asked, sum(denied) AS denied FROM minutes WHERE minute >= ? GROUP BY agent_id",
      )
      .all(minuteOf(localMidnight(this.#now())));
    return new Map(
      rows.map(({ agent_id, allowed, asked, denied }) => [agent_id, { allowed, denied, approval_required: asked }]),
    );
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}
