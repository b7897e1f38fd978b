import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { PreparedStatements } from "../../../main/base/sqlite/prepared-statements.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** A database whose commits fail: another connection is in the middle of reading it. */
function unwritable(): { statements: PreparedStatements; rows(): unknown[] } {
  const file = join(tempFolder(), "a.db");
  const db = new Database(file, { timeout: 0 });
  db.exec(
    "PRAGMA journal_mode = DELETE; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO t VALUES (1, 'a')",
  );
  const reader = new Database(file);
  reader.exec("BEGIN; SELECT * FROM t");
  const reading = reader.prepare("SELECT * FROM t").iterate();
  reading.next();
  onTestFinished(() => {
    reading.return?.();
    reader.close();
    db.close();
  });
  return { statements: new PreparedStatements(db), rows: () => db.prepare("SELECT * FROM t").all() };
}

it.each(["INSERT INTO t (text) VALUES ('b') RETURNING *", "UPDATE t SET text = 'b' RETURNING *"])(
  "a change whose commit fails is an error, and no row: %s",
  (sql) => {
    const { statements, rows } = unwritable();
    expect(() => statements.changed(sql)).toThrow("database is locked");
    expect(() => statements.one(sql)).toThrow("database is locked");
    expect(rows()).toEqual([{ id: 1, text: "a" }]);
  },
);
