import { type BigIntStats, lstatSync, readdirSync, type Stats } from "node:fs";
import { errorCode } from "../../gate/errors.ts";
import { type Contents, contentsOf, type Entry, type FolderKind } from "./folder-contents.ts";

/**
 * A project's folders, as they were last seen: a folder whose times haven't changed has the same names in it, so that looking again
 * costs one `lstat` for each folder, whatever number of files there is. Links are never followed. Paths are kept as bytes, with one
 * character for each: a name needn't be UTF-8.
 */

/** A change so soon after a folder was read may not have changed its times again; in milliseconds. */
const SAME_TICK_MS = 50;

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

interface Folder {
  readonly path: string;
  readonly bytes: Buffer;
  kind: FolderKind;
  identity: string;
  times: number;
  is_sure: boolean;
  folders: Map<string, Folder>;
  places: Found[];
  secrets: Found[];
}

const NO_THROW = { throwIfNoEntry: false } as const;

export class ProjectTree {
  readonly #root: Folder;

  /** `root`: a real path. */
  constructor(root: string, kind: FolderKind = "plain") {
    this.#root = newFolder(Buffer.from(root).toString("latin1"), kind);
  }

  /** Looks at each folder again, and reads those that changed. @throws the system's error where the project itself can't be read */
  look(): { places: Found[]; secrets: Found[] } {
    const [places, secrets]: Found[][] = [[], []];
    const waiting = [this.#root];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const closed = this.#refresh(folder);
      if (closed !== undefined) {
        places?.push(closed);
        continue;
      }
      for (const place of folder.places) places?.push(place);
      for (const secret of folder.secrets) secrets?.push(secret);
      for (const child of folder.folders.values()) waiting.push(child);
    }
    return { places: places ?? [], secrets: secrets ?? [] };
  }

  /** Undefined, or the folder itself where it can't be looked into: nobody knows what it holds. */
  #refresh(folder: Folder): Found | undefined {
    let stat: Stats | undefined;
    try {
      stat = lstatSync(folder.bytes, NO_THROW);
      if (stat?.isDirectory() !== true) {
        empty(folder);
        return undefined;
      }
      const identity = identityOf(stat);
      const times = stat.ctimeMs + stat.mtimeMs / 2 ** 20;
      if (folder.is_sure && folder.identity === identity && folder.times === times) return undefined;
      const read_at = Date.now();
      read(folder, identity);
      folder.times = times;
      folder.is_sure = read_at - Math.max(stat.ctimeMs, stat.mtimeMs) > SAME_TICK_MS;
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

function newFolder(path: string, kind: FolderKind): Folder {
  const bytes = Buffer.from(path, "latin1");
  return { path, bytes, kind, identity: "", times: 0, is_sure: false, folders: new Map(), places: [], secrets: [] };
}

function empty(folder: Folder): void {
  folder.is_sure = false;
  folder.identity = "";
  folder.folders = new Map();
  folder.places = [];
  folder.secrets = [];
}

function read(folder: Folder, identity: string): void {
  const contents = contentsOf(folder.path, folder.kind, entriesOf(folder));
  folder.identity = identity;
  folder.places = foundOf(folder, contents.places);
  folder.secrets = foundOf(folder, contents.secrets);
  folder.folders = childrenOf(folder, contents);
}

function entriesOf({ path, bytes }: Folder): Entry[] {
  const entries = readdirSync(bytes, { encoding: "latin1", withFileTypes: true });
  return entries.map((entry) => {
    const is_known = entry.isDirectory() || entry.isFile() || entry.isSymbolicLink();
    if (is_known) return { name: entry.name, is_folder: entry.isDirectory(), is_link: entry.isSymbolicLink() };
    // Some file systems don't say what an entry is.
    const stat = lstatSync(Buffer.from(`${path}/${entry.name}`, "latin1"), NO_THROW);
    return { name: entry.name, is_folder: stat?.isDirectory() === true, is_link: stat?.isSymbolicLink() === true };
  });
}

function childrenOf(folder: Folder, { folders }: Contents): Map<string, Folder> {
  return new Map(
    folders.map(({ name, kind }) => {
      const known = folder.folders.get(name);
      return [name, known?.kind === kind ? known : newFolder(below(folder.path, name), kind)];
    }),
  );
}

function foundOf(folder: Folder, names: readonly string[]): Found[] {
  return names.flatMap((name) => {
    const path = below(folder.path, name);
    const stat: BigIntStats | Stats | undefined = lstatSync(Buffer.from(path, "latin1"), NO_THROW);
    if (stat === undefined) return [];
    const is_link = stat.isSymbolicLink();
    return [{ path, parent: folder.identity, own: identityOf(stat), is_link, changed_at: stat.ctimeMs }];
  });
}

const below = (path: string, name: string): string => (path === "/" ? `/${name}` : `${path}/${name}`);

export const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;
