/** Programs that make, change or wipe disks and what lies on them. */
export interface DiskTool {
  /** It makes a file system; else it changes partitions, pools or what is on the disk. */
  makes_file_system?: true;
  wipes?: true;
  /** Words with which it only looks, besides those that go for all. */
  only_looks?: RegExp;
  /** Words with which it acts on a disk that isn't named by a path. */
  acts_on_names?: RegExp;
  /** It takes the names of volumes and pools, and destroys them. */
  destroys_pools?: true;
}

/** Words with which any of them only says what it would do, or what there is. */
const ONLY_SAYS = /^(?:--help|--version|-V|-h|--dry-run|--no-act|--print|--list|-l)$/;

const MAKES: DiskTool = { makes_file_system: true, only_looks: /^-[nN]$/ };

const DISK_TOOLS: Readonly<Record<string, DiskTool>> = {
  mkfs: MAKES,
  mke2fs: MAKES,
  mkntfs: MAKES,
  newfs: MAKES,
  mkswap: {},
  wipefs: { wipes: true, only_looks: /^(?:-n|--no-act|-J|-p)$/ },
  blkdiscard: { wipes: true },
  sgdisk: { only_looks: /^(?:-p|--print|-i|-v|-b|--backup.*)$/ },
  sfdisk: { only_looks: /^(?:-d|--dump|-J|--json|-l|-V|--verify)$/ },
  fdisk: {},
  gdisk: {},
  cfdisk: {},
  parted: { only_looks: /^(?:print|unit)$/ },
  zfs: {},
  partprobe: { only_looks: /./ },
  cryptsetup: { only_looks: /^(?:luksDump|isLuks|status|luksUUID|open|close|luksOpen|luksClose)$/ },
  mdadm: { only_looks: /^(?:--detail|-D|--examine|-E)$/ },
  pvcreate: {},
  pvremove: {},
  vgremove: { destroys_pools: true },
  lvremove: { destroys_pools: true },
  badblocks: { only_looks: /^-[sv]+$/ },
  hdparm: { only_looks: /^-[iIgtT]+$/ },
  nvme: { only_looks: /^(?:list|id-ctrl|smart-log|id-ns)$/ },
  diskutil: { only_looks: /^(?:list|info)$/, acts_on_names: /erase|partition|reformat/i },
  zpool: {},
  e2label: { only_looks: /^$/ },
  tune2fs: { only_looks: /^-l$/ },
  resize2fs: {},
  dmsetup: { only_looks: /^(?:ls|info|status|table)$/ },
  shred: { wipes: true },
};

/** The names of all of them. */
export const DISK_TOOL_NAMES: readonly string[] = Object.keys(DISK_TOOLS);

/** The record of a disk tool; one for each file system (`mkfs.ext4`, `newfs_msdos`) is the same tool. */
export function diskToolCalled(name: string): DiskTool | undefined {
  const family = name.startsWith("newfs") ? "newfs" : name.startsWith("mkfs.") && name.length > 5 ? "mkfs" : name;
  return Object.hasOwn(DISK_TOOLS, family) ? DISK_TOOLS[family] : undefined;
}

/** True if it is only asked what it would do, or for what there is. */
export function onlySays(args: readonly string[]): boolean {
  return args.length === 0 || args.some((text) => ONLY_SAYS.test(text));
}

/** True if it destroys a pool or a volume of one. */
export function destroysPool({ destroys_pools }: DiskTool, args: readonly string[]): boolean {
  return destroys_pools === true || args.some((text) => /^(?:destroy|labelclear)$/.test(text));
}
