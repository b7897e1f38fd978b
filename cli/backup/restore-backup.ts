import { ownCommand } from "../../ipc/base/own-command.ts";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { homeFolder } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { errorCode } from "../../main/base/errors.ts";
import { FileLock } from "../../main/base/files/file-lock.ts";
import { AuditLog } from "../../main/records/audit/log.ts";
import { type Contents, checkStaged } from "./staged.ts";
import {
  commitRestore,
  endRestore,
  finishMoves,
  isInUse,
  type Journal,
  readJournal,
  removeStaging,
  stagingFolders,
} from "./swap.ts";
import { type Unpacked, unpack } from "./unpack.ts";

/** Brings a backup back where no gate runs: checked as a whole before it counts, and what was there before is kept beside it. */

/** What would be restored, for the user's yes. */
export interface Preview extends Contents, Unpacked {
  /** Something is here already, which would be moved aside. */
  isInUse: boolean;
}

export interface Restored {
  /** Folders that hold what was there before. */
  kept: string[];
}

/**
 * Holds the gate's lock all the while. `isWanted` is asked once all of it was checked; undefined where it said no.
 * @throws GateError `already_running`, `restore_unfinished`, `invalid_input`, and as `checkStaged`: nothing has changed then
 */
export async function restoreBackup(
  file: string,
  paths: GatePaths,
  env: NodeJS.ProcessEnv,
  isWanted: (preview: Preview) => Promise<boolean>,
): Promise<Restored | undefined> {
  return await underLock(paths, async () => {
    if (readJournal(paths) !== undefined)
      throw new GateError(
        "restore_unfinished",
        "a restore was interrupted",
        `finish it first: ${ownCommand("restore --finish")}`,
      );
    let journal: Journal;
    try {
      const folders = stagingFolders(paths);
      const unpacked = await unpack(file, folders);
      const contents = await checkStaged(file, unpacked.manifest, folders, homeFolder(env));
      if (!(await isWanted({ ...unpacked, ...contents, isInUse: isInUse(paths) }))) return undefined;
      journal = commitRestore(paths, unpacked.manifest.made_at, new Date());
    } finally {
      // Once it counts, the moves need what was unpacked.
      if (readJournal(paths) === undefined) removeStaging(paths);
    }
    return finish(paths, journal);
  });
}

/** Finishes a restore that was interrupted once it counted; undefined where there is none. @throws GateError `already_running` */
export async function finishRestore(paths: GatePaths): Promise<Restored | undefined> {
  return await underLock(paths, async () => {
    const journal = readJournal(paths);
    return journal === undefined ? undefined : finish(paths, journal);
  });
}

function finish(paths: GatePaths, journal: Journal): Restored {
  finishMoves(paths, journal);
  noteInTrail(paths, journal);
  return { kept: endRestore(paths, journal) };
}

/** The restored trail says that it was, and of when it is. */
function noteInTrail({ auditDir, auditHead }: GatePaths, { made_at }: Journal): void {
  const log = new AuditLog(auditDir, auditHead);
  try {
    log.append({ event: "state.restored", ts: log.time(), backup_made_at: made_at });
    log.flush();
  } finally {
    log.close();
  }
}

async function underLock<T>(paths: GatePaths, act: () => Promise<T>): Promise<T> {
  let lock: FileLock;
  try {
    lock = FileLock.take(paths.lockDb);
  } catch (error) {
    if (errorCode(error) !== "lock_taken") throw error;
    throw new GateError(
      "already_running",
      "a gate is running: what it has open can't be replaced",
      "end it first, then restore",
    );
  }
  try {
    return await act();
  } finally {
    lock.release();
  }
}
