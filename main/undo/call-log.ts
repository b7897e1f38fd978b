import { closeSync, constants, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readRegularBytes } from "../../ipc/base/regular-file.ts";

/** Which calls a store knows: a line for what was there before each, and one for what it left. Killed at any time, whole lines are left. */

/** Who changed something: an agent's call, or the operator's undo. */
export interface Changer {
  /** Of the decision on the call, or of the undo. */
  id: string;
  /** Null: the operator took something back. */
  agent: string | null;
  session: string;
  executor: string;
  /** In Unix milliseconds. */
  at: number;
  /** Of an undo: the calls that it took back, or put again. */
  of?: readonly string[];
}

export interface KnownCall extends Changer {
  /** The paths that it is about, one character for each byte; null: the whole project. */
  paths: readonly string[] | null;
  /** What was there before it; null where that isn't known. */
  before: string | null;
  /** What it left; null where it runs, or nobody has said that it ended. */
  after: string | null;
  /** Why it can't be taken back as a whole; null where it can. */
  missing: string | null;
  /** How long it ran, in milliseconds; undefined where it runs. */
  ms?: number | undefined;
  /** Of an undo: a file couldn't be put back, so that its calls aren't done with. */
  has_failed?: true | undefined;
}

export type Line =
  | (Changer & { line: "before"; paths: readonly string[] | null; tree: string | null; missing: string | null })
  | ({ line: "after"; id: string; tree: string | null } & Pick<KnownCall, "missing" | "ms" | "has_failed">);

export const LOG_FILE = "calls.jsonl";
/** What is beyond would take too long to read: nothing more is kept then, until old ones are forgotten. In bytes. */
export const MAX_LOG = 16 * 1024 * 1024;
/** A line that was begun before that is read, too. */
const MAX_BYTES = 4 * MAX_LOG;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** @throws the system's error */
export function appendLine(folder: string, line: Line): void {
  const fd = openSync(join(folder, LOG_FILE), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    // Begins a line of its own, also after one that isn't whole. A disk that gets full takes a part, and says so only of the rest.
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } finally {
    closeSync(fd);
  }
}

/** In bytes. @throws the system's error */
export const logSize = (folder: string): number =>
  statSync(join(folder, LOG_FILE), { throwIfNoEntry: false })?.size ?? 0;

/** The oldest first. @throws the system's error */
export function readCalls(folder: string): KnownCall[] {
  const calls = new Map<string, KnownCall>();
  for (const text of textOf(join(folder, LOG_FILE)).split("\n")) {
    const line = parsedLine(text);
    if (line === undefined) continue;
    if (line.line === "before") {
      const { line: _, tree, ...call } = line;
      calls.set(call.id, { ...call, before: tree, after: null });
    } else {
      const { line: _, id, tree: after, ...ended } = line;
      const call = calls.get(id);
      if (call !== undefined) Object.assign(call, { ...ended, after, missing: call.missing ?? ended.missing });
    }
  }
  return [...calls.values()];
}

/** Undefined for what is no whole line. */
export function parsedLine(text: string): Line | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined; // the gate was killed while it wrote this one
  }
}

function textOf(file: string): string {
  try {
    return readRegularBytes(file, { maxBytes: MAX_BYTES, isBeginningEnough: true, follows: false }).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Only these calls are known from now on. @throws the system's error */
export function writeCalls(folder: string, calls: readonly KnownCall[]): void {
  const lines = calls.flatMap(({ before, after, ms, has_failed, ...call }): Line[] => [
    { line: "before", ...call, tree: before },
    ...(after === null ? [] : [{ line: "after" as const, id: call.id, tree: after, missing: null, ms, has_failed }]),
  ]);
  const made = join(folder, `${LOG_FILE}.new`);
  rmSync(made, { force: true });
  writeFileSync(made, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600, flag: "wx" });
  renameSync(made, join(folder, LOG_FILE));
}
