import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { beginningOf, hasOwnTimes } from "@metnos-gate/shell-reading/files";
import { type NotedFolder, namesOutside, settingsOf } from "@metnos-gate/shell-reading/git";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import { listsPacks, namesFiles, REFERENCES, secretsIn } from "./folder-contents.ts";
import { isItself, statOf, textOf } from "./small-file.ts";
import type { TimeSlice } from "./time-slice.ts";

/** What git keeps of files in the work tree, and reads and writes them by: an index, or a list of conflicts that it learns from. */

/** More than the index of a project holds that isn't too large. */
const MAX_INDEX = 40 * 1024 * 1024;

/**
 * Whether all files that it names lie in the work tree, and none in a repository's own folder.
 * @param path with one character for each byte @param noted of an index, where the folders are added in which git knows of untracked files
 */
export function namesOwnFiles(path: string, noted?: NotedFolder[]): boolean {
  if (path.endsWith("/MERGE_RR")) return namesPlainFiles(path);
  try {
    const index = readRegularBytes(Buffer.from(path, "latin1"), { maxBytes: MAX_INDEX, follows: false });
    return !namesOutside(index, hasSha256(dirname(path)), noted);
  } catch {
    return false;
  }
}

/** Whether an index has git list, by what it notes of untracked files, what a link in the place of a folder leads to. @param path as above */
export async function looksThroughLinks(
  path: string,
  noted: readonly NotedFolder[],
  turns: TimeSlice,
): Promise<boolean> {
  if (noted.length === 0) return false;
  const root = workTreeOf(path);
  if (root === undefined) return true;
  for (const { path: folder, changed_at, folders } of noted) {
    const at = folder === "" ? root : `${root}/${folder}`;
    const isAsNoted = Math.floor((statOf(at)?.mtimeMs ?? 0) / 1000) >>> 0 === changed_at;
    for (const name of isAsNoted ? folders : []) {
      if (statOf(`${at}/${name}`)?.isSymbolicLink() === true) return true;
      await turns.shared();
    }
    await turns.shared();
  }
  return false;
}

/** By what git keeps beside an index; undefined where nothing says that. */
function workTreeOf(path: string): string | undefined {
  const folder = dirname(path);
  if (basename(folder) === ".git") return dirname(folder);
  const named = textOf(`${folder}/gitdir`)?.trim();
  if (named !== undefined) return dirname(resolve(folder, named));
  const set = settingsOf(textOf(`${folder}/config`) ?? "")?.find(([key]) => key === "core.worktree")?.[1];
  return set === undefined ? undefined : resolve(folder, set);
}

/** Whether a repository's hashes are SHA-256, by its settings as git writes them; in a linked work tree those are the repository's own. */
function hasSha256(folder: string): boolean {
  const common = textOf(`${folder}/commondir`)?.trim() === "../.." ? `${folder}/../..` : folder;
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(textOf(`${common}/config`) ?? "");
}

/** An entry as git writes it. Of a path with `.` or `..` in it, it isn't known what is there once its folders are; git's own isn't listed. */
const CONFLICT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?:\.\d+)?\t(?!\/)(?!(?:.*\/)?\.(?:\.|git)?(?:\/|$))(.+)$/s;

/**
 * None is a link, or lies below one, in the work tree: git would go through it. Nor is any what boxes don't show: git copies what is there
 * among its own.
 */
function namesPlainFiles(path: string): boolean {
  const root = path.slice(0, -"/.git/MERGE_RR".length);
  const isPlainFile = (entry: string) => {
    const [, name] = CONFLICT.exec(entry) ?? [];
    const file = `${root}/${name}`;
    return name !== undefined && isItself(file) && !secretsIn(dirname(file))(basename(file));
  };
  const entries = textOf(path)
    ?.split("\0")
    .filter((entry) => entry !== "");
  return entries?.every((entry) => path === `${root}/.git/MERGE_RR` && isPlainFile(entry)) === true;
}

/** In bytes, in which a list of packs names them: in front of their objects. */
const MAX_PACK_NAMES = 256 * 1024;
const PACK_NAMES = "PNAM";

/** Whether all packs that a list of them (gitformat-pack) names lie beside the others. @param path as above */
export function namesOwnPacks(path: string): boolean {
  if (!/\/pack\/(?:[^/]+\.d\/)?[^/]+$/.test(path) || !listsPacks(path.slice(path.lastIndexOf("/") + 1))) return false;
  const begin = beginningOf(Buffer.from(path, "latin1"), MAX_PACK_NAMES);
  if (begin.kind !== "file" || begin.text.length < 12) return false;
  const bytes = Buffer.from(begin.text, "latin1");
  const table = Array.from({ length: bytes[6] ?? 0 }, (_, chunk) => 12 + 12 * chunk);
  const chunk = table.find((at) => begin.text.startsWith(PACK_NAMES, at));
  if (chunk === undefined || chunk + 12 > bytes.length) return false;
  const count = bytes.readUInt32BE(8);
  const names = begin.text.slice(Number(bytes.readBigUInt64BE(chunk + 4))).split("\0", count);
  return names.length === count && names.every((name) => /^[^/]+\.idx$/.test(name));
}

/** Whether all files of references that a list of them (reftable) names lie beside it. @param path as above */
export function namesOwnReferences(path: string): boolean {
  return path.endsWith(`/reftable/${REFERENCES}`) && textOf(path)?.includes("/") === false;
}

/** After so long another change to a file changes its times again, on any disk; in milliseconds. */
const SETTLED_MS = 2050;
const MAX_SETTLED = 256;

/** Indexes that name no file outside of their work tree, as they were when they were read. */
const settled = new Map<string, string>();

/**
 * The same by all that its times tell: before a run. A run that has it in its memory can change it without changing them, so that
 * after one it is read anew.
 */
export function namedOwnFilesBefore(path: string): boolean {
  if (!namesFiles(path.slice(path.lastIndexOf("/") + 1))) return false;
  const stat = bigStatOf(path);
  if (stat === undefined) return false;
  const state = `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`;
  if (settled.get(path) === state) return true;
  if (!namesOwnFiles(path)) return false;
  if (path.endsWith("/MERGE_RR") || Date.now() - Number(stat.ctimeMs) < SETTLED_MS) return true;
  if (!hasOwnTimes(Buffer.from(path, "latin1"))) return true;
  if (settled.size >= MAX_SETTLED) settled.clear();
  settled.set(path, state);
  return true;
}

function bigStatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(Buffer.from(path, "latin1"), { bigint: true });
  } catch {
    return undefined; // not there, or deeper than a path can be long
  }
}
