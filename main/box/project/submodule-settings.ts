/** What git writes into `.gitmodules`, and of submodules into a repository's settings. */

/** Sections and keys that say where a submodule is and where it comes from: git runs nothing by them. */
const SECTION = /^\[submodule "[\w./-]+"\]$/;
const KEYS = [
  /^\turl = (?:https?:\/\/|\/|\.)[\w.:/~@%+-]*$/,
  /^\tpath = (?!\.\.?(?:\/|$)|\/)(?!.*\/\.\.?(?:\/|$))[\w./-]+$/,
  /^\tbranch = [\w./-]+$/,
  /^\tactive = true$/,
  /^\tshallow = true$/,
];

/** True where a text says of submodules where they are and come from, and nothing else. */
export function namesOnlySubmodules(text: string): boolean {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.every((line, at) => SECTION.test(line) || (at > 0 && KEYS.some((key) => key.test(line))));
}
