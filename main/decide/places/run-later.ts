import {
  foldedPath,
  isAtOrBelow,
  kindOf,
  onceADecision,
  projectRoot,
  realForm,
} from "@metnos-gate/shell-reading/files";
import { codeNamedBySettings } from "@metnos-gate/shell-reading/git";
import { isProgramPlace, loadedByEnvrc, programFolders, searchedByEnvrc } from "@metnos-gate/shell-reading/programs";
import type { CallEnvironment } from "./call-environment.ts";
import { AT_TOP, RUN_LATER_PLACES, type RunLaterPlace } from "./run-later-places.ts";
import { movedPlaces } from "./settings-places.ts";

/**
 * Places whose content is run later, or says what is run: whoever writes there runs code, whatever tool writes. Names are compared
 * without regard to case. A place that isn't listed is written under the rules for files.
 */

type PathRule = Pick<RunLaterPlace, "names" | "is_folder">;

const folders = (...paths: string[]): PathRule[] => paths.map((path) => ({ names: path.split("/"), is_folder: true }));
/** From the root. */
const FROM_ROOT: readonly PathRule[] = [
  ...folders("etc", "usr", "bin", "sbin", "lib", "lib32", "lib64", "opt/homebrew", "nix/store", "var/spool/cron"),
  ...folders("var/spool/at", "run/systemd", "private/etc", "system", "applications"),
];

const ROOT_NAMES: ReadonlySet<string> = new Set(FROM_ROOT.flatMap(({ names }) => names.slice(0, 1)));

/** What a project is built in, below a folder of the system's. */
const IS_SOURCE = /^\/usr\/(?:local\/)?src\//;

/** From a home folder: programs, and those that agents' clients keep and start. */
const FROM_HOME: readonly PathRule[] = folders(
  "bin",
  "go/bin",
  ".cache/opencode",
  ".local/share/opencode",
  ".local/share/claude",
);

const BY_FIRST = new Map<string, PathRule[]>();
for (const rule of RUN_LATER_PLACES) {
  const first = rule.names[0] ?? "";
  BY_FIRST.set(first, [...(BY_FIRST.get(first) ?? []), rule]);
}

function matchesAt(names: readonly string[], at: number, rule: PathRule): boolean {
  const end = at + rule.names.length;
  if (at < 0 || end > names.length || (!rule.is_folder && end < names.length)) return false;
  return rule.names.every((name, index) => isName(names[at + index] ?? "", name));
}

const isName = (name: string, wanted: string): boolean =>
  wanted.startsWith("*") ? name.endsWith(wanted.slice(1)) : name === wanted;

/** A name that tar, rsync, zip, vim and others take for an option, also for one that runs a command, where they are given all names by `*`. */
export const isOptionName = (name: string): boolean => /^(?:--?\w|\+).*[\s=!]/s.test(name);

/** By which Windows' disks know a file of any longer name as well: `GIT~1`. */
const SHORT_NAME = /^\w{1,6}~\d(?:\.\w{1,3})?$/;

/** Of the places that a box keeps, and what it leaves at them is set aside: not what builds write. */
const KEPT = RUN_LATER_PLACES.filter(({ is_built }) => !is_built);
const ANY_OF_ONE_NAME = RUN_LATER_PLACES.filter(({ names: [first] }) => first?.startsWith("*"));

/** The last names of the places that are known wherever they lie, in lower case: what has another name is none of them. */
const RUN_LATER_NAMES: ReadonlySet<string> = new Set(KEPT.map(({ names }) => names.at(-1) ?? ""));

const LAST_PATTERNS = [...RUN_LATER_NAMES].filter((name) => name.startsWith("*"));

/** True for the last name (in lower case) of such a place, of others as well: quick, for what looks at many. */
export const mayBeRunLater = (name: string): boolean =>
  RUN_LATER_NAMES.has(name) || LAST_PATTERNS.some((pattern) => isName(name, pattern));

/** Folders that hold such a place, not all of whose content is one: a link by such a name brings one along. */
export const RUN_LATER_FOLDERS: ReadonlySet<string> = new Set(
  KEPT.flatMap(({ names }) => (names[0]?.startsWith(".") === true || names.length > 1 ? names.slice(0, 1) : [])),
);

/**
 * True if the names of a path, in lower case, end in a place that is known wherever it lies. Of the places that are files a folder is
 * none: nothing reads it as one.
 */
export function endsInRunLater(names: readonly string[], isFolder: boolean): boolean {
  return KEPT.some(
    (place) =>
      (place.is_folder || !isFolder) &&
      matchesAt(names, names.length - place.names.length, { names: place.names, is_folder: false }),
  );
}

/** True if what is written at `path` (absolute, normal) is run later, or says what is. */
export function runsLater(path: string, environment: CallEnvironment): boolean {
  // zsh loads a compiled start-up file in the other's place.
  const folded = foldedPath(path);
  const names = folded
    .slice(1)
    .replace(/\.zwc$/, "")
    .split("/");
  const isRootName = ROOT_NAMES.has(names[0] ?? "");
  if (isRootName && FROM_ROOT.some((rule) => matchesAt(names, 0, rule)) && !IS_SOURCE.test(path)) return true;
  for (const [at, name] of names.entries()) {
    if (BY_FIRST.get(name)?.some((rule) => matchesAt(names, at, rule)) === true) return true;
    if (ANY_OF_ONE_NAME.some((rule) => matchesAt(names, at, rule))) return true;
  }
  const { homes, moved, programs } = ofCall(environment);
  for (const own of homes) {
    if (!isAtOrBelow(path, own)) continue;
    const below = foldedPath(path.slice(own.length + 1)).split("/");
    if (FROM_HOME.some((rule) => matchesAt(below, 0, rule))) return true;
  }
  if (moved.some((one) => isAtOrBelow(folded, one))) return true;
  if (isProgramPlace(path) || names.some((name) => isOptionName(name) || SHORT_NAME.test(name))) return true;
  if (programs.has(folded) || programs.has(foldedPath(folderOf(path)))) return true;
  if (path.endsWith("/HEAD") || path.includes("/HEAD/") || makesRepository(path, names)) return true;
  return namedByRepository(path, environment);
}

/** What one call looks at many names with. */
interface OfCall {
  /** The home as it is named, and where that leads. */
  readonly homes: ReadonlySet<string>;
  /** Where the environment says that clients keep their settings; folded. */
  readonly moved: readonly string[];
  readonly programs: ReadonlySet<string>;
  /** The work trees of folders. */
  readonly roots: Map<string, string | null>;
  /** What repositories name, by work tree; folded. */
  readonly paths: Map<string, readonly string[]>;
}
/** In one decision paths are looked at with several environments, that say the same of a repository. */
const ofRepositories = onceADecision<Pick<OfCall, "roots" | "paths">>();
const fromCall = new WeakMap<CallEnvironment, OfCall>();

function ofCall(environment: CallEnvironment): OfCall {
  const known = fromCall.get(environment);
  if (known !== undefined) return known;
  const { home, env } = environment;
  const found: OfCall = {
    homes: new Set([home, realForm(home) ?? home]),
    moved: movedPlaces(env).map(({ path }) => foldedPath(path)),
    programs: programFolders(env),
    ...ofRepositories(home, () => ({ roots: new Map(), paths: new Map() })),
  };
  fromCall.set(environment, found);
  return found;
}

/** Whether the settings of the repository that a path is in name it, or a folder that it lies in, as code that git runs; or its `.envrc` loads it. */
function namedByRepository(path: string, environment: CallEnvironment): boolean {
  const named = ofCall(environment);
  const folder = folderOf(path);
  const known = named.roots.get(folder);
  const root = known === undefined ? projectRoot(folder, environment.home) : known;
  named.roots.set(folder, root);
  if (root === null) return false;
  if (path === `${root}/${AT_TOP}`) return true;
  const paths =
    named.paths.get(root) ??
    [
      ...codeNamedBySettings(root, environment.home),
      ...loadedByEnvrc(root),
      ...searchedByEnvrc(root).filter((one) => one !== root),
    ].map(foldedPath);
  named.paths.set(root, paths);
  if (paths.length === 0) return false;
  const folded = foldedPath(path);
  return paths.some((one) => isAtOrBelow(folded, one));
}

/**
 * True if one of the known places lies below `folder`: part of the path to one that is hidden or in a home, a folder of
 * programs, the working directory.
 */
export function holdsRunLater(folder: string, { home, cwd, env }: CallEnvironment): boolean {
  if (cwd !== undefined && isAtOrBelow(cwd, folder)) return true;
  for (const programs of programFolders(env)) if (isAtOrBelow(programs, foldedPath(folder))) return true;
  const names = foldedPath(folder).slice(1).split("/");
  const isOnTheWay = (rule: PathRule, at: number) =>
    names.length - at < rule.names.length && names.slice(at).every((name, index) => name === rule.names[index]);
  if (FROM_ROOT.some((rule) => isOnTheWay(rule, 0))) return true;
  const homeNames = foldedPath(home).slice(1).split("/");
  const isInHome = isAtOrBelow(folder, home);
  if (isInHome && FROM_HOME.some((rule) => isOnTheWay(rule, homeNames.length))) return true;
  return RUN_LATER_PLACES.some((rule) => {
    for (let at = 0; at < names.length; at++) {
      const isThere = rule.names[0]?.startsWith(".") === true || (isInHome && at === homeNames.length);
      if (isThere && isOnTheWay(rule, at)) return true;
    }
    return false;
  });
}

/** What git reads of a folder once it is a repository, named `.git` or not. */
const OF_REPOSITORY: ReadonlySet<string> = new Set([
  ...["head", "config", "config.worktree", "commondir", "gitdir", "description", "packed-refs", "index", "shallow"],
  ...["info", "hooks", "objects", "refs", "modules", "worktrees"],
]);

/** `evil/config` where `evil/HEAD` is, or `evil/objects` and `evil/refs`: git takes such a folder for a repository. */
function makesRepository(path: string, lower: readonly string[]): boolean {
  for (const [index, name] of lower.entries()) {
    if (!OF_REPOSITORY.has(name)) continue;
    const folder = `/${path.slice(1).split("/").slice(0, index).join("/")}`;
    if ((name !== "head" && exists(`${folder}/HEAD`)) || (exists(`${folder}/objects`) && exists(`${folder}/refs`)))
      return true;
  }
  return false;
}

const exists = (path: string): boolean => kindOf(path) !== "nothing";

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}
