import { statfsSync } from "node:fs";

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
