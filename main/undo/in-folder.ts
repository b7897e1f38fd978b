import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import { NOT_A_FILE, readRegularBytes, TOO_LARGE } from "../../ipc/base/regular-file.ts";
import { MAX_FILE } from "./bounds.ts";

/**
 * Files by their names in one open folder, which is this process's working directory while it is looked at: no link above a file is
 * followed, whatever is put in its place meanwhile, and nothing that is opened is waited for.
 */

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** As the system takes a name of one character for each byte. */
export const named = (name: string): string | Buffer => (/[^\0-\x7f]/.test(name) ? Buffer.from(name, "latin1") : name);

/** @returns undefined where no folder has this name now @throws the system's error, where it can't be opened */
export function openFolderIn(name: string): number | undefined {
  try {
    return openSync(named(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

export const enter = (fd: number): void => process.chdir(`/proc/self/fd/${fd}`);

/** Runs this in an open folder of a root, by its path from there. @returns undefined where that is no folder, or a link leads there */
export function inFolder<T>(rootFd: number, path: string, run: () => T): T | undefined {
  enter(rootFd);
  for (const name of path === "" ? [] : path.split("/")) {
    // Nothing outside of the root has a name.
    if (name === "" || name === "." || name === "..") return undefined;
    const fd = openFolderIn(name);
    if (fd === undefined) return undefined;
    try {
      enter(fd);
    } finally {
      closeSync(fd);
    }
  }
  return run();
}

export function statIn(name: string): Stats | undefined {
  try {
    return lstatSync(named(name));
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

const isNothing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "");

const UNREADABLE: ReadonlySet<string> = new Set([NOT_A_FILE, TOO_LARGE, "EAGAIN", "ENXIO", "EACCES", "EPERM"]);

/** @returns undefined where it is no file any more, is too long, kept by another or not this user's @throws the system's error */
export function bytesIn(name: string, max: number = MAX_FILE): Buffer | undefined {
  try {
    return readRegularBytes(named(name), { maxBytes: max, follows: false });
  } catch (error) {
    if (isNothing(error) || UNREADABLE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** What a link says, as bytes. */
export const linkIn = (name: string): Buffer => readlinkSync(named(name), { encoding: "buffer" });

/** What isn't kept, as it looks: enough to see that it was changed. */
export const looksOf = ({ size, mtimeMs, ino, mode }: Stats): string =>
  createHash("sha1").update(`${size} ${mtimeMs} ${ino} ${mode}`).digest("hex");
