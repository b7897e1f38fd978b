import { dirname, join } from "node:path";
import { BUILD_FOLDERS, isTakenByGit, kindOf } from "@metnos-gate/shell-reading/files";
import { readRegularBytes, TOO_LARGE } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../../base/errors.ts";

/** What a build writes, beside its packages, in lower case: other folders are called so, too. */
const OUTPUTS: ReadonlySet<string> = new Set(["dist", "build", "out", "coverage", ".nyc_output", ".cache"]);

const MAX_IGNORED = 64 * 1024;
const MAX_DEPTH = 16;

/** True for a folder that a build makes again: by its name, and where that may be another's, as the project has Git ignore it. @param path absolute */
export function isMadeByBuild(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return BUILD_FOLDERS.has(name) || (OUTPUTS.has(name) && isIgnored(path) === true);
}

type ReadLines = (file: string) => readonly string[];

/**
 * True only where lines say so that are a folder's name, or its path, or all that is in it, and no other may take that back. Undefined
 * where it lies in no repository.
 * @param path absolute @param own the user's own lists of what git ignores
 */
export function isIgnored(
  path: string,
  own: readonly string[] = [],
  readLines: ReadLines = ignoreLines,
): boolean | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const all: string[] = [];
  let [isNamed, isAllInIt] = [false, false];
  const add = (lines: readonly string[], from: string) => {
    const called = [name, `**/${name}`, path.slice(from.length), path.slice(from.length + 1)];
    const says = (ends: readonly string[]) => called.some((one) => ends.some((end) => lines.includes(one + end)));
    isNamed ||= says(["", "/"]);
    isAllInIt ||= says(["/*", "/**"]);
    all.push(...lines);
  };
  let here = dirname(path);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    add(readLines(join(here, ".gitignore")), here);
    if (kindOf(join(here, ".git")) !== "nothing") {
      // One that git passes over says nothing of what it ignores.
      const its = isTakenByGit(join(here, ".git")) ? [join(here, ".git/info/exclude")] : [];
      for (const file of [...own, ...its]) add(readLines(file), here);
      const back = all.filter((line) => line.startsWith("!"));
      if (isNamed && !back.some((line) => mayName(line, name))) return true;
      // A list in the folder itself counts as well, where it isn't ignored itself.
      const inner = readLines(join(path, ".gitignore"));
      const areKept = back.length === 0 && !inner.some((line) => line.startsWith("!"));
      return areKept && (isAllInIt || inner.includes("*"));
    }
    if (dirname(here) === here) return undefined;
    here = dirname(here);
  }
  return false;
}

/** Whether the last name of a pattern may be this one: what is before its first special character, and behind its last. */
function mayName(line: string, name: string): boolean {
  const last = line.slice(1).replace(/\/$/, "").split("/").at(-1) ?? "";
  const [, begin = "", end = ""] = /^([^*?[\\]*)[*?[\\].*?([^*?\]\\]*)$/s.exec(last) ?? [];
  return last === name || (/[*?[\\]/.test(last) && name.startsWith(begin) && name.endsWith(end));
}

/**
 * None where there is no such file, or nothing that git would read; of more than is read one that may take anything back. Git takes no
 * spaces off their beginning, and ends them at a NUL.
 */
export function ignoreLines(file: string): string[] {
  try {
    // Git goes through no link to it.
    const text = readRegularBytes(file, { maxBytes: MAX_IGNORED, follows: false }).toString();
    return text.split("\n").map((line) => line.replace(/\0.*$/s, "").replace(/\r$/, "").replace(/ +$/, ""));
  } catch (error) {
    return errorCode(error) === TOO_LARGE ? ["!*"] : [];
  }
}
