import { type Stats, statfsSync, statSync } from "node:fs";

/**
 * By their numbers in Linux, file systems on which the kernel itself says when a file was last changed (ctime), and nobody sets that:
 * ext2 to ext4, xfs, btrfs, tmpfs, zfs, f2fs, overlay, bcachefs. On others, as by FUSE, of networks, and vfat, it may follow `touch -d`.
 */
const WITH_OWN_TIMES: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1, 0xf2f52010, 0x794c7630, 0xca451a4e],
]);

/** False where what hasn't changed by its times may have changed, or that can't be known. */
export function hasOwnTimes(path: string | Buffer): boolean {
  try {
    // As Node says it: of 32 bits, with a sign on some.
    return process.platform !== "linux" || WITH_OWN_TIMES.has(statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}

/** A change so soon after a folder was read may not have changed its times again; in milliseconds. */
const SAME_TICK_MS = 2050;

/**
 * Keeps what was found by looking at which names lie directly in a folder, until that changes. The function finds it anew where there is no
 * such folder, or its times don't say so. @param most folders that are kept
 */
export function onceAFolderChanges<T>(most: number): (folder: string, find: () => T) => T {
  const known = new Map<string, Pick<Stats, "ctimeMs" | "ino" | "dev"> & { found: T }>();
  return (folder, find) => {
    const stat = statOf(folder);
    if (stat?.isDirectory() !== true) return find();
    const { ctimeMs, ino, dev } = stat;
    const kept = known.get(folder);
    if (kept?.ctimeMs === ctimeMs && kept.ino === ino && kept.dev === dev) return kept.found;
    const isSettled = Date.now() - ctimeMs > SAME_TICK_MS && hasOwnTimes(folder);
    const found = find();
    if (known.size >= most) known.clear();
    if (isSettled) known.set(folder, { ctimeMs, ino, dev, found });
    return found;
  };
}

/** What lies at a path, links followed; undefined where nothing is, no folder on the way is, or nobody may look. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
