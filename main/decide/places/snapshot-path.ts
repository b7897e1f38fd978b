/**
 * Folders in which a file system shows what it held earlier (NetApp's, ZFS's, snapper's on btrfs, UFS's): below each name in one, all lies
 * again by its own path.
 */
const IN_SNAPSHOT = /\/(?:\.snapshots?|\.snap|\.zfs(?:\/snapshot|(?=$)))(?:\/[^/]+(?:\/snapshot(?=\/|$))?)?(?=\/|$)/gi;

/** What a path (absolute) in a snapshot is the earlier state of; undefined for any other path. */
export function earlierStateOf(path: string): string | undefined {
  if (!/\/\.(?:snap|zfs)/i.test(path)) return undefined;
  const now = path.replace(IN_SNAPSHOT, "");
  return now === path ? undefined : now || "/";
}
