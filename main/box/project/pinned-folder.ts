import { constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { errorCode } from "../../base/errors.ts";

/** A folder that is opened once and compared with what was looked at: what is put in its place meanwhile leads nowhere else. */

/** Opens a folder as a place only, also one that can't be read. Linux's number; Node has no name for it. */
const O_PATH = 0o10000000;

/** Its descriptor; undefined where there is no folder. @throws the system's error */
export function openFolder(path: string | Buffer): number | undefined {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  const bytes = typeof path === "string" ? Buffer.from(path, "latin1") : path;
  try {
    return openSync(bytes, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

/** The folder that is open lies where it was found, through no link, and is the one that was found, where that is known. */
export function isSameFolder(fd: number, path: string, identity: string): boolean {
  const { dev, ino } = fstatSync(fd);
  const isThere = readlinkSync(`/proc/self/fd/${fd}`, "latin1") === path;
  return isThere && (identity === "" || identity === `${dev}:${ino}`);
}
