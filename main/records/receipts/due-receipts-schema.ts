import type Database from "better-sqlite3";

/**
 * What is still to get its receipt, in the database of what it is about: noted in the transaction that writes it, whoever does, so
 * that neither a crash nor a full disk in between loses a receipt.
 */

/** In approvals.db. `receipts_end`: the number of the last receipt that is safely on the disk. */
export function dueCards(db: Database.Database): void {
  db.exec(`
    CREATE TABLE receipts_due (id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL);
    CREATE TABLE receipts_end (id INTEGER PRIMARY KEY CHECK (id = 1), receipt INTEGER NOT NULL);
    CREATE TRIGGER receipt_due AFTER UPDATE OF status ON pending
      WHEN OLD.status = 'pending' AND NEW.status IN ('approved', 'rejected')
      BEGIN INSERT INTO receipts_due (token) VALUES (NEW.token); END;`);
}

/** In approvals.db. What was undone is in the undo's own store alone, for a few days: the row says all that its receipt does. */
export function dueUndos(db: Database.Database): void {
  db.exec(`
    CREATE TABLE undo_receipts_due (
      id      INTEGER PRIMARY KEY AUTOINCREMENT,
      undo    TEXT NOT NULL,
      act     TEXT NOT NULL,
      at      TEXT NOT NULL,
      surface TEXT,
      calls   TEXT NOT NULL,
      files   INTEGER NOT NULL,
      failed  INTEGER NOT NULL
    );`);
}

/** In grants.db. A restored grant's row doesn't say when that was, nor any row where: whoever acts notes it in the same transaction. */
export function dueGrants(db: Database.Database): void {
  db.exec(`
    CREATE TABLE receipts_due (
      id       INTEGER PRIMARY KEY AUTOINCREMENT,
      grant_id INTEGER NOT NULL,
      act      TEXT NOT NULL,
      at       TEXT,
      reason   TEXT,
      surface  TEXT
    );
    CREATE TRIGGER receipt_due_given AFTER INSERT ON grants WHEN NEW.revoked_at IS NULL
      BEGIN INSERT INTO receipts_due (grant_id, act, at) VALUES (NEW.id, 'given', NEW.granted_at); END;
    CREATE TRIGGER receipt_due_revoked AFTER UPDATE OF revoked_at ON grants
      WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL
      BEGIN INSERT INTO receipts_due (grant_id, act, at, reason) VALUES (NEW.id, 'revoked', NEW.revoked_at, NEW.revoked_reason); END;
    CREATE TRIGGER receipt_due_restored AFTER UPDATE OF revoked_at ON grants
      WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL
      BEGIN INSERT INTO receipts_due (grant_id, act) VALUES (NEW.id, 'restored'); END;`);
}
