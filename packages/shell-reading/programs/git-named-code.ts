import { lstatSync, opendirSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onceAFolderChanges } from "../files/own-times.ts";
import { BUILD_FOLDERS } from "../targets/build-folders.ts";
import { beginningOf } from "../targets/file-beginning.ts";
import { isAtOrBelow, kindOf, type PathKind, realForm } from "../targets/path.ts";
import { type GitFolders, gitFoldersOf } from "./git-folders.ts";
import { indexOf } from "./git-index.ts";
import { MAX_SECTION, ownSettings } from "./git-repository.ts";

/**
 * What a repository's settings and the user's own name of its work tree: hooks, filters, drivers and further settings, which git runs or reads
 * by itself. And where its hooks are links.
 */

/** Bytes of settings that are read. */
const MAX_SETTINGS = 256 * 1024;
/** Files of settings that include one another. */
const MAX_FILES = 16;
/** Of all of them together: bytes, and the characters of their settings' names. */
const MAX_TOGETHER = 512 * 1024;
/** More than anybody sets; each may be a mount in a box. */
const MAX_NAMED = 64;
/** Words of commands that are looked for in the work tree. */
const MAX_WORDS = 1024;
/** And looks at the disk for them, which may each lead by a long way. */
const MAX_LOOKS = 512;

/** Their value is a file or folder: of the work tree, or beside the settings. */
const NAMES_PATH = /^core\.(?:hookspath|attributesfile)$/;
const NAMES_SETTINGS = /^include(?:if\..*)?\.path$/s;
/** Their value is a command. */
const NAMES_COMMAND = new RegExp(
  `^(?:${[
    "core\\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)",
    ...["sequence\\.editor", "filter\\..*\\.(?:clean|smudge|process)", "merge\\..*\\.driver", "hook\\..*\\.command"],
    ...["diff\\..*\\.(?:textconv|command)", "diff\\.external", "(?:difftool|mergetool)\\..*\\.(?:cmd|path)"],
    ...["gpg\\.(?:.*\\.)?program", "gpg\\.ssh\\.defaultkeycommand", "credential\\.(?:.*\\.)?helper"],
    ...["pager\\..*", "alias\\..*", "interactive\\.difffilter", "trailer\\..*\\.(?:command|cmd)"],
    ...["uploadpack\\.packobjectshook", "gc\\.recentobjectshook", "remote\\..*\\.(?:uploadpack|receivepack)"],
    ...["submodule\\..*\\.update", "lfs\\.customtransfer\\..*\\.path", "lfs\\.extension\\..*\\.(?:clean|smudge)"],
    ...["tar\\..*\\.command", "sendemail\\.(?:.*\\.)?(?:sendmail|to|cc|header)cmd"],
  ].join("|")})$`,
  "s",
);

/**
 * Absolute paths in the work tree or the repository's folder; there or not.
 * @param root of a work tree; absolute and real @param room how much of settings may be read yet: what is read is taken from it
 */
export function codeNamedBySettings(root: string, home = homedir(), room = { bytes: MAX_TOGETHER }): string[] {
  const folders = gitFoldersOf(root);
  if (folders === null) return [];
  const own = ownSettings(home);
  // No agent can make the user's own longer.
  const unlimited = { bytes: MAX_TOGETHER };
  const ofRoot = { bytes: Math.min(room.bytes, MAX_TOGETHER) };
  room.bytes -= ofRoot.bytes;
  const files = new Set([...own, join(folders.common, "config"), join(folders.git, "config.worktree")]);
  const named = hooksLinked(join(folders.common, "hooks"));
  // Those that are included are read, too.
  for (const file of files) {
    const entries = entriesOf(file, home, own.includes(file) ? unlimited : ofRoot);
    named.push(...pathsNamed(entries, root, dirname(file)));
    for (const [key, value] of entries)
      if (NAMES_SETTINGS.test(key) && value !== "" && files.size < MAX_FILES) files.add(resolve(dirname(file), value));
  }
  // Where not all of it was read, there is no room for further ones, either.
  room.bytes = ofRoot.bytes <= 0 ? 0 : room.bytes + ofRoot.bytes;
  return [...new Set(named)].filter((path) => isOwn(path, root, folders)).slice(0, MAX_NAMED);
}

/** More names than any repository has among its hooks. */
const MAX_HOOKS = 128;
/** Each may lead by a long way. */
const MAX_LINKED = 32;

/** Of folders of hooks: the links in them. */
const knownLinks = onceAFolderChanges<readonly string[]>(200);

/** Where links at a repository's hooks lead, or the link that is in their folder's place. */
function hooksLinked(folder: string): string[] {
  return linksAmong(folder).flatMap((link) => realForm(link) ?? []);
}

function linksAmong(folder: string): readonly string[] {
  const stat = statOf(folder);
  if (stat?.isSymbolicLink() === true) return [folder];
  if (stat?.isDirectory() !== true) return [];
  return knownLinks(folder, () => linksIn(folder));
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // no folder on the way: nothing is there
  }
}

function linksIn(path: string): string[] {
  const links: string[] = [];
  try {
    const folder = opendirSync(path);
    try {
      for (
        let entry = folder.readSync(), names = 0;
        entry !== null && names < MAX_HOOKS && links.length < MAX_LINKED;
        names++
      ) {
        if (entry.isSymbolicLink()) links.push(join(path, entry.name));
        entry = folder.readSync();
      }
    } finally {
      folder.closeSync();
    }
  } catch {
    return links; // it is closed: git runs nothing there
  }
  return links;
}

/** What builds make is theirs. */
function isOwn(path: string, root: string, { git, common }: GitFolders): boolean {
  if (isAtOrBelow(path, git) || isAtOrBelow(path, common)) return path !== git && path !== common;
  if (path === root || !isAtOrBelow(path, root)) return false;
  return !path
    .slice(root.length + 1)
    .split("/")
    .some((name) => name === ".git" || BUILD_FOLDERS.has(name));
}

/** More than anybody has below what builds make. */
const MAX_BUILT = 1000;

/**
 * Repositories below what builds make, where nobody looks otherwise, that git enters as it looks at this work tree: its index names them.
 * Null where it names too many. @param top the folder in which they lie
 */
export function repositoriesBuilt(root: string, top: string): string[] | null {
  const found: string[] = [];
  let left = MAX_BUILT;
  for (const name of indexOf(root)?.submodules() ?? []) {
    const inner = join(root, name);
    if (inner === root || !isAtOrBelow(inner, root) || !isAtOrBelow(inner, top)) continue;
    const parts = inner.slice(top.length).toLowerCase().split("/");
    if (!parts.some((part) => BUILD_FOLDERS.has(part))) continue;
    if (left-- === 0) return null;
    // git goes through no link to it.
    if (kindOf(join(inner, ".git")) !== "nothing" && realForm(inner) === inner) found.push(join(inner, ".git"));
  }
  return found;
}

function pathsNamed(entries: readonly (readonly [string, string])[], root: string, settings: string): string[] {
  const paths: string[] = [];
  const commands: string[][] = [];
  const kind = looks();
  let left = MAX_WORDS;
  for (const [key, value] of entries) {
    if (value === "") continue;
    if (NAMES_PATH.test(key)) paths.push(resolve(root, value));
    else if (NAMES_SETTINGS.test(key)) paths.push(resolve(settings, value));
    else if (NAMES_COMMAND.test(key) && isForShell(key, value)) {
      const words = value.split(BETWEEN_WORDS, left).filter((word) => word !== "");
      commands.push(words);
      left -= words.length;
    }
  }
  return [...paths, ...commands.flatMap((words) => filesNamed(words, root, kind))];
}

/** What is at a path, each looked at once; and nothing where there were too many of them. */
function looks(): (path: string) => PathKind {
  const known = new Map<string, PathKind>();
  return (path) => {
    if (!known.has(path)) known.set(path, known.size < MAX_LOOKS ? kindOf(path) : "nothing");
    return known.get(path) ?? "nothing";
  };
}

/** More folders than a command enters. */
const MAX_ENTERED = 2;

/** In the work tree, there or not: by their own names, and files that are there by what a shell, Node or Python makes of a word. */
function filesNamed(words: readonly string[], root: string, kind: (path: string) => PathKind): string[] {
  const isFile = (path: string) => kind(path) === "file";
  const cd = words.filter((_, at) => words[at - 1] === "cd").slice(0, MAX_ENTERED);
  const entered = [root, ...cd.map((to) => resolve(root, to))];
  const own = [...new Set(words)].filter((word) => !word.startsWith("-"));
  const named = own.flatMap((word) => {
    const path = resolve(root, word);
    if (isInGit(path)) return isFile(path) && isProgram(path) ? [path] : [];
    return /^\.{0,2}[\w.-]*\/.*[\w-]$/.test(word) || isFile(path) ? [path] : [];
  });
  const spelled = own.flatMap((word, at) => {
    // Behind a variable, or a command in parentheses, which say where the work tree is.
    const name = word.replace(/\\(.)/g, "$1").replace(/^\$\{?\w+\}?\/|^\/+/, "");
    const module =
      own[at] === words[words.indexOf("-m") + 1]
        ? [".py", "/__main__.py"].map((end) => name.replaceAll(".", "/") + end)
        : [];
    const ends = name.includes("/") ? ENDINGS.map((ending) => name + ending) : [];
    return [...ends, ...module].flatMap((one) => entered.map((at) => join(at, one)));
  });
  // Most name nothing: their folder isn't there, either.
  const found = spelled.filter((path) => !isInGit(path) && kind(dirname(path)) !== "nothing" && isFile(path));
  return [...named, ...found];
}

/** That Node adds to a file's name. */
const ENDINGS = ["", ".js", ".json", ".node"];

/** Any other alias is another name of git's own commands; settings may come before their names. */
const isForShell = (key: string, value: string): boolean => !key.startsWith("alias.") || /^[!-]/.test(value);

const isInGit = (path: string): boolean => path.includes("/.git/");

/** A command's other words there are of git's own files, which git writes: `vim .git/COMMIT_EDITMSG`. */
function isProgram(path: string): boolean {
  const stat = statOf(path);
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
}

const BETWEEN_WORDS = /[\s;&|()<>'"`=!]+/;

/**
 * Read as git reads it, but for what it would refuse: a line that isn't understood, or a name that nobody gives, names
 * nothing. Never waits.
 */
function entriesOf(file: string, home: string, room: { bytes: number }): [key: string, value: string][] {
  const begin = beginningOf(file, Math.max(0, Math.min(MAX_SETTINGS, room.bytes)));
  if (begin.kind !== "file") return [];
  room.bytes -= begin.text.length;
  const found: [string, string][] = [];
  let section = "";
  for (const line of Buffer.from(begin.text, "latin1")
    .toString("utf8")
    .replace(/^[^\S\n]*[#;].*$/gm, "")
    .replace(/\\\r?\n/g, "")
    .split("\n")) {
    const head = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (head !== null && head[0].length > MAX_SECTION) section = "";
    else if (head !== null) section = `${head[1]?.toLowerCase()}${head[2] === undefined ? "" : `.${head[2]}`}.`;
    const entry = /^([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec((head === null ? line : line.slice(head[0].length)).trim());
    if (entry === null || section === "") continue;
    const key = section + (entry[1] ?? "").toLowerCase();
    room.bytes -= key.length;
    if (room.bytes < 0) break;
    found.push([key, unquoted(entry[2] ?? "").replace(/^~(?=\/)/, home)]);
  }
  return found;
}

/** Without its quotes, and without a comment behind it. */
function unquoted(value: string): string {
  const parts = /"((?:[^"\\]|\\.)*)"?|(\\.)|[#;].*/gs;
  const kept = value.replace(parts, (_, quoted: string = "", escaped: string = "") => quoted + escaped);
  return kept.replace(/\\(.)/gs, "$1").trim();
}
