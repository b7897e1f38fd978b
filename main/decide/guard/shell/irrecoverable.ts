import {
  canMatchAtOrBelow,
  canMatchPath,
  effectsOf,
  type PathPattern,
  pathOf,
  pathOfPieces,
  type Reading,
  type Segment,
  type SimpleCommand,
  segmentsOf,
  type Word,
} from "@metnos-gate/shell-reading";
import { programOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import { isDisk, type PathContext, vitalFile, vitalFolder } from "../../places/vital-paths.ts";
import { type Finding, finding } from "./finding.ts";

/** Commands that leave no way back: whole trees deleted, disks overwritten, the machine brought down. */

const RULE = "guard.irrecoverable-command";
const NAME_IT = "name exactly what should go, inside the project";

export function irrecoverable(reading: Reading, context: PathContext): Finding | null {
  if (reading.forkBomb !== null) {
    const { start, end } = reading.forkBomb;
    return {
      rule: RULE,
      description: "something that starts itself over and over (a fork bomb)",
      instead: "start a fixed number of jobs",
      command: null,
      span: { start, end },
    };
  }
  for (const command of reading.commands) {
    const found = inCommand(command, context);
    if (found !== null) return found;
  }
  return null;
}

function inCommand(command: SimpleCommand, context: PathContext): Finding | null {
  const report = (description: string, instead: string, word?: Word) =>
    finding(RULE, description, instead, command, word ?? command);
  const effects = effectsOf(command);
  for (const word of effects.treesDeleted) {
    const what = wholeTree(word, command, context);
    if (what !== undefined) return report(`a recursive delete of ${what}`, NAME_IT, word);
  }
  for (const word of [...effects.deleted, ...effects.moved]) {
    const what = effects.moved.includes(word) ? wholeTree(word, command, context) : everyName(word, command, context);
    if (what !== undefined)
      return report(`${effects.moved.includes(word) ? "a move" : "a delete"} of ${what}`, NAME_IT, word);
  }
  for (const word of effects.treesChanged) {
    const what = wholeTree(word, command, context) ?? systemTree(word, command);
    if (what !== undefined)
      return report(`a recursive change of rights or owners of ${what}`, "change them inside the project", word);
  }
  for (const word of effects.changed) {
    const what = command.via.some((label) => wrapperOf(label).handsOnEverything)
      ? wholeTree(word, command, context)
      : undefined;
    if (what !== undefined)
      return report(`a change of rights or owners of ${what}`, "change them inside the project", word);
  }
  for (const word of [...effects.written, ...effects.deleted, ...effects.moved]) {
    const what = vitalFile(pathOf(word, command.cwd));
    if (what !== undefined)
      return report(`a change of ${what}`, "write a copy in the project, and let the user put it in place", word);
  }
  return found(command, context, report) ?? disks(command, report) ?? machine(command, report);
}

type Report = (description: string, instead: string, word?: Word) => Finding;

/** `find / -delete` and its like. */
function found(command: SimpleCommand, context: PathContext, report: Report): Finding | null {
  for (const word of effectsOf(command).foundDeleted) {
    const path = pathOf(word, command.cwd);
    const last = path.segments.at(-1);
    const before = { ...path, segments: path.segments.slice(0, -1) };
    const what =
      wholeTree(word, command, context) ??
      (typeof last === "object" && last.kind === "any" ? vitalFolder(before, context) : undefined);
    if (what !== undefined)
      return report(`a delete of everything below ${what}`, "give find a folder of the project, or a name to look for");
  }
  return null;
}

/** What a tree is, where its loss leaves no way back. */
function wholeTree(word: Word, command: SimpleCommand, context: PathContext): string | undefined {
  for (const path of formsOf(word, command)) {
    const what = vitalFolder(path, context) ?? everythingIn(path, context);
    if (what !== undefined) return what;
  }
  return undefined;
}

/** A word as it is, and as it would be if a variable that nothing here sets were empty. */
function formsOf(word: Word, { cwd }: SimpleCommand): PathPattern[] {
  const forms = [pathOf(word, cwd)];
  const [first] = word.pieces;
  // `${X:+x}/`: what may be empty, and what precedes such a mark, are both removed.
  const marks = word.pieces.findIndex(({ kind, text }) => kind === "unknown" && text === "");
  const isOptional = marks !== -1 && word.pieces.slice(0, marks).every(({ text }) => !text.includes("/"));
  if (
    isOptional ||
    (first?.kind === "unknown" && /^\$\{?(?:[A-Za-z_]\w*|\d+|[@*])\}?$/.test(first.text) && first.text !== "$unknown")
  ) {
    const rest = word.pieces.slice(isOptional ? marks + 1 : 1);
    if (rest[0]?.text.startsWith("/") && rest.every(({ kind }) => kind !== "unknown")) {
      const emptied = pathOfPieces(rest, cwd);
      // `$X/dist` says where it should be; `$X/` and `$X/*` are the whole disk if it says nothing.
      if (emptied.segments.length === 0 || (emptied.segments.length === 1 && isPattern(emptied.segments[0])))
        forms.push(emptied);
    }
  }
  return forms;
}

const isPattern = (name: Segment | undefined): boolean => typeof name === "object" && name.kind === "pattern";

/** Deleting single names does harm as a whole where they are all there is. */
function everyName(word: Word, command: SimpleCommand, context: PathContext): string | undefined {
  if (!command.via.some((label) => wrapperOf(label).handsOnEverything)) return undefined;
  const path = pathOf(word, command.cwd);
  const last = path.segments.at(-1);
  if (typeof last !== "object" || last.kind !== "any") return undefined;
  return vitalFolder({ ...path, segments: path.segments.slice(0, -1) }, context);
}

/** `/usr/*`, `~/.*`: a pattern that takes everything directly in such a place. */
function everythingIn(path: PathPattern, context: PathContext): string | undefined {
  const last = path.segments.at(-1);
  if (typeof last !== "object" || last.kind === "unknown") return undefined;
  const inner = last.kind === "pattern" && last.text.replace(/^\./, "").replace(/\*+|\?+|\[[^\]]*\]/g, "");
  if (inner !== "" && last.kind === "pattern") return undefined;
  // `?` and `[ab]` alone are names of one letter.
  if (last.kind === "pattern" && !last.text.includes("*")) return undefined;
  // What lies anywhere below a filter is not everything.
  if (last.kind === "any") return undefined;
  const folder = vitalFolder({ ...path, segments: path.segments.slice(0, -1) }, context);
  return folder === undefined ? undefined : `everything in ${folder}`;
}

function systemTree(word: Word, command: SimpleCommand): string | undefined {
  const path = pathOf(word, command.cwd);
  return ["usr", "etc", "bin", "lib", "sbin", "boot", "var/lib", "System"].some(
    (tree) =>
      canMatchAtOrBelow(path, segmentsOf(tree)) &&
      path.segments.length <= 3 &&
      !canMatchAtOrBelow(path, ["usr", "local"]),
  )
    ? "a system folder"
    : undefined;
}

function disks(command: SimpleCommand, report: Report): Finding | null {
  const KEEP = "work on a file in the project, or let the user do it";
  for (const word of effectsOf(command).written) {
    if (isDisk(pathOf(word, command.cwd))) return report("a raw write to a disk", KEEP, word);
    if (canMatchPath(pathOf(word, command.cwd), ["proc", "sysrq-trigger"]))
      return report("a direct command to the kernel", KEEP, word);
  }
  const { name, argv } = command;
  const args = argv.slice(1);
  const texts = args.map(({ text }) => text);
  const tool = programOf(name).diskWork(texts);
  if (tool === null) return null;
  const target = args.find((word) => isDisk(pathOf(word, command.cwd)));
  const onlyLooks = texts.some((text) => tool.only_looks?.test(text));
  if (tool.makesFileSystem) {
    // A new file system in an image of the project is a file like any other.
    const isImage = target === undefined && args.every((word) => word.is_resolved && !word.text.startsWith("/dev"));
    return onlyLooks || isImage ? null : report("a new file system on a disk", KEEP, target);
  }
  if (target === undefined && !texts.some((text) => tool.actsOnNames?.test(text)))
    return tool.isPoolDestroyed ? report("a storage pool destroyed", KEEP) : null;
  if (onlyLooks) return null;
  return report(tool.wipes ? "a disk wiped" : "a disk's partitions or contents changed", KEEP, target);
}

function machine(command: SimpleCommand, report: Report): Finding | null {
  const program = programOf(command.name);
  const tool = program.processTool;
  if (tool === undefined) return null;
  const texts = command.argv.slice(1).map(({ text }) => text);
  if (tool.signals === "all" || program.signals("-1", texts))
    return report("a signal to every process", "name the process that should end");
  if (program.signals("1", texts) && command.via.some((label) => wrapperOf(label).raisesRights))
    return report("a signal to the system's first process", "name the process that should end");
  if (tool.signals === "by name" && texts.some((text) => text === "." || text === ".*" || text === "^"))
    return report("a signal to every process", "name the process that should end");
  if (texts.some((text) => tool.deletesAccount?.test(text)))
    return report("an account and its home folder deleted", "leave that to the user");
  const { endsMachine } = tool;
  const ends = endsMachine === "always" || texts.some((text) => endsMachine?.test(text));
  if (ends && tool.endsAtOnce) return report("the machine shut down", "leave that to the user");
  if (ends && command.inLoop) return report("the machine shut down again and again", "leave that to the user");
  if (texts.some((text) => tool.stopsKernel?.test(text))) return report("the kernel stopped", "leave that to the user");
  return null;
}
