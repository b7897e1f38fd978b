import { lstatSync, opendirSync } from "node:fs";
import { readRegularBytes } from "../../../ipc/regular-file.ts";

/** What a run leaves at a place whose content is run later, and runs nothing: git's own new files, as git writes them. */

const MAX_BYTES = 65_536;
/** More than git has. */
const MAX_SAMPLES = 64;

/** @param path with one character for each byte */
export function isHarmless(path: string, project: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, -name.length - 1);
  if (name === ".git") return isOwnWorktree(path, project);
  if (!/\/\.git(?:\/|$)/.test(folder)) return false;
  if (name === "config") return isPlainConfig(path);
  if (name === "hooks") return hasOnlySamples(path);
  const is_worktree = /\/\.git\/worktrees\/[^/]+$/.test(folder);
  if (name === "gitdir") return is_worktree && isFile(path);
  return name === "commondir" && is_worktree && read(path)?.trim() === "../..";
}

/** A working copy of the project's own repository. */
function isOwnWorktree(path: string, project: string): boolean {
  const to = /^gitdir: (.+)\n?$/.exec(read(path) ?? "")?.[1];
  const own = `${Buffer.from(project).toString("latin1")}/.git/worktrees/`;
  return (
    to?.startsWith(own) === true && /^[^/\n]+$/.test(to.slice(own.length)) && !/^\.\.?$/.test(to.slice(own.length))
  );
}

/** Sections and keys that name no program, no file and no other settings. */
const PLAIN_LINES = [
  /^\s*$/,
  /^\[core\]$/,
  /^\t(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks) = (?:true|false|[01])$/,
  /^\[(?:remote|branch) "[\w./-]+"\]$/,
  /^\t(?:url|pushurl) = (?:https?:\/\/|\/|\.)[\w.:/~@%+-]*$/,
  /^\tfetch = \+?refs\/[\w./*-]+:refs\/[\w./*-]+$/,
  /^\t(?:remote|merge) = [\w./-]+$/,
];

function isPlainConfig(path: string): boolean {
  const lines = read(path)?.split("\n");
  return lines?.every((line) => PLAIN_LINES.some((plain) => plain.test(line))) === true;
}

function hasOnlySamples(path: string): boolean {
  if (lstatSync(Buffer.from(path, "latin1"), NO_THROW)?.isDirectory() !== true) return false;
  const folder = opendirSync(Buffer.from(path, "latin1"), { encoding: "latin1" });
  try {
    for (let entry = folder.readSync(), names = 0; entry !== null; entry = folder.readSync(), names++)
      if (names === MAX_SAMPLES || !(entry.name.endsWith(".sample") || entry.name === "README")) return false;
    return true;
  } finally {
    folder.closeSync();
  }
}

function isFile(path: string): boolean {
  return lstatSync(Buffer.from(path, "latin1"), NO_THROW)?.isFile() === true;
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** A small file's text; undefined for anything else, and for a link. */
function read(path: string): string | undefined {
  try {
    return readRegularBytes(Buffer.from(path, "latin1"), { max_bytes: MAX_BYTES, follows: false }).toString("latin1");
  } catch {
    return undefined; // whatever it is, it isn't known to be harmless
  }
}
