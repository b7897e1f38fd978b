import { normalize } from "node:path";

/**
 * The text that `apply_patch` takes: files that are added, deleted, changed line by line, and moved.
 *
 * Each client reads it with a reader of its own, and they differ in what they forgive: blanks around a marker, text around the patch, a
 * marker within a stretch of context. What is read here is what all of them read alike; of any other text it isn't known which files it
 * changes.
 */

export interface PatchedFile {
  kind: "add" | "delete" | "update";
  path: string;
  /** It is moved there. */
  movedTo?: string;
  /** Stretches of lines; of a file that is added one, of which all lines are added. */
  hunks: PatchLine[][];
}

interface PatchLine {
  kind: "same" | "added" | "removed";
  text: string;
}

/** What a patch does to one path. `from`: what is moved there. */
export interface PatchedPath {
  kind: "write" | "delete" | "move";
  path: string;
  from?: string;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const HEAD = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const MOVE = /^\*\*\* Move to: (.*)$/;
/** A marker, or what a reader may take for one. */
const MARKER = /^[\s\u0085]*\*\*\* /;
/** Characters; of a longer one nothing is said. */
const MAX_PATCH = 4 * 1024 * 1024;
const MAX_PATH = 4096;

/** The files of a patch, or null where readers may find others in the text, or none. */
export function patchedFiles(text: string): PatchedFile[] | null {
  if (text.length > MAX_PATCH) return null;
  const lines = text.slice(0, endOf(text)).split("\n");
  if (lines.length < 3 || lines[0] !== BEGIN || lines.at(-1) !== END) return null;
  const files: PatchedFile[] = [];
  for (const line of lines.slice(1, -1)) {
    const file = files.at(-1);
    const head = HEAD.exec(line);
    if (head !== null) {
      const [, kind = "", path = ""] = head;
      if (!isPlainPath(path)) return null;
      files.push({ kind: kind.toLowerCase() as PatchedFile["kind"], path, hunks: [] });
    } else if (file === undefined || !addLine(file, line)) return null;
  }
  return files.every(isWhole) ? files : null;
}

/** Before the newlines at a text's end. */
function endOf(text: string): number {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return end;
}

/** What a patch would do to which path, one after the other. */
export function pathsOfPatch(files: readonly PatchedFile[]): PatchedPath[] {
  return files.flatMap(({ kind, path, movedTo }): PatchedPath[] => {
    if (kind === "delete") return [{ kind: "delete", path }];
    if (movedTo === undefined) return [{ kind: "write", path }];
    return [
      { kind: "move", path },
      { kind: "write", path: movedTo, from: path },
    ];
  });
}

/** Each path that a text seems to name as a patch, for the guard: what isn't a patch to all readers may be one to some. */
export function pathsMentioned(text: string): string[] {
  const found = text
    .slice(0, MAX_PATCH)
    // Many blank lines, each of which could be the first, are as good as one.
    .replace(/^[\s\u0085]{2,}/gm, "\n")
    .matchAll(/^[\s\u0085]*\*\*\*\s*(?:Add File|Delete File|Update File|Move to)\s*:(.*)$/gim);
  const paths = Array.from(found, ([, path = ""]) => path.trim()).filter((path) => path !== "");
  return [...new Set(paths.flatMap((path) => (GOES_UP.test(path) ? [path, normalize(path)] : [path])))];
}

/** Up behind a name: where that is a link, the kernel goes up from where it leads, and a reader that takes it for text doesn't. */
const GOES_UP = /(?:^|\/)(?!\.{1,2}\/)[^/]+\/(?:\.?\/)*\.\.(?:\/|$)/;

/** A `~` is the home folder to one reader and a name to another. */
function isPlainPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const odd = /^[\s~]|\s$|[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;
  return path !== "" && path.length <= MAX_PATH && !odd.test(path) && !GOES_UP.test(path);
}

/** Of a file that is changed something is changed; moving it is not enough for some readers. */
function isWhole({ kind, hunks }: PatchedFile): boolean {
  return kind !== "update" || (hunks.length > 0 && hunks.every((lines) => lines.length > 0));
}

/** False where some reader would take the line for something else. */
function addLine(file: PatchedFile, line: string): boolean {
  if (file.kind === "delete") return false;
  if (file.kind === "add") return line.startsWith("+") && push(file, "added", line.slice(1));
  const move = MOVE.exec(line);
  if (move !== null) {
    const [, path = ""] = move;
    if (file.movedTo !== undefined || file.hunks.length > 0 || !isPlainPath(path)) return false;
    file.movedTo = path;
    return true;
  }
  // A stretch ends with it, as with the next one.
  if (line === END_OF_FILE) return file.hunks.length > 0;
  if (line === "@@" || line.startsWith("@@ ")) {
    file.hunks.push([]);
    return true;
  }
  if (line.startsWith("+")) return push(file, "added", line.slice(1));
  if (line.startsWith("-")) return push(file, "removed", line.slice(1));
  if (MARKER.test(line)) return false;
  // Blanks at its end are often lost in an empty line.
  return line === "" ? push(file, "same", "") : line.startsWith(" ") && push(file, "same", line.slice(1));
}

function push({ hunks }: PatchedFile, kind: PatchLine["kind"], text: string): true {
  if (hunks.length === 0) hunks.push([]);
  hunks.at(-1)?.push({ kind, text });
  return true;
}
