/** The text that `apply_patch` takes: files that are added, deleted, changed line by line, and moved. */

export interface PatchedFile {
  kind: "add" | "delete" | "update";
  path: string;
  /** It is moved there. */
  moved_to?: string;
  /** Stretches of lines; of a file that is added one, of which all lines are added. */
  hunks: { kind: "same" | "added" | "removed"; text: string }[][];
}

const BEGIN = "*** Begin Patch";
const HEAD = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
/** Characters; of a longer one nothing is said. */
const MAX_PATCH = 4 * 1024 * 1024;

/** The files of a patch, or null where the text is none. */
export function patchedFiles(text: string): PatchedFile[] | null {
  if (text.length > MAX_PATCH || !text.trimStart().startsWith(BEGIN)) return null;
  const files: PatchedFile[] = [];
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line.trimEnd());
    if (head !== null) {
      const kind = (head[1] ?? "").toLowerCase() as PatchedFile["kind"];
      files.push({ kind, path: (head[2] ?? "").trim(), hunks: [] });
      continue;
    }
    const file = files.at(-1);
    if (file === undefined || line.startsWith("*** ") === true) {
      const moved_to = MOVE.exec(line.trimEnd())?.[1]?.trim();
      if (file !== undefined && moved_to !== undefined) file.moved_to = moved_to;
      continue;
    }
    addLine(file, line);
  }
  return files;
}

function addLine({ kind, hunks }: PatchedFile, line: string): void {
  if (kind === "delete") return;
  if (kind === "update" && line.startsWith("@@")) {
    hunks.push([]);
    return;
  }
  const sign = line[0];
  if (sign !== "+" && (kind === "add" || (sign !== "-" && sign !== " "))) return;
  if (hunks.length === 0) hunks.push([]);
  hunks.at(-1)?.push({ kind: sign === "+" ? "added" : sign === "-" ? "removed" : "same", text: line.slice(1) });
}
