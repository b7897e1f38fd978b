import type Database from "better-sqlite3";

/** A database's statements, each prepared once (preparing costs more than most of them take), and its transactions. */
export class Statements {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** `sql` must be one of few texts, as each is cached; values are bound. */
  prepare(sql: string): Database.Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** @throws SQLite's error */
  begin(): void {
    if (!this.#db.inTransaction) this.prepare("BEGIN IMMEDIATE").run();
  }

  /** @throws SQLite's error: the transaction may still be open then */
  commit(): void {
    if (this.#db.inTransaction) this.prepare("COMMIT").run();
  }

  rollback(): void {
    if (this.#db.inTransaction) this.prepare("ROLLBACK").run();
  }

  /** Runs `act` in one transaction. @throws what `act` throws, or SQLite's error: nothing was changed then */
  together(act: () => void): void {
    this.#db.transaction(act).immediate();
  }
}
