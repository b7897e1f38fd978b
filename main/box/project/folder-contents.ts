import { isPlantedName } from "../../gate/guard/program-places.ts";
import { endsInKeys } from "../../gate/guard/protected-paths.ts";
import { endsInRunLater, mayBeRunLater, RUN_LATER_FOLDERS } from "../../gate/guard/run-later.ts";
import { BUILD_FOLDERS } from "../../gate/targets/build-folders.ts";
import { hasSecretName } from "../../gate/targets/secret-files.ts";

/** What one folder of a project holds that matters to a box, by the names in it. Names and paths have one character for each byte. */

/** What a folder is, as it decides which names matter in it. */
export type FolderKind =
  | "plain"
  /** Stays as it is: only secrets are looked for in it. */
  | "kept"
  | "repository"
  | "repository-info"
  | "submodules"
  | "worktrees"
  /** Made by builds, with a folder of programs in it; several of these; that folder. */
  | "built"
  | "environments"
  | "programs";

export interface Entry {
  readonly name: string;
  readonly is_folder: boolean;
  readonly is_link: boolean;
  /** A named pipe, or a socket: what is written to it reaches whoever reads it, also where nothing else can be written. */
  readonly is_pipe: boolean;
}

export interface Contents {
  /** Names of what is run later, or says what is. */
  readonly places: string[];
  /** Names of what often holds secrets. */
  readonly secrets: string[];
  /** Names of pipes and sockets; only in folders that are looked through. */
  readonly pipes: string[];
  readonly folders: { name: string; kind: FolderKind }[];
}

/** Of a repository's folder: what says which code git runs, or where else it looks for settings. */
const OF_REPOSITORY: ReadonlySet<string> = new Set(["config", "config.worktree", "hooks", "commondir", "gitdir"]);

/** Of the folders that builds make, those that shells have folders of programs of on their PATH. */
const WITH_PROGRAMS: ReadonlyMap<string, FolderKind> = new Map([
  ["node_modules", "built"],
  [".venv", "built"],
  ["venv", "built"],
  [".tox", "environments"],
  [".nox", "environments"],
]);

/** Of the folders that stay as they are, those in which agents keep logins and tokens: only these are looked for in them. */
const KEEP_SECRETS: ReadonlySet<string> = new Set([
  ...[".claude", ".codex", ".cursor", ".gemini", ".opencode", ".roo", ".kilocode", ".windsurf", ".continue"],
]);

/** Whether what is in a folder makes it a repository's own. @param entries all of them */
export function isRepositoryKind(kind: FolderKind, entries: readonly Entry[]): boolean {
  if (kind === "plain") return isRepository(entries);
  return kind === "repository" || (kind === "submodules" && entries.some(({ name }) => name === "HEAD"));
}

/** @param path of the folder; absolute @param entries all of them, or some @param is_repository by all of them */
export function contentsOf(
  path: string,
  kind: FolderKind,
  entries: readonly Entry[],
  is_repository: boolean,
): Contents {
  if (kind === "plain") return contentsOfPlain(path, entries, is_repository);
  if (kind === "kept") return contentsOfKept(path, entries);
  const contents: Contents = { places: [], secrets: [], pipes: [], folders: [] };
  if (kind === "built" || kind === "environments" || kind === "programs") {
    addBuilt(contents, kind, path, entries);
    return contents;
  }
  for (const { name, is_folder } of entries) {
    if (kind === "repository-info") {
      if (name === "attributes") contents.places.push(name);
    } else if (is_repository) {
      if (OF_REPOSITORY.has(name)) contents.places.push(name);
      else if (is_folder) addPart(contents, name);
    } else if (is_folder) {
      contents.folders.push({ name, kind: kind === "worktrees" ? "repository" : "submodules" });
    }
  }
  return contents;
}

function addBuilt(contents: Contents, kind: FolderKind, path: string, entries: readonly Entry[]): void {
  for (const { name, is_folder } of entries) {
    if (kind === "programs") {
      if (isPlanted(path, name, is_folder)) contents.places.push(name);
    } else if (is_folder && kind === "environments") contents.folders.push({ name, kind: "built" });
    else if (is_folder && /^\.?bin$/i.test(name)) contents.folders.push({ name, kind: "programs" });
  }
}

/** A file that a shell would run for a program by this name, once the folder is on its PATH. */
const isPlanted = (folder: string, name: string, is_folder: boolean): boolean =>
  !is_folder && isPlantedName(folder.slice(folder.lastIndexOf("/") + 1), name);

function addPart({ folders }: Contents, name: string): void {
  if (name === "info") folders.push({ name, kind: "repository-info" });
  else if (name === "modules") folders.push({ name, kind: "submodules" });
  else if (name === "worktrees") folders.push({ name, kind: "worktrees" });
}

function contentsOfPlain(path: string, entries: readonly Entry[], is_repository: boolean): Contents {
  const contents: Contents = { places: [], secrets: [], pipes: [], folders: [] };
  const isSecret = secretsIn(path);
  for (const { name, is_folder, is_link, is_pipe } of entries) {
    if (is_pipe) contents.pipes.push(name);
    const lower = name.toLowerCase();
    if (lower === ".git") {
      if (is_folder) contents.folders.push({ name, kind: "repository" });
      else contents.places.push(name);
    } else if (
      isRunLater(path, lower) ||
      bringsPlaces(lower, is_link) ||
      (is_repository && OF_REPOSITORY.has(name)) ||
      isPlanted(path, name, is_folder)
    ) {
      contents.places.push(name);
      if (is_folder && KEEP_SECRETS.has(lower)) contents.folders.push({ name, kind: "kept" });
      if (!is_folder && isSecret(name)) contents.secrets.push(name);
    } else if (is_folder) {
      const kind = WITH_PROGRAMS.get(lower) ?? (BUILD_FOLDERS.has(lower) ? undefined : "plain");
      if (kind !== undefined) contents.folders.push({ name, kind });
    } else if (isSecret(name)) {
      contents.secrets.push(name);
    }
  }
  return contents;
}

function contentsOfKept(path: string, entries: readonly Entry[]): Contents {
  const isSecret = secretsIn(path);
  const secrets = entries.filter(({ name, is_folder }) => !is_folder && isSecret(name)).map(({ name }) => name);
  return { places: [], secrets, pipes: [], folders: [] };
}

/** Which files of a folder are secrets by their names: those that are asked about each time, keys, and all that lies with keys. */
function secretsIn(path: string): (name: string) => boolean {
  const folders = path.split("/");
  const is_among_keys = folders.some((_, at) => endsInKeys(folders.slice(0, at + 1)));
  return (name) => is_among_keys || hasSecretName(`${path}/${name}`) || endsInKeys([...folders, name]);
}

/** A repository without a working copy: git takes a folder of any name for one that holds these. */
function isRepository(entries: readonly Entry[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name);
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

/** Links aren't followed: `.vscode` that leads to a folder with `tasks.json` in it counts by itself. */
const bringsPlaces = (lower: string, is_link: boolean): boolean =>
  is_link && RUN_LATER_FOLDERS.has(lower) && !BUILD_FOLDERS.has(lower);

function isRunLater(folder: string, lower: string): boolean {
  // zsh loads a compiled start-up file in the other's place.
  const name = lower.endsWith(".zwc") ? lower.slice(0, -4) : lower;
  return mayBeRunLater(name) && endsInRunLater([...folder.toLowerCase().split("/"), name]);
}
