import { lstatSync, realpathSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { expandHome, foldedPath, isAtOrBelow, NOT_NORMAL, realForm } from "../targets/path.ts";
import { projectRoot } from "../targets/project.ts";
import { onceADecision } from "../targets/tree-scan.ts";
import { isPlantedProgram } from "./program-places.ts";

/**
 * Which program a shell runs for a bare name, by the PATH that the agent says its shell has. A folder that agents may write can hold another
 * program by the name: what a confined command put there would run outside of its box.
 */
export interface ProgramSearch {
  /** True if `name` is first found where agents may write. `cwd`: the shell's folder; null where it isn't known. */
  isPlanted(name: string, cwd: string | null): boolean;
  /** True if `name` could still be put where it would be found first. @param isChanging at this path (absolute) something may be put now */
  mayBePlanted(name: string, cwd: string | null, isChanging: (path: string) => boolean): boolean;
  /** True if `name` is a version manager's own program, which starts what a project's files say: a version may be a path there. */
  isShim(name: string): boolean;
}

/** True if some agent may write at `path` (absolute) by what was granted to it. */
export type WritableByGrant = (path: string) => boolean;

interface Folder {
  /** As a shell names it; relative to its working directory where it doesn't begin with a slash. */
  path: string;
  real: string;
}

/** Everybody's, so every agent's. */
const SHARED = ["/tmp", "/var/tmp", "/dev/shm"];

/** Of asdf, mise, proto, pyenv and their like; Volta has hooks beside. */
const SHIMS = /\/(?:shims|\.volta\/bin)$/;

/** What of a call says where its shell would be, and on which PATH it would find programs. */
export interface CallOfShell {
  readonly context?: { readonly cwd?: string | undefined; readonly path?: string | undefined } | undefined;
}

/** Undefined where the agent sent no PATH. */
export function programSearchOf(
  call: CallOfShell,
  home: string,
  isGranted: WritableByGrant = () => false,
): ProgramSearch | undefined {
  const path = call.context?.path;
  if (path === undefined) return undefined;
  const folders = foldersOf(path, home);
  const cwd = workingDirectoryOf(call, home);
  const realCwd = cwd === undefined ? undefined : (realForm(cwd) ?? cwd);
  const realHome = realForm(home) ?? home;
  const own = [cwd, realCwd].filter((folder) => folder !== undefined);
  const projects = own
    .map((folder) => projectRoot(folder, home) ?? folder)
    .filter((folder) => !isAtOrBelow(home, folder) && !isAtOrBelow(realHome, folder));
  const isOpen = (at: string) => [...SHARED, ...projects].some((folder) => isAtOrBelow(at, folder));
  const isWritable = ({ path: named, real }: Folder, name: string) =>
    [named, real].some((folder) => isOpen(folder) || isPlantedProgram(folder, name) || isGranted(`${folder}/${name}`));
  const isPlanted = (name: string, here: string | null) => {
    for (const [at, folder] of folders.entries()) {
      if (!folder.path.startsWith("/")) {
        if (here === null || isThere(`${here}/${folder.path}/${name}`)) return true;
      } else if (isAtOrBelow(folder.path, "/proc")) {
        // To the shell `self` is another process than here.
        if (!folders.slice(0, at).some((earlier) => isThere(`${earlier.path}/${name}`))) return true;
      } else if (isWritable(folder, name) && isThere(`${folder.path}/${name}`)) {
        return !folders.slice(0, at).some((earlier) => isThere(`${earlier.path}/${name}`));
      }
    }
    const leadsTo = placeOfFirst(folders, name);
    return leadsTo !== null && (isOpen(leadsTo) || isGranted(leadsTo));
  };
  const isAbsolute = folders.every((folder) => folder.path.startsWith("/"));
  /** A line may name a program hundreds of times. */
  const planted = new Map<string, boolean>();
  return {
    isPlanted: (name, here) => {
      const key = isAbsolute ? name : `${name}\n${here}`;
      const wasPlanted = planted.get(key) ?? isPlanted(name, here);
      planted.set(key, wasPlanted);
      return wasPlanted;
    },
    mayBePlanted: (name, here, isChanging) => {
      for (const { path: named, real } of folders) {
        if (!named.startsWith("/") && here === null) return true;
        const at = named.startsWith("/") ? [named, real] : [resolve(here ?? "/", named)];
        if (at.some((folder) => isChanging(`${realForm(folder) ?? folder}/${name}`))) return true;
        if (at.some((folder) => isThere(`${folder}/${name}`))) return false;
      }
      return false;
    },
    isShim: (name) => {
      const first = folders.find(({ path: named }) => named.startsWith("/") && isThere(`${named}/${name}`));
      return first !== undefined && [first.path.replace(/\/+$/, ""), first.real].some((at) => SHIMS.test(at));
    },
  };
}

/** Of more folders of a PATH in a project no box keeps what lies in them: nobody has as many. */
const MAX_SEARCHED = 16;

/** The folders below `roots` (real) that the shell of a call's client finds programs in, as its PATH names them and where they lead. */
export function searchedBelow(
  { path }: { path?: string | undefined },
  cwd: string,
  home: string,
  roots: readonly string[],
): string[] {
  if (path === undefined) return [];
  const named = foldersOf(path, home).flatMap(({ path: folder, real }) =>
    folder.startsWith("/") ? [resolve(folder), real] : [resolve(cwd, folder), realForm(resolve(cwd, folder)) ?? ""],
  );
  const below = named.filter((folder) => roots.some((root) => isAtOrBelow(folder, root)));
  return [...new Set(below)].slice(0, MAX_SEARCHED);
}

/** A file or a link by that name; one that can't be run yet can be made so. */
function isThere(path: string): boolean {
  return statOf(path)?.isDirectory() === false;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // no folder on the way: nothing is there
  }
}

/** An empty name is the working directory; bash takes a `~` for the home folder, other shells for a name. */
function foldersOf(path: string, home: string): readonly Folder[] {
  const named = path
    .split(":")
    .flatMap((name) => (name.startsWith("~") ? [name, expandHome(name, home)] : [name || "."]));
  return [...new Set(named)].map((name) => ({ path: name, real: realProgramFolder(name) }));
}

/** Where the program leads that is found first; null where there is none. */
function placeOfFirst(folders: readonly Folder[], name: string): string | null {
  for (const folder of folders) {
    const found = `${folder.path}/${name}`;
    const stat = folder.path.startsWith("/") ? statOf(found) : undefined;
    if (stat === undefined || stat.isDirectory()) continue;
    return stat.isSymbolicLink() ? targetOf(found) : null;
  }
  return null;
}

function targetOf(link: string): string | null {
  try {
    return realpathSync.native(link);
  } catch {
    return null; // it leads nowhere: nothing runs
  }
}

/**
 * The call's working directory, absolute and normal, or undefined where it has none. Where its name goes up again (`link/..`), the
 * folder that the system would come to.
 */
export function workingDirectoryOf({ context }: CallOfShell, home: string): string | undefined {
  const folder = expandHome(context?.cwd ?? "", home);
  if (!folder.startsWith("/") || folder.includes("\0")) return undefined;
  if (folder.includes("/..")) return realForm(folder) ?? undefined;
  return NOT_NORMAL.test(folder) ? resolve(folder) : folder;
}

const ofDecision = onceADecision<string>();

/** Where a folder of a PATH leads; itself where that isn't known. The client's PATH and the gate's have most of them in common. */
const realProgramFolder = (folder: string): string => ofDecision(folder, () => realForm(folder) ?? folder);

/** The folders that programs are looked up in: the absolute ones of PATH, and where their links lead, folded. */
export function programFolders(env: { readonly PATH?: string | undefined } | undefined): ReadonlySet<string> {
  const namedFolders = (env?.PATH ?? "").split(":").map((folder) => folder.replace(/(.)\/+$/, "$1"));
  const absolute = namedFolders.filter((folder) => folder.startsWith("/") && folder !== "/");
  const named = absolute.flatMap((folder) => [folder, realProgramFolder(folder)]);
  return new Set(named.filter((folder) => folder !== "/").map(foldedPath));
}
