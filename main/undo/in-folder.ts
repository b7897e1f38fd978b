import { createHash } from "node:crypto";
import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import { NOT_A_FILE, readRegularBytes, TOO_LARGE } from "../../ipc/base/regular-file.ts";
import { MAX_FILE } from "./bounds.ts";

/**
 * Files by their names in one open folder, which is this process's working directory while it is looked at: no link above a file is
 * followed, whatever is put in its place meanwhile, and nothing that is opened is waited for.
 */

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Linux's, which Node doesn't name: opened for its place alone. */
const O_PATH = 0x200000;

/** As the system takes a name of one character for each byte. */
export const named = (name: string): string | Buffer => (/[^\0-\x7f]/.test(name) ? Buffer.from(name, "latin1") : name);

/** @returns undefined where the system refuses it */
export function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

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

/**
 * Runs this in an open folder of a root, by its path from there. @param crosses into other disks, too
 * @returns undefined where that is no folder, or a link leads there @throws the system's error, EXDEV where it is another disk's
 */
export function inFolder<T>(rootFd: number, path: string, run: () => T, crosses = false): T | undefined {
  enter(rootFd);
  const { dev } = fstatSync(rootFd);
  for (const name of path === "" ? [] : path.split("/")) {
    // Nothing outside of the root has a name.
    if (name === "" || name === "." || name === "..") return undefined;
    const fd = openFolderIn(name);
    if (fd === undefined) return undefined;
    try {
      if (!crosses && fstatSync(fd).dev !== dev) throw Object.assign(new Error("another disk"), { code: "EXDEV" });
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

/** The root itself, by its path: no link counts above it either. @throws the system's error */
export function openRoot(root: string): number {
  const top = openSync("/", O_RDONLY | O_DIRECTORY);
  try {
    const at = root.lastIndexOf("/");
    const fd = inFolder(top, root.slice(1, Math.max(at, 1)), () => openFolderIn(root.slice(at + 1) || "."), true);
    if (fd === undefined) throw Object.assign(new Error("it is no folder"), { code: "ENOTDIR" });
    return fd;
  } finally {
    closeSync(top);
  }
}

/** Sets a folder's mode, also of one that its owner can't read. @returns undefined where no folder has this name now @throws the system's error */
export function setMode(name: string, mode: number): true | undefined {
  try {
    const fd = openSync(named(name), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    try {
      chmodSync(`/proc/self/fd/${fd}`, mode & 0o7777);
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

export const isNothing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "");

const UNREADABLE: ReadonlySet<string> = new Set([
  ...[NOT_A_FILE, TOO_LARGE, "EAGAIN", "ENXIO", "EACCES", "EPERM", "EXDEV"],
  // A disk that fails, or isn't there any more.
  ...["EIO", "ESTALE", "ENOTCONN", "ENODEV", "EUCLEAN", "EBADMSG", "EREMOTEIO"],
]);

/** True where it isn't this user's to look at, or can't be read: then it isn't known what it is. */
export const isUnreadable = (error: unknown): boolean => UNREADABLE.has((error as NodeJS.ErrnoException).code ?? "");

/** @returns undefined where it is no file any more, is too long, kept by another or not this user's @throws the system's error */
export function bytesIn(name: string, max: number = MAX_FILE): Buffer | undefined {
  try {
    return readRegularBytes(named(name), { maxBytes: max, follows: false });
  } catch (error) {
    if (isNothing(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

/** What a link says, as bytes. */
export const linkIn = (name: string): Buffer => readlinkSync(named(name), { encoding: "buffer" });

/** What isn't kept, as it looks: enough to see that a file was changed, and that something else is the same one. */
export const looksOf = (stat: Pick<Stats, "size" | "mtimeMs" | "ino" | "mode" | "isFile">): string =>
  createHash("sha1")
    .update(stat.isFile() ? `${stat.size} ${stat.mtimeMs} ${stat.ino} ${stat.mode}` : `${stat.ino} ${stat.mode}`)
    .digest("hex");
