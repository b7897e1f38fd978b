import { hash } from "node:crypto";
import type Database from "better-sqlite3";
import { z } from "zod";
import type { Clock } from "../../base/clocks/clock.ts";
import { endAt, moment } from "../../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { type ActiveUntil, activeUntil, isActive } from "../../decide/grants/active.ts";

/**
 * The calls that the user allowed once in spite of a judge: one that is sent again passes the judges, and nothing but them. In the
 * database, so that neither a restart nor a kill makes one count twice; by a hash, so that no value is in it.
 */

/** How long one waits for its call, in seconds. */
export const PASS_SECONDS = 600;

const rowSchema = z.object({
  call: z.string().regex(/^[0-9a-f]{64}$/),
  agent_id: z.string(),
  expires_at: z.iso.datetime(),
  boot_expires_at: z.string().nullable(),
});
type Row = z.infer<typeof rowSchema>;

/** A call of one session, from one folder. `share_key`: see `shareKey`; `shown`: what the user was shown of it, as plain JSON. */
export function passOf(shareKey: string, session: string, shown: unknown): string {
  return hash("sha256", JSON.stringify([shareKey, session, shown]), "hex");
}

export class JudgePasses {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  /** By call. Kept in memory and written through: only the process that holds the gate's lock writes them. */
  readonly #kept = new Map<string, ActiveUntil & { agent_id: string }>();

  /** `db` was opened with `APPROVALS_SCHEMA`. */
  constructor(db: Database.Database, clock: Clock, report: DamagedRowReport = NO_REPORT) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    for (const row of this.#db.prepare<Row>("SELECT * FROM judge_passes").all()) {
      const read = rowSchema.safeParse(row);
      if (read.success) this.#keep(read.data);
      else report.damaged("a pass past the judges", "it lets nothing pass, and is gone within minutes");
    }
  }

  #keep({ call, agent_id, expires_at, boot_expires_at }: Row): void {
    const until = activeUntil({ expires_at, boot_expires_at, revoked_at: null }, this.#clock.boot().id);
    this.#kept.set(call, { ...until, agent_id });
  }

  /** From now on this call passes the judges, once. @throws SQLite's error: it doesn't then */
  give(call: string, agentId: string): void {
    const end = endAt(this.#clock, this.#clock.now() + PASS_SECONDS * 1000);
    const row = { call, agent_id: agentId, expires_at: end.at, boot_expires_at: end.boot_at };
    this.#db
      .prepare(
        "INSERT OR REPLACE INTO judge_passes (call, agent_id, expires_at, boot_expires_at) VALUES ($call, $agent_id, $expires_at, $boot_expires_at)",
      )
      .run(row);
    this.#keep(row);
  }

  /** Whether anything could be taken: nothing has to be looked up while there is none. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /**
   * Uses up the pass of this call; false if it has none. It is gone before the decision that rests on it is sent: a gate that is killed
   * between has let nobody pass. @throws SQLite's error: it isn't used then
   */
  take(call: string): boolean {
    const pass = this.#kept.get(call);
    if (pass === undefined || !isActive(pass, this.#clock)) return false;
    const { changes } = this.#db.prepare("DELETE FROM judge_passes WHERE call = ?").run(call);
    this.#kept.delete(call);
    return changes > 0;
  }

  /** Those of an agent that isn't paired any more. @throws SQLite's error: they count no more all the same */
  end(agentId: string): void {
    let hasSome = false;
    for (const [call, pass] of this.#kept) {
      if (pass.agent_id !== agentId) continue;
      this.#kept.delete(call);
      hasSome = true;
    }
    if (hasSome) this.#db.prepare("DELETE FROM judge_passes WHERE agent_id = ?").run(agentId);
  }

  /** Removes what is over by either clock. @throws SQLite's error */
  flush(): void {
    let hasEnded = false;
    for (const [call, pass] of this.#kept) {
      if (isActive(pass, this.#clock)) continue;
      this.#kept.delete(call);
      hasEnded = true;
    }
    if (hasEnded) this.#removeEnded();
  }

  #removeEnded(): void {
    this.#db
      .prepare(
        "DELETE FROM judge_passes WHERE expires_at <= $now OR coalesce(boot_expires_at, '') BETWEEN $boot_first AND $boot_now",
      )
      .run(moment(this.#clock));
  }
}
