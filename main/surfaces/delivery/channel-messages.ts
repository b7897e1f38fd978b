import type Database from "better-sqlite3";
import { z } from "zod";
import type { ChannelName } from "../../../ipc/contract/channels.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import type { Core } from "../../core/core.ts";

/**
 * The messages of the channels, in approvals.db: which of them shows which request, and that it was changed once that had ended. No text
 * of a message is kept.
 */

const rowSchema = z.object({
  /** As the channel calls it: a chat's number, a topic. */
  chat: z.string(),
  message: z.string(),
  token: z.string(),
  /** Of the agent whose requests are shown as one; null of a message about one request. */
  agent_id: z.string().nullable(),
  /** SHA-256 in hex of what the message's own link answers with. */
  secret_hash: z.string().nullable(),
  /** When the message said how the request has ended; null before. */
  ended_at: z.string().nullable(),
});
export type ChannelMessage = z.infer<typeof rowSchema>;

/** What has ended is known for so long: a press on it is answered with how it ended. */
const KEPT_SECONDS = 86_400;

interface ChannelMessagesParts {
  channel: ChannelName;
  now(): number;
  /** Runs a write, with the reserved space where the disk is full. */
  withRoom<T>(act: () => T): T;
}

/** Those of one channel of a running gate. @throws GateError `database_*` */
export function openChannelMessages(
  { storage, clock, stateReserve }: Pick<Core, "storage" | "clock" | "stateReserve">,
  channel: ChannelName,
): ChannelMessages {
  const withRoom = <T>(act: () => T): T => stateReserve.withRoom(act);
  return storage.on(
    storage.opened.databases.approvals,
    (db) => new ChannelMessages(db, { channel, now: clock.now, withRoom }),
  );
}

export class ChannelMessages {
  readonly #db: PreparedStatements;
  readonly #parts: ChannelMessagesParts;

  /** `db` was opened with `APPROVALS_SCHEMA`. */
  constructor(db: Database.Database, parts: ChannelMessagesParts) {
    this.#db = new PreparedStatements(db);
    this.#parts = parts;
  }

  /** What a message shows from now on: these requests, and no other. @throws SQLite's error */
  put(
    shown: Pick<ChannelMessage, "chat" | "message" | "agent_id">,
    tokens: readonly string[],
    secretHash?: string,
  ): void {
    const { channel, now, withRoom } = this.#parts;
    withRoom(() =>
      this.#db.together(() => {
        this.#db
          .prepare("DELETE FROM channel_messages WHERE channel = ? AND chat = ? AND message = ? AND ended_at IS NULL")
          .run(channel, shown.chat, shown.message);
        for (const token of tokens)
          this.#db
            .prepare(
              "INSERT OR REPLACE INTO channel_messages (channel, chat, message, token, agent_id, secret_hash, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )
            .run(channel, shown.chat, shown.message, token, shown.agent_id, secretHash ?? null, isoSeconds(now()));
      }),
    );
  }

  /** The message says how it has ended; what ended long ago is forgotten. @throws SQLite's error */
  end(chat: string, message: string): void {
    const { channel, now, withRoom } = this.#parts;
    withRoom(() => {
      this.#db
        .prepare(
          "UPDATE channel_messages SET ended_at = ? WHERE channel = ? AND chat = ? AND message = ? AND ended_at IS NULL",
        )
        .run(isoSeconds(now()), channel, chat, message);
      this.#db
        .prepare("DELETE FROM channel_messages WHERE channel = ? AND ended_at < ?")
        .run(channel, isoSeconds(now() - KEPT_SECONDS * 1000));
    });
  }

  /** Those that don't say yet how it has ended. */
  open(): ChannelMessage[] {
    return this.#read("SELECT * FROM channel_messages WHERE channel = ? AND ended_at IS NULL ORDER BY rowid");
  }

  /** What one message shows, or has shown until it ended. */
  of(chat: string, message: string): ChannelMessage[] {
    return this.#read("SELECT * FROM channel_messages WHERE channel = ? AND chat = ? AND message = ?", chat, message);
  }

  /** The message that this secret belongs to. */
  withSecret(secretHash: string): ChannelMessage | undefined {
    return this.#read("SELECT * FROM channel_messages WHERE channel = ? AND secret_hash = ?", secretHash)[0];
  }

  /** A row that can't be read shows nothing: nothing can be answered with it. */
  #read(sql: string, ...values: string[]): ChannelMessage[] {
    return this.#db
      .prepare(sql)
      .all(this.#parts.channel, ...values)
      .flatMap((row) => rowSchema.safeParse(row).data ?? []);
  }
}
