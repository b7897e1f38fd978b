import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from "node:fs";
import { errorCode } from "../../gate/errors.ts";
import { type Contents, contentsOf, type Entry, type FolderKind, isRepositoryKind } from "./folder-contents.ts";
import { ShortWays, Way } from "./short-ways.ts";
import type { Turns } from "./turns.ts";

/**
 * A project's folders, as they were last seen: a folder whose times haven't changed has the same names in it, so that looking again
 * costs one `lstat` for each folder, whatever number of files there is. Links are never followed. Paths are kept as bytes, with one
 * character for each: a name needn't be UTF-8.
 */

/** A change so soon after a folder was read may not have changed its times again; in milliseconds. */
const SAME_TICK_MS = 50;

/** What is looked through of a project: beyond it nothing is confined, as a look would hold up all agents for seconds. */
export interface TreeLimits {
  readonly folders: number;
  /** Names that are read in one look. */
  readonly names: number;
  /** Bytes of a folder, as most file systems measure it: a larger one is read piece by piece. */
  readonly large: number;
}

export const TREE_LIMITS: TreeLimits = { folders: 40_000, names: 500_000, large: 128 * 1024 };

/** Names that are read, or looked at, in one step. */
const STEP = 1024;

export interface TreeLook {
  readonly places: Found[];
  /** Folders by the name `.git` that git takes for a repository's: what they hold is looked at by itself. */
  readonly repositories: Found[];
  readonly secrets: Found[];
  readonly pipes: Found[];
  /** False: the project holds more than is looked through. */
  is_whole: boolean;
}

/** What is left of the limits in one look. */
interface Room {
  names: number;
  readonly folders: number;
  readonly large: number;
  is_exceeded: boolean;
}

/** One thing that was found; `parent` and `own` say which folder and which file they are, whatever they are called now. */
export interface Found {
  readonly path: string;
  readonly parent: string;
  readonly own: string;
  /** A link itself can't be covered by a mount, as other places are. */
  readonly is_link: boolean;
  /** The state of the thing itself: its content, owner and mode haven't changed while this hasn't. */
  readonly changed_at: number;
}

/** Work that can be continued later after each of its steps. */
type Steps<T> = Generator<undefined, T>;

interface Folder {
  readonly path: string;
  readonly parent: Folder | null;
  readonly bytes: Buffer;
  kind: FolderKind;
  identity: string;
  /** A `.git` that git passes over: with it a command would work on another repository than it seems. */
  is_hollow: boolean;
  changed_at: number;
  times: number;
  is_sure: boolean;
  folders: Map<string, Folder>;
  places: Found[];
  secrets: Found[];
  pipes: Found[];
}

const NO_THROW = { throwIfNoEntry: false } as const;

export class ProjectTree {
  readonly #root: Folder;
  readonly #limits: TreeLimits;

  /** `root`: a real path. */
  constructor(root: string, kind: FolderKind = "plain", limits = TREE_LIMITS) {
    this.#limits = limits;
    this.#root = newFolder(Buffer.from(root).toString("latin1"), kind);
  }

  /** Looks at each folder again, and reads those that changed. @throws the system's error where the project itself can't be read */
  look(): TreeLook {
    const steps = this.#steps();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same, while others have their turns. */
  async lookInTurns(turns: Turns): Promise<TreeLook> {
    const steps = this.#steps();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await turns.shared();
    }
  }

  /** A step for each folder, or part of a large one; the outer ones first: what is left out is the deepest. */
  *#steps(): Steps<TreeLook> {
    const look: TreeLook = { places: [], repositories: [], secrets: [], pipes: [], is_whole: true };
    const room: Room = { ...this.#limits, is_exceeded: false };
    const ways = new ShortWays();
    const waiting = [{ folder: this.#root, way: new Way(undefined, 0, 1) }];
    try {
      for (const { folder, way } of waiting) {
        const closed = yield* this.#refresh(folder, way, room);
        yield;
        if (closed !== undefined) look.places.push(closed);
        else {
          for (const place of folder.places) look.places.push(place);
          for (const secret of folder.secrets) look.secrets.push(secret);
          for (const pipe of folder.pipes) look.pipes.push(pipe);
          if (isGit(folder)) (folder.is_hollow ? look.places : look.repositories).push(foundAs(folder));
          if (waiting.length + folder.folders.size > room.folders) room.is_exceeded = true;
          else {
            const inner = ways.into(folder.bytes, way, folder.folders.size);
            for (const child of folder.folders.values()) waiting.push({ folder: child, way: inner });
          }
        }
        ways.passed(way);
      }
    } finally {
      ways.close();
    }
    look.is_whole = !room.is_exceeded;
    return look;
  }

  /** Undefined, or the folder itself where it can't be looked into: nobody knows what it holds. */
  *#refresh(folder: Folder, way: Way, room: Room): Steps<Found | undefined> {
    let stat: Stats | undefined;
    try {
      stat = lstatSync(way.to(folder.bytes), NO_THROW);
      if (stat?.isDirectory() !== true) {
        empty(folder);
        return undefined;
      }
      const identity = identityOf(stat);
      const times = stat.ctimeMs + stat.mtimeMs / 2 ** 20;
      if (folder.is_sure && folder.identity === identity && folder.times === times) return undefined;
      const read_at = Date.now();
      const is_whole = yield* read(folder, way, { identity, size: stat.size, room });
      folder.changed_at = stat.ctimeMs;
      folder.times = times;
      folder.is_sure = is_whole && read_at - Math.max(stat.ctimeMs, stat.mtimeMs) > SAME_TICK_MS;
      return undefined;
    } catch (error) {
      const code = errorCode(error);
      // Removed, or a file in its place, since its parent was read: as commands do that run at the same time.
      if (folder !== this.#root && (code === "ENOENT" || code === "ENOTDIR")) {
        empty(folder);
        return undefined;
      }
      if (folder === this.#root || !["EACCES", "EPERM", "ENAMETOOLONG", "ELOOP", "EIO"].includes(code)) throw error;
      empty(folder);
      return {
        path: folder.path,
        parent: "",
        own: stat === undefined ? "" : identityOf(stat),
        is_link: false,
        changed_at: 0,
      };
    }
  }
}

function newFolder(path: string, kind: FolderKind, parent: Folder | null = null): Folder {
  const bytes = Buffer.from(path, "latin1");
  return {
    path,
    bytes,
    parent,
    kind,
    identity: "",
    is_hollow: false,
    changed_at: 0,
    times: 0,
    is_sure: false,
    folders: new Map(),
    places: [],
    secrets: [],
    pipes: [],
  };
}

function empty(folder: Folder): void {
  folder.is_sure = false;
  folder.identity = "";
  folder.is_hollow = false;
  folder.folders = new Map();
  folder.places = [];
  folder.secrets = [];
  folder.pipes = [];
}

interface Reading {
  identity: string;
  /** Of the folder, in bytes. */
  size: number;
  room: Room;
}

/** @returns whether all of it was read */
function* read(folder: Folder, way: Way, { identity, size, room }: Reading): Steps<boolean> {
  const entries = yield* entriesOf(folder, way, size, room);
  const is_whole = entries.length <= room.names;
  const contents = yield* contentsIn(folder, entries);
  const places = yield* foundOf(folder, way, identity, contents.places);
  const secrets = yield* foundOf(folder, way, identity, contents.secrets);
  const pipes = yield* foundOf(folder, way, identity, contents.pipes);
  const is_wide = contents.folders.length > room.folders;
  folder.identity = identity;
  folder.is_hollow = isGit(folder) && isHollow(entries);
  folder.places = places;
  folder.secrets = secrets;
  folder.pipes = pipes;
  folder.folders = is_wide ? new Map() : childrenOf(folder, contents);
  room.names = Math.max(0, room.names - entries.length);
  if (!is_whole || is_wide) room.is_exceeded = true;
  return is_whole && !is_wide;
}

function* contentsIn({ path, kind }: Folder, entries: readonly Entry[]): Steps<Contents> {
  const is_repository = isRepositoryKind(kind, entries);
  const all: Contents = { places: [], secrets: [], pipes: [], folders: [] };
  for (let at = 0; at < entries.length; at += STEP) {
    if (at > 0) yield;
    const part = contentsOf(path, kind, entries.slice(at, at + STEP), is_repository);
    all.places.push(...part.places);
    all.secrets.push(...part.secrets);
    all.pipes.push(...part.pipes);
    all.folders.push(...part.folders);
  }
  return all;
}

/** Of a large folder no more than one above what there is room for. */
function* namesIn(bytes: Buffer, size: number, room: Room): Steps<Dirent<string>[]> {
  if (size <= room.large) return readdirSync(bytes, { encoding: "latin1", withFileTypes: true });
  const folder = opendirSync(bytes, { encoding: "latin1", bufferSize: STEP });
  try {
    const names: Dirent<string>[] = [];
    for (let entry = folder.readSync(); entry !== null && names.length <= room.names; entry = folder.readSync()) {
      if (names.push(entry) % STEP === 0) yield;
    }
    return names;
  } finally {
    folder.closeSync();
  }
}

function* entriesOf({ path, bytes }: Folder, way: Way, size: number, room: Room): Steps<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of yield* namesIn(way.to(bytes), size, room)) {
    const is_known =
      entry.isDirectory() || entry.isFile() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
    // Some file systems don't say what an entry is.
    const is = is_known ? entry : lstatSync(way.to(Buffer.from(below(path, entry.name), "latin1")), NO_THROW);
    if (entries.push(entryOf(entry.name, is)) % STEP === 0) yield;
  }
  return entries;
}

function entryOf(
  name: string,
  is: Pick<Stats, "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket"> | undefined,
): Entry {
  return {
    name,
    is_folder: is?.isDirectory() === true,
    is_link: is?.isSymbolicLink() === true,
    is_pipe: is?.isFIFO() === true || is?.isSocket() === true,
  };
}

function childrenOf(folder: Folder, { folders }: Contents): Map<string, Folder> {
  return new Map(
    folders.map(({ name, kind }) => {
      const known = folder.folders.get(name);
      return [name, known?.kind === kind ? known : newFolder(below(folder.path, name), kind, folder)];
    }),
  );
}

function* foundOf({ path: folder }: Folder, way: Way, parent: string, names: readonly string[]): Steps<Found[]> {
  const found: Found[] = [];
  for (const [index, name] of names.entries()) {
    if (index > 0 && index % STEP === 0) yield;
    const path = below(folder, name);
    const stat = lstatSync(way.to(Buffer.from(path, "latin1")), NO_THROW);
    if (stat === undefined) continue;
    found.push({ path, parent, own: identityOf(stat), is_link: stat.isSymbolicLink(), changed_at: stat.ctimeMs });
  }
  return found;
}

const isGit = ({ kind, path }: Folder): boolean => kind === "repository" && /\/\.git$/i.test(path);

/** It lacks what every repository has from its first moment. */
const isHollow = (entries: readonly Entry[]): boolean => !entries.some(({ name }) => name === "objects");

function foundAs({ path, parent, identity, changed_at }: Folder): Found {
  return { path, parent: parent?.identity ?? "", own: identity, is_link: false, changed_at };
}

const below = (path: string, name: string): string => (path === "/" ? `/${name}` : `${path}/${name}`);

export const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;
