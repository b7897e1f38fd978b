import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beginningOf, withoutGitSecrets } from "@metnos-gate/shell-reading/files";
import type { Env } from "../../../ipc/base/paths.ts";
import { holdsText } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import { runGit } from "../git-process.ts";

/** Git inside a box: what of a repository stays as it is, and the settings of the user that it works with. */

/** Of a repository's folder: what says which code git runs, or where else it looks. */
const READ_ONLY = [
  ...["config", "config.worktree", "hooks", "info/attributes", "commondir", "gitdir", "objects/info/alternates"],
  ...["remotes", "branches", "lazygit.yml"],
];

/** Bytes: larger settings aren't shown. */
const MAX_SETTINGS = 256 * 1024;

/**
 * What a box shows of a repository's settings: the file itself, or a copy in `folder` without the passwords and tokens in it.
 * @returns null where they can't be shown. @throws the system's error
 */
export function shownSettings(file: string, folder: string): string | null {
  const begin = beginningOf(file, MAX_SETTINGS + 1);
  if (begin.kind !== "file" || begin.text.length > MAX_SETTINGS) return null;
  const shown = withoutGitSecrets(begin.text);
  if (shown === begin.text) return file;
  const name = createHash("sha256").update(file).digest("hex").slice(0, 32);
  return writeWhereChanged(join(folder, `git-settings-${name}`), Buffer.from(shown, "latin1"));
}

/** True for a file of a repository's settings, whatever its folder is called. */
export function isRepositorySettings(file: string): boolean {
  return /\/config(?:\.worktree)?$/.test(file) && existsSync(join(dirname(file), "HEAD"));
}

/** Submodules and worktrees lie deeper: names with slashes make folders of their own. */
const MODULES_DEPTH = 8;

/** Submodules and worktrees of one repository: more would keep the gate looking. */
const MAX_REPOSITORIES = 1000;

/** What must stay as it is of the repository whose folder (`.git`, or a worktree's common one) is given: what there is of it. */
export function repositoryPlaces(folder: string): string[] {
  return repositoriesIn(folder)
    .flatMap((repository) => READ_ONLY.map((name) => join(repository, name)))
    .filter((path) => existsSync(path));
}

/** A repository's folder, and those of its submodules and worktrees in it. @throws GateError `box_unavailable` for more than anybody has */
export function repositoriesIn(folder: string): string[] {
  const below = [folder, ...repositoriesBelow(join(folder, "modules")), ...foldersOf(join(folder, "worktrees"))];
  if (below.length > MAX_REPOSITORIES) throw tooMany(folder);
  return below;
}

/** True for what git takes as a repository's folder. */
export function isRepository(folder: string): boolean {
  return existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"));
}

function tooMany(folder: string): GateError {
  return new GateError("box_unavailable", `${folder} holds too many folders for a box`, "remove what is unused");
}

function repositoriesBelow(folder: string): string[] {
  const found: string[] = [];
  const waiting = [{ folder, depth: 1 }];
  let looked = 0;
  for (const { folder, depth } of waiting) {
    if (depth > MODULES_DEPTH) continue;
    for (const inner of foldersOf(folder)) {
      if (++looked > MAX_REPOSITORIES) throw tooMany(folder);
      const isOne = existsSync(join(inner, "HEAD"));
      if (isOne) found.push(inner);
      waiting.push({ folder: isOne ? join(inner, "modules") : inner, depth: depth + 1 });
    }
  }
  return found;
}

function foldersOf(folder: string): string[] {
  try {
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  } catch {
    return []; // none
  }
}

/** The user's settings that change what ends up in a repository; none that holds a secret or names a program, but for git-lfs. */
const TAKEN = [
  ...["user\\.(name|email|signingkey)", "author\\..*", "committer\\..*", "init\\.defaultbranch"],
  ...["core\\.(autocrlf|eol|safecrlf|precomposeunicode|excludesfile|attributesfile|quotepath|abbrev)"],
  ...["pull\\.(rebase|ff)", "push\\.default", "merge\\.(ff|conflictstyle)", "rebase\\..*", "rerere\\.enabled"],
  // A commit that can't be signed inside fails: an unsigned one would look like the user's choice.
  ...["commit\\.(gpgsign|cleanup|verbose)", "tag\\.gpgsign", "gpg\\.format", "filter\\.lfs\\..*", "diff\\.renames"],
];

export interface UserGitSettings {
  /** A file of settings. */
  readonly text: string;
  /** Files that they name, or that git looks for by itself: ignored names and attributes. */
  readonly files: readonly string[];
}

const GIT_MS = 2000;
/** After so long they are read again; until that is done the last ones count, but never ones that are older than `OLDEST_MS`. */
const KEPT_MS = 30_000;
const OLDEST_MS = 600_000;
/** Projects of which they are kept. */
const MAX_KEPT = 256;

interface KnownSettings {
  /** When they were read last, in milliseconds since this process began. */
  at: number;
  settings: Promise<UserGitSettings>;
  isReading: boolean;
}

const known = new Map<string, KnownSettings>();

/** The user's settings as they count in `project` (conditional includes). */
export function userGitSettings(env: Env, home: string, project: string): Promise<UserGitSettings> {
  const key = `${home}\0${project}`;
  const last = known.get(key);
  const age = last === undefined ? Number.POSITIVE_INFINITY : performance.now() - last.at;
  if (last !== undefined && (age < KEPT_MS || (last.isReading && age < OLDEST_MS))) return last.settings;
  const read = readSettings(env, home, project).then((entries) => ({
    text: settingsFile(entries),
    files: namedFiles(entries, env, home),
  }));
  if (last !== undefined && age < OLDEST_MS) {
    last.isReading = true;
    void read.then(() => known.set(key, { at: performance.now(), settings: read, isReading: false }));
    return last.settings;
  }
  keepLatest(known, key, { at: performance.now(), settings: read, isReading: false }, MAX_KEPT);
  return read;
}

type Entry = readonly [key: string, value: string];

/** `git config` reads only: no hook, filter or monitor of the project's is started by it. */
async function readSettings(env: Env, home: string, project: string): Promise<Entry[]> {
  const words = ["-C", project, "config", "--show-scope", "--includes", "-z", "--get-regexp", `^(${TAKEN.join("|")})$`];
  const own = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    ...only(env, "XDG_CONFIG_HOME"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
  let printed = "";
  const { ended } = runGit(words, { env: own, ms: GIT_MS }, (text, child) => {
    printed += text;
    if (printed.length > MAX_SETTINGS) child.kill("SIGKILL");
  });
  // No git, or none of these settings: it works without.
  const said = (await ended) ? printed : "";
  const parts = said.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, setting = ""] = [parts[at], parts[at + 1]];
    const end = setting.indexOf("\n");
    if (scope === "global")
      entries.push(end === -1 ? [setting, "true"] : [setting.slice(0, end), setting.slice(end + 1)]);
  }
  return entries;
}

function only(env: Env, name: string): Record<string, string> {
  const value = env[name];
  return value === undefined ? {} : { [name]: value };
}

/**
 * Whoever owns the project's files: inside, other users all look the same. What git tidies by itself isn't left in the background: it would
 * end with the box, and its lock would stay.
 */
const ALWAYS: readonly Entry[] = [
  ["safe.directory", "*"],
  ["gc.autodetach", "false"],
  ["maintenance.autodetach", "false"],
];

/** Where the user has none that count. */
export const NO_SETTINGS: UserGitSettings = { text: settingsFile([]), files: [] };

function settingsFile(entries: readonly Entry[]): string {
  return [...ALWAYS, ...entries].map(([key, value]) => settingLines(key, value)).join("");
}

function settingLines(key: string, value: string): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const below = first === last ? "" : ` ${quoted(key.slice(first + 1, last))}`;
  return `[${key.slice(0, first)}${below}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
}

function namedFiles(entries: readonly Entry[], env: Env, home: string): string[] {
  const settings = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(home, ".config");
  const named = entries
    .filter(([key]) => key === "core.excludesfile" || key === "core.attributesfile")
    .map(([, value]) => (value.startsWith("~/") ? join(home, value.slice(2)) : value));
  return [...named, join(settings, "git/ignore"), join(settings, "git/attributes")].filter(
    (path) => path.startsWith("/") && statSync(path, { throwIfNoEntry: false })?.isFile(),
  );
}

/** Writes the settings into a project's folder where they changed. @returns the file. @throws the system's error */
export function writeGitSettings(folder: string, text: string): string {
  return writeWhereChanged(join(folder, "gitconfig"), Buffer.from(text));
}

function writeWhereChanged(file: string, bytes: Buffer): string {
  if (holdsText(file, bytes.toString())) return file;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Whatever lies there by that name, such as a pipe, isn't opened.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, bytes, { mode: 0o600, flag: "wx" });
  renameSync(`${file}.new`, file);
  return file;
}
