import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { BoxStatus } from "../../../ipc/contract/box.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { errorCode } from "../../base/errors.ts";
import { isSameFolder, openFolder } from "./pinned-folder.ts";
import type { Found } from "./project-tree.ts";

/** What appeared during a run at a place whose content is run later: moved out of the project, and listed until it is removed. */

export type SetAside = BoxStatus["set_aside"][number];

const recordSchema = z.object({ path: z.string(), kept_at: z.string(), at: z.string(), agent_name: z.string() });

/**
 * Listed at the most; in a folder of its own each, those of one second together: one command may leave some 100,000, of
 * which the last ones are to be found without reading all names.
 */
const MAX_LISTED = 200;
const MARK = /^[0-9a-f]{8}$/;
const RECORD = "from.json";

/**
 * Moves one thing aside. Its folder is opened once and compared with what was looked at, and all goes through that: what swaps a
 * folder for a link meanwhile leads nowhere else.
 * @returns undefined where it is gone, or its folder isn't what was looked at any more: to be looked at again
 * @throws the system's error: it is still there
 */
export function setAside(found: Found, into: string, agentName: string, now: number): SetAside | undefined {
  const slash = found.path.lastIndexOf("/");
  const [parent, name] = [found.path.slice(0, slash), found.path.slice(slash + 1)];
  const fd = openFolder(parent);
  if (fd === undefined) return undefined;
  try {
    if (!isSameFolder(fd, parent, found.parent)) return undefined;
    const source = Buffer.from(`/proc/self/fd/${fd}/${name}`, "latin1");
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return undefined;
    return move(source, { found, name, into, fd }, { agent_name: agentName, at: isoSeconds(now) });
  } finally {
    closeSync(fd);
  }
}

interface Move {
  found: Found;
  name: string;
  into: string;
  fd: number;
}

function move(source: Buffer, { found, name, into, fd }: Move, by: Pick<SetAside, "agent_name" | "at">): SetAside {
  const mark = randomBytes(4).toString("hex");
  const path = Buffer.from(found.path, "latin1").toString();
  const folder = join(into, by.at.replace(/[^0-9]/g, ""), mark);
  const keptAt = join(folder, "content");
  const hasFolder = makeRecorded(folder, { path, kept_at: keptAt, ...by });
  if (hasFolder) {
    try {
      renameOut(source, fd, keptAt);
      return { path, kept_at: keptAt, ...by };
    } catch (error) {
      if (!NOT_THERE.has(errorCode(error))) {
        rmSync(folder, { recursive: true, force: true });
        throw error;
      }
    }
  }
  // The project lies on another file system, or the gate's is full or fails: a name that nothing looks for, and no reference of git's can have, is as good.
  const other = name.length > LONGEST_NAME ? `set-aside~${mark}` : `${name}.set-aside~${mark}`;
  renameOut(source, fd, Buffer.from(`/proc/self/fd/${fd}/${other}`, "latin1"));
  const entry = { path, kept_at: join(dirname(path), Buffer.from(other, "latin1").toString()), ...by };
  if (hasFolder) noteMoved(folder, entry);
  return entry;
}

/** Why a thing can't be moved to the gate's own disk, which says nothing of its own. */
const NOT_THERE: ReadonlySet<string> = new Set(["EXDEV", "ENOSPC", "EDQUOT", "EROFS", "EIO"]);

/** In bytes, that something may be added to. */
const LONGEST_NAME = 200;

/** False where the gate has no room for it. */
function makeRecorded(folder: string, entry: SetAside): boolean {
  try {
    // Whoever has removed all that was set aside has removed their folder, too.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    record(folder, entry);
    return true;
  } catch {
    removeQuietly(folder);
    return false; // what is to be moved counts more than that it is listed
  }
}

function noteMoved(folder: string, entry: SetAside): void {
  try {
    record(folder, entry);
  } catch {
    removeQuietly(folder); // it is moved, and the alarm names it
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // a disk that can't be written: a folder that holds nothing is listed nowhere
  }
}

function record(folder: string, entry: SetAside): void {
  writeFileSync(join(folder, RECORD), JSON.stringify(entry), { mode: 0o600 });
}

/** Also what a command took the owner's rights away from: those to its folder, and a folder's own, which moving it takes. */
function renameOut(source: Buffer, folder: number, to: string | Buffer): void {
  try {
    renameSync(source, to);
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
    giveBack(folder);
    const own = openFolder(source);
    try {
      if (own !== undefined) giveBack(own);
    } finally {
      if (own !== undefined) closeSync(own);
    }
    renameSync(source, to);
  }
}

function giveBack(folder: number): void {
  chmodSync(`/proc/self/fd/${folder}`, (fstatSync(folder).mode & 0o7777) | 0o700);
}

/**
 * A folder that a command has closed to its owner is opened again: what it holds couldn't be looked through.
 * @param path with one character for each byte @param identity what was found there, where that is known
 * @param rights that its owner needs @throws the system's error
 */
export function openAgain(path: string, identity: string, rights = 0o500): void {
  const fd = openFolder(path);
  if (fd === undefined) return;
  try {
    const { mode, uid } = fstatSync(fd);
    const isClosed = uid === process.getuid?.() && (mode & rights) !== rights;
    if (isClosed && isSameFolder(fd, path, identity)) giveBack(fd);
  } finally {
    closeSync(fd);
  }
}

/** What was set aside and is still there, newest first. */
export function listSetAside(into: string): SetAside[] {
  const all: SetAside[] = [];
  for (const second of namesIn(into)) {
    for (const entry of recordsOf(join(into, second))) {
      if (all.length === MAX_LISTED) return all;
      if (lstatSync(entry.kept_at, { throwIfNoEntry: false }) !== undefined) all.push(entry);
    }
  }
  return all;
}

function* recordsOf(second: string): Generator<SetAside> {
  // Of an earlier version: one alone.
  const alone = readRecord(join(second, RECORD));
  if (alone !== undefined) return yield alone;
  for (const mark of namesIn(second)) {
    const entry = MARK.test(mark) ? readRecord(join(second, mark, RECORD)) : undefined;
    if (entry !== undefined) yield entry;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().reverse();
  } catch (error) {
    // The user has removed it, or put something else there.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return [];
    throw error;
  }
}

function readRecord(file: string): SetAside | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined; // a folder that is not of these
  }
}
