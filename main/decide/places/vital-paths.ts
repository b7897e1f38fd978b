import {
  canMatch,
  canMatchAtOrBelow,
  canMatchPath,
  type PathPattern,
  type Segment,
  segmentsOf,
} from "@metnos-gate/shell-reading";

/** Folders and files whose loss leaves no way back, for what a tool would touch as for what a command line would. */

export interface PathContext {
  home: string;
  /** The working directory: where the whole command line begins. */
  cwd: string | null;
}

/** True if a pattern may expand to exactly a home folder: `/home/x`, `/Users/x`, root's, and the user's. */
export function isHome(segments: readonly Segment[], home: string): boolean {
  const path = { segments, isKnown: true, hasPattern: true };
  if (canMatchPath(path, segmentsOf(home))) return true;
  if (segments.length === 2 && (canMatch(segments[0], "home") || canMatch(segments[0], "Users")))
    return typeof segments[1] === "string" || segments[1]?.kind === "pattern" || segments[1]?.kind === "unknown";
  return canMatchPath(path, ["root"]) || canMatchPath(path, ["var", "root"]);
}

/** Folders at the top whose loss no machine recovers from. */
export const SYSTEM_FOLDERS: readonly string[] = [
  "bin",
  "boot",
  "dev",
  "etc",
  "home",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "media",
  "mnt",
  "opt",
  "proc",
  "root",
  "run",
  "sbin",
  "srv",
  "sys",
  "usr",
  "var",
  "efi",
  "nix",
  "snap",
  "Applications",
  "Library",
  "System",
  "Users",
  "Volumes",
  "private",
  "cores",
];

/** Trees below them that are as bad. */
const SYSTEM_TREES: readonly (readonly string[])[] = [
  "usr/bin",
  "usr/sbin",
  "usr/lib",
  "usr/lib64",
  "usr/share",
  "usr/local",
  "var/lib",
  "etc/systemd",
  "etc/pam.d",
  "System/Library",
  "private/etc",
  "private/var",
].map(segmentsOf);

/** Folders from the root on: what lies deeper is nobody's only work. */
const MAX_ABOVE = 64;

/** What a folder is whose loss, as a whole, leaves no way back: as words, or undefined. */
export function vitalFolder(path: PathPattern, { home, cwd }: PathContext): string | undefined {
  const { segments } = path;
  if (segments.length === 0) return "the whole disk";
  if (segments.length === 1 && SYSTEM_FOLDERS.some((folder) => canMatch(segments[0], folder))) return "a system folder";
  if (isHome(segments, home) && !isUnknown(segments)) return "a home folder";
  if (segments.length === 2 && isUnknown(segments) && (segments[0] === "home" || segments[0] === "Users"))
    return "a home folder";
  if (SYSTEM_TREES.some((tree) => tree.length === segments.length && canMatchPath(path, tree)))
    return "a system folder";
  if (cwd !== null && path.isKnown) {
    const here = segmentsOf(cwd);
    for (let length = 1; length < Math.min(here.length, MAX_ABOVE); length++)
      if (canMatchPath(path, here.slice(0, length))) return "a folder above the working directory";
  }
  return undefined;
}

const isUnknown = (names: readonly Segment[]): boolean =>
  names.some((name) => typeof name === "object" && name.kind === "unknown");

/** A file without which the machine doesn't start, or lets nobody in: as words, or undefined. */
export function vitalFile(path: PathPattern): string | undefined {
  const vital: [string, string][] = [
    ["etc/fstab", "the table of file systems"],
    ["etc/crypttab", "the table of encrypted disks"],
    ["etc/group", "the system's accounts"],
    ["etc/ld.so.preload", "what every program loads first"],
    ["etc/default/grub", "a boot file"],
    ["etc/inittab", "a boot file"],
  ];
  for (const [file, what] of vital) if (canMatchPath(path, segmentsOf(file))) return what;
  if (canMatchAtOrBelow(path, ["boot"]) || canMatchAtOrBelow(path, ["efi"])) return "a boot file";
  if (
    path.segments.length === 2 &&
    path.segments[0] === "etc" &&
    ["passwd", "shadow", "sudoers"].some((name) => canMatch(path.segments[1], name))
  )
    return "the system's accounts";
  return undefined;
}

const DEVICE = "sda sda1 sdb vda vdb xvda hda nvme0n1 mmcblk0 loop0 md0 dm-0 disk0 rdisk2".split(" ");

/** True if the path may be a block device. */
export function isDisk(path: PathPattern): boolean {
  const [first, second] = path.segments;
  if (!canMatch(first, "dev") || second === undefined) return false;
  if (typeof second === "string")
    return /^(?:sd[a-z]|nvme\d|mmcblk\d|loop\d|vd[a-z]|xvd[a-z]|hd[a-z]|md\d|dm-\d|r?disk\d|sr\d|nbd\d|zd\d|ram\d|mapper$|disk$|mem$|kmem$|port$)/.test(
      second,
    );
  return typeof first === "string" && DEVICE.some((device) => canMatch(second, device));
}

/** A path (absolute, normal) as names. `/private/etc` and `/private/var` are macOS's own names of `/etc` and `/var`. */
export function pathFormOf(path: string): PathPattern {
  const segments = segmentsOf(path);
  const isPrivate =
    segments[0] === "private" && (segments[1] === "etc" || segments[1] === "var") && segments.length > 2;
  return { segments: isPrivate ? segments.slice(1) : segments, isKnown: true, hasPattern: false };
}
