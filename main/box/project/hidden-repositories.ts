import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BUILD_FOLDERS, isAtOrBelow, realPath } from "@metnos-gate/shell-reading/files";
import { ownIgnoreLists } from "@metnos-gate/shell-reading/git";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../../base/errors.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import { ignoreLines, isIgnored } from "../../decide/places/built-folders.ts";
import { isRemoteName, NOT_LOOKED_THROUGH, REPOSITORY_NAMES } from "./folder-contents.ts";
import { isHarmless } from "./harmless-git-files.ts";
import { type Found, identityOf, ProjectTree, TREE_LIMITS, type TreeLook } from "./project-tree.ts";
import { statOf } from "./small-file.ts";
import type { TimeSlice } from "./time-slice.ts";

/**
 * Repositories in folders that aren't looked through, as builds make them, by the ways that lead there from others: a link, by which
 * whoever enters it works in that repository, what git takes for a remote by its name, and `git add` where git doesn't ignore the
 * folder. Paths have one character for each byte.
 */

/** In one look, folders below all that links lead to: a link to more of them isn't looked through to the end. */
const MAX_FOLDERS = 4000;
const LIMITS = { ...TREE_LIMITS, folders: 2000, names: 100_000 };
/** Of a folder that git doesn't ignore: it looks through all of it, too. */
const ADDED_LIMITS = { ...TREE_LIMITS, folders: 20_000 };

/** What links lead to, remembered; a tree each. */
const MAX_TREES = 256;

const MARK = "leads to ";

/** Where boxes write beside projects: each one's caches, in the gate's own folder. */
const CACHES = "/box/projects/";

/** Whether it is by its repositories that a way was known. */
export const isCarrying = ({ leads_to }: { leads_to: string | null }): boolean => leads_to?.startsWith(MARK) === true;

/** A file by which git takes another folder for this one. */
const GIT_FILE = "gitdir: ";

interface Looked {
  readonly folder: string;
  readonly project: string;
  /** In milliseconds since 1970: what is older was there before a run. */
  readonly since: number;
  readonly turns: TimeSlice;
}

/** One look. */
interface Looking extends Looked {
  left: number;
  readonly seen: Map<string, string[]>;
  readonly isIgnored: (path: string) => boolean;
}

export class HiddenRepositories {
  readonly #trees = new Map<string, ProjectTree>();
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Those of these ways that lead to one, each with what it `carries`; of a folder that git would add, those in it. @param looked its paths as text */
  async carrying(ways: readonly Found[], looked: Looked): Promise<Found[]> {
    const { turns, ...paths } = looked;
    const [folder, project] = [bytesOf(paths.folder), bytesOf(paths.project)];
    const looking: Looking = {
      ...looked,
      folder,
      project,
      left: MAX_FOLDERS,
      seen: new Map(),
      isIgnored: ignoring(this.#home),
    };
    const carrying: Found[] = [];
    const known = new Set<string>();
    for (const { path } of ways) {
      known.add(path);
      await turns.shared();
    }
    for (const way of ways) {
      if (way.says === undefined && BUILD_FOLDERS.has(basename(way.path).toLowerCase()))
        for (const added of await this.#added(way, looking, paths.project))
          if (!known.has(added.path)) carrying.push(added);
      const to = await this.#ledTo(way, looking, paths.project);
      const { path, parent, own, changed_at } = way;
      const carries =
        MARK +
        createHash("sha256")
          .update([...to].sort().join("\0"))
          .digest("base64");
      if (to.length > 0) carrying.push({ path, parent, own, is_link: true, changed_at, carries });
      await turns.shared();
    }
    return carrying;
  }

  async #added({ path: top }: Found, looking: Looking, project: string): Promise<Found[]> {
    if (looking.isIgnored(top)) return [];
    const look = await this.#look(top, looking.turns, "added", ADDED_LIMITS);
    return (look?.places ?? [])
      .filter(({ path }) => basename(path) === ".git" && !isHarmless(path, project))
      .map((place) => ({ ...place, is_link: true, carries: `${MARK}${place.path} ${place.own}` }));
  }

  async #ledTo(way: Found, looking: Looking, project: string): Promise<string[]> {
    if (basename(way.path) === ".git") return isHarmless(way.path, project) ? [] : [`${way.path} ${way.own}`];
    if (way.says !== undefined) return this.#byLink(way, looking);
    return isGitFile(way.path) ? [way.path] : [];
  }

  async #byLink({ path, says = "", is_at_top, changed_at }: Found, looking: Looking): Promise<string[]> {
    const isRemote = is_at_top === true && isRemoteName(basename(path));
    const led = ledBy(path, says);
    // The links on its way are looked at by themselves. Nobody waits for another disk: what no box writes isn't reached.
    const isHidden = led !== undefined && hiddenTop(led, looking) !== undefined;
    const isReached = led === undefined || isHidden || (isRemote && topOf(led, looking) !== undefined);
    const end = isReached ? endOf(path) : undefined;
    const real = end?.path ?? led ?? path;
    // What is put there later, by commands of another project or by way of its caches, isn't looked at for this one.
    if (topOf(real, looking) === undefined && hiddenTop(real, looking) !== undefined && changed_at >= looking.since)
      return [real];
    if (end === undefined) return [];
    if (end.stat.isFile()) return isRemote && isGitFile(end.path) ? [end.path] : [];
    if (!end.stat.isDirectory() || hiddenTop(end.path, looking) === undefined) return [];
    const key = `${end.path} ${changed_at >= looking.since}`;
    const known = looking.seen.get(key);
    if (known !== undefined) return known;
    looking.seen.set(key, []);
    const around = [...above(end.path, looking), ...(await this.#placesAbove(end.path, looking))];
    const found = [...around, ...(await this.#below(end.path, changed_at, looking))];
    looking.seen.set(key, found);
    return found;
  }

  /** What runs later in the folders around it: programs look for it there, too. A closed one may hold anything. */
  async #placesAbove(path: string, looking: Looking): Promise<string[]> {
    const top = hiddenTop(path, looking) ?? path;
    const found: string[] = [];
    for (let at = dirname(path); isAtOrBelow(at, top) && basename(at) !== ".git"; at = dirname(at)) {
      const look = await this.#look(at, looking.turns, "linked", { ...LIMITS, folders: 1 });
      const places = look?.places.filter((place) => !isOfRepository(place));
      found.push(...(places?.flatMap((place) => pathBehind(place, looking)) ?? [at]));
    }
    return found;
  }

  async #below(path: string, changedAt: number, looking: Looking): Promise<string[]> {
    if (basename(path) === ".git" && hiddenTop(path, looking) === path) return [];
    const look = looking.left > 0 ? await this.#look(path, looking.turns) : undefined;
    looking.left -= look?.folders ?? 0;
    const found = look?.places.flatMap((place) => pathBehind(place, looking)) ?? [];
    for (const way of look?.ways ?? []) {
      found.push(...(await this.#byLink(way, looking)));
      await looking.turns.shared();
    }
    // One that was there may be the user's own; of a new one it is to be known.
    if (look?.isWhole !== true && changedAt >= looking.since) found.push(path);
    return found;
  }

  async #look(
    path: string,
    turns: TimeSlice,
    kind: "linked" | "added" = "linked",
    limits = LIMITS,
  ): Promise<TreeLook | undefined> {
    const key = `${kind} ${limits.folders} ${path}`;
    const tree = this.#trees.get(key) ?? new ProjectTree(Buffer.from(path, "latin1"), kind, limits);
    keepLatest(this.#trees, key, tree, MAX_TREES);
    try {
      return await tree.lookInTurns(turns);
    } catch {
      return undefined; // closed, or gone by now
    }
  }
}

const isOfRepository = ({ path }: Found): boolean => /^(?:HEAD|\.git|\.hg|\.jj|\.sl)$/i.test(basename(path));

/** Of a repository also which one it is; of what runs later that it is there: whoever installs its package anew writes it anew. */
function pathBehind(place: Found, { project }: Looking): string[] {
  if (isOfRepository(place)) return [`${place.path} ${place.own}`];
  return isHarmless(place.path, Buffer.from(project, "latin1").toString()) ? [] : [place.path];
}

/** Each list is read once; what a path that isn't UTF-8 has on its way isn't known. */
function ignoring(home: string): (path: string) => boolean {
  const known = new Map<string, readonly string[]>();
  const readLines = (file: string) => {
    const lines = known.get(file) ?? ignoreLines(file);
    known.set(file, lines);
    return lines;
  };
  let own: readonly string[] | undefined;
  return (path) => {
    const text = Buffer.from(path, "latin1").toString();
    if (bytesOf(text) !== path) return false;
    own ??= ownIgnoreLists(home);
    return isIgnored(text, own, readLines) !== false;
  };
}

const bytesOf = (path: string): string => Buffer.from(path).toString("latin1");

/** In which of the folders that are looked through a path lies. */
const topOf = (path: string, { project, folder }: Looking): string | undefined =>
  [project, folder].find((each) => isAtOrBelow(path, each));

/** The outermost folder on a way that isn't looked through; undefined where all of it is, or no box writes it. */
function hiddenTop(path: string, looking: Looking): string | undefined {
  const top = topOf(path, looking) ?? "";
  const caches = path.indexOf(CACHES, top.length);
  if (caches >= 0) return path.slice(0, caches + CACHES.length - 1);
  const names = path.slice(top.length).split("/");
  const at = names.findIndex((name) => NOT_LOOKED_THROUGH.has(name.toLowerCase()));
  return at < 0 ? undefined : top + names.slice(0, at + 1).join("/");
}

/** The one in which git works in a folder. */
function above(path: string, looking: Looking): string[] {
  const top = hiddenTop(path, looking) ?? path;
  for (let at = path; isAtOrBelow(at, top); at = dirname(at)) {
    // A repository's own is looked at by itself.
    if (at === top && basename(at) === ".git") return [];
    const found = [...REPOSITORY_NAMES].map((name) => join(at, name)).find((each) => statOf(each) !== undefined);
    if (found !== undefined) return [named(found)];
    if (isBare(at)) return [named(at)];
    if (at === "/") return [];
  }
  return [];
}

/** What a link says, as a path; undefined where it goes up behind a name, which may be another link. */
function ledBy(path: string, says: string): string | undefined {
  const names = says.split("/").filter((name) => name !== "" && name !== ".");
  const first = says.startsWith("/") ? 0 : names.findIndex((name) => name !== "..");
  if (says === "" || (first >= 0 && names.includes("..", first))) return undefined;
  return join(says.startsWith("/") ? "/" : dirname(path), ...names);
}

/** What a link leads to in the end; undefined where that is nothing, or nobody can enter it. */
function endOf(path: string): { path: string; stat: Stats } | undefined {
  try {
    const real = realPath(Buffer.from(path, "latin1")).toString("latin1");
    const stat = statOf(real);
    return stat && { path: real, stat };
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

function named(path: string): string {
  const stat = statOf(path);
  return stat === undefined ? path : `${path} ${identityOf(stat)}`;
}

function isBare(path: string): boolean {
  const has = (name: string) => statOf(join(path, name)) !== undefined;
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

function isGitFile(path: string): boolean {
  const reading = { maxBytes: GIT_FILE.length, isBeginningEnough: true };
  try {
    return readRegularBytes(Buffer.from(path, "latin1"), reading).toString("latin1") === GIT_FILE;
  } catch {
    return false; // gone by now, or nobody can read it
  }
}
