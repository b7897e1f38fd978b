/**
 * What a project's `.gitignore` files say of its names, without Git: only to leave out what can be made anew, so that what isn't
 * understood is kept.
 */

interface Rule {
  names: readonly Part<string>[];
  isFolderOnly: boolean;
  isKept: boolean;
}

/** What one character of a name, or one name of a path, has to be; null: any number of them, whatever they are. */
type Part<T> = ((one: T) => boolean) | null;

/** In time for its length times the pattern's, whatever both are. */
function fits<T>(all: ArrayLike<T>, parts: readonly Part<T>[]): boolean {
  let [at, part, any, from] = [0, 0, -1, 0];
  while (at < all.length) {
    const wanted = parts[part];
    if (wanted === null) [any, from] = [part++, at];
    else if (wanted?.(all[at] as T) === true) [at, part] = [at + 1, part + 1];
    else if (any >= 0) [part, at] = [any + 1, ++from];
    else return false;
  }
  return parts.slice(part).every((rest) => rest === null);
}

/** The rules of one folder, and of those that it lies in. */
export interface IgnoreRules {
  readonly above: IgnoreRules | undefined;
  readonly rules: readonly Rule[];
  /** Of the folder, from the project, with a slash at its end. */
  readonly prefix: string;
}

/** @param text of a `.gitignore`, one character for each byte @param prefix of its folder, from the project, with a slash at its end */
export function rulesOf(text: string, prefix: string, above: IgnoreRules | undefined): IgnoreRules {
  const rules = text.split(/\r?\n/, 10_000).flatMap((line) => ruleOf(line) ?? []);
  return { above, rules, prefix };
}

function ruleOf(line: string): Rule | undefined {
  if (line === "" || line.startsWith("#") || line.length > 1000) return undefined;
  const isKept = line.startsWith("!");
  const body = (isKept ? line.slice(1) : line).replace(/(?<!\\)\s+$/, "");
  const isFolderOnly = body.endsWith("/");
  const path = isFolderOnly ? body.slice(0, -1) : body;
  if (path === "") return undefined;
  const names = path.replace(/^\//, "").split("/").map(nameOf);
  // One name alone counts wherever it lies; at the end any number of names is one at the least.
  if (!path.includes("/")) names.unshift(null);
  else if (names.at(-1) === null) names.push(() => true);
  return { names, isFolderOnly, isKept };
}

function nameOf(text: string): Part<string> {
  if (text === "**") return null;
  const characters = [...text.matchAll(/\*+|\[[^\]]+\]|\\?./gs)].map(([part]) => characterOf(part));
  return (name) => fits(name, characters);
}

function characterOf(part: string): Part<string> {
  if (part.startsWith("*")) return null;
  if (part === "?") return () => true;
  if (part.length > 2 && part.startsWith("[")) {
    try {
      const list = new RegExp(part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\"), "s");
      return (one) => list.test(one);
    } catch {
      return () => false; // a list of characters that isn't one
    }
  }
  return (one) => one === part.at(-1);
}

/** @param path from the project, one character for each byte */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules | undefined): boolean {
  for (let here = rules; here !== undefined; here = here.above) {
    const below = path.slice(here.prefix.length).split("/");
    const last = here.rules.findLast((rule) => (isFolder || !rule.isFolderOnly) && fits(below, rule.names));
    if (last !== undefined) return !last.isKept;
  }
  return false;
}
