import type Database from "better-sqlite3";
import { z } from "zod";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** The chat that the user has linked, in agents.db: who it is, by number, and under which name: another one is confirmed again. */

const linkedSchema = z.object({
  user_id: z.number().int().positive(),
  chat_id: z.number().int().positive(),
  name: z.string(),
  linked_at: z.string(),
});
export type Linked = z.infer<typeof linkedSchema>;

export class LinkedChat {
  readonly #db: PreparedStatements;
  readonly #now: () => number;
  #linked: Linked | null;

  /** `db` was opened with `AGENTS_SCHEMA`. A row that can't be read is no link. */
  constructor(db: Database.Database, now: () => number) {
    this.#db = new PreparedStatements(db);
    this.#now = now;
    const row = this.#db.prepare("SELECT * FROM channel_links WHERE channel = 'telegram'").get();
    this.#linked = linkedSchema.safeParse(row).data ?? null;
  }

  get current(): Linked | null {
    return this.#linked;
  }

  /** In the place of the one before. @throws SQLite's error: nothing has changed then */
  set({ user_id, chat_id, name }: Omit<Linked, "linked_at">): Linked {
    const linked = { user_id, chat_id, name, linked_at: isoSeconds(this.#now()) };
    this.#db
      .prepare(
        "INSERT OR REPLACE INTO channel_links (channel, user_id, chat_id, name, linked_at) VALUES ('telegram', $user_id, $chat_id, $name, $linked_at)",
      )
      .run(linked);
    this.#linked = linked;
    return linked;
  }

  /** The chat that was linked. It is linked no more even where that can't be written yet. @throws SQLite's error */
  remove(): Linked | null {
    const before = this.#linked;
    this.#linked = null;
    this.#db.prepare("DELETE FROM channel_links WHERE channel = 'telegram'").run();
    return before;
  }
}
