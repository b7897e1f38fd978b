import { foundBy } from "../../programs/find.ts";
import {
  mayBeAtOrBelow,
  mayBePath,
  type Name,
  namesOf,
  type PathForm,
  pathOf,
  pathOfPieces,
} from "../../shell/paths.ts";
import type { Reading, SimpleCommand, Word } from "../../shell/reading.ts";
import { type Around, isDisk, vitalFile, vitalFolder } from "../vital-paths.ts";
import { effectsOf } from "./effects.ts";
import { type Finding, finding } from "./finding.ts";

/** Commands that leave no way back: whole trees gone, disks overwritten, the machine brought down. */

const GROUP = "irrecoverable command";
const NAME_IT = "name exactly what should go, inside the project";

export function irrecoverable(reading: Reading, around: Around): Finding | null {
  if (reading.fork_bomb !== null) {
    const { start, end } = reading.fork_bomb;
    return {
      group: GROUP,
      saw: "something that starts itself over and over (a fork bomb)",
      instead: "start a fixed number of jobs",
      command: null,
      span: { start, end },
    };
  }
  for (const command of reading.commands) {
    const found = inCommand(command, around);
    if (found !== null) return found;
  }
  return null;
}

function inCommand(command: SimpleCommand, around: Around): Finding | null {
  const see = (saw: string, instead: string, word?: Word) => finding(GROUP, saw, instead, command, word ?? command);
  const effects = effectsOf(command);
  for (const word of effects.trees_deleted) {
    const what = wholeTree(word, command, around);
    if (what !== undefined) return see(`a recursive delete of ${what}`, NAME_IT, word);
  }
  for (const word of [...effects.deleted, ...effects.moved]) {
    const what = effects.moved.includes(word) ? wholeTree(word, command, around) : everyName(word, command, around);
    if (what !== undefined)
      return see(`${effects.moved.includes(word) ? "a move" : "a delete"} of ${what}`, NAME_IT, word);
  }
  for (const word of effects.trees_changed) {
    const what = wholeTree(word, command, around) ?? systemTree(word, command);
    if (what !== undefined)
      return see(`a recursive change of rights or owners of ${what}`, "change them inside the project", word);
  }
  for (const word of effects.changed) {
    const what = command.via.some((via) => via.startsWith("find") || via === "xargs")
      ? wholeTree(word, command, around)
      : undefined;
    if (what !== undefined)
      return see(`a change of rights or owners of ${what}`, "change them inside the project", word);
  }
  for (const word of [...effects.written, ...effects.deleted, ...effects.moved]) {
    const what = vitalFile(pathOf(word, command.cwd));
    if (what !== undefined)
      return see(`a change of ${what}`, "write a copy in the project, and let the human put it in place", word);
  }
  return found(command, around, see) ?? disks(command, see) ?? machine(command, see);
}

type See = (saw: string, instead: string, word?: Word) => Finding;

/** `find / -delete` and its like. */
function found(command: SimpleCommand, around: Around, see: See): Finding | null {
  if (command.name !== "find") return null;
  const args = command.argv.slice(1);
  if (!args.some(({ text }) => text === "-delete")) return null;
  for (const word of foundBy(args, command)) {
    const path = pathOf(word, command.cwd);
    const last = path.names.at(-1);
    const before = { ...path, names: path.names.slice(0, -1) };
    const what =
      wholeTree(word, command, around) ??
      (typeof last === "object" && last.kind === "any" ? vitalFolder(before, around) : undefined);
    if (what !== undefined)
      return see(`a delete of everything below ${what}`, "give find a folder of the project, or a name to look for");
  }
  return null;
}

/** What a tree is, where its loss leaves no way back. */
function wholeTree(word: Word, command: SimpleCommand, around: Around): string | undefined {
  for (const path of formsOf(word, command)) {
    const what = vitalFolder(path, around) ?? everythingIn(path, around);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** A word as it stands, and as it would be if a variable that nothing here sets were empty. */
function formsOf(word: Word, { cwd }: SimpleCommand): PathForm[] {
  const forms = [pathOf(word, cwd)];
  const [first] = word.pieces;
  // `${X:+x}/`: what may be empty, and what stands before such a mark, both go.
  const marks = word.pieces.findIndex(({ kind, text }) => kind === "hole" && text === "");
  const is_optional = marks !== -1 && word.pieces.slice(0, marks).every(({ text }) => !text.includes("/"));
  if (
    is_optional ||
    (first?.kind === "hole" && /^\$\{?(?:[A-Za-z_]\w*|\d+|[@*])\}?$/.test(first.text) && first.text !== "$unknown")
  ) {
    const rest = word.pieces.slice(is_optional ? marks + 1 : 1);
    if (rest[0]?.text.startsWith("/") && rest.every(({ kind }) => kind !== "hole")) {
      const emptied = pathOfPieces(rest, cwd);
      // `$X/dist` says where it should be; `$X/` and `$X/*` are the whole disk if it says nothing.
      if (emptied.names.length === 0 || (emptied.names.length === 1 && isPattern(emptied.names[0])))
        forms.push(emptied);
    }
  }
  return forms;
}

const isPattern = (name: Name | undefined): boolean => typeof name === "object" && name.kind === "pattern";

/** Deleting single names does harm as a whole where they are all there is. */
function everyName(word: Word, command: SimpleCommand, around: Around): string | undefined {
  if (!command.via.some((via) => via.startsWith("find") || via === "xargs")) return undefined;
  const path = pathOf(word, command.cwd);
  const last = path.names.at(-1);
  if (typeof last !== "object" || last.kind !== "any") return undefined;
  return vitalFolder({ ...path, names: path.names.slice(0, -1) }, around);
}

/** `/usr/*`, `~/.*`: a pattern that takes everything directly in such a place. */
function everythingIn(path: PathForm, around: Around): string | undefined {
  const last = path.names.at(-1);
  if (typeof last !== "object" || last.kind === "unknown") return undefined;
  const inner = last.kind === "pattern" && last.text.replace(/^\./, "").replace(/\*+|\?+|\[[^\]]*\]/g, "");
  if (inner !== "" && last.kind === "pattern") return undefined;
  // `?` and `[ab]` alone are names of one letter.
  if (last.kind === "pattern" && !last.text.includes("*")) return undefined;
  // What lies anywhere below a filter is not everything.
  if (last.kind === "any") return undefined;
  const folder = vitalFolder({ ...path, names: path.names.slice(0, -1) }, around);
  return folder === undefined ? undefined : `everything in ${folder}`;
}

function systemTree(word: Word, command: SimpleCommand): string | undefined {
  const path = pathOf(word, command.cwd);
  return ["usr", "etc", "bin", "lib", "sbin", "boot", "var/lib", "System"].some(
    (tree) => mayBeAtOrBelow(path, namesOf(tree)) && path.names.length <= 3 && !mayBeAtOrBelow(path, ["usr", "local"]),
  )
    ? "a system folder"
    : undefined;
}

const WIPES =
  /^(?:mkfs(?:\..+)?|mke2fs|mkntfs|newfs.*|mkswap|wipefs|blkdiscard|sgdisk|sfdisk|fdisk|gdisk|cfdisk|parted|zfs|partprobe|cryptsetup|mdadm|pvcreate|pvremove|vgremove|lvremove|badblocks|hdparm|nvme|diskutil|zpool|e2label|tune2fs|resize2fs|dmsetup|shred)$/;

function disks(command: SimpleCommand, see: See): Finding | null {
  const KEEP = "work on a file in the project, or let the human do it";
  for (const word of effectsOf(command).written) {
    if (isDisk(pathOf(word, command.cwd))) return see("a raw write to a disk", KEEP, word);
    if (mayBePath(pathOf(word, command.cwd), ["proc", "sysrq-trigger"]))
      return see("a direct command to the kernel", KEEP, word);
  }
  const { name, argv } = command;
  const args = argv.slice(1);
  if (!WIPES.test(name)) return null;
  const texts = args.map(({ text }) => text);
  const is_told_only =
    texts.length === 0 ||
    texts.some((text) => /^(?:--help|--version|-V|-h|--dry-run|--no-act|--print|--list|-l)$/.test(text));
  if (is_told_only && name !== "mkfs") return null;
  const target = args.find((word) => isDisk(pathOf(word, command.cwd)));
  if (/^(?:mkfs|mke2fs|mkntfs|newfs)/.test(name)) {
    if (is_told_only || texts.includes("-n") || texts.includes("-N")) return null;
    // A new file system in an image of the project is a file like any other.
    if (
      target === undefined &&
      args.length > 0 &&
      args.every((word) => word.is_certain && !word.text.startsWith("/dev"))
    )
      return null;
    return see("a new file system on a disk", KEEP, target);
  }
  if (target === undefined && !(name === "diskutil" && texts.some((text) => /erase|partition|reformat/i.test(text)))) {
    return /^(?:vgremove|lvremove)$/.test(name) || texts.some((text) => /^(?:destroy|labelclear)$/.test(text))
      ? see("a storage pool destroyed", KEEP)
      : null;
  }
  const reads: Readonly<Record<string, RegExp>> = {
    wipefs: /^(?:-n|--no-act|-J|-p)$/,
    sgdisk: /^(?:-p|--print|-i|-v|-b|--backup.*)$/,
    sfdisk: /^(?:-d|--dump|-J|--json|-l|-V|--verify)$/,
    parted: /^(?:print|unit)$/,
    cryptsetup: /^(?:luksDump|isLuks|status|luksUUID|open|close|luksOpen|luksClose)$/,
    mdadm: /^(?:--detail|-D|--examine|-E)$/,
    hdparm: /^-[iIgtT]+$/,
    nvme: /^(?:list|id-ctrl|smart-log|id-ns)$/,
    tune2fs: /^-l$/,
    badblocks: /^-[sv]+$/,
    diskutil: /^(?:list|info)$/,
    dmsetup: /^(?:ls|info|status|table)$/,
    partprobe: /./,
    e2label: /^$/,
  };
  if (texts.some((text) => reads[name]?.test(text))) return null;
  return see(
    name === "shred" || name === "blkdiscard" || name === "wipefs"
      ? "a disk wiped"
      : "a disk's partitions or contents changed",
    KEEP,
    target,
  );
}

function machine(command: SimpleCommand, see: See): Finding | null {
  const { name, argv } = command;
  const texts = argv.slice(1).map(({ text }) => text);
  if (name === "kill" || name === "killall5") {
    const operands = texts.filter(
      (text, index) => !/^-(?:s|n)$/.test(texts[index - 1] ?? "") && !/^-(?:s|n|l|L|-list|-signal.*|-)$/.test(text),
    );
    const has_signal =
      /^-(?:\d+|[A-Z][A-Z0-9+-]*|s|n)$/i.test(texts[0] ?? "") || texts[0]?.startsWith("--signal") === true;
    const pids = has_signal && !/^-[sn]$/.test(texts[0] ?? "") ? operands.slice(1) : operands;
    if (name === "killall5" || pids.includes("-1") || (texts.includes("--") && texts.at(-1) === "-1"))
      return see("a signal to every process", "name the process that should end");
    if (pids.includes("1") && command.via.some((via) => via === "sudo" || via === "doas"))
      return see("a signal to the system's first process", "name the process that should end");
  }
  if (
    (name === "pkill" || name === "killall" || name === "skill") &&
    (texts.includes(".") || texts.includes(".*") || texts.includes("^"))
  )
    return see("a signal to every process", "name the process that should end");
  if (/^(?:userdel|deluser)$/.test(name) && texts.some((text) => /^-\w*r|^--remove/.test(text)))
    return see("an account and its home folder deleted", "leave that to the human");
  if (name === "init" || name === "telinit") {
    if (texts.some((text) => /^[016]$/.test(text))) return see("the machine shut down", "leave that to the human");
  }
  const ends =
    /^(?:shutdown|reboot|poweroff|halt)$/.test(name) ||
    (name === "systemctl" && texts.some((text) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(text)));
  if (ends && command.in_loop) return see("the machine shut down again and again", "leave that to the human");
  if (name === "sysctl" && texts.some((text) => text.startsWith("kernel.sysrq") || text.startsWith("kernel.panic")))
    return see("the kernel told to stop", "leave that to the human");
  return null;
}
