import type { Schema } from "../../base/sqlite/database-schema.ts";
import { dueCards, dueUndos } from "../../records/receipts/due-receipts-schema.ts";
import { endedExtra } from "./ended-request.ts";
import { ownExtra } from "./stored-request.ts";

/** approvals.db: the required table (docs/decisions/requirements-approvals.md, "Registry"), then the columns this gate adds. */
export const APPROVALS_SCHEMA: Schema = {
  title: "approvals database",
  table: "pending",
  mayHoldFirstTable: true,
  forgets: true,
  migrations: [
    (db) =>
      db.exec(`CREATE TABLE IF NOT EXISTS pending (
        token               TEXT PRIMARY KEY,
        channel             TEXT NOT NULL,
        sender_id           TEXT NOT NULL,
        capability_class    TEXT NOT NULL,
        action_verb         TEXT NOT NULL,
        target_summary      TEXT NOT NULL,
        created_at          TEXT NOT NULL,
        expires_at          TEXT NOT NULL,
        status              TEXT NOT NULL DEFAULT 'pending',
        decision_at         TEXT,
        decision_by_channel TEXT,
        decision_by_sender  TEXT,
        request_extra       TEXT
      );
      CREATE INDEX IF NOT EXISTS idx_pending_status ON pending(status);
      CREATE INDEX IF NOT EXISTS idx_pending_expires ON pending(expires_at);`),
    (db) =>
      db.exec(`
        ALTER TABLE pending ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
        ALTER TABLE pending ADD COLUMN agent_name TEXT NOT NULL DEFAULT '';
        ALTER TABLE pending ADD COLUMN session TEXT NOT NULL DEFAULT '';
        ALTER TABLE pending ADD COLUMN call_hash TEXT NOT NULL DEFAULT '';
        ALTER TABLE pending ADD COLUMN share_key TEXT NOT NULL DEFAULT '';
        ALTER TABLE pending ADD COLUMN territory_concession TEXT NOT NULL DEFAULT 'none';
        ALTER TABLE pending ADD COLUMN granted TEXT NOT NULL DEFAULT '[]';
        ALTER TABLE pending ADD COLUMN grant_expires_at TEXT;
        ALTER TABLE pending ADD COLUMN grants_written_at TEXT;
        ALTER TABLE pending ADD COLUMN delivered_at TEXT;
        ALTER TABLE pending ADD COLUMN message TEXT;
        CREATE INDEX idx_pending_share ON pending(share_key, status);
        CREATE INDEX idx_pending_class ON pending(capability_class, agent_id, status);`),
    // What ended before keeps no more than what ends from now on.
    (db) => {
      const rows = db.prepare("SELECT token, request_extra FROM pending WHERE status <> 'pending'").all() as {
        token: string;
        request_extra: string | null;
      }[];
      const update = db.prepare(
        "UPDATE pending SET request_extra = ?, target_summary = capability_class WHERE token = ?",
      );
      for (const { token, request_extra } of rows) {
        const extra = request_extra === null ? undefined : ownExtra(request_extra);
        update.run(extra === undefined ? null : JSON.stringify(endedExtra(extra)), token);
      }
      db.exec("UPDATE pending SET granted = '[]' WHERE grants_written_at IS NOT NULL");
    },
    // The deadline by the time since boot; and what waits, by the next deadline: looked for at every request.
    (db) =>
      db.exec(`
        ALTER TABLE pending ADD COLUMN boot_expires_at TEXT;
        CREATE INDEX idx_pending_deadline ON pending(expires_at) WHERE status = 'pending';
        CREATE INDEX idx_pending_boot ON pending(boot_expires_at) WHERE status = 'pending';`),
    // What is refused for a session.
    (db) =>
      db.exec(`
        ALTER TABLE pending ADD COLUMN refuse TEXT;
        CREATE TABLE refusals (
          id              INTEGER PRIMARY KEY AUTOINCREMENT,
          agent_id        TEXT NOT NULL,
          session         TEXT NOT NULL,
          refuse          TEXT NOT NULL,
          executor        TEXT NOT NULL,
          capability      TEXT,
          target          TEXT NOT NULL,
          refused_at      TEXT NOT NULL,
          expires_at      TEXT NOT NULL,
          boot_expires_at TEXT,
          kind            TEXT NOT NULL,
          names           TEXT NOT NULL
        );`),
    // The history: the last answered first, however many there are.
    (db) => db.exec("CREATE INDEX idx_pending_decided ON pending(decision_at) WHERE status <> 'pending'"),
    // What the user allows once in spite of a judge, by a hash of the call.
    (db) =>
      db.exec(`CREATE TABLE judge_passes (
        call            TEXT PRIMARY KEY,
        agent_id        TEXT NOT NULL,
        expires_at      TEXT NOT NULL,
        boot_expires_at TEXT
      );`),
    // Where the user answered.
    (db) => db.exec("ALTER TABLE pending ADD COLUMN decision_surface TEXT"),
    // Which message of a channel shows which request: what is answered there is what it shows.
    (db) =>
      db.exec(`CREATE TABLE channel_messages (
        channel     TEXT NOT NULL,
        chat        TEXT NOT NULL,
        message     TEXT NOT NULL,
        token       TEXT NOT NULL,
        agent_id    TEXT,
        secret_hash TEXT,
        sent_at     TEXT NOT NULL,
        ended_at    TEXT,
        PRIMARY KEY (channel, chat, message, token)
      );
      CREATE INDEX idx_channel_messages_token ON channel_messages(token);`),
    dueCards,
    dueUndos,
  ],
};
