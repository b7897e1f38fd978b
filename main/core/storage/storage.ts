import type { GatePaths } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Alarms } from "../../base/alarms.ts";
import { diskFullCode } from "../../base/files/disk-reserve.ts";
import { storageError } from "../../base/sqlite/database.ts";
import { DatabaseHealth, type OpenDatabase } from "../../base/sqlite/database-health.ts";
import { DATABASES, type DatabaseName } from "../../base/sqlite/database-names.ts";
import { StorageHolder } from "./holder.ts";
import { lookAtDatabases, type OpenedDatabases, openDatabases } from "./open-databases.ts";
import { StorageWatch } from "./storage-watch.ts";

/** The locks and databases of a gate: taken, opened, watched while it runs, and closed again. */

export interface StorageOptions {
  paths: GatePaths;
  home: string;
  alarms: Alarms;
  log(message: string): void;
  /** Databases that may begin empty although others don't. */
  acceptEmpty: readonly DatabaseName[];
  /** False: nothing of calls is on the disk. */
  keepsLines: boolean;
  /** Called once, when a lock, a socket or a database isn't the gate's any more. */
  lost(loss: GateError): void;
}

export class Storage {
  readonly opened: OpenedDatabases;
  readonly watch: StorageWatch;
  readonly health: DatabaseHealth;
  readonly #holder: StorageHolder;

  private constructor(options: StorageOptions, holder: StorageHolder, opened: OpenedDatabases) {
    this.#holder = holder;
    this.opened = opened;
    this.watch = new StorageWatch((loss) => options.lost(loss));
    this.health = new DatabaseHealth(this.#all(), options.alarms);
    this.watch.addHeld("gate", "lock", holder.state.file, holder.state.identity);
    for (const name of DATABASES) {
      const { title, file } = opened.databases[name];
      this.watch.addDatabase(title, file);
      const lock = holder.databases[name];
      this.watch.addHeld("database lock", `lock of the ${title},`, lock.file, lock.identity);
    }
    this.watch.start();
  }

  /**
   * Takes the locks and opens the databases under them.
   * @throws GateError `already_running`, `lock_unusable`, `database_*`: nothing was written then
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { paths, home } = options;
    const accepted = new Set(options.acceptEmpty);
    const holder = await StorageHolder.take(paths);
    try {
      // Refused before the wait where it can't be opened anyway; checked again after it, as the files may have changed.
      if (holder.isDoubtful) lookAtDatabases(paths, home, accepted);
      await holder.waitForEarlier(options.log);
      const opened = openDatabases(paths, home, holder, accepted, options.keepsLines);
      holder.mark(true);
      return new Storage(options, holder, opened);
    } catch (error) {
      holder.release();
      throw error;
    }
  }

  /** Makes something on a database; an error names the file. @throws GateError `database_*` */
  on<T>({ db, file, title }: OpenDatabase, make: (db: OpenDatabase["db"]) => T): T {
    try {
      return make(db);
    } catch (error) {
      throw error instanceof GateError ? error : storageError(error, file, { title });
    }
  }

  /** Writes to a database at the start; where the disk is full, the error names the file. @throws what `act` throws otherwise */
  write({ file, title }: OpenDatabase, act: () => void): void {
    try {
      act();
    } catch (error) {
      throw diskFullCode(error) === undefined ? error : storageError(error, file, { title });
    }
  }

  /** @throws GateError `gate_replaced`, `database_unusable`: the last writes may be lost */
  requireIntact(): void {
    const loss = this.watch.look();
    if (loss !== undefined) throw loss;
  }

  close(): void {
    this.watch.stop();
    this.health.stop();
    if (this.watch.loss === undefined) this.#holder.mark(false);
    for (const { db } of this.#all()) db.close();
    this.#holder.release();
  }

  #all(): OpenDatabase[] {
    return [...Object.values(this.opened.databases), this.opened.activity, this.opened.lines];
  }
}
