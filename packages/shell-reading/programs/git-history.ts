import { join } from "node:path";
import type { SimpleCommand, Word } from "../reading.ts";
import { kindOf } from "../targets/path.ts";
import { folderAbove } from "../targets/project.ts";

/** Names of secrets in repositories' histories, as they were found when their objects were looked through: what is read is in memory. */

export interface SecretNames {
  /** Of files that any commit has or had, and names that `mayMeanGits`; below the work tree. */
  readonly ever: readonly string[];
  /** Those that the commit at HEAD has. */
  readonly atHead: readonly string[];
  /** References, whole, that lead to no commit; left out: none. */
  readonly oddReferences?: readonly string[];
}

/**
 * A name that a shell cuts at its blanks, or takes for a pattern, where git prints it: what comes of it may lie in git's own folder. Below
 * folders that nobody looks through, a link may lead there.
 */
export const mayMeanGits = (name: string): boolean =>
  /(?:^|[\s/])\.(?:git(?=[\s/]|$)|[^/\s]*[*?[])|(?:^|\/)node_modules\//i.test(name);

/** Words of one repository that are remembered. */
const MAX_WORDS = 10_000;

/** What a history may hold that hasn't been looked through yet: anything that git was ever given. */
const ANYTHING: SecretNames = { ever: [".git/objects"], atHead: [".git/objects"] };

class HistoryNotes {
  /** Repositories that are remembered: more than one line can name. */
  readonly most = 1024;
  readonly #known = new Map<string, SecretNames>();
  /** Words that name commits there, or nothing. */
  readonly #commits = new Map<string, Set<string>>();

  /** @param root of a work tree; absolute and real */
  note(root: string, names: SecretNames): void {
    this.#known.delete(root);
    this.#known.set(root, names);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.most && oldest !== undefined) this.#known.delete(oldest);
  }

  /** It is being looked through. */
  noteWaiting(root: string): void {
    if (!this.#known.has(root)) this.note(root, ANYTHING);
  }

  /** Nothing was found out: it isn't waited for any more. */
  noteUnknown(root: string): void {
    if (this.#known.get(root) === ANYTHING) this.#known.delete(root);
  }

  /** Another repository is there by now. */
  forget(root: string): void {
    this.#known.delete(root);
    this.#commits.delete(root);
  }

  /**
   * What words name, as it was just looked up. @param names words that name commits, or nothing @param secrets names in those commits that no
   * reference leads to
   */
  noteCommits(root: string, words: readonly string[], names: readonly string[], secrets: readonly string[]): void {
    const { ever, ...more } = this.#known.get(root) ?? { ever: [], atHead: [] };
    if (secrets.length > 0) this.note(root, { ...more, ever: [...new Set([...ever, ...secrets])] });
    const noted = this.#commits.get(root) ?? new Set();
    if (noted.size > MAX_WORDS) noted.clear();
    if (this.#commits.size > this.most) this.#commits.clear();
    for (const word of words) noted.delete(word);
    for (const name of names) noted.add(name);
    this.#commits.set(root, noted);
  }

  /** True for a word of whose commit all secrets' names are known, and for one that names nothing. */
  isCommit(root: string, word: string): boolean {
    return this.#commits.get(root)?.has(word) === true;
  }

  hasOddReferences(root: string): boolean {
    return this.#known.get(root)?.oddReferences !== undefined;
  }

  isOddReference(root: string, name: string): boolean {
    const odd = this.#known.get(root)?.oddReferences;
    return odd?.some((one) => one === name || one.endsWith(`/${name}`)) === true;
  }

  /** Of the work tree that a folder (absolute) lies in; undefined where its history holds none, or hasn't been looked through. */
  at(folder: string): ({ root: string } & SecretNames) | undefined {
    // What was a repository once may be a folder of another by now.
    const isIt = (here: string) => this.#known.has(here) && kindOf(join(here, ".git")) !== "nothing";
    const root = folderAbove(folder, isIt) ?? "";
    const names = this.#known.get(root);
    return names === undefined || names.ever.length === 0 ? undefined : { root, ...names };
  }
}

/** Of this process: who looks histories through notes here what is in them. */
export const gitHistories = new HistoryNotes();

/** `git log -- .ssh`: which commits changed it, not what was in it. */
export function asksHistoryOf({ name, argv, via, captures, isLast }: SimpleCommand, word: Word): boolean {
  const dashes = argv.findIndex(({ text }) => text === "--");
  if (name !== "git" || argv[1]?.text !== "log" || dashes === -1 || argv.indexOf(word) < dashes) return false;
  if (via.length > 0 || captures > 0 || !isLast) return false;
  return argv.slice(2, dashes).every(({ text }) => /^(?:--(?:oneline|all|follow|stat|reverse)|-\d+)$/.test(text));
}
