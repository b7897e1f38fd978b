import { closeSync, readdirSync, type Stats, statfsSync } from "node:fs";
import { type Bounds, MAX_DEPTH, MAX_FILE, MAX_IGNORED, OF_REPOSITORY, REBUILT } from "./bounds.ts";
import { type Entry, UNKEPT, writeTree } from "./entries.ts";
import { type IgnoreRules, isIgnored, rulesOf } from "./ignored.ts";
import { bytesIn, enter, isNothing, isUnreadable, linkIn, looksOf, openFolderIn, statIn, tried } from "./in-folder.ts";
import type { Objects } from "./objects.ts";

/** A project as it is now, read as from somebody who would mislead whoever reads it. What looks as it did isn't read again. */

/** A file, link or folder as it was when it was read. */
export interface Seen extends Entry {
  size: number;
  mtime: number;
  ctime: number;
  ino: number;
  /** Of a folder alone: what it holds, by name. */
  holds?: Map<string, Seen>;
}

/** Within this time a file can change twice and have the same times: it is read again. Milliseconds. */
const SAME_TICK_MS = 30;
/** The same of a disk whose times are whole seconds, or even ones. */
const SAME_SECONDS_MS = 2100;
/** Disks on which a folder's times change with each name that comes or goes, as Linux numbers them: ext4, XFS, Btrfs, F2FS, ZFS, overlayfs, tmpfs. */
const TELLING = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994];
/** Of what `.gitignore` files say. */
const MAX_RULES = 256 * 1024;

export class TooMany extends Error {}

interface Walk {
  objects: Objects;
  began: number;
  dev: number;
  isTelling: boolean;
  files: number;
  max_files: number;
}

/**
 * @param rootFd the project's folder, open @param before as it was seen last
 * @returns its root, whose name in the store is that of the whole tree @throws TooMany, or the system's error
 */
export function readProject(
  rootFd: number,
  root: Stats,
  before: Seen | undefined,
  { objects, max_files }: Pick<Bounds, "max_files"> & { objects: Objects },
): Seen {
  enter(rootFd);
  const began = Date.now();
  const isTelling = TELLING.includes(statfsSync(".").type);
  const walk: Walk = { objects, began, dev: root.dev, isTelling, files: 0, max_files };
  const folder = { fd: rootFd, stat: root, path: "", depth: 0, names: namesHere() };
  // Where the clock was set back since, times that are the same say nothing.
  const known = before !== undefined && before.ctime <= began ? before : undefined;
  return { ...folderSeen(walk, folder, known, undefined), ctime: began };
}

const namesHere = (): string[] => readdirSync(".", { encoding: "latin1" });

interface Folder {
  fd: number;
  stat: Stats;
  /** From the project, with a slash at its end; empty for the project itself. */
  path: string;
  depth: number;
  names: readonly string[];
}

/** Of the folder that is the working directory, and is again when this returns. */
function folderSeen(walk: Walk, folder: Folder, before: Seen | undefined, above: IgnoreRules | undefined): Seen {
  const { stat, path, names } = folder;
  const rules = names.includes(".gitignore") ? ownRules(path, above) : above;
  const holds = new Map<string, Seen>();
  let isChanged = before?.holds === undefined;
  const isRepository = /(?:^|\/)\.git\/$/.test(path);
  for (const name of names) {
    if (isRepository && !OF_REPOSITORY.has(name)) continue;
    // Of whatever kind: each is looked at.
    if (++walk.files > walk.max_files) throw new TooMany();
    const known = before?.holds?.get(name);
    const one = oneSeen(walk, folder, name, known, rules);
    if (one === undefined) continue;
    holds.set(name, one);
    isChanged ||= known === undefined || known.sha !== one.sha || known.mode !== one.mode;
  }
  isChanged ||= holds.size !== before?.holds?.size;
  const sha = isChanged || before === undefined ? writeTree(walk.objects, holds) : before.sha;
  return { ...settledTimes(walk, stat), mode: stat.mode, sha, holds };
}

function ownRules(path: string, above: IgnoreRules | undefined): IgnoreRules | undefined {
  const stat = statIn(".gitignore");
  const text = stat?.isFile() === true ? bytesIn(".gitignore", MAX_RULES) : undefined;
  return text === undefined ? above : rulesOf(text.toString("latin1"), path, above);
}

const timesOf = ({ size, mtimeMs, ctimeMs, ino }: Stats) => ({ size, mtime: mtimeMs, ctime: ctimeMs, ino });

/** What has just been changed is read again. */
function settledTimes({ began }: Walk, stat: Stats): ReturnType<typeof timesOf> {
  const isFresh = stat.ctimeMs > began - (stat.ctimeMs % 1000 === 0 ? SAME_SECONDS_MS : SAME_TICK_MS);
  return { ...timesOf(stat), ...(isFresh ? { ctime: -1 } : {}) };
}

const isAsSeen = ({ size, mtimeMs, ctimeMs, ino, mode }: Stats, known: Seen): boolean =>
  known.ctime === ctimeMs && known.mtime === mtimeMs && known.size === size && known.ino === ino && known.mode === mode;

const unkept = (stat: Stats): Seen => ({ ...timesOf(stat), mode: UNKEPT, sha: looksOf(stat) });

/** What isn't even known to be a file or a folder. */
const UNKNOWN: Seen = { mode: UNKEPT, sha: "1".repeat(40), size: 0, mtime: 0, ctime: -1, ino: 0 };

/** @returns undefined where nothing has this name by now @throws the system's error, where it isn't the project's */
function oneSeen(
  walk: Walk,
  { fd, path, depth }: Folder,
  name: string,
  known: Seen | undefined,
  rules: IgnoreRules | undefined,
): Seen | undefined {
  try {
    const stat = statIn(name);
    if (stat === undefined) return undefined;
    return stat.isDirectory()
      ? folderIn(walk, { fd, stat, path: `${path}${name}`, depth }, name, known, rules)
      : fileSeen(walk, name, stat, known, path, rules);
  } catch (error) {
    if (!isNothing(error) && !isUnreadable(error)) throw error;
    return isGone(name) ? undefined : UNKNOWN;
  }
}

const isGone = (name: string): boolean => tried(() => statIn(name) === undefined) === true;

/** @param parent where it lies, with its own stat and path @returns undefined where it is gone */
function folderIn(
  walk: Walk,
  parent: Omit<Folder, "names">,
  name: string,
  before: Seen | undefined,
  rules: IgnoreRules | undefined,
): Seen | undefined {
  const { stat, path, depth } = parent;
  // What can be made anew, what is of another disk, which may not answer, and what lies too deep: only that it is there.
  if (stat.dev !== walk.dev || depth >= MAX_DEPTH || (REBUILT.has(name) && isIgnored(path, true, rules)))
    return unkept(stat);
  const fd = tried(() => openFolderIn(name));
  if (fd === undefined) return isGone(name) ? undefined : unkept(stat);
  try {
    // Its own times change with each name that comes or goes.
    const isSeen = walk.isTelling && before !== undefined && isAsSeen(stat, before);
    const names = entered(fd, isSeen ? before.holds : undefined);
    if (names === undefined) return unkept(stat);
    return folderSeen(walk, { fd, stat, path: `${path}/`, depth: depth + 1, names }, before, rules);
  } finally {
    closeSync(fd);
    back(parent.fd);
  }
}

/** Not by `..`: it may have been moved. @throws Error where it can't: nothing that comes after would be of that folder */
function back(fd: number): void {
  try {
    enter(fd);
  } catch {
    throw new Error("a folder was closed while it was read");
  }
}

/** @returns undefined where it isn't this user's to read @throws the system's error, also where it is gone */
function entered(fd: number, known?: ReadonlyMap<string, Seen>): string[] | undefined {
  try {
    enter(fd);
    return known === undefined ? namesHere() : [...known.keys()];
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function fileSeen(
  walk: Walk,
  name: string,
  stat: Stats,
  known: Seen | undefined,
  path: string,
  rules: IgnoreRules | undefined,
): Seen | undefined {
  const isLink = stat.isSymbolicLink();
  if (!isLink && !stat.isFile()) return unkept(stat);
  if (known !== undefined && isAsSeen(stat, known)) return known;
  const { size, mode } = stat;
  const isLarge = size > MAX_FILE || (size > MAX_IGNORED && isIgnored(path + name, false, rules));
  if (isLarge) return unkept(stat);
  const content = isLink ? tried(() => linkIn(name)) : bytesIn(name);
  if (content === undefined) return isGone(name) ? undefined : unkept(stat);
  const sha = walk.objects.add("blob", content, known?.sha);
  return { ...settledTimes(walk, stat), mode, sha };
}

/** As it is stored between two processes. */
type Stored = [
  own: [mode: number, sha: string, size: number, mtime: number, ctime: number, ino: number],
  holds?: Record<string, Stored>,
];

export function stored({ mode, sha, size, mtime, ctime, ino, holds }: Seen): Stored {
  const own: Stored[0] = [mode, sha, size, mtime, ctime, ino];
  return holds ? [own, Object.fromEntries([...holds].map(([name, one]) => [`/${name}`, stored(one)]))] : [own];
}

export function seenOf([[mode, sha, size, mtime, ctime, ino], holds]: Stored): Seen {
  const own = { mode, sha, size, mtime, ctime, ino };
  if (holds === undefined) return own;
  return { ...own, holds: new Map(Object.entries(holds).map(([name, one]) => [name.slice(1), seenOf(one)])) };
}
