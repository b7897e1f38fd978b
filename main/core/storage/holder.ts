import { chmodSync, existsSync, realpathSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { FileLock } from "../../base/files/file-lock.ts";
import { DATABASES, type DatabaseName } from "../../base/sqlite/database-names.ts";
import { monthFiles } from "../../records/audit/month-files.ts";

/** Ensures that only one gate uses a state folder and each database, wherever that is. */

/**
 * A gate decides only if it has checked its files within this time, in milliseconds (`StorageWatch`). A gate whose lock file is
 * new waits longer than that before it decides.
 */
export const LEASE_MS = 1500;
const HANDOVER_MS = 2500;

/** How long a socket may take to accept, in milliseconds; one that takes longer counts as listening. */
const CONNECT_MS = 1000;

export class StorageHolder {
  readonly state: FileLock;
  readonly databases: Readonly<Record<DatabaseName, FileLock>>;

  readonly #paths: GatePaths;
  /** Locks whose file is new although what they protect was used before. */
  readonly #doubtful: readonly FileLock[];

  private constructor(
    paths: GatePaths,
    state: FileLock,
    databases: Record<DatabaseName, FileLock>,
    doubtful: readonly FileLock[],
  ) {
    this.#paths = paths;
    this.state = state;
    this.databases = databases;
    this.#doubtful = doubtful;
  }

  /**
   * Takes the lock of the state folder and those beside the databases. Nothing is written before `waitForEarlier` has resolved.
   * @throws GateError `already_running`, `lock_unusable`
   */
  static async take(paths: GatePaths): Promise<StorageHolder> {
    const taken: FileLock[] = [];
    const take = (file: string, what: string) => {
      const lock = takeOr(file, what);
      taken.push(lock);
      return lock;
    };
    try {
      const state = take(paths.lockDb, "a gate is already running for this user");
      chmodSync(paths.state_dir, 0o700);
      const beside = (name: DatabaseName): FileLock => {
        const file = realPath(databaseFile(paths, name));
        return take(`${file}.lock`, `another gate uses the ${name} database ${file}`);
      };
      const databases = {
        grants: beside("grants"),
        approvals: beside("approvals"),
        agents: beside("agents"),
        safety: beside("safety"),
      };
      const doubtful = doubtfulLocks(paths, state, databases);
      await refuseListeners(paths, doubtful[0]);
      return new StorageHolder(paths, state, databases, doubtful);
    } catch (error) {
      for (const lock of taken) lock.release();
      throw error;
    }
  }

  /** True where a lock may have been removed while another gate still runs. */
  get isDoubtful(): boolean {
    return this.#doubtful.length > 0;
  }

  /** Waits for a gate that may have lost its lock to end. @throws GateError `already_running` */
  async waitForEarlier(log: (line: string) => void): Promise<void> {
    const [first] = this.#doubtful;
    if (first === undefined) return;
    log(`${first.file} is new: waiting ${HANDOVER_MS / 1000} s for a gate that may have held an earlier one`);
    await after(HANDOVER_MS);
    await refuseListeners(this.#paths, first);
  }

  get locks(): FileLock[] {
    return [this.state, ...Object.values(this.databases)];
  }

  /** `true` once the databases are open, `false` before they are closed in order: a gate that is killed leaves its locks in use. */
  mark(isInUse: boolean): void {
    for (const lock of this.locks) lock.mark(isInUse);
  }

  release(): void {
    for (const lock of this.locks.reverse()) lock.release();
  }
}

export function databaseFile(paths: GatePaths, name: DatabaseName): string {
  return {
    grants: paths.grants_db,
    approvals: paths.approvals_db,
    agents: paths.agents_db,
    safety: paths.safety_db,
  }[name];
}

/** True if the trail has a line: then a gate was used here before. */
export function hasTrail({ auditDir }: GatePaths): boolean {
  try {
    return monthFiles(auditDir).some((name) => isFilled(join(auditDir, name)));
  } catch {
    return false; // nothing is known from an unreadable trail; that it can't be written is reported by the gate
  }
}

function doubtfulLocks(
  paths: GatePaths,
  state: FileLock,
  databases: Readonly<Record<DatabaseName, FileLock>>,
): FileLock[] {
  const used = DATABASES.filter((name) => isFilled(databaseFile(paths, name)));
  const doubtful = used.map((name) => databases[name]).filter((lock) => lock.isNew);
  if (state.isNew && (used.length > 0 || hasTrail(paths))) doubtful.unshift(state);
  return doubtful;
}

function isFilled(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function takeOr(file: string, what: string): FileLock {
  try {
    return FileLock.take(file);
  } catch (error) {
    if (errorCode(error) !== "lock_taken") throw error;
    throw new GateError("already_running", what, `see: ${ownCommand("status")}`, { cause: error });
  }
}

/** Resolved, so that two names of one database have one lock. */
function realPath(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  return existsSync(dirname(file)) ? join(realpathSync(dirname(file)), basename(file)) : file;
}

/** @throws GateError `already_running` */
async function refuseListeners(paths: GatePaths, removed: FileLock | undefined): Promise<void> {
  for (const path of [paths.agent_socket, paths.operator_socket]) {
    if (!(await isListening(path))) continue;
    const lost = removed === undefined ? "" : `, though its lock ${removed.file} was removed or replaced`;
    throw new GateError(
      "already_running",
      `a gate is already running: it listens at ${path}${lost}`,
      "end it before you start another",
    );
  }
}

/** True if a process accepts connections there. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const done = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket.setTimeout(CONNECT_MS, () => done(true));
    socket.once("connect", () => done(true));
    // A full queue (EAGAIN) also belongs to a listening process.
    socket.once("error", (error) => done(errorCode(error) === "EAGAIN"));
  });
}
