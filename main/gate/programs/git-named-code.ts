import { dirname, join, resolve } from "node:path";
import { BUILD_FOLDERS } from "../targets/build-folders.ts";
import { beginningOf } from "../targets/file-beginning.ts";
import { kindOf } from "../targets/path-kind.ts";
import { isAtOrBelow } from "../targets/pattern.ts";
import { gitFoldersOf } from "./git-folders.ts";

/** What a repository's own settings name of its work tree: hooks, filters, drivers and further settings, which git runs or reads by itself. */

/** Bytes of settings that are read. */
const MAX_SETTINGS = 256 * 1024;
/** More than anybody sets; each may be a mount in a box. */
const MAX_NAMED = 64;
/** Words of commands that are looked for in the work tree: each costs a look at the disk. */
const MAX_WORDS = 1024;

/** Their value is a file or folder: of the work tree, or beside the settings. */
const NAMES_PATH = /^core\.(?:hookspath|attributesfile)$/;
const NAMES_SETTINGS = /^include(?:if\..*)?\.path$/s;
/** Their value is a command. */
const NAMES_COMMAND =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|sequence\.editor|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:textconv|command)|diff\.external|merge\..*\.driver|(?:difftool|mergetool)\..*\.(?:cmd|path)|gpg\.(?:.*\.)?program|credential\.(?:.*\.)?helper|pager\..*|alias\..*|interactive\.difffilter|trailer\..*\.(?:command|cmd)|uploadpack\.packobjectshook)$/s;

/** Absolute paths in the work tree; there or not. @param root of a work tree; absolute and real */
export function codeNamedBySettings(root: string): string[] {
  const folders = gitFoldersOf(root);
  if (folders === null) return [];
  const named = [join(folders.common, "config"), join(folders.git, "config.worktree")].flatMap((file) =>
    pathsNamed(entriesOf(file), root, dirname(file)),
  );
  return [...new Set(named)].filter((path) => isOwn(path, root, folders.git)).slice(0, MAX_NAMED);
}

/** What builds make is theirs; what lies in `.git` is kept as such. */
function isOwn(path: string, root: string, git: string): boolean {
  if (path === root || !isAtOrBelow(path, root) || isAtOrBelow(path, git)) return false;
  return !path
    .slice(root.length + 1)
    .split("/")
    .some((name) => name === ".git" || BUILD_FOLDERS.has(name));
}

function pathsNamed(entries: readonly (readonly [string, string])[], root: string, settings: string): string[] {
  const paths: string[] = [];
  const words: string[] = [];
  for (const [key, value] of entries) {
    if (value === "") continue;
    if (NAMES_PATH.test(key)) paths.push(resolve(root, value));
    else if (NAMES_SETTINGS.test(key)) paths.push(resolve(settings, value));
    else if (words.length < MAX_WORDS && NAMES_COMMAND.test(key)) words.push(...value.split(BETWEEN_WORDS, MAX_WORDS));
  }
  const named = words
    .slice(0, MAX_WORDS)
    .filter((word) => word !== "" && !word.startsWith("-"))
    .map((word) => ({ word, path: resolve(root, word) }))
    .filter(({ word, path }) => kindOf(path) === "file" || /^\.{0,2}[\w.-]*\/.*[\w-]$/.test(word))
    .map(({ path }) => path);
  return [...paths, ...named];
}

const BETWEEN_WORDS = /[\s;&|()<>'"`=!]+/;

/** Read as git reads it, but for what it would refuse: a line that isn't understood names nothing. Never waits. */
function entriesOf(file: string): [key: string, value: string][] {
  const begin = beginningOf(file, MAX_SETTINGS);
  if (begin.kind !== "file") return [];
  const found: [string, string][] = [];
  let section = "";
  for (const line of Buffer.from(begin.text, "latin1")
    .toString("utf8")
    .replace(/\\\r?\n/g, "")
    .split("\n")) {
    const head = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (head !== null) section = `${head[1]?.toLowerCase()}${head[2] === undefined ? "" : `.${head[2]}`}.`;
    const entry = /^([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec((head === null ? line : line.slice(head[0].length)).trim());
    if (entry === null || section === "") continue;
    found.push([
      section + (entry[1] ?? "").toLowerCase(),
      (entry[2] ?? "").replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1"),
    ]);
  }
  return found;
}
