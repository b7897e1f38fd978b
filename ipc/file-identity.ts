import { statSync } from "node:fs";

/** Which file a path led to, however it is named later: two files of one machine never share both numbers at the same time. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The file at `path`, links followed; undefined where there is none, or no way to it. */
export function identityOf(path: string): FileIdentity | undefined {
  try {
    // As bigints: some file systems number beyond what a double holds.
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder above it is closed, or isn't one any more: the path leads nowhere
  }
}

/** True if `path` still leads to that file. */
export function isStillAt(path: string, { dev, ino }: FileIdentity): boolean {
  const found = identityOf(path);
  return found !== undefined && found.ino === ino && found.dev === dev;
}
