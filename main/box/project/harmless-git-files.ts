import { type Dir, lstatSync, opendirSync, readlinkSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { realPath } from "@metnos-gate/shell-reading/files";
import { type NotedFolder, settingsOf } from "@metnos-gate/shell-reading/git";
import { readRegularBytes, TOO_LARGE } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../../base/errors.ts";
import { AT_TOP } from "../../decide/places/run-later-places.ts";
import {
  CONTINUED_AT,
  CONTINUED_BY,
  isNamedAsPrograms,
  isSeenAsPrograms,
  listsPacks,
  namesFiles,
  REBASE_STEPS,
  REFERENCES,
} from "./folder-contents.ts";
import { namedOwnFilesBefore, namesOwnFiles, namesOwnPacks, namesOwnReferences } from "./git-named-files.ts";
import { areSoundInstructions } from "./instruction-links.ts";
import { staysInOther } from "./other-repositories.ts";
import { isItself, statOf, textOf } from "./small-file.ts";
import { namesOnlySubmodules } from "./submodule-settings.ts";

/** What a run leaves at a place whose content is run later, and runs nothing: git's own new files, as git writes them. */

/** More than git has. */
const MAX_SAMPLES = 64;

/** @param path with one character for each byte @param noted of an index, as `namesOwnFiles` */
export function isHarmless(path: string, project: string, noted?: NotedFolder[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, -name.length - 1);
  if (staysInOther(path)) return true;
  if (areSoundInstructions(path, bytesOf(project))) return true;
  if (isNamedAsPrograms(path)) return leadsToSeen(path, bytesOf(project));
  if (namesOnlyVersions(path)) return true;
  if (name === ".git") return isOwnWorktree(path, project) || isOwnSubmodule(path, project);
  if (name === ".gitmodules") return folder === bytesOf(project) && namesOnlySubmodules(textOf(path) ?? "[");
  if (namesFiles(name)) return namesOwnFiles(path, noted);
  if (CONTINUED_BY.has(name)) return isPlainRebase(path);
  // Of jj: its own repository of git's, or the one beside it.
  if (name === "git_target") return /^(?:git|\.\.\/\.\.\/\.\.\/\.git)\n?$/.test(textOf(path) ?? "");
  if (listsPacks(name)) return namesOwnPacks(path);
  if (name === REFERENCES) return namesOwnReferences(path);
  if (!/\/\.git(?:\/|$)/.test(folder)) return false;
  if (name === "config") return isPlainText(textOf(path) ?? "[", project) || isSubmoduleConfig(path, project);
  // As `git clone --shared` leaves it in a copy of the project.
  if (name === "alternates") return textOf(path)?.replace("/./", "/") === `${bytesOf(project)}/.git/objects\n`;
  // Git's own template has both.
  if (name === "hooks" || name === "branches") return hasOnlySamples(path);
  const isWorktree = /\/\.git\/worktrees\/[^/]+$/.test(folder);
  if (name === "gitdir") return isWorktree && namesWorktree(path, folder);
  return name === "commondir" && isWorktree && textOf(path)?.trim() === "../..";
}

/** A link to packages, as of another checkout, or to programs, in a folder that is looked at as such by its own name. */
function leadsToSeen(path: string, project: string): boolean {
  try {
    if (!lstatSync(Buffer.from(path, "latin1")).isSymbolicLink()) return false;
    const real = realPath(Buffer.from(path, "latin1")).toString("latin1");
    return isSeenAsPrograms(real.startsWith(`${project}/`) ? real.slice(project.length + 1) : real);
  } catch {
    return false; // nowhere, where anything may be put yet, or deeper than a path can be long
  }
}

/** What commands may change at a place whose content is run later, as long as it runs nothing. @param path with one character for each byte */
export const isPlain = (path: string, folder?: string): boolean =>
  isPlainRebase(path) ||
  staysInOther(path) ||
  areSoundInstructions(path, folder) ||
  namesOnlyVersions(path) ||
  namedOwnFilesBefore(path) ||
  namesOwnPacks(path) ||
  namesOwnReferences(path);

/** More than a path can be long. */
const MAX_REFERENCE = 8192;

/** A commit, or another reference by a name that git itself gives one: it makes a file of that name as it commits. @param path of a reference */
export function isSoundReference(path: string): boolean {
  const file = Buffer.from(path, "latin1");
  try {
    // Git takes a link for one by its first words, and reads what it leads to, which may be written later.
    const isLink = lstatSync(file).isSymbolicLink();
    if (isLink && /^refs\/.*\.\./s.test(readlinkSync(file, { encoding: "latin1" }))) return false;
    // Also behind a link, as git reads it. What it has fetched from many branches is longer.
    const reading = { maxBytes: MAX_REFERENCE, isBeginningEnough: true };
    const text = readRegularBytes(file, reading).toString("latin1");
    return !text.startsWith("ref:") || (text.length < MAX_REFERENCE && /^ref:\s*refs\/(?!.*\.\.)/s.test(text));
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}

const NODE_VERSION = /^(?:#.*|lts\/[\w*-]+|[^./\\][^/\\]*)?$/;
const TOOLCHAIN =
  /^(?:#.*|\d[\w.-]*|(?:stable|beta|nightly)[\w.-]*|\[toolchain\]|(?:channel|profile)\s*=\s*"[\w.-]+"|(?:(?:components|targets)\s*=\s*)?\[?(?:\s*"[\w.-]+"(?:\s*,)?)*\s*\]?)$/;

/** As they look for it below a folder of their own: it may have folders of its own, as an environment of pyenv's. */
const ENV_VERSION = /^(?:#.*|(?![./~\\])(?!.*\.\.)[\w .:@+/-]*)$/;

/** By the names of files that say which version of a program runs: lines that name no path. */
const VERSION_LINES: ReadonlyMap<string, RegExp> = new Map([
  [".node-version", NODE_VERSION],
  [".nvmrc", NODE_VERSION],
  ...["python", "ruby", "java", "go", "php", "perl", "terraform", "opentofu", "swift", "crystal", "lua"].map(
    (language): [string, RegExp] => [`.${language}-version`, ENV_VERSION],
  ),
  [".exenv-version", ENV_VERSION],
  // The project's own environment, or the system's.
  [".pdm-python", /^(?:\/usr\/(?:local\/)?bin\/python[\d.]*|\/(?!.*\/\.\.).*\/\.?venv\/bin\/python[\d.]*)?$/],
  [".sdkmanrc", /^(?:#.*|[a-z]+[=\s]+\w[\w.-]*)?$/],
  ["rust-toolchain", TOOLCHAIN],
  ["rust-toolchain.toml", TOOLCHAIN],
]);

/** Of .NET: its `paths` say where an SDK lies, in whatever letters a name is written. */
const NAMES_SDKS = /paths|\\u/i;

/** At a project's top: `npx` knows the project's own programs by it, which come before all others. */
export const PACKAGE = "package.json";
const OWN_PROGRAM = "metnos-gate";
const MAX_PACKAGE = 1024 * 1024;

/** Whether `npx metnos-gate` would run a program of the project, which would answer for its user. @param path of a `PACKAGE` */
function namesOwnProgram(path: string): boolean {
  try {
    const text = readRegularBytes(Buffer.from(path, "latin1"), { maxBytes: MAX_PACKAGE }).toString("latin1");
    const { name, bin, directories } = JSON.parse(text.replace(/^\xef\xbb\xbf/, ""));
    const names = typeof bin === "object" && bin !== null ? Object.keys(bin) : [`${name}`.split("/").at(-1)];
    const folder = directories?.bin;
    return (
      names.includes(OWN_PROGRAM) || (folder && statOf(join(dirname(path), `${folder}`, OWN_PROGRAM))) !== undefined
    );
  } catch (error) {
    return errorCode(error) === TOO_LARGE; // what isn't JSON npm can't read, either
  }
}

function namesOnlyVersions(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === PACKAGE) return !namesOwnProgram(path);
  if (name === AT_TOP) return !NAMES_SDKS.test(textOf(path) ?? "paths");
  const line = VERSION_LINES.get(name);
  if (line === undefined) return false;
  const lines = textOf(path)?.split("\n");
  return lines?.every((text) => line.test(text.trim())) === true;
}

/** Steps of a rebase that only pick, edit and label commits: what git itself writes where it stops, and continues with. */
const PLAIN_STEPS =
  /^(?:\s*(?:[^A-Za-z\s].*|noop|(?:break|b)|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|label|l|reset|t|merge|m|update-ref|u)\s.*)?)$/;

/** Git's own for merges. It runs any other as a program `git-merge-NAME`: with a slash in it, one of the work tree. */
const STRATEGY = /^(?:ort|recursive|resolve|ours|octopus|subtree)\n?$/;

/** What `git am` and `git rebase --apply` hand on to `git apply`, which takes options that write anywhere, too. */
const APPLY_OPTIONS =
  /^(?: ?'(?:-[Cp]\d+|--(?:whitespace|directory|exclude|include)=[^']*|--reject|--ignore-(?:space-change|whitespace))')*\n?$/;

/** Whether what is at this path says how a rebase or a sequence continues, and runs no command: its steps, and how it merges. */
function isPlainRebase(path: string): boolean {
  if (path.endsWith("/rebase-apply/apply-opt")) return APPLY_OPTIONS.test(textOf(path) ?? "?");
  const [, at = ""] = /\/rebase-(?:apply|merge)\/([^/]+)$/.exec(path) ?? [];
  if (CONTINUED_AT.has(at)) return /^\d*\n?$/.test(textOf(path) ?? "?");
  if (path.endsWith("/rebase-merge/strategy")) return STRATEGY.test(textOf(path) ?? "");
  if (path.endsWith("/sequencer/opts")) {
    const options = settingsOf(textOf(path) ?? "[");
    return options?.every(([key, value]) => key !== "options.strategy" || STRATEGY.test(value)) === true;
  }
  if (!path.endsWith(`/${REBASE_STEPS}`)) return false;
  return (
    textOf(path)
      ?.split(/\r?\n/)
      .every((line) => PLAIN_STEPS.test(line)) === true
  );
}

/** The folder that a `.git` file names, as it names it; undefined where it is none. */
const namedBy = (path: string): string | undefined => /^gitdir: (.+)\n?$/.exec(textOf(path) ?? "")?.[1];

/** A working copy of the project's own repository. No name that git gives one has a `~` in it: a link by such a name isn't looked at. */
function isOwnWorktree(path: string, project: string): boolean {
  const to = namedBy(path);
  const own = `${bytesOf(project)}/.git/worktrees/`;
  return (
    to?.startsWith(own) === true && /^[^/~\n]+$/.test(to.slice(own.length)) && !/^\.\.?$/.test(to.slice(own.length))
  );
}

/** Whether a linked work tree leads back from where it is said to be, or nothing is there: `git worktree repair` writes there. */
function namesWorktree(path: string, folder: string): boolean {
  const file = ledTo(folder, textOf(path)?.replace(/\n$/, ""));
  if (!file.endsWith("/.git")) return false;
  if (lstatSync(Buffer.from(dirname(file), "latin1"), NO_THROW) === undefined) return true;
  return isItself(file) && ledTo(dirname(file), namedBy(file)) === folder;
}

/** A submodule's own repository, by the name of its folder in the project's. */
const OWN_SUBMODULE = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Where a way leads from a folder; "" where it goes up behind a name, which may be a link. */
const ledTo = (folder: string, way = ""): string => (way === normalize(way) ? resolve(folder, way) : "");

/** A working copy of a submodule's repository, which lies in the project's. */
function isOwnSubmodule(path: string, project: string): boolean {
  const own = `${bytesOf(project)}/.git/modules/`;
  const at = ledTo(dirname(path), namedBy(path));
  return at.startsWith(own) && OWN_SUBMODULE.test(at.slice(own.length)) && hidingHeads(path).length === 0;
}

const MODULES = "/.git/modules/";

/**
 * What makes folders repositories among whose files the one lies that a `.git` leads to: nobody looks there for another, and git itself
 * makes none. @param path of the `.git`; with one character for each byte
 */
export function hidingHeads(path: string): string[] {
  const to = namedBy(path);
  const at = to === undefined ? "" : resolve(dirname(path), to);
  const begin = at.indexOf(MODULES) + MODULES.length;
  if (begin < MODULES.length) return [];
  const names = at.slice(begin).split("/");
  return names.flatMap((name, above) => {
    const head = [at.slice(0, begin - 1), ...names.slice(0, above), "HEAD"].join("/");
    const isThere =
      (above === 0 || name !== "modules") && lstatSync(Buffer.from(head, "latin1"), NO_THROW) !== undefined;
    return isThere ? [head] : [];
  });
}

const WORKTREE = /^\tworktree = ((?:\.\.\/)+(?!\.\.\/)[\w./-]{1,4096})$/m;

/** Its settings: they name the working copy in the project that names them. */
function isSubmoduleConfig(path: string, project: string): boolean {
  const text = textOf(path);
  const to = WORKTREE.exec(text ?? "")?.[1];
  if (text === undefined || to === undefined || !isPlainText(text.replace(WORKTREE, ""), project)) return false;
  const [folder, own] = [dirname(path), `${bytesOf(project)}/.git/modules/`];
  const copy = ledTo(folder, to);
  if (!folder.startsWith(own) || !copy.startsWith(`${bytesOf(project)}/`) || !isItself(copy)) return false;
  return ledTo(copy, namedBy(join(copy, ".git"))) === folder;
}

/** Sections and keys that name no program, no file and no other settings. */
const PLAIN_LINES = [
  /^\s*$/,
  /^\[core\]$/,
  /^\t(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks) = (?:true|false|[01])$/,
  /^\[(?:remote|branch) "[\w./-]+"\]$/,
  /^\t(?:url|pushurl) = https?:\/\/[\w.:/~@%+-]*$/,
  /^\tfetch = \+?refs\/[\w./*-]+:refs\/[\w./*-]+$/,
  /^\t(?:remote|merge) = [\w./-]+$/,
];

/** As git writes down where a copy of the project is from. */
const URL_OF_COPY = /^\turl = (?:file:\/\/)?(\/.*?)(?:\/\.(?:git)?)?$/;

/**
 * Git runs the hooks of a folder that it pushes to, and takes a remote that has no URL for a folder's name: so a remote is another machine, or
 * the project itself, whose hooks are kept.
 */
function isPlainText(text: string, project: string): boolean {
  const isPlain = text
    .split("\n")
    .every((line) => PLAIN_LINES.some((plain) => plain.test(line)) || URL_OF_COPY.exec(line)?.[1] === bytesOf(project));
  const settings = isPlain ? settingsOf(text) : null;
  if (settings === null) return false;
  const keys = new Set(settings.map(([key]) => key));
  const named = settings.flatMap(([key, value]) => (/^branch\..*\.remote$/s.test(key) ? [value] : []));
  return named.every((remote) => remote === "." || keys.has(`remote.${remote}.url`));
}

function hasOnlySamples(path: string): boolean {
  if (lstatSync(Buffer.from(path, "latin1"), NO_THROW)?.isDirectory() !== true) return false;
  let folder: Dir;
  try {
    folder = opendirSync(Buffer.from(path, "latin1"), { encoding: "latin1" });
  } catch {
    return false; // closed: nobody knows what it holds
  }
  try {
    for (let entry = folder.readSync(), names = 0; entry !== null; entry = folder.readSync(), names++)
      if (names === MAX_SAMPLES || !(entry.name.endsWith(".sample") || entry.name === "README")) return false;
    return true;
  } finally {
    folder.closeSync();
  }
}

/** One character for each byte. */
const bytesOf = (path: string): string => Buffer.from(path).toString("latin1");

const NO_THROW = { throwIfNoEntry: false } as const;
