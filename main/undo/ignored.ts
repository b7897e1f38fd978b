/**
 * What a project's `.gitignore` files say of its names, without Git: only to leave out what can be made anew, so that what isn't
 * understood is kept.
 */

interface Rule {
  pattern: RegExp;
  isFolderOnly: boolean;
  isKept: boolean;
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
  const names = isFolderOnly ? body.slice(0, -1) : body;
  if (names === "" || (names.match(/\*/g)?.length ?? 0) > 6) return undefined;
  const isAnchored = names.includes("/");
  const source = names
    .replace(/^\//, "")
    .split(/(\*\*\/|\/\*\*$|\*|\?|\[[^\]/]+\]|\\.)/)
    .map(sourceOf)
    .join("");
  try {
    return { pattern: new RegExp(`^${isAnchored ? "" : "(?:.*/)?"}${source}$`, "s"), isFolderOnly, isKept };
  } catch {
    return undefined; // a list of characters that isn't one
  }
}

function sourceOf(part: string): string {
  if (part === "**/") return "(?:.*/)?";
  if (part === "/**") return "/.*";
  if (part === "*") return "[^/]*";
  if (part === "?") return "[^/]";
  if (/^\[[^\]]+\]$/.test(part)) return part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
  const text = part.startsWith("\\") ? part.slice(1) : part;
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param path from the project, one character for each byte */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules | undefined): boolean {
  for (let here = rules; here !== undefined; here = here.above) {
    const below = path.slice(here.prefix.length);
    const last = here.rules.findLast((rule) => (isFolder || !rule.isFolderOnly) && rule.pattern.test(below));
    if (last !== undefined) return !last.isKept;
  }
  return false;
}
