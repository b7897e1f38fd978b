import type { Word } from "../reading.ts";
import { argumentsOf } from "./arguments.ts";
import type { Program } from "./program.ts";

/** Programs that make, change or wipe disks and what lies on them. */
export interface DiskTool {
  /** It makes a file system; else it changes partitions, pools or what is on the disk. */
  makesFileSystem?: true;
  wipes?: true;
  /** Words with which it only looks, besides those that go for all. */
  only_looks?: RegExp;
  /** Words with which it acts on a disk that isn't named by a path. */
  actsOnNames?: RegExp;
  /** It takes the names of volumes and pools, and destroys them. */
  destroysPools?: true;
}

/** Words with which any of them only says what it would do, or what there is. */
const ONLY_SAYS = /^(?:--help|--version|-V|-h|--dry-run|--no-act|--print|--list|-l)$/;

const MAKES: DiskTool = { makesFileSystem: true, only_looks: /^-[nN]$/ };

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
  vgremove: { destroysPools: true },
  lvremove: { destroysPools: true },
  badblocks: { only_looks: /^-[sv]+$/ },
  hdparm: { only_looks: /^-[iIgtT]+$/ },
  nvme: { only_looks: /^(?:list|id-ctrl|smart-log|id-ns)$/ },
  diskutil: { only_looks: /^(?:list|info)$/, actsOnNames: /erase|partition|reformat/i },
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
export function destroysPool({ destroysPools }: DiskTool, args: readonly string[]): boolean {
  return destroysPools === true || args.some((text) => /^(?:destroy|labelclear)$/.test(text));
}

/** Programs that find, signal, debug, start and end processes, services and the machine itself. */
export interface ProcessTool {
  /** It sends signals to processes: by their names, by their numbers, to all of them, or to those that hold a file. */
  signals?: "by name" | "by number" | "all" | "holders";
  /** Words with which it does; without them always. */
  signalsWith?: RegExp;
  /** Words with which it sends none. */
  signalsNotWith?: RegExp;
  /** Its options that take a word: what is left are names of processes. */
  arguments?: Program;
  /** With one of these, names are looked for in whole command lines. */
  wholeLine?: RegExp;
  /** Words with which every process of a user is meant. */
  ofUser?: RegExp;
  /** It says which processes there are, or picks some of what another one says. */
  looks?: true;
  /** It looks for processes by their names, as `signals: "by name"` does. */
  looksByName?: true;
  /** Patterns that it is given with options are looked for in whole command lines. */
  looksInLines?: true;
  /** It looks into a process, and may change it. */
  debugs?: true;
  /** It starts, stops and changes services; with one of these words it does no harm. */
  harmlessForServices?: RegExp;
  /** It ends the machine's work: with one of these words, or always. */
  endsMachine?: RegExp | "always";
  /** Even where it isn't said again and again, the machine goes down without a warning. */
  endsAtOnce?: true;
  /** Words that make the kernel stop. */
  stopsKernel?: RegExp;
  /** Words with which it deletes an account and all that is its own. */
  deletesAccount?: RegExp;
}

const BY_NAME: ProcessTool = {
  signals: "by name",
  ofUser: /^-(?:u|U|-user|-euid|-uid)/,
  arguments: {
    names: ["pkill"],
    unclear: { text: "-u -U -g -G -P -t -s -F -o --user --euid --uid --signal" },
  },
};
const LOOKS: ProcessTool = { looks: true };
const DEBUGS: ProcessTool = { debugs: true };
const SERVICES: ProcessTool = {
  harmlessForServices: /^(?:status|show|is-active|is-enabled|cat|list-.*|list|print|start|enable|print)$/,
};
const ENDS: ProcessTool = { endsMachine: "always" };
const RUN_LEVEL: ProcessTool = { endsMachine: /^[016]$/, endsAtOnce: true };
const ACCOUNTS: ProcessTool = { deletesAccount: /^-\w*r|^--remove/ };

const PROCESS_TOOLS: Readonly<Record<string, ProcessTool>> = {
  pkill: { ...BY_NAME, wholeLine: /^-\w*f|^--full$/ },
  killall: BY_NAME,
  skill: BY_NAME,
  xkill: { signals: "by name" },
  kill: { signals: "by number", signalsNotWith: /^-[0l]$/ },
  killall5: { signals: "all" },
  fuser: { looks: true, signals: "holders", signalsWith: /^-\w*k|^--kill$/ },
  pgrep: { looks: true, looksByName: true, looksInLines: true },
  pidof: { looks: true, looksByName: true },
  ps: LOOKS,
  lsof: LOOKS,
  ss: LOOKS,
  grep: LOOKS,
  egrep: LOOKS,
  rg: LOOKS,
  awk: LOOKS,
  gawk: LOOKS,
  sed: LOOKS,
  gdb: DEBUGS,
  lldb: DEBUGS,
  strace: DEBUGS,
  ltrace: DEBUGS,
  reptyr: DEBUGS,
  gcore: DEBUGS,
  systemctl: { ...SERVICES, looks: true, endsMachine: /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/ },
  service: SERVICES,
  launchctl: SERVICES,
  busctl: SERVICES,
  gdbus: SERVICES,
  "dbus-send": SERVICES,
  shutdown: ENDS,
  reboot: ENDS,
  poweroff: ENDS,
  halt: ENDS,
  init: RUN_LEVEL,
  telinit: RUN_LEVEL,
  sysctl: { stopsKernel: /^kernel\.(?:sysrq|panic)/ },
  userdel: ACCOUNTS,
  deluser: ACCOUNTS,
};

/** The names of all of them. */
export const PROCESS_TOOL_NAMES: readonly string[] = Object.keys(PROCESS_TOOLS);

/** What a program does with processes, or undefined where it does nothing with them. */
export function processToolCalled(name: string): ProcessTool | undefined {
  return Object.hasOwn(PROCESS_TOOLS, name) ? PROCESS_TOOLS[name] : undefined;
}

/** True if a program that signals by number is given a process, or all of them (`kill -9 -1`). */
export function isSignalled(process: string, args: readonly string[]): boolean {
  const operands = args.filter(
    (text, index) => !/^-(?:s|n)$/.test(args[index - 1] ?? "") && !/^-(?:s|n|l|L|-list|-signal.*|-)$/.test(text),
  );
  const [first = ""] = args;
  const hasSignal = /^-(?:\d+|[A-Z][A-Z0-9+-]*|s|n)$/i.test(first) || first.startsWith("--signal");
  const numbers = hasSignal && !/^-[sn]$/.test(first) ? operands.slice(1) : operands;
  return numbers.includes(process) || (process === "-1" && args.includes("--") && args.at(-1) === "-1");
}

/** True if every process of a user is meant, whatever its name. */
export function signalsUser({ ofUser, arguments: known }: ProcessTool, args: readonly Word[]): boolean {
  return (
    known !== undefined && args.some(({ text }) => ofUser?.test(text)) && argumentsOf(known, args).operands.length === 0
  );
}

/** True if a loop that runs it in each round is held up, or ended, by it. */
export function holdsUp(name: string): boolean {
  return HOLD_UP.has(name);
}

const HOLD_UP: ReadonlySet<string> = new Set(["sleep", "wait", "read", "break", "exit", "return", "inotifywait"]);
