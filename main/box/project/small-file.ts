import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { realPath } from "@metnos-gate/shell-reading/files";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";

/** What a file of a project's repository says, and whether it is one. Paths have one character for each byte. */

const MAX_BYTES = 65_536;

/** A small file's text; undefined for anything else, and for a link. */
export function textOf(path: string): string | undefined {
  try {
    return readRegularBytes(Buffer.from(path, "latin1"), { maxBytes: MAX_BYTES, follows: false }).toString("latin1");
  } catch {
    return undefined; // whatever it is, it isn't known to be harmless
  }
}

/** Whether it is neither a link nor below one; or isn't there. */
export function isItself(file: string): boolean {
  const bytes = Buffer.from(file, "latin1");
  try {
    return lstatSync(bytes, { throwIfNoEntry: false }) === undefined || realPath(bytes).toString("latin1") === file;
  } catch {
    return false;
  }
}

/** Of the file itself, at a path as its bytes; undefined where it can't be looked at. */
export function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, closed, or deeper than a path can be long
  }
}

/** False where its disk takes a name in other letters for the same, as Windows' do: a mount may be there by one alone. @param folder absolute */
export function keepsNamesApart(folder: string): boolean {
  return ![join(folder, ".git"), folder].some((path) => {
    const other = join(dirname(path), basename(path).toUpperCase());
    const [one, its] = [path, other].map((each) => statOf(Buffer.from(each).toString("latin1")));
    return other !== path && one !== undefined && one.ino === its?.ino && one.dev === its.dev;
  });
}
