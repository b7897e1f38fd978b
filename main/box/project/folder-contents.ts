import { BUILD_FOLDERS, hasSecretName } from "@metnos-gate/shell-reading/files";
import { isPlantedAmongBuilt, isPlantedName } from "@metnos-gate/shell-reading/programs";
import { isLaterByName } from "../../decide/flow/later-places.ts";
import { endsInKeys } from "../../decide/places/protected-paths.ts";
import { endsInRunLater, isOptionName, mayBeRunLater, RUN_LATER_FOLDERS } from "../../decide/places/run-later.ts";
import { mayBeInstructions } from "./instruction-links.ts";
import { isLinkInOther } from "./other-repositories.ts";

/** What one folder of a project holds that matters to a box, by the names in it. Names and paths have one character for each byte. */

/** What a folder is, as it decides which names matter in it. */
export type FolderKind =
  | "plain"
  /** The same in a repository that isn't called `.git`: what git writes, and continues with, counts as well. */
  | "bare"
  /** Stays as it is: only secrets and pipes are looked for in it. */
  | "kept"
  | "repository"
  | "repository-info"
  /** Of a repository, where git writes by itself: links are looked for; in all folders below, or of those with its objects in the lists and packs alone. */
  | "repository-part"
  /** The same, where each file counts as well. */
  | "repository-references"
  | "repository-objects"
  | "rebase"
  | "submodules"
  | "worktrees"
  /** Isn't looked through but by a link that leads there: repositories are looked for, what runs later, and further links. */
  | "linked"
  /** Made by builds, and not ignored by Git: repositories are looked for, which `git add` would take in. */
  | "added"
  /** Isn't looked through but for what runs later by its name alone (later-changes.ts). */
  | "later"
  /** Made by builds, with a folder of programs in it; several of these; that folder. */
  | "built"
  | "environments"
  | "programs"
  /** Made by builds, or by others that nobody looks through: what is secret may lie at its top. */
  | "output";

export interface Entry {
  readonly name: string;
  readonly is_folder: boolean;
  readonly is_link: boolean;
  /** A named pipe, or a socket: what is written to it reaches whoever reads it, also where nothing else can be written. */
  readonly isPipe: boolean;
}

export interface Contents {
  /** Names of what is run later, or says what is. */
  readonly places: string[];
  /** Names of what often holds secrets. */
  readonly secrets: string[];
  /** Names of pipes and sockets; only in folders that are looked through. */
  readonly pipes: string[];
  /** Names of what may lead git to a repository that isn't looked at: links, folders that builds make, and its own folder at their top. */
  readonly ways: string[];
  /** At a repository's top as well: names of files that git would take for a remote, as it does any path. */
  readonly remotes: string[];
  readonly folders: { name: string; kind: FolderKind }[];
}

const noContents = (): Contents => ({ places: [], secrets: [], pipes: [], ways: [], remotes: [], folders: [] });

/**
 * Of a repository's folder: what says which code git runs, or where else it looks for settings; further remotes, as git runs the hooks of a
 * folder that it pushes to; lazygit's and glab's settings for it; the commit whose files git writes into the work tree once it has committed; by
 * what shells know that they may take programs from the project (`.git/safe/../../bin` on their PATH).
 */
const OF_REPOSITORY: ReadonlySet<string> = new Set([
  ...["config", "config.worktree", "hooks", "commondir", "gitdir", "remotes", "branches", "lazygit.yml"],
  ...["MERGE_AUTOSTASH", "safe", "glab-cli"],
]);

/** What makes a folder a repository of git's, Mercurial's, Jujutsu's or Sapling's, in lower case. */
export const REPOSITORY_NAMES: ReadonlySet<string> = new Set([".git", ".hg", ".jj", ".sl"]);

/** What a remote may be called, and its folder by git's longer name; nobody's is called as `LICENSE` or `Makefile` are. */
export const isRemoteName = (name: string): boolean => /^(?![A-Z_-]+$|\w*file$)[\w-]+(?:\.git)?$/.test(name);

/** Of a repository's folder: what names files of the work tree, by which git could read and write outside of it. */
export const namesFiles = (name: string): boolean =>
  name === "index" || name === "MERGE_RR" || name.startsWith("sharedindex.");

/** Beside `HEAD` those that git keeps of what it was doing. */
const OWN_REFERENCE = /^(?:[A-Z_]*HEAD|AUTO_MERGE|BISECT_EXPECTED_REV|NOTES_MERGE_(?:PARTIAL|REF))$/;

/**
 * Among a folder's places what says which commit a branch is at, or which other reference counts; of links a repository's own HEAD alone,
 * which git replaces. By the folder's kind, as a submodule's name may have `refs` in it.
 */
export const isReference = (kind: FolderKind, name: string, isLink: boolean): boolean =>
  kind === "repository-references"
    ? !isLink
    : (kind === "repository" || kind === "submodules") && (isLink ? name === "HEAD" : OWN_REFERENCE.test(name));

/** Of git-annex, which writes in folders of this one. */
const ANNEX = "annex";
/** Folders of a repository in which git, or git-lfs, writes by names that it knows before: it would go through a link in their place. */
const WRITTEN_BY_GIT: ReadonlySet<string> = new Set([
  ...["logs", "refs", "rr-cache", "lfs", "lost-found", "svn", "NOTES_MERGE_WORKTREE", "fsmonitor--daemon"],
]);
/** In `info` of a repository and of its objects: for which files git runs what, and where else it looks for objects. */
const OF_INFO: ReadonlySet<string> = new Set(["attributes", "alternates"]);
/** A list of packs of objects: by the names in it `git maintenance` deletes those that it doesn't need. */
const PACKS = "multi-pack-index";
/** Further ones, one for each time that some were added. */
const MORE_PACKS = `${PACKS}.d`;
export const listsPacks = (name: string): boolean => name === PACKS || /^multi-pack-index-.*\.midx$/s.test(name);
/** A list of files with references: by the names in it git reads them, and deletes those that it has put together. */
export const REFERENCES = "tables.list";
/** Folders of a repository in which a few names matter; in `sl` Sapling keeps its own settings. */
const WITH_NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["info", OF_INFO],
  ["sl", new Set(["config", "sharedpath"])],
  ["reftable", new Set([REFERENCES])],
]);
/** The same for lists of packs. */
const WITH_PACKS: ReadonlySet<string> = new Set(["pack", MORE_PACKS]);
const matters = (folder: string, name: string): boolean =>
  WITH_NAMES.get(folder)?.has(name) === true || (WITH_PACKS.has(folder) && listsPacks(name));
/** Where git keeps what `--continue` of `git rebase`, `git cherry-pick` and `git am` does next: commands, a program for merges. */
const CONTINUED: ReadonlySet<string> = new Set(["rebase-merge", "rebase-apply", "sequencer"]);
export const REBASE_STEPS = "git-rebase-todo";
/** How far it is: `git-prompt.sh` puts that into the prompt, where bash and zsh run what is in `$(...)`. */
export const CONTINUED_AT: ReadonlySet<string> = new Set(["msgnum", "end", "next", "last"]);
/** Of all that what something is run by, or a file written elsewhere. */
export const CONTINUED_BY: ReadonlySet<string> = new Set([
  ...[REBASE_STEPS, "strategy", "opts", "apply-opt"],
  ...CONTINUED_AT,
]);

/** Of its names those that tell a repository, and those that matter only in one. */
const OF_REPOSITORIES: ReadonlySet<string> = new Set([
  ...[...OF_REPOSITORY, ...WRITTEN_BY_GIT, ...CONTINUED],
  ...["HEAD", "objects", ANNEX, "modules", "worktrees", ...WITH_NAMES.keys(), ...WITH_PACKS],
]);

/** Of what is in a folder: also a link in a repository's own, by which git would write elsewhere. */
export function tellsRepository({ name, is_link }: Entry, kind: FolderKind): boolean {
  return OF_REPOSITORIES.has(name) || OWN_REFERENCE.test(name) || namesFiles(name) || (is_link && !isOpen(kind));
}

/** What is looked through for all that matters in a work tree. */
export const isOpen = (kind: FolderKind): boolean => kind === "plain" || kind === "bare";

/** Of the folders that builds make, those that shells have folders of programs of on their PATH. */
const WITH_PROGRAMS: ReadonlyMap<string, FolderKind> = new Map([
  ["node_modules", "built"],
  [".venv", "built"],
  ["venv", "built"],
  [".tox", "environments"],
  [".nox", "environments"],
]);

/** In what builds make copies of settings may lie anywhere in this one; of all else the top alone is looked at. */
const COPIED = "standalone";

const MADE_KINDS: ReadonlyMap<string, FolderKind> = new Map([
  ...[...BUILD_FOLDERS].map((name): [string, FolderKind] => [name, "output"]),
  ...WITH_PROGRAMS,
]);

/** Whether a file lies in what a build makes: each build makes it anew. @param path with one character for each byte */
export const isCopy = (path: string, folder: string): boolean =>
  path
    .slice(folder.length + 1)
    .toLowerCase()
    .split("/")
    .some((name) => BUILD_FOLDERS.has(name));

/** Of the folders that stay as they are, those of which the top alone is looked at; an environment fills the last. */
export const NOT_LOOKED_THROUGH: ReadonlySet<string> = new Set([...BUILD_FOLDERS, ".git", ".direnv"]);

/** Whether what is in a folder makes it a repository's own. @param entries all that `tellsRepository` */
export function isRepositoryKind(kind: FolderKind, entries: readonly Entry[]): boolean {
  if (isOpen(kind) || kind === "linked") return isRepository(entries);
  return kind === "repository" || (kind === "submodules" && entries.some(({ name }) => name === "HEAD"));
}

/**
 * @param path of the folder; absolute
 * @param entries all of them, or some
 * @param isRepository by all of them; of a repository none counts but those that `tellsRepository`
 */
export function contentsOf(path: string, kind: FolderKind, entries: readonly Entry[], isRepository: boolean): Contents {
  if (isOpen(kind)) return contentsOfPlain(path, kind, entries, isRepository);
  if (kind === "kept") return contentsOfKept(path, entries);
  if (kind === "output") return contentsOfOutput(path, entries);
  if (kind === "linked") return contentsOfLinked(path, entries, isRepository);
  if (kind === "added") return contentsOfAdded(entries);
  if (kind === "later") return contentsOfLater(path, entries);
  const contents = noContents();
  const isSecret = secretsIn(path);
  if (kind === "built" || kind === "environments" || kind === "programs") {
    addBuilt(contents, kind, entries);
    contents.secrets.push(
      ...entries.filter(({ name, is_folder }) => !is_folder && isSecret(name)).map(({ name }) => name),
    );
    return contents;
  }
  for (const { name, is_folder, is_link } of entries) {
    if (kind === "repository" && !is_folder && isSecret(name)) contents.secrets.push(name);
    if (is_link && !isHarmlessLink(name, isRepository)) contents.places.push(name);
    else if (kind === "repository-info") {
      if (matters(path.slice(path.lastIndexOf("/") + 1), name)) contents.places.push(name);
      else if (is_folder) contents.folders.push({ name, kind: name === MORE_PACKS ? kind : "repository-part" });
    } else if (kind === "repository-part") {
      if (is_folder) contents.folders.push({ name, kind });
    } else if (kind === "repository-references") {
      if (is_folder) contents.folders.push({ name, kind });
      else contents.places.push(name);
    } else if (kind === "repository-objects") {
      if (name === "info" || name === "pack") contents.folders.push({ name, kind: "repository-info" });
    } else if (kind === "rebase") {
      if (CONTINUED_BY.has(name)) contents.places.push(name);
    } else if (isRepository) {
      if (OF_REPOSITORY.has(name) || namesFiles(name) || OWN_REFERENCE.test(name)) contents.places.push(name);
      else if (is_folder) addPart(contents, name);
    } else if (is_folder) {
      contents.folders.push({ name, kind: kind === "worktrees" ? "repository" : "submodules" });
    }
  }
  return contents;
}

/** A link at a repository's own HEAD is replaced by git itself; what was set aside and could not leave its folder has a name that git never writes. */
const isHarmlessLink = (name: string, isRepository: boolean): boolean =>
  (isRepository && name === "HEAD") || /(?:^|\.)set-aside~[0-9a-f]{8}$/.test(name);

function addBuilt(contents: Contents, kind: FolderKind, entries: readonly Entry[]): void {
  for (const { name, is_folder, is_link } of entries) {
    if (name === ".git") contents.ways.push(name);
    else if (kind === "programs") {
      if (!is_folder && isPlantedAmongBuilt(name)) contents.places.push(name);
    } else if (kind === "environments") {
      if (is_folder) contents.folders.push({ name, kind: "built" });
      else if (is_link) contents.places.push(name);
    } else if (PROGRAMS.test(name)) {
      if (is_folder) contents.folders.push({ name, kind: "programs" });
      else if (is_link) contents.places.push(name);
    }
  }
}

const PROGRAMS = /^\.?bin$/i;

/** Whether a link of this name leads to programs that shells find by their PATH: what lies there isn't looked at through it. */
const leadsToPrograms = (lower: string): boolean => PROGRAMS.test(lower) || WITH_PROGRAMS.has(lower);

/** The same of a path in a project, beside a repository's own: such a link keeps nothing from being written where it leads. */
export const isLinkToPrograms = ({ path, is_link }: { path: string; is_link: boolean }): boolean =>
  is_link && isNamedAsPrograms(path);

export function isNamedAsPrograms(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return !path.includes("/.git/") && (leadsToPrograms(name) || /\/\.[tn]ox\/[^/]+$/i.test(path));
}

/** Whether a folder is looked at as one with programs by its own name. @param path below its project, or absolute */
export function isSeenAsPrograms(path: string): boolean {
  const names = path.toLowerCase().split("/");
  const name = names.pop() ?? "";
  if (PROGRAMS.test(name) && WITH_PROGRAMS.has(names.at(-1) ?? "")) names.pop();
  return leadsToPrograms(name) && !names.some((above) => BUILD_FOLDERS.has(above));
}

/** A file that a shell would run for a program by this name, once the folder is on its PATH. */
const isPlanted = (folder: string, name: string, isFolder: boolean): boolean =>
  !isFolder && isPlantedName(folder.slice(folder.lastIndexOf("/") + 1), name);

function addPart({ folders }: Contents, name: string): void {
  if (WITH_NAMES.has(name)) folders.push({ name, kind: "repository-info" });
  else if (name === "modules") folders.push({ name, kind: "submodules" });
  else if (name === "refs") folders.push({ name, kind: "repository-references" });
  else if (name === "worktrees") folders.push({ name, kind: "worktrees" });
  else if (name === "objects" || name === ANNEX) folders.push({ name, kind: "repository-objects" });
  else if (WRITTEN_BY_GIT.has(name)) folders.push({ name, kind: "repository-part" });
  else if (CONTINUED.has(name)) folders.push({ name, kind: "rebase" });
}

/** Of what is in a repository that isn't called `.git`, what counts in one that is: its kinds by the names of the folders that it lies in. */
function countsInBare(folder: string, { name, is_link }: Entry, isRepository: boolean): boolean {
  if (is_link) return !isHarmlessLink(name, isRepository);
  return matters(folder, name) || (CONTINUED.has(folder) && CONTINUED_BY.has(name));
}

function contentsOfPlain(path: string, kind: FolderKind, entries: readonly Entry[], isRepository: boolean): Contents {
  const contents = noContents();
  const isSecret = secretsIn(path);
  const ownName = path.slice(path.lastIndexOf("/") + 1);
  for (const entry of entries) {
    const { name, is_folder, is_link, isPipe } = entry;
    if (isPipe) contents.pipes.push(name);
    const lower = name.toLowerCase();
    if (is_link && !REPOSITORY_NAMES.has(lower)) contents.ways.push(name);
    if (!is_folder && !is_link && !isPipe && isRemoteName(name)) contents.remotes.push(name);
    if (lower === ".git") {
      if (is_folder) contents.folders.push({ name, kind: "repository" });
      else contents.places.push(name);
    } else if (
      isRunLater(path, lower, is_folder) ||
      bringsPlaces(lower, is_link) ||
      (is_link && leadsToPrograms(lower)) ||
      isLinkInOther(path, is_link) ||
      mayBeInstructions(lower, is_folder) ||
      (isRepository && (OF_REPOSITORY.has(name) || namesFiles(name))) ||
      ((isRepository || kind === "bare") && countsInBare(ownName, entry, isRepository)) ||
      isPlanted(path, name, is_folder) ||
      isOptionName(name)
    ) {
      contents.places.push(name);
      if (is_folder) contents.folders.push({ name, kind: keptKind(lower) });
      if (!is_folder && isSecret(name)) contents.secrets.push(name);
    } else if (is_folder) {
      if (BUILD_FOLDERS.has(lower)) contents.ways.push(name);
      const isBare = kind === "bare" || (isRepository && OF_REPOSITORIES.has(name));
      const itsKind = isBare ? "bare" : (MADE_KINDS.get(lower) ?? "plain");
      contents.folders.push({ name, kind: itsKind });
    } else if (isSecret(name)) {
      contents.secrets.push(name);
    }
  }
  return contents;
}

const keptKind = (lower: string): FolderKind => (NOT_LOOKED_THROUGH.has(lower) ? "output" : "kept");

function contentsOfKept(path: string, entries: readonly Entry[]): Contents {
  const isSecret = secretsIn(path);
  const contents = noContents();
  for (const { name, is_folder, isPipe } of entries) {
    if (isPipe) contents.pipes.push(name);
    if (!is_folder && isSecret(name)) contents.secrets.push(name);
    if (is_folder) contents.folders.push({ name, kind: keptKind(name.toLowerCase()) });
  }
  return contents;
}

function contentsOfOutput(path: string, entries: readonly Entry[]): Contents {
  const isSecret = secretsIn(path);
  const contents = noContents();
  for (const { name, is_folder } of entries) {
    if (!is_folder && isSecret(name)) contents.secrets.push(name);
    if (is_folder && name === COPIED) contents.folders.push({ name, kind: "kept" });
    if (name === ".git") contents.ways.push(name);
  }
  return contents;
}

function contentsOfLinked(path: string, entries: readonly Entry[], isRepository: boolean): Contents {
  const contents = noContents();
  for (const { name, is_folder, is_link } of entries) {
    const lower = name.toLowerCase();
    if (REPOSITORY_NAMES.has(lower) || (isRepository && name === "HEAD")) contents.places.push(name);
    else if (!leadsToPrograms(lower) && isRunLater(path, lower, is_folder)) contents.places.push(name);
    else if (is_link) contents.ways.push(name);
    else if (is_folder && !NOT_LOOKED_THROUGH.has(lower)) contents.folders.push({ name, kind: "linked" });
  }
  return contents;
}

function contentsOfAdded(entries: readonly Entry[]): Contents {
  const contents = noContents();
  for (const { name, is_folder } of entries) {
    if (name === ".git") contents.places.push(name);
    else if (is_folder) contents.folders.push({ name, kind: "added" });
  }
  return contents;
}

function contentsOfLater(path: string, entries: readonly Entry[]): Contents {
  const contents = noContents();
  for (const { name, is_folder, is_link } of entries) {
    if (is_folder && !NOT_LOOKED_THROUGH.has(name.toLowerCase())) contents.folders.push({ name, kind: "later" });
    // A link may take the place of a folder of such files.
    const isLater = is_link && (name.startsWith(".") || isLaterByName(`${path}/${name}/`));
    if (!is_folder && (isLater || isLaterByName(`${path}/${name}`))) contents.places.push(name);
  }
  return contents;
}

/** Which files of a folder are secrets by their names: those that are asked about each time, keys, and all that lies with keys. */
export function secretsIn(path: string): (name: string) => boolean {
  const folders = path.split("/");
  let isAmongKeys: boolean | undefined;
  return (name) => {
    isAmongKeys ??= folders.some((_, at) => endsInKeys(folders, at + 1));
    return isAmongKeys || hasSecretName(`${path}/${name}`) || endsInKeys([...folders, name]);
  };
}

/** A repository without a working copy: git takes a folder of any name for one that holds these. */
function isRepository(entries: readonly Entry[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name);
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

/** Links aren't followed: `.vscode` that leads to a folder with `tasks.json` in it counts by itself. */
const bringsPlaces = (lower: string, isLink: boolean): boolean =>
  isLink && RUN_LATER_FOLDERS.has(lower) && !BUILD_FOLDERS.has(lower);

function isRunLater(folder: string, lower: string, isFolder: boolean): boolean {
  // zsh loads a compiled start-up file in the other's place.
  const name = lower.endsWith(".zwc") ? lower.slice(0, -4) : lower;
  return mayBeRunLater(name) && endsInRunLater([...folder.toLowerCase().split("/"), name], isFolder);
}
