import { statSync } from "node:fs";

/** Identifies a file independently of its name: two files of one machine never share both numbers at the same time. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The file at `path`, links followed; undefined where there is none, or it can't be reached. */
export function identityOf(path: string): FileIdentity | undefined {
  try {
    // As bigints: some file systems number beyond what a double holds.
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder above it can't be entered, or isn't a folder any more
  }
}

/** True if `path` still leads to that file. */
export function isStillAt(path: string, { dev, ino }: FileIdentity): boolean {
  const found = identityOf(path);
  return found !== undefined && found.ino === ino && found.dev === dev;
}
