import { type Dirent, lstatSync, opendirSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { hasOwnTimes } from "@metnos-gate/shell-reading/files";
import { errorCode } from "../../base/errors.ts";
import { RUN_LATER_FOLDERS } from "../../decide/places/run-later.ts";
import {
  type Contents,
  contentsOf,
  type Entry,
  type FolderKind,
  isOpen,
  isReference,
  isRepositoryKind,
  REPOSITORY_NAMES,
  tellsRepository,
} from "./folder-contents.ts";
import { ShortPath, ShortPaths } from "./short-paths.ts";
import type { TimeSlice } from "./time-slice.ts";

/**
 * A project's folders, as they were last seen: a folder whose times haven't changed has the same names in it, so that looking again
 * costs one `lstat` for each folder, whatever number of files there is, but on a file system whose times anybody can set: there all is
 * read each time. Links are never followed. Paths are kept as bytes, with one
 * character for each: a name needn't be UTF-8.
 */

/** A change so soon after a folder was read may not have changed its times again; in milliseconds. */
const SAME_TICK_MS = 50;
/** The same on a disk whose times are whole seconds, or every second one. */
const SAME_SECOND_MS = 2050;

/** What is looked through of a project: beyond it nothing is confined, as a look would hold up all agents for seconds. */
export interface TreeLimits {
  readonly folders: number;
  /** Names that are read in one look. */
  readonly names: number;
  /** Bytes of a folder, as most file systems measure it: a larger one is read piece by piece. */
  readonly large: number;
  /** Whether the file system of a path keeps its own times; left out: as the system says. */
  readonly isTimed?: (path: Buffer) => boolean;
}

export const TREE_LIMITS: TreeLimits = { folders: 40_000, names: 500_000, large: 128 * 1024 };

/** Names that are read, or looked at, in one step. */
const STEP = 512;

/** Named pipes and sockets of one folder: more fit into no box's arguments. */
const MAX_PIPES = 4096;

/** Links of one folder, and of one look: more than any project has. */
const MAX_WAYS = 50_000;

/** In bytes, of the paths of all repositories, which are kept for each run: more than any project has. */
const MAX_REPOSITORIES = 256 * 1024;

export interface TreeLook {
  readonly places: Found[];
  /** Folders by the name `.git` that git takes for a repository's: what they hold is looked at by itself. */
  readonly repositories: Found[];
  readonly secrets: Found[];
  readonly pipes: Found[];
  /** What may lead git to a repository that isn't looked at. */
  readonly ways: Found[];
  /** That were looked at. */
  folders: number;
  /** False: the project holds more than is looked through. */
  isWhole: boolean;
}

/** What is left of the limits in one look. */
interface Room {
  names: number;
  readonly folders: number;
  readonly large: number;
  /** By device. */
  readonly timed: Map<number, boolean>;
  isExceeded: boolean;
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
  /** A file that has another name as well, by which anybody may write it. */
  readonly is_shared?: true;
  /** By where it was found: see `isReference`. */
  readonly is_reference?: true;
  /** Of a link that isn't looked at for its name: what it says. */
  readonly says?: string;
  /** It lies at a repository's top, where git takes it for a remote by its name. */
  readonly is_at_top?: true;
  /** The repositories to which it leads though nobody looks at them; such a way is none of the places that a box keeps. */
  readonly carries?: string;
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
  isHollow: boolean;
  changed_at: number;
  isSure: boolean;
  folders: Map<string, Folder>;
  places: Found[];
  secrets: Found[];
  pipes: Found[];
  ways: Found[];
}

const NO_THROW = { throwIfNoEntry: false } as const;

export class ProjectTree {
  readonly #root: Folder;
  readonly #limits: TreeLimits;

  /** `root`: a real path, as text or bytes. */
  constructor(root: string | Buffer, kind: FolderKind = "plain", limits = TREE_LIMITS) {
    this.#limits = limits;
    this.#root = newFolder((typeof root === "string" ? Buffer.from(root) : root).toString("latin1"), kind);
  }

  /**
   * Looks at each folder again, and reads those that changed, while others have their turns. @throws the system's error where the project
   * itself can't be read
   */
  async lookInTurns(turns: TimeSlice): Promise<TreeLook> {
    const steps = this.#steps();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await turns.shared();
    }
  }

  /** A step for each folder, or part of a large one; the outer ones first: what is left out is the deepest. */
  *#steps(): Steps<TreeLook> {
    const look: TreeLook = {
      ...{ places: [], repositories: [], secrets: [], pipes: [], ways: [] },
      ...{ folders: 0, isWhole: true },
    };
    const room: Room = { ...this.#limits, timed: new Map(), isExceeded: false };
    let repositoriesLeft = MAX_REPOSITORIES;
    const ways = new ShortPaths();
    const waiting = [{ folder: this.#root, way: new ShortPath(undefined, 0, 1) }];
    try {
      for (const { folder, way } of waiting) {
        const closed = yield* this.#refresh(folder, way, room);
        // At once: another look at the same folder, which began before, may end in the next turn.
        if (closed !== undefined) look.places.push(closed);
        else {
          for (const place of folder.places) look.places.push(place);
          for (const secret of folder.secrets) look.secrets.push(secret);
          for (const pipe of folder.pipes) look.pipes.push(pipe);
          for (const way of folder.ways) look.ways.push(way);
          if (look.ways.length > MAX_WAYS) room.isExceeded = true;
          if (isGit(folder)) {
            if (folder.isHollow) look.places.push(foundAs(folder));
            else if (folder.path.length > repositoriesLeft) room.isExceeded = true;
            else {
              repositoriesLeft -= folder.path.length;
              look.repositories.push(foundAs(folder));
            }
          }
          const children = childrenWithin(folder, room.folders - waiting.length);
          if (children.length < folder.folders.size) room.isExceeded = true;
          const inner = ways.into(folder.bytes, way, children.length);
          for (const child of children) waiting.push({ folder: child, way: inner });
        }
        ways.passed(way);
        yield;
      }
    } finally {
      ways.close();
    }
    look.folders = waiting.length;
    look.isWhole = !room.isExceeded;
    return look;
  }

  /** Undefined, or the folder itself where it can't be looked into: nobody knows what it holds. */
  *#refresh(folder: Folder, way: ShortPath, room: Room): Steps<Found | undefined> {
    let stat: Stats | undefined;
    try {
      stat = lstatSync(way.to(folder.bytes), NO_THROW);
      if (stat?.isDirectory() !== true) {
        empty(folder);
        return undefined;
      }
      const identity = identityOf(stat);
      const isTimed = room.timed.get(stat.dev) ?? (this.#limits.isTimed ?? hasOwnTimes)(way.to(folder.bytes));
      room.timed.set(stat.dev, isTimed);
      // Nobody can set when it was last changed: whoever changes what is in it changes that.
      const isSame = isTimed && folder.identity === identity && folder.changed_at === stat.ctimeMs;
      if (folder.isSure && isSame) return undefined;
      const readAt = Date.now();
      const isWhole = yield* read(folder, way, { identity, size: stat.size, room });
      folder.changed_at = stat.ctimeMs;
      folder.isSure = isWhole && readAt - Math.max(stat.ctimeMs, stat.mtimeMs) > tickOf(stat);
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

/** Of more than there is room for, those that were there and those with names that count: a command may make any number of others. */
function childrenWithin({ folders }: Folder, left: number): Folder[] {
  if (folders.size <= left) return [...folders.values()];
  const first = [...folders].filter(([name, folder]) => comesFirst(name, folder));
  return first.slice(0, Math.max(0, left)).map(([, folder]) => folder);
}

const comesFirst = (name: string, known: Folder | undefined): boolean =>
  FIRST.has(name) || (known !== undefined && known.identity !== "");

const FIRST: ReadonlySet<string> = new Set([...RUN_LATER_FOLDERS, ...REPOSITORY_NAMES]);

const tickOf = ({ ctimeMs }: Stats): number => (ctimeMs % 1000 === 0 ? SAME_SECOND_MS : SAME_TICK_MS);

function newFolder(path: string, kind: FolderKind, parent: Folder | null = null): Folder {
  const bytes = Buffer.from(path, "latin1");
  return {
    path,
    bytes,
    parent,
    kind,
    identity: "",
    isHollow: false,
    changed_at: 0,
    isSure: false,
    folders: new Map(),
    places: [],
    secrets: [],
    pipes: [],
    ways: [],
  };
}

function empty(folder: Folder): void {
  folder.isSure = false;
  folder.identity = "";
  folder.isHollow = false;
  folder.folders = new Map();
  folder.places = [];
  folder.secrets = [];
  folder.pipes = [];
  folder.ways = [];
}

interface Reading {
  identity: string;
  /** Of the folder, in bytes. */
  size: number;
  room: Room;
}

/** @returns whether all of it was read */
function* read(folder: Folder, way: ShortPath, { identity, size, room }: Reading): Steps<boolean> {
  const { contents, telling, count } = yield* contentsIn(folder, way, size, room);
  const places = yield* foundOf(folder, way, identity, contents.places);
  const secrets = yield* foundOf(folder, way, identity, contents.secrets);
  const pipes = yield* foundOf(folder, way, identity, contents.pipes.slice(0, MAX_PIPES));
  const isTop =
    folder.parent === null || contents.folders.some(isGitOf) || contents.places.some((name) => name === ".git");
  const named = [...contents.ways.slice(0, MAX_WAYS), ...(isTop ? contents.remotes : [])];
  const ways = (yield* foundOf(folder, way, identity, named)).map((each) => asWay(each, way, isTop));
  const isWhole =
    count <= room.names &&
    contents.folders.length <= room.folders &&
    contents.pipes.length <= MAX_PIPES &&
    contents.ways.length <= MAX_WAYS;
  folder.identity = identity;
  folder.isHollow = isGit(folder) && isHollow(telling);
  folder.places = places;
  folder.secrets = secrets;
  folder.pipes = pipes;
  folder.ways = ways;
  folder.folders = childrenOf(folder, contents.folders, contents.folders.length <= room.folders);
  room.names = Math.max(0, room.names - count);
  if (!isWhole) room.isExceeded = true;
  return isWhole;
}

const isGitOf = ({ name, kind }: Contents["folders"][number]): boolean => kind === "repository" && name === ".git";

function asWay(found: Found, way: ShortPath, isTop: boolean): Found {
  const says = found.is_link ? { says: textOfLink(way.to(Buffer.from(found.path, "latin1"))) } : {};
  return { ...found, ...says, ...(isTop ? { is_at_top: true } : {}) };
}

/** Empty where it is gone by now, and as long as it is not known what it says. */
function textOfLink(path: Buffer): string {
  try {
    return readlinkSync(path, { encoding: "latin1" });
  } catch {
    return "";
  }
}

interface ReadNames {
  readonly contents: Contents;
  /** Those that tell a repository. */
  readonly telling: readonly Entry[];
  readonly count: number;
}

/** What matters of a folder, step by step: of a large one not all names are held at once, which would keep the collector of garbage busy. */
function* contentsIn(folder: Folder, way: ShortPath, size: number, room: Room): Steps<ReadNames> {
  const { path, kind } = folder;
  const all: Contents = { places: [], secrets: [], pipes: [], ways: [], remotes: [], folders: [] };
  const telling: Entry[] = [];
  const add = (entries: readonly Entry[], isRepository: boolean) => {
    const part = contentsOf(path, kind, entries, isRepository);
    all.places.push(...part.places);
    all.secrets.push(...part.secrets);
    if (all.pipes.length <= MAX_PIPES) all.pipes.push(...part.pipes);
    if (all.ways.length <= MAX_WAYS) all.ways.push(...part.ways);
    all.remotes.push(...part.remotes);
    const isRoom = all.folders.length <= room.folders;
    all.folders.push(...part.folders.filter(({ name }) => isRoom || comesFirst(name, folder.folders.get(name))));
  };
  let count = 0;
  for (const entries of entriesOf(folder, way, size, room)) {
    count += entries.length;
    const others: Entry[] = [];
    for (const entry of entries) (tellsRepository(entry, kind) ? telling : others).push(entry);
    add(others, false);
    if (entries.length === STEP) yield;
  }
  const isRepository = isRepositoryKind(kind, telling);
  // Of a repository nothing else counts but secrets.
  if (isRepository && !isOpen(kind))
    for (const names of [all.places, all.pipes, all.ways, all.folders]) names.length = 0;
  add(telling, isRepository);
  // Its links count as well in one that isn't called `.git`; of any other folder they aren't held until that is known.
  if (isRepository && kind === "plain")
    for (const entries of entriesOf(folder, way, size, room)) {
      add(
        entries.filter((entry) => entry.is_link && !tellsRepository(entry, kind)),
        true,
      );
      if (entries.length === STEP) yield;
    }
  return { contents: all, telling, count };
}

/** Of a large folder no more than one above what there is room for. */
function* namesIn(bytes: Buffer, size: number, room: Room): Generator<Dirent<string>[]> {
  if (size <= room.large) {
    const names = readdirSync(bytes, { encoding: "latin1", withFileTypes: true });
    for (let at = 0; at < names.length; at += STEP) yield names.slice(at, at + STEP);
    return;
  }
  const folder = opendirSync(bytes, { encoding: "latin1", bufferSize: STEP });
  try {
    let names: Dirent<string>[] = [];
    let count = 0;
    for (let entry = folder.readSync(); entry !== null && count <= room.names; entry = folder.readSync()) {
      count = count + 1;
      if (names.push(entry) < STEP) continue;
      yield names;
      names = [];
    }
    yield names;
  } finally {
    folder.closeSync();
  }
}

function* entriesOf({ path, bytes }: Folder, way: ShortPath, size: number, room: Room): Generator<Entry[]> {
  for (const names of namesIn(way.to(bytes), size, room)) {
    yield names.map((entry) => {
      const isKnown =
        entry.isDirectory() || entry.isFile() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
      // Some file systems don't say what an entry is.
      const is = isKnown ? entry : lstatSync(way.to(Buffer.from(below(path, entry.name), "latin1")), NO_THROW);
      return entryOf(entry.name, is);
    });
  }
}

function entryOf(
  name: string,
  is: Pick<Stats, "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket"> | undefined,
): Entry {
  return {
    name,
    is_folder: is?.isDirectory() === true,
    is_link: is?.isSymbolicLink() === true,
    isPipe: is?.isFIFO() === true || is?.isSocket() === true,
  };
}

function childrenOf(folder: Folder, inIt: Contents["folders"], isRoom: boolean): Map<string, Folder> {
  const children = new Map<string, Folder>();
  for (const { name, kind } of inIt) {
    const known = folder.folders.get(name);
    if (!isRoom && !comesFirst(name, known)) continue;
    children.set(name, known?.kind === kind ? known : newFolder(below(folder.path, name), kind, folder));
  }
  return children;
}

function* foundOf(
  { path: folder, kind }: Folder,
  way: ShortPath,
  parent: string,
  names: readonly string[],
): Steps<Found[]> {
  const found: Found[] = [];
  for (const [index, name] of names.entries()) {
    if (index > 0 && index % STEP === 0) yield;
    const path = below(folder, name);
    const stat = lstatSync(way.to(Buffer.from(path, "latin1")), NO_THROW);
    if (stat === undefined) continue;
    const isLink = stat.isSymbolicLink();
    const its: Found = { path, parent, own: identityOf(stat), is_link: isLink, changed_at: stat.ctimeMs };
    const asShared = stat.nlink > 1 && stat.isFile() ? { ...its, is_shared: true as const } : its;
    found.push(isReference(kind, name, isLink) ? { ...asShared, is_reference: true } : asShared);
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
