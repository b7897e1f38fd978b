import { lstatSync, opendirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isAtOrBelow, kindOf, linksOnWay, realPath } from "@metnos-gate/shell-reading/files";
import { codeNamedBySettings, repositoriesBuilt } from "@metnos-gate/shell-reading/git";
import { isPlantedIn, loadedByEnvrc, PLANTABLE_NAMES, searchedByEnvrc } from "@metnos-gate/shell-reading/programs";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import type { Declaration, NarrowBox } from "../../decide/confinement/declaration.ts";
import { AT_TOP } from "../../decide/places/run-later-places.ts";
import type { FoundPlaces } from "../arguments/bubblewrap.ts";
import { repositoriesIn } from "../arguments/git.ts";
import { isCopy, isLinkToPrograms } from "./folder-contents.ts";
import { hidingHeads, isPlain, isSoundReference, PACKAGE } from "./harmless-git-files.ts";
import { HiddenRepositories, isCarrying } from "./hidden-repositories.ts";
import { instructionsIn, unsoundImports } from "./instruction-links.ts";
import { LogsWithSecrets } from "./logs-with-secrets.ts";
import { leadingOut } from "./pipes-and-sockets.ts";
import { type Found, identityOf, ProjectTree, TREE_LIMITS, type TreeLimits, type TreeLook } from "./project-tree.ts";
import { keepsNamesApart } from "./small-file.ts";
import type { TimeSlice } from "./time-slice.ts";

/** The places of the folders that boxes may write: what may stay there, and what has appeared since. */

/** Folders that are remembered: each holds a tree. Fewer than one look has, as `box.reads` may name, would have each look read all of them anew. */
const MAX_TREES = 128;

/** In bytes, of all paths that a box would keep or cover: more than so many fit into no box's arguments. */
const MAX_PATHS = 120 * 1024;

/** Links to folders of programs, which take no argument: more than any project has, and each may lead by a long way. */
const MAX_LINKS = 4096;
/** In bytes, of their paths: they are kept for each run, and written down. */
const MAX_LINK_PATHS = 512 * 1024;

/** Bytes of repositories' settings that are read in one look: with more of them it isn't looked through. */
const MAX_SETTINGS = 2 * 1024 * 1024;

/** Repositories below what builds make that git enters: with more of them it isn't looked through. */
const MAX_BUILT = 256;

/** Another project's, shown to be read: what builds make isn't looked through. */
const PACKAGES = "node_modules";

type Looked = Pick<
  Declaration,
  "kind" | "project" | "writes" | "reads" | "is_project_too_large" | "searched" | "hides_objects"
>;

/** What was found in the folders that a run may write. */
export interface Look {
  /** For the box: paths that are UTF-8. */
  readonly found: FoundPlaces;
  /** For the box as well: paths with one character for each byte. */
  readonly unnamed: readonly string[];
  /** The same, of folders that name secrets. */
  readonly unnamedHolding: readonly string[];
  /** The same, of what leads out of the box. */
  readonly unnamedPipes: readonly string[];
  /** For the box as well: what may hold secrets, in the same form. */
  readonly unnamedSecrets: readonly string[];
  readonly known: readonly Known[];
  /** From when to when it was looked, in milliseconds since this process began. */
  readonly began: number;
  readonly ended: number;
}

/** What is in a folder before the first of the runs that are going there. */
export interface Known {
  readonly folder: string;
  /** Whose settings name code in it, too; left out: its own alone. */
  readonly project?: string | undefined;
  /** Folders in it in which its client's shell finds programs; left out: none but those that are known by their names. */
  readonly searched?: readonly string[] | undefined;
  /** When it was looked for, in milliseconds since 1970. */
  readonly at?: number | undefined;
  readonly places: readonly KnownPlace[];
}

/** `leads_to`: of a link, in which folder what lies that it leads to, or which repositories it `carries`; null for what is none. */
export type KnownPlace = Found & { readonly leads_to: string | null };

/** A project that holds more than a box can be made for. */
export class TooLarge extends GateError {
  /** Left out: the whole project. */
  readonly folder: string | undefined;

  constructor(what: string, folder?: string) {
    super("box_unavailable", `its project holds ${what} for a box`, "sent again, it is asked about");
    this.folder = folder;
  }
}

export class Places {
  readonly #trees = new Map<string, ProjectTree>();
  readonly #logs = new LogsWithSecrets();
  readonly #limits: TreeLimits;
  readonly #home: string | undefined;
  readonly #hidden: HiddenRepositories;

  /** @param home of the user, whose own settings of git count as well */
  constructor(limits = TREE_LIMITS, home?: string) {
    this.#limits = limits;
    this.#home = home;
    this.#hidden = new HiddenRepositories(home ?? homedir());
  }

  /**
   * Looks at what a declaration lets a box write, and for secrets and sockets at what it lets it read.
   * @throws TooLarge; the system's error
   */
  async before(looked: Looked, turns: TimeSlice): Promise<Look> {
    const { kind, project, writes, reads, is_project_too_large = false, searched } = looked;
    const [began, at] = [performance.now(), Date.now()];
    const isNarrow = kind !== undefined;
    const narrow = is_project_too_large ? writes.filter(isFolder) : writes.length > 0 ? [project] : [];
    const folders = isNarrow ? narrow : [project, ...writes];
    const looks = await this.#looks(folders, turns, { project, searched });
    const partial = looks.find(({ isWhole }) => !isWhole);
    if (partial !== undefined) throw new TooLarge("too many files and folders", partial.folder);
    const read = reads.filter(
      (path) => !folders.includes(path) && isFolder(path) && (isNarrow || basename(path) !== PACKAGES),
    );
    const readLooks = await this.#looks(read, turns);
    // Its words don't say what it reads, so the secrets in there have to be hidden: all of them.
    if (kind === "looking" && !readLooks.every(({ isWhole }) => isWhole))
      throw new TooLarge("too many files and folders");
    // Those below what a line that runs code reads were asked about by their names.
    const hiddenLooks = (isNarrow ? [...looks, ...readLooks] : looks).map((look) => hiddenOf(look, kind));
    const secrets = [
      ...hiddenLooks.flatMap((look) => look.secrets.map(({ path }) => path)),
      ...(kind === "looking" ? await this.#logsIn(readLooks, turns) : []),
    ];
    const places = looks.flatMap((look) =>
      look.places.filter((place) => !isProgramLink(place, searched)).map(({ path }) => path),
    );
    const readSettings = readLooks.flatMap((look) => look.places.map(({ path }) => path)).filter(isSettings);
    const shown = isNarrow ? [...reads, ...writes] : [...folders, ...read];
    const allPipes = [...looks, ...readLooks].flatMap((look) => look.pipes);
    const pipes = (await leadingOut(allPipes.filter(({ path }) => isWithin(path, shown)))).map(({ path }) => path);
    if ([...places, ...secrets, ...readSettings, ...pipes].reduce((sum, path) => sum + path.length, 0) > MAX_PATHS)
      throw new TooLarge("too much that is run later");
    const links = looks.flatMap((look) => look.places.filter((place) => isProgramLink(place, searched)));
    if (links.length > MAX_LINKS || links.reduce((sum, { path }) => sum + path.length, 0) > MAX_LINK_PATHS)
      throw new TooLarge("too many links to programs");
    const written = isNarrow ? writes : folders;
    const holders = hiddenLooks.flatMap((look) =>
      look.secrets.flatMap(({ path }) => foldersAbove(path, Buffer.from(look.folder).toString("latin1"))),
    );
    const holding = [...new Set(holders)].filter((path) => isWithin(path, written));
    const bound: string[] = [];
    for (const path of places) {
      bound.push(...withTarget(path, written));
      await turns.shared();
    }
    const known = await this.#knownOf(looks, { project, searched, at }, turns);
    return {
      found: {
        run_later: bound.flatMap(asText),
        secrets: secrets.flatMap(asText),
        holding: holding.flatMap(asText),
        read_settings: readSettings.flatMap(asText),
        pipes: pipes.flatMap(asText),
        objects: objectsIn([...looks, ...readLooks], looked),
      },
      unnamed: bound.filter((path) => asText(path).length === 0 && isWithin(path, written)),
      unnamedHolding: holding.filter((path) => asText(path).length === 0),
      unnamedPipes: pipes.filter((path) => asText(path).length === 0),
      unnamedSecrets: [...secrets, ...readSettings, ...places.filter(isSettings)].filter(
        (path) => asText(path).length === 0 && isWithin(path, shown),
      ),
      known,
      began,
      ended: performance.now(),
    };
  }

  async #knownOf(
    looks: readonly ({ folder: string } & TreeLook)[],
    of: WorkedOn & { project: string; at: number },
    turns: TimeSlice,
  ): Promise<Known[]> {
    const known: Known[] = [];
    const { project } = of;
    // What was there may stay, however much it is.
    const since = Number.POSITIVE_INFINITY;
    for (const look of looks) {
      const carrying = await this.#hidden.carrying(look.ways, { folder: look.folder, project, since, turns });
      known.push(await knownOf(look, carrying, of, turns));
    }
    return known;
  }

  /** @throws TooLarge */
  async #logsIn(looks: readonly TreeLook[], turns: TimeSlice): Promise<string[]> {
    try {
      const repositories = looks.flatMap((look) => [
        ...look.repositories.map(({ path }) => path),
        // Of any name: whose settings lie there may be one.
        ...look.places.flatMap(({ path }) => (isSettings(path) ? [dirname(path)] : [])),
      ]);
      return await this.#logs.hidden([...new Set(repositories)], turns);
    } catch (error) {
      if (error instanceof GateError) throw new TooLarge("too many repositories");
      throw error;
    }
  }

  /** @param of whose settings name code in them, as each folder's own do; left out: these alone */
  async #looks(
    folders: readonly string[],
    turns: TimeSlice,
    of: Partial<WorkedOn> = {},
  ): Promise<({ folder: string } & TreeLook)[]> {
    const looks: ({ folder: string } & TreeLook)[] = [];
    for (const folder of folders) {
      // By another one what is kept could be written, and what is hidden be read.
      if (!keepsNamesApart(folder)) throw new TooLarge("files that have more than one name");
      // What a reference names is seen after each run.
      const isLeftOut = ({ is_reference }: Found) => is_reference === true;
      const seen = await withoutPlaces(await this.#tree(folder).lookInTurns(turns), isLeftOut, turns);
      const { places, ...look } = await withNamed(folder, seen, turns, {
        home: this.#home,
        ...of,
      });
      // A rebase continues in later commands, and these may name another version: that is looked at after each, as if it were new.
      const kept: Found[] = [];
      const bytes = Buffer.from(folder).toString("latin1");
      for (const place of places) {
        if (!isPlain(place.path, bytes)) kept.push(place);
        await turns.shared();
      }
      looks.push({ folder, ...look, places: kept });
    }
    return looks;
  }

  /** What is there now and wasn't before, or isn't what it was. `isWhole`: all was looked through. @throws the system's error */
  async appeared(
    { folder, project = folder, searched, places, at = Number.POSITIVE_INFINITY }: Known,
    turns: TimeSlice,
  ): Promise<{ found: Found[]; isWhole: boolean }> {
    const byPath = new Map<string, KnownPlace>();
    const byOwn = new Map<string, KnownPlace>();
    const carrying = new Map<string, KnownPlace>();
    for (const place of places) {
      if (isCarrying(place)) carrying.set(place.own, place);
      else {
        byPath.set(place.path, place);
        byOwn.set(place.own, place);
      }
    }
    const isSound = (place: Found) =>
      place.is_reference === true && !gotNameSince(place, at) && isSoundReference(place.path);
    const seen = await withoutPlaces(await this.#tree(folder).lookInTurns(turns), isSound, turns);
    const look = await withNamed(folder, seen, turns, {
      home: this.#home,
      ...{ project, searched },
      before: places,
    });
    const found: Found[] = [];
    const seenAt = new Set<string>();
    for (const place of look.places) {
      seenAt.add(place.path);
      if (hasAppeared(place, byPath.get(place.path), byOwn.get(place.own))) found.push(place);
      await turns.shared();
    }
    const since = at - SAME_TICK_MS;
    for (const way of await this.#hidden.carrying(look.ways, { folder, project, since, turns })) {
      if (basename(way.path) === ".git" && seenAt.has(way.path)) continue;
      const known = carrying.get(way.own);
      if (known?.leads_to !== way.carries || known?.changed_at !== way.changed_at) found.push(way);
    }
    return { found, isWhole: look.isWhole };
  }

  #tree(folder: string): ProjectTree {
    const known = this.#trees.get(folder);
    const tree = known ?? new ProjectTree(folder, basename(folder) === ".git" ? "repository" : "plain", this.#limits);
    keepLatest(this.#trees, folder, tree, MAX_TREES);
    return tree;
  }
}

/** Where git keeps its objects in what is shown, but for what the line names itself. */
function objectsIn(looks: readonly TreeLook[], { hides_objects, reads, writes }: Looked): string[] {
  if (hides_objects !== true) return [];
  const shown = [...reads, ...writes];
  const found = looks.flatMap(({ repositories, places }) => [
    ...repositories.flatMap(({ path }) => asText(path)),
    // Of any name.
    ...places.flatMap(({ path }) => (isSettings(path) ? asText(path).map(dirname) : [])),
  ]);
  const folders = [...found, ...shown.filter((path) => basename(path) === ".git")];
  const objects = new Set(
    folders.flatMap(repositoriesIn).flatMap((folder) => ["objects", "lost-found"].map((name) => join(folder, name))),
  );
  const isMeant = (path: string) =>
    isFolder(path) && shown.some((one) => isAtOrBelow(path, one) && !isAtOrBelow(one, path));
  return [...objects].filter((path) => isMeant(path) && !shown.some((one) => isAtOrBelow(one, path)));
}

/** A name that a file has got beside this one: what it says can be changed by that, whenever. @param at in milliseconds since 1970 */
export const gotNameSince = ({ is_shared, changed_at }: Found, at = Number.POSITIVE_INFINITY): boolean =>
  is_shared === true && changed_at >= at - SAME_TICK_MS;

/** What a run works on. */
interface WorkedOn {
  project: string | undefined;
  searched: readonly string[] | undefined;
}

/** The kernel's time may be so much behind; in milliseconds. */
const SAME_TICK_MS = 50;

/** A link that no box binds: one to folders of programs, or in the place of such a folder. */
const isProgramLink = (place: Found, searched: readonly string[] = []): boolean =>
  isLinkToPrograms(place) ||
  (place.is_link && asText(place.path).some((path) => searched.some((folder) => isAtOrBelow(folder, path))));

async function knownOf(
  look: { folder: string } & TreeLook,
  carrying: readonly Found[],
  { project, searched, at }: WorkedOn & { at: number },
  turns: TimeSlice,
): Promise<Known> {
  const { folder, repositories } = look;
  const places: KnownPlace[] = [];
  for (const place of [...look.places, ...repositories.map(itself)]) {
    places.push({ ...place, leads_to: leadsTo(place) });
    await turns.shared();
  }
  for (const { carries = null, ...way } of carrying) places.push({ ...way, leads_to: carries });
  const ofRun = { ...(folder === project ? {} : { project }), ...(searched === undefined ? {} : { searched }) };
  return { folder, at, ...ofRun, places };
}

/** @param atPath what was there under this path @param known what it was, wherever that lay */
function hasAppeared(place: Found, atPath: KnownPlace | undefined, known: KnownPlace | undefined): boolean {
  if (atPath?.is_link || place.is_link) return !isSameLink(place, known);
  // In the box a place itself can't be replaced, only a folder that it lies in: anybody else may have.
  if (atPath !== undefined && (atPath.own === place.own || atPath.parent === place.parent)) return false;
  // With its folder a place moves as it is; but git looks for a repository by the name that its folder then has, and a submodule's own
  // settings say where its files are from there.
  return known?.changed_at !== place.changed_at || wayInGit(place.path) !== wayInGit(known.path);
}

const wayInGit = (path: string): string | undefined => /\/\.git\/.*/is.exec(path)?.[0];

/** A repository that was there stays when its objects are deleted, with its settings and hooks; another in its place doesn't. */
const itself = (repository: Found): Found => ({ ...repository, parent: "" });

/** One of these, but for what couldn't be looked into before either. */
export const wasOpenRepository = ({ parent, changed_at }: KnownPlace): boolean => parent === "" && changed_at !== 0;

interface NamedBy extends Partial<WorkedOn> {
  home: string | undefined;
  /** What was there before a run; left out: what is there now. */
  before?: readonly Found[];
}

async function withoutPlaces(
  look: TreeLook,
  isLeftOut: (place: Found) => boolean,
  turns: TimeSlice,
): Promise<TreeLook> {
  const places: Found[] = [];
  for (const place of look.places) {
    if (!isLeftOut(place)) places.push(place);
    await turns.shared();
  }
  return { ...look, places };
}

/** With the code that the repository's own settings name, and those of the repositories in it; and with what hides one of those. */
async function withNamed(
  folder: string,
  look: TreeLook,
  turns: TimeSlice,
  { home, project = folder, searched = [], before = look.places }: NamedBy,
): Promise<TreeLook> {
  const inner = [...look.repositories, ...look.places].filter(({ path }) => path.endsWith("/.git"));
  const roots = new Set([project, folder, ...inner.flatMap(({ path }) => asText(path).map(dirname))]);
  const room = { bytes: MAX_SETTINGS };
  const kept = new Set<string>();
  for (const { path } of look.places) {
    kept.add(path);
    await turns.shared();
  }
  const named: Found[] = [];
  let isWhole = look.isWhole;
  let builtLeft = MAX_BUILT;
  for (const root of roots) {
    const built = repositoriesBuilt(root, folder);
    builtLeft -= built?.length ?? 0;
    if (built === null || builtLeft < 0) isWhole = false;
    // git enters those that they name in turn.
    else for (const path of built) roots.add(dirname(path));
    for (const path of [
      ...codeNamedBySettings(root, home, room),
      ...(built ?? []),
      join(root, AT_TOP),
      join(root, PACKAGE),
    ]) {
      const bytes = Buffer.from(path).toString("latin1");
      if (!isAtOrBelow(path, folder) || isBelowOneOf(bytes, kept)) continue;
      named.push(...foundAt(path, bytes));
      kept.add(bytes);
    }
    await turns.shared();
  }
  const isInIt = (path: string) => isAtOrBelow(path, folder);
  const entered = foldersWithEnvrc(before);
  const programs = new Set([...searched, ...entered.flatMap(searchedByEnvrc)].filter(isInIt));
  const loaded = entered.flatMap(loadedByEnvrc).filter(isInIt);
  for (const path of [...[...programs].flatMap((each) => programsIn(each, folder)), ...loaded]) {
    const bytes = Buffer.from(path).toString("latin1");
    if (kept.has(bytes)) continue;
    named.push(...foundAt(path, bytes));
    kept.add(bytes);
  }
  const imported = await unsoundImports(instructionsIn(look.places), folder, turns);
  for (const path of imported ?? []) {
    const bytes = Buffer.from(path).toString("latin1");
    if (kept.has(bytes)) continue;
    named.push(...foundAt(path, bytes));
    kept.add(bytes);
  }
  for (const { path } of before) {
    if (!path.endsWith("/.git")) continue;
    for (const bytes of hidingHeads(path)) {
      if (kept.has(bytes) || !isWithin(bytes, [folder])) continue;
      named.push(...asText(bytes).flatMap((head) => foundAt(head, bytes)));
      kept.add(bytes);
    }
    await turns.shared();
  }
  return { ...look, isWhole: isWhole && imported !== null && room.bytes > 0, places: [...look.places, ...named] };
}

/** More of them than anybody has allowed in one project. */
const MAX_ENVRC = 64;

/** With those that were there: a new one is set aside. */
function foldersWithEnvrc(places: readonly Found[]): string[] {
  const files = places.filter(({ path }) => path.endsWith("/.envrc")).slice(0, MAX_ENVRC);
  return files.flatMap(({ path }) => asText(path)).map(dirname);
}

function isBelowOneOf(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path; at !== "/" && at !== "."; at = dirname(at)) if (folders.has(at)) return true;
  return false;
}

/** One thing by its path, and the same in bytes; none where nothing is there. */
export function foundAt(path: string, bytes: string): Found[] {
  try {
    const stat = lstatSync(path);
    const parent = identityOf(lstatSync(dirname(path)));
    return [{ path: bytes, parent, own: identityOf(stat), is_link: stat.isSymbolicLink(), changed_at: stat.ctimeMs }];
  } catch {
    return []; // not there: it is looked for again after a run
  }
}

/**
 * A link can be replaced in the box, and so can a folder or another link on its way; what it leads to in the end is a mount, or isn't
 * there to be written. So it is the same only while all of this is.
 */
function isSameLink(place: Found, known: KnownPlace | undefined): boolean {
  return known?.is_link === true && known.changed_at === place.changed_at && known.leads_to === leadsTo(place);
}

function leadsTo({ path, is_link }: Found): string | null {
  if (!is_link) return null;
  try {
    const real = realPath(Buffer.from(path, "latin1")).toString("latin1");
    const nameAt = real.lastIndexOf("/") + 1;
    const parent = lstatSync(Buffer.from(real.slice(0, nameAt), "latin1"));
    return `${real.slice(nameAt)} in ${identityOf(parent)}`;
  } catch {
    return ""; // nowhere
  }
}

/** What a link leads to, and a place that is none, where a box may write that. */
function withTarget(path: string, folders: readonly string[]): string[] {
  try {
    const real = realPath(Buffer.from(path, "latin1")).toString("latin1");
    return isWithin(real, folders) ? [real] : [];
  } catch {
    return []; // it leads nowhere: there is nothing to keep
  }
}

/** By the name alone: whether it is a repository's is seen where it is shown. */
const isSettings = (path: string): boolean => /\/config(?:\.worktree)?$/.test(path);

/**
 * Those below `top` that hold a file. Whoever could move one while another box is made could put a folder like it in its place: what is
 * hidden would be hidden there.
 */
function foldersAbove(path: string, top: string): string[] {
  const names = path.slice(top.length + 1).split("/");
  return names.slice(1).map((_, at) => `${top}/${names.slice(0, at + 1).join("/")}`);
}

/** Without copies that builds make: one that makes them anew couldn't remove what is hidden. A line that only looks makes none. */
function hiddenOf(look: { folder: string } & TreeLook, kind: NarrowBox | undefined): { folder: string } & TreeLook {
  if (kind === "looking") return look;
  const folder = Buffer.from(look.folder).toString("latin1");
  return { ...look, secrets: look.secrets.filter(({ path }) => !isCopy(path, folder)) };
}

const isFolder = (path: string): boolean => kindOf(path) === "folder";

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isAtOrBelow(path, Buffer.from(folder).toString("latin1")));
}

/** A path of bytes as text; none where it isn't UTF-8. */
function asText(path: string): string[] {
  const bytes = Buffer.from(path, "latin1");
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? [text] : [];
}

// Folders of a project that its client's shell has on its PATH, whatever they are called.

/** With more names in it a folder is asked for each program by its name. */
const MAX_NAMES = 1000;

/**
 * What lies in one by the name of a program that is cleared, typed, or a shell's; or the first link on the way to it.
 * @param top the folder in which it lies; both absolute
 */
function programsIn(folder: string, top: string): string[] {
  try {
    const link = linksOnWay(folder).find((path) => path !== top && isAtOrBelow(path, top));
    if (link !== undefined) return [link];
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const isIts = (name: string) => isPlantedIn(folder, name);
    return (fewNamesIn(folder, isIts) ?? PLANTABLE_NAMES.filter(isIts)).map((name) => join(folder, name));
  } catch {
    return []; // closed, or deeper than a path can be: no shell finds anything there
  }
}

function fewNamesIn(path: string, isIts: (name: string) => boolean): string[] | undefined {
  const found: string[] = [];
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(), names = 0; entry !== null; entry = folder.readSync(), names++) {
      if (names === MAX_NAMES) return undefined;
      if (!entry.isDirectory() && isIts(entry.name)) found.push(entry.name);
    }
    return found;
  } finally {
    folder.closeSync();
  }
}
