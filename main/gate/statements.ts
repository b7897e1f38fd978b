import type Database from "better-sqlite3";

/** A database's statements, each prepared once: preparing costs more than most of them take. */
export class Statements {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** `sql` is one of few texts; values are bound. */
  prepare(sql: string): Database.Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
