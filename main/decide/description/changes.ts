import { kindOf, resolvePath } from "@metnos-gate/shell-reading/files";
import { type PatchedFile, patchedFiles, programOf } from "@metnos-gate/shell-reading/programs";
import type { DescribedChange } from "../../../ipc/contract/description.ts";
import { pathName } from "../../targets/target.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import type { CallPlace } from "../places/call-place.ts";
import { type FileRead, readBounded } from "./bounded-file.ts";
import type { Describable } from "./describable.ts";
import { differenceOf, type LineDifference, linesOf, listed, ShownLines } from "./line-diff.ts";

/** What a call would change in files, against the files that are there. */

/** Bytes of a file that is compared. */
const MAX_FILE = 1024 * 1024;
/** Bytes of all files of one patch that are compared. */
const MAX_TOGETHER = 4 * 1024 * 1024;
/** Characters that are looked through for all replacements, and lines that are compared for a patch's stretches. */
const MAX_SEARCHED = 32 * 1024 * 1024;
const MAX_COMPARED = 1_000_000;
/** Files of one patch that are shown; the patch itself is shown whole. */
const MAX_FILES = 20;

type Status = DescribedChange["status"];
type Args = Readonly<Record<string, unknown>>;

type ChangingCall = Pick<Describable, "call" | "executor" | "needs">;

/** A text that is put in another one's place. */
interface Replacement {
  oldText: string;
  new_text: string;
  all: boolean;
}

export function changesOf(x: ChangingCall, lines: readonly CommandLine[], place: CallPlace): DescribedChange[] {
  const shown = new ShownLines();
  const patches = patchTextsOf(x, lines);
  if (patches.length > 0) {
    const read = readerOf(place);
    return patches
      .flatMap((text) => patchedFiles(text) ?? [])
      .slice(0, MAX_FILES)
      .flatMap((file) => patched(file, place, shown, read));
  }
  const path = writtenPath(x);
  if (path === null) return [];
  const { call, executor } = x;
  const { args } = call;
  const file = readBounded(path.read, MAX_FILE, place);
  if (path.isDelete) return [deleted(path.shown, file, shown)];
  const replacements = replacementsIn(args);
  if (replacements !== null) return [edited(path.shown, file, replacements, shown)];
  if (typeof args.new_source === "string") return [notebookEdited(path.shown, file, args, shown)];
  const content = executor.manifest.content_args.map((name) => args[name]).find((value) => typeof value === "string");
  return content === undefined ? [] : [written(path.shown, file, content, shown)];
}

/** The one file that a tool writes: its name, and where it is. */
function writtenPath({ executor, needs }: ChangingCall): { shown: string; read: string; isDelete: boolean } | null {
  const named = executor.manifest.needs.filter(({ capability }) => capability === "fs:write");
  const writes = needs.filter(({ capability, target }) => capability === "fs:write" && target.kind === "path");
  const [write] = writes;
  if (named.length !== 1 || write?.target.kind !== "path") return null;
  return { shown: pathName(write.target), read: write.target.lexical, isDelete: write.access === "delete" };
}

function replacementsIn(args: Args): Replacement[] | null {
  const { old_string = args.oldString, new_string = args.newString } = args;
  if (typeof old_string === "string" && typeof new_string === "string") {
    const all = [args.replace_all, args.allow_multiple, args.replaceAll].includes(true);
    return [{ oldText: old_string, new_text: new_string, all }];
  }
  if (!Array.isArray(args.edits)) return null;
  return args.edits.flatMap((edit: unknown) => {
    if (typeof edit !== "object" || edit === null) return [];
    return replacementsIn({ ...edit, edits: undefined }) ?? [];
  });
}

function edited(
  path: string,
  file: FileRead,
  replacements: readonly Replacement[],
  shown: ShownLines,
): DescribedChange {
  const [first] = replacements;
  if (file.kind === "nothing" && first?.oldText === "") {
    const made = replaced("", replacements.slice(1), first.new_text);
    if (made !== null) return change(path, "new", null, differenceOf([], linesOf(made), shown));
  }
  const before = file.kind === "file" ? file.text : null;
  const after = before === null ? null : replaced(before, replacements);
  if (before !== null && after !== null) {
    const old = linesOf(before);
    return change(path, "edits", old.length, differenceOf(old, linesOf(after), shown));
  }
  const lines = replacements.flatMap(({ oldText, new_text }) => [
    ...linesOf(oldText).map((text) => ({ kind: "removed" as const, text })),
    ...linesOf(new_text).map((text) => ({ kind: "added" as const, text })),
  ]);
  return change(path, "unknown", null, listed(lines, shown));
}

/** The text with all replacements, one after the other; null where one of them isn't found, or where it grows too long. */
function replaced(text: string, replacements: readonly Replacement[], begin = text): string | null {
  if (text.length * replacements.length > MAX_SEARCHED) return null;
  let now = begin;
  for (const { oldText, new_text, all } of replacements) {
    if (oldText === "") return null;
    const at = now.indexOf(oldText);
    if (at === -1) return null;
    if (all) {
      const parts = now.split(oldText);
      if (now.length + (parts.length - 1) * new_text.length > 2 * MAX_FILE) return null;
      now = parts.join(new_text);
    } else now = now.slice(0, at) + new_text + now.slice(at + oldText.length);
    if (now.length > 2 * MAX_FILE) return null;
  }
  return now;
}

function written(path: string, file: FileRead, content: string, shown: ShownLines): DescribedChange {
  const isCompared = content.length <= 2 * MAX_FILE;
  if (file.kind === "nothing" && isCompared)
    return change(path, "new", null, differenceOf([], linesOf(content), shown));
  if (file.kind === "file" && file.text !== null && isCompared) {
    const old = linesOf(file.text);
    return change(path, "replaces", old.length, differenceOf(old, linesOf(content), shown));
  }
  const lines = linesOf(content).map((text) => ({ kind: "added" as const, text }));
  return change(path, "unknown", null, listed(lines, shown));
}

function deleted(path: string, file: FileRead, shown: ShownLines): DescribedChange {
  if (file.kind !== "file" || file.text === null) return change(path, "deletes", null, listed([], shown));
  const old = linesOf(file.text);
  return change(path, "deletes", old.length, differenceOf(old, [], shown));
}

function notebookEdited(path: string, file: FileRead, args: Args, shown: ShownLines): DescribedChange {
  const source = args.edit_mode === "delete" ? "" : String(args.new_source);
  const cell = file.kind === "file" && file.text !== null ? notebookCell(file.text, args) : null;
  const before = linesOf(cell?.source ?? "");
  const { hunks, ...difference } = differenceOf(before, linesOf(source), shown);
  // A cell's lines have no numbers in the file.
  const unplaced = hunks.map(({ lines }) => ({ old_start: null, new_start: null, lines }));
  return change(path, cell === null ? "unknown" : "edits", null, { ...difference, hunks: unplaced });
}

/** The patches that a call hands on: to a program that takes them, or to a tool that nothing describes. */
function patchTextsOf({ call, executor }: ChangingCall, lines: readonly CommandLine[]): string[] {
  const texts = lines.flatMap(({ reading }) =>
    reading.commands.flatMap(({ name, argv, stdin }) =>
      programOf(name).takesPatch ? [argv[1]?.text ?? stdin?.text ?? ""] : [],
    ),
  );
  if (executor.is_described) return [...texts, ...patchArguments(executor.manifest, call.args)];
  return [...texts, ...Object.values(call.args).filter((value) => typeof value === "string" && isPatch(value))].filter(
    (value) => typeof value === "string",
  );
}

function patchArguments({ needs }: ExecutorManifest, args: Args): string[] {
  return needs
    .map(({ target }) => (target.from === "patch" ? args[target.arg] : undefined))
    .filter((value) => typeof value === "string");
}

const isPatch = (text: string): boolean => patchedFiles(text) !== null;

/** Reads files, and only so much of them together. */
function readerOf(place: CallPlace): (path: string) => FileRead {
  let left = MAX_TOGETHER;
  return (path) => {
    const file = readBounded(path, Math.min(MAX_FILE, left), place);
    if (file.kind === "file") left -= file.bytes.length;
    return file;
  };
}

function patched(
  file: PatchedFile,
  place: CallPlace,
  shown: ShownLines,
  read: (path: string) => FileRead,
): DescribedChange[] {
  const resolved = resolvePath(file.path, place.home, place.cwd);
  if (resolved === null) return [change(file.path, "unknown", null, listed(file.hunks.flat(), shown))];
  const path = resolved.lexical;
  const there = read(path);
  if (file.kind === "delete") return [deleted(path, there, shown)];
  if (file.kind === "add") {
    const content = file.hunks
      .flat()
      .map(({ text }) => `${text}\n`)
      .join("");
    return [written(path, there, content, shown)];
  }
  const movedTo = file.movedTo === undefined ? null : resolvePath(file.movedTo, place.home, place.cwd);
  const moved =
    movedTo === null ? [] : [change(movedTo.lexical, statusOfMove(movedTo.lexical), null, listed([], shown))];
  return [updated(path, there, file, shown), ...moved];
}

const statusOfMove = (path: string): Status => (kindOf(path) === "nothing" ? "new" : "replaces");

/** Each stretch is placed where its old lines are found, behind the one before it. */
function updated(path: string, there: FileRead, { hunks }: PatchedFile, shown: ShownLines): DescribedChange {
  const old = there.kind === "file" && there.text !== null ? linesOf(there.text) : null;
  const after = old === null ? null : applied(old, hunks);
  if (old === null || after === null) return change(path, "unknown", null, listed(hunks.flat(), shown));
  return change(path, "edits", old.length, differenceOf(old, after, shown));
}

function applied(old: readonly string[], hunks: PatchedFile["hunks"]): string[] | null {
  const after: string[] = [];
  let done = 0;
  const budget = { left: MAX_COMPARED };
  for (const hunk of hunks) {
    const before = hunk.filter(({ kind }) => kind !== "added").map(({ text }) => text);
    const at = before.length === 0 ? old.length : indexOfLines(old, before, done, budget);
    if (at === -1) return null;
    for (const line of old.slice(done, at)) after.push(line);
    for (const { kind, text } of hunk) if (kind !== "removed") after.push(text);
    done = at + before.length;
  }
  for (const line of old.slice(done)) after.push(line);
  return after;
}

function indexOfLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  budget: { left: number },
): number {
  for (let at = from; at + wanted.length <= lines.length && budget.left > 0; at++) {
    const differs = wanted.findIndex((line, index) => lines[at + index] !== line);
    if (differs === -1) return at;
    budget.left -= differs + 1;
  }
  return -1;
}

function change(path: string, status: Status, oldLines: number | null, difference: LineDifference): DescribedChange {
  const { added, removed, hunks, left_out } = difference;
  return { path, status, old_lines: oldLines, added, removed, hunks, left_out };
}

/** The cell of a notebook (nbformat 4) that a call changes, as its text. Null where the text is no notebook, or has no such cell. */
function notebookCell(text: string, args: Readonly<Record<string, unknown>>): { source: string } | null {
  const cells = cellsOf(text);
  if (cells === null) return null;
  if (args.edit_mode === "insert") return { source: "" };
  const { cell_id, cell_number } = args;
  const byNumber = /^cell-(\d+)$/.exec(String(cell_id))?.[1] ?? cell_number;
  const cell =
    cells.find((one) => one.id !== undefined && one.id === cell_id) ??
    (byNumber === undefined ? undefined : cells[Number(byNumber)]);
  return cell === undefined ? null : { source: sourceOf(cell.source) };
}

interface Cell {
  id?: unknown;
  source?: unknown;
}

function cellsOf(text: string): Cell[] | null {
  try {
    const notebook: unknown = JSON.parse(text);
    if (typeof notebook !== "object" || notebook === null || !("cells" in notebook)) return null;
    const { cells } = notebook;
    return Array.isArray(cells) ? cells.filter((cell) => typeof cell === "object" && cell !== null) : null;
  } catch {
    return null; // not JSON: no notebook
  }
}

function sourceOf(source: unknown): string {
  if (typeof source === "string") return source;
  return Array.isArray(source) ? source.filter((line) => typeof line === "string").join("") : "";
}
