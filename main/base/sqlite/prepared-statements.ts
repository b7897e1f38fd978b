import type Database from "better-sqlite3";

/** For whoever keeps rows in it without knowing the library. */
export type SqliteDatabase = Database.Database;

/** A database's statements, each prepared once (preparing costs more than most of them take), and its transactions. */
export class PreparedStatements {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** The database's file. */
  get file(): string {
    return this.#db.name;
  }

  /**
   * `sql` must be one of few texts, as each is cached; values are bound. `Row` says what it returns: whoever reads what another program
   * may have written checks it.
   */
  prepare<Row = unknown>(sql: string): Database.Statement<unknown[], Row> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement as Database.Statement<unknown[], Row>;
  }

  /**
   * The row that a statement with RETURNING has changed; undefined where there was none. Not by `get`, which reports a row also where
   * its commit has failed, as on a full disk. @throws SQLite's error: nothing was changed then
   */
  changed<Row>(sql: string, ...values: unknown[]): Row | undefined {
    const [row] = this.prepare<Row>(sql).all(...values);
    return row;
  }

  /** The one row that `INSERT ... RETURNING`, or a count, always returns. @throws SQLite's error */
  one<Row>(sql: string, ...values: unknown[]): Row {
    const row = this.changed<Row>(sql, ...values);
    if (row === undefined) throw new Error(`no row: ${sql}`);
    return row;
  }

  /** The number that a `SELECT count(*)` returns. @throws SQLite's error */
  count(sql: string, ...values: unknown[]): number {
    return this.one<{ count: number }>(sql, ...values).count;
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
  together<T>(act: () => T): T {
    return this.#db.transaction(act).immediate();
  }
}
