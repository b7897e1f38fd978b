import { lstatSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { holdsSecret, isAtOrBelow, kindOf, realForm } from "@metnos-gate/shell-reading/files";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Declaration } from "../../decide/confinement/declaration.ts";
import { liesInKeys } from "../../decide/places/protected-paths.ts";
import { makeCaches, projectFolder, TOOL_FOLDERS } from "./caches.ts";
import {
  isRepository,
  isRepositorySettings,
  NO_SETTINGS,
  repositoryPlaces,
  shownSettings,
  type UserGitSettings,
  writeGitSettings,
} from "./git.ts";
import { linksTo } from "./links.ts";
import type { Machine } from "./machine.ts";
import { coverOf, Indexes } from "./masks.ts";
import type { Link } from "./system-folders.ts";
import { isNeverShown, isNeverWritten } from "./unusable-places.ts";

/** From a declaration to bubblewrap's arguments. A later argument covers what an earlier one put there. */

/** What was found in the folders that may be written; absolute, real paths of what is there now. */
export interface FoundPlaces {
  /** Files and folders that stay as they are: their content is run later. */
  readonly run_later: readonly string[];
  /** Files that often hold secrets. */
  readonly secrets: readonly string[];
  /** Folders without whose names these would be files like any other: they keep them. */
  readonly holding?: readonly string[];
  /** Settings of repositories that lie in what is only read. */
  readonly read_settings?: readonly string[];
  /** Named pipes and sockets: by one a command would reach what runs outside. */
  readonly pipes?: readonly string[];
  /** Folders of git's objects, which the line doesn't need. */
  readonly objects?: readonly string[];
}

/** A folder that the box may read or write, at its own real path. */
interface Place {
  readonly source: string;
  readonly at: string;
  readonly isWritable: boolean;
}

/** By machine, which is found once and never changed: whatever is found anew is another one. */
const commonOf = new WeakMap<Machine, readonly string[]>();

/** What every box on this machine begins with: `boxArguments` begins with these very words. */
export function commonArguments(machine: Machine): readonly string[] {
  const known = commonOf.get(machine);
  if (known !== undefined) return known;
  const words = [
    ...NAMESPACES,
    // Everything that isn't bound is in this memory: whatever is written there is gone with the box.
    ...[...sizeWords(machine), "--tmpfs", "/"],
    ...machine.system.folders.flatMap((path) => ["--ro-bind", path, path]),
    ...machine.system.links.flatMap(linkWords),
    ...["--proc", "/proc"],
  ];
  commonOf.set(machine, words);
  return words;
}

/** Bubblewrap's own devices: also those of terminals. */
const DEVICES = ["--dev", "/dev"];

/** What programs that read or write files open by themselves; a line that names a device has no narrow box. Each of the others costs time. */
const NARROW_DEVICES: readonly string[] = [
  ...["--perms", "0755", "--dir", "/dev"],
  ...["null", "urandom"].flatMap((name) => ["--dev-bind", `/dev/${name}`, `/dev/${name}`]),
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["stdin", "stdout", "stderr"].flatMap((name, fd) => ["--symlink", `/proc/self/fd/${fd}`, `/dev/${name}`]),
];

/**
 * Bubblewrap's arguments, without the command: the project's folders in the gate's are made.
 * @param settings the user's own for git, as they count in the project
 * @param isOpen for a whole agent's box, which gets more places and is closed by whoever adds them: `/` can still be written
 * @throws GateError `box_unavailable` where the declaration would show what no box may; the system's error
 */
export function boxArguments(
  declaration: Declaration,
  machine: Machine,
  found: FoundPlaces,
  settings: UserGitSettings = NO_SETTINGS,
  isOpen = false,
): string[] {
  refuseUnusable(declaration, machine);
  if (declaration.kind !== undefined) return narrowArguments(declaration, machine, found, settings);
  const folder = projectFolder(machine.boxFolder, declaration.project);
  const caches = makeCaches(folder);
  const gitconfig = writeGitSettings(folder, settings.text);
  const shown = shownPlaces(declaration, machine, {
    caches,
    gitconfig,
    files: settings.files,
  });
  const { project, reads } = declaration;
  const writable = [project, ...declaration.writes];
  const links = neededLinks(declaration, machine, visiblePlaces(machine, shown));
  const indexes = new Indexes();
  return [
    ...[...commonArguments(machine), ...DEVICES],
    ...(isOpen ? memoryWords(machine) : mountedMemoryWords(machine)),
    ...folderWords(machine, [...shown.map(({ at }) => at), ...links.map(({ path }) => path)]),
    ...shown.flatMap(({ source, at, isWritable }) => [isWritable ? "--bind" : "--ro-bind", source, at]),
    ...links.flatMap(linkWords),
    ...hiddenWords(machine, shown),
    ...keptWords(writable, found, { machine, folder }, declaration.changes_settings),
    ...found.secrets.flatMap((path) => maskWords(path, declaration, machine, indexes)),
    ...pipeWords(found.pipes),
    ...settingsWords([...new Set([...settingsBelow(reads), ...readSettings(found, reads)])], project, machine),
    ...[...READ_ONLY_DEVICES, ...READ_ONLY_PROCESSES],
    ...(isOpen ? [] : ["--remount-ro", "/"]),
    ...environmentWords(machine),
    ...LOCAL_NAME,
    ...["--chdir", declaration.cwd],
  ];
}

/** The same for a box that has no more than what its line needs: no caches, and of the user's programs those that the line runs. */
function narrowArguments(
  declaration: Declaration,
  machine: Machine,
  found: FoundPlaces,
  settings: UserGitSettings,
): string[] {
  const { cwd, reads, writes, project, programs = [], links: named = [], replaces = [] } = declaration;
  const own = usesOwnPrograms(programs, machine) ? machine.toolchains.paths : [];
  const read = [...own, ...reads.filter((path) => !writes.some((folder) => isAtOrBelow(path, folder)))];
  const places = [
    ...read.map((path) => ({ source: path, at: path, isWritable: false })),
    ...writes.map((path) => ({ source: path, at: path, isWritable: true })),
    ...gitSettings(declaration, machine, settings),
  ];
  const shown = places.filter(({ source }) => isThere(source)).sort((one, other) => byDepth(one.at, other.at));
  const withoutCaches = { ...machine, caches: { ...machine.caches, links: [], variables: {} } };
  const links = neededLinks(
    { cwd, reads: [...reads, ...writes, ...named] },
    withoutCaches,
    visiblePlaces(machine, shown),
  );
  const isCwdShown = [...machine.system.folders, ...shown.map(({ at }) => at)].some((at) =>
    isAtOrBelow(realOf(cwd), at),
  );
  const indexes = new Indexes();
  // What the line names itself, to write it too, was decided on by that name.
  const hidden = { project, writes: [...reads, ...writes] };
  return [
    ...[...commonArguments(machine), ...NARROW_DEVICES],
    ...memoryWords(machine),
    ...shown.flatMap(({ source, at, isWritable }) => [isWritable ? "--bind" : "--ro-bind", source, at]),
    ...links.flatMap(linkWords),
    ...hiddenWords(machine, shown),
    ...keptWords(
      writes,
      found,
      { machine, folder: projectFolder(machine.boxFolder, project) },
      declaration.changes_settings,
    ),
    ...found.secrets.flatMap((path) =>
      maskWords(path, { ...hidden, reads: [...reads, ...writes, ...replaces] }, machine, indexes),
    ),
    ...(found.objects ?? []).flatMap((path) => ["--ro-bind", machine.covers.nothing, path]),
    ...pipeWords(found.pipes),
    ...settingsWords([...new Set([...settingsBelow(reads), ...readSettings(found, reads)])], project, machine),
    ...(isCwdShown ? [] : ["--dir", realOf(cwd)]),
    ...[...READ_ONLY_PROCESSES, "--remount-ro", "/"],
    ...environmentWords(withoutCaches),
    // The rest of the box can't be written.
    ...["--setenv", "TMPDIR", "/dev/shm", "--hostname", hostname()],
    ...["--chdir", cwd],
  ];
}

/** Whether one of these programs is the user's own, by the gate's PATH. */
function usesOwnPrograms(programs: readonly string[], { env, system }: Machine): boolean {
  const folders = (env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return programs.some((name) => {
    // The first one is run: what lies behind it isn't looked at.
    const found = folders.map((folder) => join(folder, name)).find((path) => isThere(realOf(path)));
    return found !== undefined && !system.folders.some((folder) => isAtOrBelow(realOf(found), folder));
  });
}

/** The user's settings for git, where git runs. */
function gitSettings({ programs = [], project }: Declaration, machine: Machine, settings: UserGitSettings): Place[] {
  if (!programs.includes("git")) return [];
  const folder = projectFolder(machine.boxFolder, project);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = { source: writeGitSettings(folder, settings.text), at: join(machine.homeReal, ".gitconfig") };
  const files = settings.files.map(realOf).map((path) => ({ source: path, at: path }));
  return [...files, own].map((place) => ({ ...place, isWritable: false }));
}

/** A box in which nothing of the machine can be written. */
export interface ReadOnlyView {
  /** Absolute and real: shown at its own path and at `alsoAt`; null: no folder is shown. */
  readonly folder: string | null;
  readonly alsoAt: string;
  readonly cwd: string;
  /** Files and folders beside it, as they are named. */
  readonly reads: readonly string[];
  /** Files in `folder` that often hold secrets: real. */
  readonly secrets: readonly string[];
  /** Settings of repositories in it and in `reads`: real. */
  readonly settings: readonly string[];
}

/**
 * The same for such a box. What tools keep between runs isn't there: the home is empty.
 * @throws GateError `box_unavailable` where the view would show what no box may; the system's error
 */
export function readOnlyArguments(view: ReadOnlyView, machine: Machine): string[] {
  const { folder, alsoAt, cwd, secrets } = view;
  const folders = folder === null ? [] : [folder];
  const realReads = view.reads.map(realOf);
  const unusablePath = [...folders, ...realReads].find(
    (path) => isNeverShown(path, machine) || (path === folder && realOf(path) !== path),
  );
  if (unusablePath !== undefined) throw unusable(unusablePath);
  const read = [...machine.toolchains.paths, ...machine.reads.map(realOf), ...realReads, ...folders];
  const atOwnPath = [...new Set(read)].filter(isThere).map((path) => ({ source: path, at: path }));
  const again = folder === null || folder === alsoAt ? [] : [{ source: folder, at: alsoAt }];
  const shown = [...atOwnPath, ...again].sort((one, other) => byDepth(one.at, other.at));
  const withoutCaches = { ...machine, caches: { ...machine.caches, links: [], variables: {} } };
  const links = neededLinks({ cwd, reads: view.reads }, withoutCaches, visiblePlaces(machine, shown));
  const indexes = new Indexes();
  const masks = [
    ...secrets.flatMap((path) =>
      folder === null ? [] : maskWords(path, { project: folder, reads: [], writes: [] }, machine, indexes),
    ),
    ...(folder === null ? [] : settingsWords(view.settings, folder, machine)),
  ];
  return [
    ...[...commonArguments(machine), ...DEVICES],
    ...memoryWords(machine),
    ...shown.flatMap(({ source, at }) => ["--ro-bind", source, at]),
    ...links.flatMap(linkWords),
    ...hiddenWords(machine, shown),
    ...masks,
    ...again.flatMap(({ source, at }) =>
      masks.map((word) => (isAtOrBelow(word, source) ? at + word.slice(source.length) : word)),
    ),
    ...[...READ_ONLY_DEVICES, ...READ_ONLY_PROCESSES],
    ...environmentWords(withoutCaches),
    ...LOCAL_NAME,
    ...["--chdir", cwd],
  ];
}

const NAMESPACES = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
  ...["--cap-drop", "ALL"],
];

/** A name that every resolver knows. */
const LOCAL_NAME = ["--hostname", "localhost"];

/** @throws GateError `box_unavailable` where the declaration would show what no box may */
export function refuseUnusable({ kind, project, writes, reads }: Declaration, machine: Machine): void {
  const written = kind === undefined ? [project, ...writes] : writes;
  const path =
    written.find((one) => isNeverWritten(one, machine)) ??
    // What is a link by now was decided on as what it was.
    reads.find((one) => isNeverShown(one, machine) || realOf(one) !== one);
  if (path !== undefined) throw unusable(path);
}

function unusable(path: string): GateError {
  return new GateError("box_unavailable", `${path} can't be shown in a box`, "run it in a project's folder");
}

/** Folders in memory, private to the run. */
function memoryFolders(machine: Machine): string[] {
  return ["/tmp", "/run", machine.homeReal, runtimeFolder(machine)];
}

function memoryWords(machine: Machine): string[] {
  return [
    ...memoryFolders(machine).flatMap((path) => ["--perms", path === "/tmp" ? "1777" : "0700", "--dir", path]),
    ...["--perms", "1777", ...sizeWords(machine), "--tmpfs", "/dev/shm"],
  ];
}

/** The same, each as a mount of its own: `/` is read-only, so that nothing is written there that would be gone with the box. */
function mountedMemoryWords(machine: Machine): string[] {
  const mounted = (path: string, mode: string) => ["--perms", mode, ...sizeWords(machine), "--tmpfs", path];
  return [
    ...[...mounted("/tmp", "1777"), ...mounted("/run", "0700"), ...mounted("/dev/shm", "1777")],
    ...["--perms", "0700", "--dir", runtimeFolder(machine)],
    ...foldersAbove(machine.homeReal, SHARED_MEMORY).reverse().flatMap(readOnlyFolder),
    ...mounted(machine.homeReal, READ_ONLY),
  ];
}

const SHARED_MEMORY = ["/tmp", "/dev/shm"];

/** Nobody in a box has a right past a folder's mode, root neither. */
const READ_ONLY = "0555";

/** So many folders above a place; the ones above them can be written, in memory. */
const MAX_ABOVE = 64;

/**
 * The folders in memory that lie above these places, before anything is put there: nothing can be made in them, but in those of the home
 * in which tools keep what is no cache.
 */
function folderWords({ homeReal }: Machine, places: readonly string[]): string[] {
  const tools = TOOL_FOLDERS.map((name) => join(homeReal, name));
  const above = [...tools.map((tool) => join(tool, "x")), ...places].flatMap((place) =>
    foldersAbove(place, [...SHARED_MEMORY, homeReal]),
  );
  const made = [...new Set(above)].filter((path) => !places.some((place) => isAtOrBelow(path, place)));
  return made
    .sort(byDepth)
    .flatMap((path) =>
      tools.some((tool) => isAtOrBelow(path, tool)) ? ["--perms", "0700", "--dir", path] : readOnlyFolder(path),
    );
}

const readOnlyFolder = (path: string): string[] => ["--perms", READ_ONLY, "--dir", path];

/** The nearest ones, innermost first, below whichever of `tops` comes first. */
function foldersAbove(path: string, tops: readonly string[]): string[] {
  const above: string[] = [];
  for (
    let folder = dirname(path);
    !tops.includes(folder) && folder !== "/" && above.length < MAX_ABOVE;
    folder = dirname(folder)
  )
    above.push(folder);
  return tops.some((top) => isAtOrBelow(path, top)) ? above : [];
}

/**
 * By files of /proc root changes the whole machine's kernel without any capability, and everybody the memory of the box's first process,
 * which holds the pipe by whose end the gate knows that a run has ended.
 */
const READ_ONLY_PROCESSES = ["--remount-ro", "/proc"];
const READ_ONLY_DEVICES = ["--remount-ro", "/dev"];

function visiblePlaces(machine: Machine, shown: readonly Pick<Place, "at">[]): string[] {
  return [...machine.system.folders, ...memoryFolders(machine), "/dev/shm", ...shown.map(({ at }) => at)];
}

const MB = 1024 * 1024;

const sizeWords = ({ settings }: Machine): string[] => ["--size", String(settings.tmp_mb * MB)];

const runtimeFolder = ({ uid }: Machine): string => `/run/user/${uid}`;

interface Own {
  caches: string;
  gitconfig: string;
  files: readonly string[];
}

/** Everything that is bound beside the system's folders: outer folders first, so that inner ones cover them. */
function shownPlaces({ project, reads, writes }: Declaration, machine: Machine, own: Own): Place[] {
  const { toolchains, caches, homeReal } = machine;
  const writable = [project, ...writes];
  const isWritten = (path: string) => writable.some((folder) => isAtOrBelow(path, folder));
  const read = [...toolchains.paths, ...[...machine.reads, ...own.files].map(realOf), ...reads];
  const places = [
    ...read
      .filter((path) => !isWritten(path) && isThere(path))
      .map((path) => ({ source: path, at: path, isWritable: false })),
    ...writable.map((path) => ({ source: path, at: path, isWritable: true })),
    { source: own.caches, at: inRealHome(caches.at, machine), isWritable: true },
    { source: own.gitconfig, at: join(homeReal, ".gitconfig"), isWritable: false },
  ];
  const each = new Map(places.map((place) => [place.at, place]));
  return [...each.values()].sort((one, other) => byDepth(one.at, other.at));
}

function inRealHome(path: string, { home, homeReal }: Machine): string {
  return isAtOrBelow(path, home) ? homeReal + path.slice(home.length) : path;
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}
const byDepth = (one: string, other: string): number => depthOf(one) - depthOf(other);

const ALWAYS_LINKED: readonly Link[] = [
  { path: "/var/run", target: "/run" },
  { path: "/var/tmp", target: "/tmp" },
];

/** Links that lead to what is shown and lie outside of it: the project's own name, the home's, a version manager's. */
function neededLinks(
  { cwd, reads }: Pick<Declaration, "cwd" | "reads">,
  machine: Machine,
  visible: readonly string[],
): Link[] {
  const { system, toolchains, home, caches } = machine;
  const there = new Set(system.links.map(({ path }) => path));
  const links = [
    ...ALWAYS_LINKED,
    ...caches.links.map(({ path, name }) => ({ path: inRealHome(path, machine), target: join(caches.at, name) })),
    ...toolchains.links,
    ...linksTo([home, cwd, ...machine.reads, ...reads]),
  ];
  const isTaken = (path: string) =>
    there.has(path) || visible.some((shown) => isShownIn(path, shown, machine) || isAtOrBelow(shown, path));
  const needed = links.filter(({ path }) => !isTaken(path));
  return [...new Map(needed.map((link) => [link.path, link])).values()];
}

/** A folder in memory begins empty: a link in it has to be made. */
function isShownIn(path: string, folder: string, machine: Machine): boolean {
  return path === folder || (isAtOrBelow(path, folder) && !memoryFolders(machine).includes(folder));
}

const linkWords = ({ path, target }: Link): string[] => ["--symlink", target, path];

/** What not everybody may read of the system's, and what is the gate's own. */
function hiddenWords(
  { system, covers, gateFolders }: Machine,
  shown: readonly Pick<Place, "source" | "at">[],
): string[] {
  const systemWords = system.hidden
    .filter(({ path }) => !shown.some(({ at }) => isAtOrBelow(path, at)))
    .flatMap(({ path, is_folder }) => ["--ro-bind", is_folder ? covers.closed : covers.unreadable, path]);
  const own = gateFolders.filter((folder) => shown.some(({ source, at }) => source === at && isAtOrBelow(folder, at)));
  return [
    ...systemWords,
    ...own.filter(isThere).flatMap((path) => ["--ro-bind", isFolder(path) ? covers.closed : covers.unreadable, path]),
  ];
}

/** Settings of the repositories in folders that are read, but for a file that is read by its name. */
const settingsBelow = (reads: readonly string[]): string[] =>
  reads
    .flatMap((folder) => (isRepository(folder) ? [folder] : [join(folder, ".git")]))
    .flatMap(repositoryPlaces)
    .filter((path) => !reads.includes(path));

const readSettings = ({ read_settings = [] }: FoundPlaces, reads: readonly string[]): string[] =>
  read_settings.filter((path) => !reads.includes(path));

/** What can't be read of paths that are no text (one character for each byte). Where a link leads it is found by itself. */
export function closedWords(paths: readonly string[], { covers }: Machine): string[] {
  return paths.flatMap((path) => {
    const stat = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return [];
    const cover = stat.isDirectory() ? covers.closed : covers.unreadable;
    return ["--ro-bind", Buffer.from(cover).toString("latin1"), path];
  });
}

/** What of repositories' settings isn't shown as it is. */
function settingsWords(settings: readonly string[], project: string, machine: Machine): string[] {
  const folder = projectFolder(machine.boxFolder, project);
  return settings.filter(isRepositorySettings).flatMap((path) => {
    const source = shownSettings(path, folder) ?? machine.covers.unreadable;
    return source === path ? [] : ["--ro-bind", source, path];
  });
}

/** What stays as it is; first the hidden folders that it lies in, which keep their names. */
function keptWords(
  writable: readonly string[],
  { run_later, holding = [] }: FoundPlaces,
  { machine, folder: ownFolder }: { machine: Machine; folder: string },
  mayChange: readonly string[] = [],
): string[] {
  const inWritable = (path: string) => writable.find((folder) => isAtOrBelow(path, folder));
  const repositories = writable.flatMap((folder) => (isRepository(folder) ? [folder] : [join(folder, ".git")]));
  const kept = [...run_later, ...repositories.flatMap(repositoryPlaces), ...repositories.filter(isFile)];
  const real = [...new Set(kept.filter(isThere).map(realOf))].filter((path) => inWritable(path) !== undefined);
  const holders = [
    ...real.map((path) => holderOf(path, inWritable(path) ?? path)),
    ...[...repositories, ...holding].filter(isFolder),
  ];
  const own = new Set(holders.filter((path) => path !== undefined && !writable.includes(path) && !real.includes(path)));
  return [
    ...[...own]
      .filter((path) => path !== undefined)
      .sort(byDepth)
      .flatMap(holdWords),
    ...real.sort(byDepth).flatMap((path) => {
      const source = isRepositorySettings(path) ? shownSettings(path, ownFolder) : path;
      // Settings with a password in them stay as they are: git says then that it can't change them.
      if (source === path && mayChange.includes(path)) return [];
      return ["--ro-bind", source ?? machine.covers.unreadable, path];
    }),
  ];
}

/** Bound on itself: a folder in use as a mount can't be renamed. */
export const holdWords = (path: string): string[] => ["--bind", path, path];

/** The outermost hidden folder on the way to a place, such as `.git` or `.vscode`; undefined where there is none. */
function holderOf(path: string, top: string): string | undefined {
  const names = path.slice(top.length + 1).split("/");
  const hidden = names.findIndex((name) => name.startsWith("."));
  return hidden === -1 || hidden === names.length - 1 ? undefined : join(top, ...names.slice(0, hidden + 1));
}

function maskWords(
  path: string,
  { reads, project, writes }: Pick<Declaration, "reads" | "project" | "writes">,
  { covers }: Machine,
  indexes: Indexes,
): string[] {
  const real = realOf(path);
  if (!isThere(real) || reads.includes(path) || reads.includes(real)) return [];
  if (![project, ...writes].some((folder) => isAtOrBelow(real, folder))) return [];
  if (isFolder(real)) return ["--ro-bind", covers.closed, real];
  // What lies among keys is hidden whatever is in it.
  const isKey = liesInKeys(isAtOrBelow(path, project) ? path.slice(project.length) : path);
  if (!isKey && !holdsSecret(path, real)) return [];
  const cover = coverOf(real, project, indexes);
  return cover === "none" ? [] : ["--ro-bind", covers[cover], real];
}

/** Below a device, which is no file that git would add, and which nobody opens there. */
export const pipeWords = (pipes: readonly string[] = []): string[] =>
  pipes.flatMap((path) => ["--ro-bind", "/dev/null", path]);

function environmentWords(machine: Machine): string[] {
  const variables = {
    HOME: machine.home,
    TMPDIR: "/tmp",
    XDG_RUNTIME_DIR: runtimeFolder(machine),
    ...machine.caches.variables,
  };
  return Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]);
}

const isThere = (path: string): boolean => kindOf(path) !== "nothing" && kindOf(path) !== "unknown";
const isFile = (path: string): boolean => kindOf(path) === "file";
const isFolder = (path: string): boolean => kindOf(path) === "folder";
const realOf = (path: string): string => realForm(path) ?? path;
