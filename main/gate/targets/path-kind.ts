import { lstatSync } from "node:fs";
import { errorCode } from "../errors.ts";

/** What is at a path now, links not followed; `unknown` where that can't be determined. */
export type PathKind = "nothing" | "file" | "folder" | "link" | "unknown";

const NO_THROW = { throwIfNoEntry: false } as const;

export function kindOf(path: string): PathKind {
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
