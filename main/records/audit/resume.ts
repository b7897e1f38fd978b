import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { GENESIS, lineHash, monthFile } from "./chain.ts";
import type { Head } from "./head.ts";
import { chainLine, LINE_WINDOW_BYTES, lastLines, lineEndingAt, linesBetween, type RawLine } from "./lines.ts";
import { byLikelyAge, monthFiles } from "./month-files.ts";
import type { AuditRecord } from "./record.ts";

/** Resumes the chain where an earlier gate ended, and notes what isn't as that gate left it. */

/** Where a trail ends: its last line. */
export interface TrailEnd {
  file: string;
  /** The byte after the line. */
  offset: number;
  hash: string;
  seq: number;
  /** Of the line, in milliseconds; undefined before the first one. */
  ms: number | undefined;
}

export const EMPTY_TRAIL: TrailEnd = { file: "", offset: 0, hash: GENESIS, seq: 0, ms: undefined };

export interface Resumed {
  end: TrailEnd;
  /** Lines to write before any other. */
  notes: AuditRecord[];
  /** Part of a line that a killed gate was writing: bytes of a file to cut off. No answer depended on it. */
  torn?: { file: string; start: number; end: number };
}

/** The recorded end is searched in this many last bytes of each file. */
const SEARCHED_BYTES = 4 * 1024 * 1024;
/** How much later than the recorded end a killed gate's lines may be, with a margin for slow machines. In milliseconds. */
const BEYOND_MS = 60_000;
/**
 * Where to continue, and what to note. `head`: the recorded end; undefined where there is none, or none readable.
 * @throws the system's error
 */
export function resumeTrail(folder: string, head: Head | undefined, nowMs: number): Resumed {
  const files = monthFiles(folder);
  if (head === undefined && files.length === 0) return { end: EMPTY_TRAIL, notes: [] };
  const from = head === undefined ? undefined : locate(folder, files, head);
  if (head === undefined || from === undefined) return gap(folder, files, head, nowMs);
  return follow(folder, files, head, from, nowMs);
}

/** The recorded end was not found: the chain continues after the last line that there is. */
function gap(folder: string, files: readonly string[], head: Head | undefined, nowMs: number): Resumed {
  const last = byLikelyAge(files, nowMs).at(-1);
  const end = last === undefined ? EMPTY_TRAIL : lastLineOf(folder, last);
  const recorded = head?.position?.seq ?? 0;
  const note: AuditRecord = { event: "audit.gap", ts: nowMs / 1000, expected: head?.hash ?? "unknown" };
  if (recorded > end.seq) note.missing = recorded - end.seq;
  return { end: { ...end, seq: Math.max(end.seq, recorded) }, notes: [note] };
}

function lastLineOf(folder: string, file: string): TrailEnd {
  let end = { ...EMPTY_TRAIL, file };
  for (const raw of lastLines(join(folder, file), SEARCHED_BYTES)) {
    if (raw.bytes.length === 0) continue;
    const { hash, seq, ms } = chainLine(raw);
    end = { file, offset: raw.end, hash, seq: seq ?? end.seq, ms: ms ?? end.ms };
  }
  return end;
}

/** Finds the recorded line, at its recorded position or elsewhere. */
function locate(folder: string, files: readonly string[], { hash, position }: Head): TrailEnd | undefined {
  if (hash === GENESIS) return position !== null || files.length === 0 ? EMPTY_TRAIL : undefined;
  if (position !== null && files.includes(position.file)) {
    const raw = lineEndingAt(join(folder, position.file), position.offset);
    if (raw !== undefined && lineHash(raw.bytes) === hash)
      return { file: position.file, offset: raw.end, hash, seq: position.seq, ms: chainLine(raw).ms };
  }
  for (const file of [...files].reverse()) {
    let found: TrailEnd | undefined;
    for (const raw of lastLines(join(folder, file), SEARCHED_BYTES)) {
      if (lineHash(raw.bytes) !== hash) continue;
      const { seq, ms } = chainLine(raw);
      found = { file, offset: raw.end, hash, seq: seq ?? position?.seq ?? 0, ms };
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Accepts the lines that a killed gate had written beyond the recorded end; any others are noted as foreign. */
function follow(folder: string, files: readonly string[], { position }: Head, from: TrailEnd, nowMs: number): Resumed {
  const latestMs = latestBeyond(position);
  let end = from;
  let adopted = 0;
  let foreign = 0;
  let torn: Resumed["torn"];
  for (let turns = 0; turns <= 2 * files.length; turns++) {
    const rest = end.file === "" ? [] : linesBetween(join(folder, end.file), end.offset);
    for (const raw of rest) {
      if (raw.bytes.length === 0) {
        // A blank line is not part of the chain.
        foreign++;
        end = { ...end, offset: raw.end };
        continue;
      }
      const line = chainLine(raw);
      if (foreign === 0 && position?.is_clean === false && isTornLine(raw)) {
        torn = { file: end.file, start: end.offset, end: raw.end };
        break;
      }
      // Torn at the end: verify reports it.
      const isTorn = line.prev === undefined && !raw.isEnded;
      // A record without a position is from an earlier version, which didn't number its lines.
      const isKnown = position !== null || line.seq === undefined;
      const isOurs = isKnown && foreign === 0 && line.prev === end.hash && (line.ms ?? 0) <= latestMs;
      if (isOurs) adopted++;
      else if (!isTorn) foreign++;
      end = {
        file: end.file,
        offset: raw.end,
        hash: line.hash,
        seq: isOurs ? (line.seq ?? end.seq) : end.seq,
        ms: line.ms ?? end.ms,
      };
    }
    const next = follower(folder, files, end, nowMs);
    if (next === undefined) break;
    end = { ...end, ...next };
  }
  const ts = nowMs / 1000;
  if (foreign > 0) return { end, notes: [{ event: "audit.appended", ts, lines: foreign }] };
  if (torn !== undefined) {
    const tornBytes = torn.end - torn.start;
    return { end, torn, notes: [{ event: "audit.resumed", ts, lines: adopted, torn_bytes: tornBytes }] };
  }
  return { end, notes: adopted > 0 ? [{ event: "audit.resumed", ts, lines: adopted }] : [] };
}

/** True for what a gate that is killed can leave of a line: its beginning, without an end. */
function isTornLine({ bytes, isEnded }: RawLine): boolean {
  if (isEnded || bytes.length > LINE_WINDOW_BYTES) return false;
  const text = bytes.toString("utf8");
  return '{"'.startsWith(text.slice(0, 2)) && !holdsWhole(text) && [...text].every((letter) => letter >= " ");
}

/** A whole line closes the brace that it begins with: what has lost its end doesn't, whatever letter it ends with. */
function holdsWhole(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{}]/g)) {
    if (token === "{") depth++;
    else if (token === "}" && --depth === 0) return true;
  }
  return false;
}

/** The latest time of a line that a gate can have written beyond its recorded end, in milliseconds. */
export function latestBeyond(position: Head["position"]): number {
  if (position === null) return Number.POSITIVE_INFINITY;
  return position.is_clean ? Number.NEGATIVE_INFINITY : position.at * 1000 + BEYOND_MS;
}

/** The position of a line in another file that follows this end, where the month had changed. */
function follower(
  folder: string,
  files: readonly string[],
  { file, hash }: TrailEnd,
  nowMs: number,
): { file: string; offset: number } | undefined {
  const isFuture = file > monthFile(nowMs);
  for (const other of files) {
    if (other === file || (other < file && !isFuture)) continue;
    const path = join(folder, other);
    if (!holdsInTail(path, `"prev":"${hash}"`)) continue;
    for (const raw of lastLines(path, SEARCHED_BYTES))
      if (chainLine(raw).prev === hash) return { file: other, offset: raw.start };
  }
  return undefined;
}

/** Quicker than reading the lines one by one. */
function holdsInTail(path: string, text: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, SEARCHED_BYTES));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.includes(text);
  } finally {
    closeSync(descriptor);
  }
}
