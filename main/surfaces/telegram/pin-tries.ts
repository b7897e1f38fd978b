import type Database from "better-sqlite3";
import { z } from "zod";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** How many wrong PINs were tried on a day, in agents.db: a restart gives no further tries. */

const triesSchema = z.object({
  /** The user's own day. */
  day: z.string(),
  wrong: z.number().int().min(0),
});
type Tries = z.infer<typeof triesSchema>;

export class PinTries {
  readonly #db: PreparedStatements;
  #tries: Tries;

  /** `db` was opened with `AGENTS_SCHEMA`. */
  constructor(db: Database.Database) {
    this.#db = new PreparedStatements(db);
    const row = this.#db.prepare("SELECT * FROM pin_tries WHERE channel = 'telegram'").get();
    this.#tries = triesSchema.safeParse(row).data ?? { day: "", wrong: 0 };
  }

  /** Wrong ones of this day. */
  of(day: string): number {
    return this.#tries.day === day ? this.#tries.wrong : 0;
  }

  /** Counts in this gate also where it can't be written. @throws SQLite's error */
  put(day: string, wrong: number): void {
    this.#tries = { day, wrong };
    this.#db
      .prepare("INSERT OR REPLACE INTO pin_tries (channel, day, wrong) VALUES ('telegram', $day, $wrong)")
      .run(this.#tries);
  }
}
