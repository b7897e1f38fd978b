/**
 * Folders in which a file system shows what it held earlier (NetApp's, ZFS's, snapper's on btrfs, UFS's): below each name in one, all lies
 * again by its own path.
 */
const IN_SNAPSHOT = /\/(?:\.snapshots?|\.snap|\.zfs(?:\/snapshot|(?=$)))(?:\/[^/]+(?:\/snapshot(?=\/|$))?)?(?=\/|$)/gi;

/** Where macOS shows the disk with users' folders once more, whatever links are followed; and its own names of `/etc`, `/tmp` and `/var`. */
const OTHER_NAME = /^(?:\/System\/Volumes\/Data(?=\/|$)|\/private(?=\/(?:etc|tmp|var)(?:\/|$)))/i;

/** What a path (absolute) in a snapshot is the earlier state of, or by macOS' other name the same as; undefined for any other path. */
export function earlierStateOf(path: string): string | undefined {
  if (!/\/\.(?:snap|zfs)|^\/(?:system|private)\//i.test(path)) return undefined;
  const now = path.replace(OTHER_NAME, "").replace(OTHER_NAME, "").replace(IN_SNAPSHOT, "");
  return now === path ? undefined : now || "/";
}
