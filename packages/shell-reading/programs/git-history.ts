import { join } from "node:path";
import { keepLatest } from "../../../main/base/keep-latest.ts";
import type { SimpleCommand, Word } from "../reading.ts";
import { kindOf } from "../targets/pattern.ts";
import { folderAbove } from "../targets/project.ts";

/** Names of secrets in repositories' histories, as they were found when their objects were looked through: what is read is in memory. */

export interface SecretNames {
  /** Of files that any commit has or had; below the work tree. */
  readonly ever: readonly string[];
  /** Those that the commit at HEAD has. */
  readonly atHead: readonly string[];
  /** References, whole, that lead to no commit; left out: none. */
  readonly oddReferences?: readonly string[];
}

/** Repositories that are remembered: more than one line can name. */
export const MAX_KNOWN = 1024;

/** Words of one repository that are remembered. */
const MAX_WORDS = 10_000;

const known = new Map<string, SecretNames>();
/** Words that name commits there, or nothing. */
const commits = new Map<string, Set<string>>();

/** @param root of a work tree; absolute and real */
export function noteHistory(root: string, names: SecretNames): void {
  keepLatest(known, root, names, MAX_KNOWN);
}

/** What a history may hold that hasn't been looked through yet: anything that git was ever given. */
const ANYTHING: SecretNames = { ever: [".git/objects"], atHead: [".git/objects"] };

export function noteWaiting(root: string): void {
  if (!known.has(root)) noteHistory(root, ANYTHING);
}

/** Nothing was found out: it isn't waited for any more. */
export function noteUnknown(root: string): void {
  if (known.get(root) === ANYTHING) known.delete(root);
}

/** Another repository is there by now. */
export function forgetHistory(root: string): void {
  known.delete(root);
  commits.delete(root);
}

/**
 * What words name, as it was just looked up. @param names words that name commits, or nothing @param secrets names in those commits that no
 * reference leads to
 */
export function noteCommits(root: string, words: readonly string[], names: readonly string[], secrets: string[]): void {
  const { ever, ...more } = known.get(root) ?? { ever: [], atHead: [] };
  if (secrets.length > 0) noteHistory(root, { ...more, ever: [...new Set([...ever, ...secrets])] });
  const noted = commits.get(root) ?? new Set();
  if (noted.size > MAX_WORDS) noted.clear();
  if (commits.size > MAX_KNOWN) commits.clear();
  for (const word of words) noted.delete(word);
  for (const name of names) noted.add(name);
  commits.set(root, noted);
}

/** True for a word of whose commit all secrets' names are known, and for one that names nothing. */
export const isCommit = (root: string, word: string): boolean => commits.get(root)?.has(word) === true;

export const hasOddReferences = (root: string): boolean => known.get(root)?.oddReferences !== undefined;

export function isOddReference(root: string, name: string): boolean {
  return known.get(root)?.oddReferences?.some((one) => one === name || one.endsWith(`/${name}`)) === true;
}

/** Of the work tree that a folder (absolute) lies in; undefined where its history holds none, or hasn't been looked through. */
export function historyAt(folder: string): ({ root: string } & SecretNames) | undefined {
  // What was a repository once may be a folder of another by now.
  const root = folderAbove(folder, (here) => known.has(here) && kindOf(join(here, ".git")) !== "nothing") ?? "";
  const names = known.get(root);
  return names === undefined || names.ever.length === 0 ? undefined : { root, ...names };
}

/** `git log -- .ssh`: which commits changed it, not what was in it. */
export function asksHistoryOf({ name, argv, via, captures, isLast }: SimpleCommand, word: Word): boolean {
  const dashes = argv.findIndex(({ text }) => text === "--");
  if (name !== "git" || argv[1]?.text !== "log" || dashes === -1 || argv.indexOf(word) < dashes) return false;
  if (via.length > 0 || captures > 0 || !isLast) return false;
  return argv.slice(2, dashes).every(({ text }) => /^(?:--(?:oneline|all|follow|stat|reverse)|-\d+)$/.test(text));
}
