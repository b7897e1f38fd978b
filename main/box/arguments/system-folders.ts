import { accessSync, constants, type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { errorCode } from "../../base/errors.ts";
import { ALWAYS_READABLE } from "../../decide/confinement/declaration.ts";

/** What every box shows of the system, read-only: programs, libraries and settings, without what only some may read. */

export interface SystemFolders {
  /** Absolute and real. */
  readonly folders: readonly string[];
  /** Links at the top, such as `/bin` to `usr/bin`, as they are. */
  readonly links: readonly Link[];
  /** Files and folders in them that not everybody may read, but this user may. */
  readonly hidden: readonly Hidden[];
}

export interface Link {
  readonly path: string;
  readonly target: string;
}

export interface Hidden {
  readonly path: string;
  readonly is_folder: boolean;
}

const PLACES = [
  ...[...ALWAYS_READABLE, "/opt"],
  ...["/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew"],
  // Where links of /etc and /usr lead on some systems.
  ...["/var/lib/ca-certificates", "/var/lib/texmf", "/var/usrlocal", "/var/opt"],
];

/** Where a service may keep what only it may read. */
const SEARCHED = [
  ...["/etc", "/usr/local/etc", "/usr/local/var", "/opt"],
  ...["/home/linuxbrew/.linuxbrew/etc", "/home/linuxbrew/.linuxbrew/var"],
];

/** Bounds the search on a system that keeps much in them: what lies deeper isn't settings any more. */
const SEARCH_DEPTH = 8;
const SEARCH_ENTRIES = 20_000;

/** Finds them, as they are now. */
export function systemFolders(): SystemFolders {
  const folders: string[] = [];
  const links: Link[] = [];
  for (const path of PLACES) {
    const stat = statOf(path);
    if (stat?.isDirectory() && entriesOf(path).length > 0) folders.push(path);
    else if (stat?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
  }
  return { folders, links, hidden: SEARCHED.flatMap(hiddenBelow) };
}

/** What lies below `top` and isn't for everybody, where this user could read it all the same. */
function hiddenBelow(top: string): Hidden[] {
  const hidden: Hidden[] = [];
  let left = SEARCH_ENTRIES;
  const search = (folder: string, depth: number) => {
    for (const entry of entriesOf(folder)) {
      if (--left < 0) return;
      const path = `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      const stat = entry.isSymbolicLink() ? undefined : statOf(path);
      if (stat === undefined || isEmpty(path, stat)) continue;
      // A socket is a way to a service, whatever the folder it lies in is bound as.
      if (!isForEverybody(stat) || entry.isSocket()) {
        if (isReadable(path)) hidden.push({ path, is_folder: isFolder });
      } else if (isFolder && depth < SEARCH_DEPTH) search(path, depth + 1);
    }
  };
  search(top, 1);
  return hidden;
}

/** There is nothing in it to hide: a file that others lock, a folder for settings that nobody made. */
function isEmpty(path: string, stat: Stats): boolean {
  return stat.isFile() ? stat.size === 0 : stat.isDirectory() && entriesOf(path).length === 0 && isReadable(path);
}

const READ_BY_OTHERS = 0o004;

const isForEverybody = ({ mode }: Stats): boolean => (mode & READ_BY_OTHERS) !== 0;

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // nothing to hide from whoever can't read it
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not there, or not to be listed: then nothing in it can be found inside either
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "EACCES" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
