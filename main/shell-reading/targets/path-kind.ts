import { lstatSync } from "node:fs";
import { errorCode } from "../../base/errors.ts";
import { following } from "./tree-scan.ts";

/** What is at a path now, links not followed; `unknown` where that can't be determined, or the call's paths take too long to be followed. */
export type PathKind = "nothing" | "file" | "folder" | "link" | "unknown";

const NO_THROW = { throwIfNoEntry: false } as const;

export function kindOf(path: string): PathKind {
  return following(() => lookedAt(path)) ?? "unknown";
}

function lookedAt(path: string): PathKind {
  try {
    const stat = lstatSync(path, NO_THROW);
    if (stat === undefined) return "nothing";
    if (stat.isSymbolicLink()) return "link";
    return stat.isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOTDIR" || code === "ENAMETOOLONG" ? "nothing" : "unknown";
  }
}

/** Characters that some file systems leave out of a name. */
const LEFT_OUT = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const PLAIN = /^[\x00-\x7f]*$/;

/**
 * A path as file systems compare names that take no account of case (macOS): in lower case, compatible letters (`ſ`, the Kelvin sign) as
 * those they mean. Two paths that differ here are two files everywhere.
 */
export function foldedPath(path: string): string {
  return PLAIN.test(path) ? path.toLowerCase() : path.replace(LEFT_OUT, "").normalize("NFKC").toLowerCase();
}
