import { accessSync, closeSync, constants, existsSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DANGLING_LINK, NOT_A_FILE } from "../../../ipc/base/regular-file.ts";
import { type ErrorCode, GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../errors.ts";

/** Explains the system's file errors to the user: one sentence with the file's name, and what to do. */

interface Meaning {
  why: string;
  hint: string;
}

/**
 * @param what the file is, as in "the operator's token"
 * @param code of the GateError
 */
export function fileError(error: unknown, what: string, file: string, code: ErrorCode = "file_unusable"): GateError {
  if (error instanceof GateError) return error;
  const { why, hint } = meaningOf(errorCode(error), file);
  return new GateError(code, `${what} ${file} can't be used: ${why}`, hint, { cause: error });
}

/** The cause behind a system's error code for `file`, and what to do. */
export function meaningOf(code: string, file: string): Meaning {
  const folder = dirname(file);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      if (code === "ENOSPC" && freeOn(folder)?.inodes === 0) {
        const hint = `remove files on the disk that holds ${folder} (df -i ${folder}), then try again`;
        return { why: "the disk has no inodes left, so it takes no further file", hint };
      }
      return { why: "the disk is full", hint: `make room on the disk that holds ${folder}, then try again` };
    case "EMFILE":
      return { why: "too many open files", hint: "raise the limit (ulimit -n 4096) and start the gate again" };
    case "ENFILE":
      return { why: "too many open files on this machine", hint: "end some programs, then try again" };
    case "EACCES":
    case "EPERM":
      return {
        why: "this user has no permission for it",
        hint: `see who may use it: ls -ld ${[...new Set([nearestThere(folder), nearestThere(file)])].join(" ")}`,
      };
    case "EROFS":
      return {
        why: "its file system is read-only",
        hint: "make it writable, or move the gate's folders: XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME",
      };
    case "ENOTDIR":
    case "EEXIST": {
      const part = firstThatIsNoFolder(code === "EEXIST" ? file : folder) ?? folder;
      return { why: `${part} is not a folder`, hint: `move it away: mv ${part} ${part}.old` };
    }
    case "EISDIR":
    case "ERR_FS_EISDIR":
      return { why: "it is a folder, not a file", hint: `move it away: mv ${file} ${file}.old` };
    case NOT_A_FILE:
    case "ENXIO":
      return { why: "it is not an ordinary file", hint: `move it away: mv ${file} ${file}.old` };
    case DANGLING_LINK:
      return { why: "it is a link that leads nowhere", hint: `see where it leads: ls -l ${file}` };
    case "ELOOP":
      return { why: "it is a symbolic link where none may be", hint: `see where it leads: ls -l ${file}` };
    case "ENAMETOOLONG":
      return { why: "the path is too long", hint: "use a shorter one" };
    case "ENOENT": {
      // Folders that can't be made on a read-only disk are reported as missing.
      const refused = refusalOfWriting(nearestThere(folder));
      if (refused !== undefined) return meaningOf(refused, file);
      return { why: "it, or a folder above it, is not there", hint: `make the folder: mkdir -p ${folder}` };
    }
    default:
      return { why: `the system says ${code}`, hint: `check the file and its folder: ls -ld ${folder} ${file}` };
  }
}

/** The first part of the path to `folder`, from the root, that exists and isn't a folder. */
function firstThatIsNoFolder(folder: string): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : firstThatIsNoFolder(parent);
  if (above !== undefined) return above;
  try {
    return statSync(folder).isDirectory() ? undefined : folder;
  } catch {
    return undefined; // it doesn't exist, or is below one that was found already
  }
}

/** The path itself, or the nearest existing folder above it. */
function nearestThere(path: string): string {
  if (existsSync(path) || dirname(path) === path) return path;
  return nearestThere(dirname(path));
}

function refusalOfWriting(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

/** The number of files that SQLite opens at once for one database. */
const FILES_OF_A_DATABASE = 6;

/** The system's code behind an error of SQLite's, as far as a retry of the operation shows it. */
export function causeBehind(sqliteCode: string, file: string): string {
  if (sqliteCode.startsWith("SQLITE_FULL")) return "ENOSPC";
  if (!/^SQLITE_(CANTOPEN|IOERR)/.test(sqliteCode)) return sqliteCode;
  const free = freeOn(dirname(file));
  const isFull = free !== undefined && (free.bytes < 65_536 || free.inodes === 0);
  return openingFails(file) ?? (isFull ? "ENOSPC" : sqliteCode);
}

function openingFails(file: string): string | undefined {
  const { O_RDONLY, O_NONBLOCK } = constants;
  const opened: number[] = [];
  try {
    // Never the file itself: closing it would release the locks that SQLite holds on it in this process.
    if (existsSync(file)) accessSync(file, constants.R_OK);
    for (let index = 0; index < FILES_OF_A_DATABASE; index++)
      opened.push(openSync(dirname(file), O_RDONLY | O_NONBLOCK));
    return undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : errorCode(error);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** What is free on the disk of a folder. Undefined: that is unknown. A file system that counts no inodes has `Infinity`. */
function freeOn(folder: string): { bytes: number; inodes: number } | undefined {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(nearestThere(folder));
    return { bytes: bavail * bsize, inodes: files === 0 ? Number.POSITIVE_INFINITY : ffree };
  } catch {
    return undefined;
  }
}
