import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GENESIS, lineHash } from "./chain.ts";
import { linesBetween } from "./lines.ts";
import { CompactRange, leafHash } from "./merkle-tree.ts";
import { monthFiles } from "./month-files.ts";
import { TrailWalk } from "./walk.ts";

/** A line of the gate's is shorter: what is before the last line's end is searched for it. */
const LINE_WINDOW_BYTES = 1024 * 1024;

/** The tree over the trail's lines up to one of them. */
export class TrailTree {
  readonly range: CompactRange;
  /** How many bytes of each month's file it covers. */
  readonly offsets: Map<string, number>;
  /** The last line's. */
  file: string;
  hash: string;

  constructor(range = new CompactRange(), offsets = new Map<string, number>(), file = "", hash = GENESIS) {
    this.range = range;
    this.offsets = offsets;
    this.file = file;
    this.hash = hash;
  }

  /** The byte after the last line. */
  get offset(): number {
    return this.offsets.get(this.file) ?? 0;
  }

  /**
   * Adds lines that were just written, one after the other: the last one ends there. Returns false, and adds none, where the files have
   * grown by something else: a clock that was set to another month and back leaves lines in a third file. @throws the system's error
   */
  add(folder: string, lines: readonly string[], end: { file: string; offset: number; hash: string }): boolean {
    // A new month: the file before has its last size.
    const is_moved = this.file !== "" && this.file !== end.file;
    const left = is_moved ? sizeOf(folder, this.file) : 0;
    const grown = end.offset - (this.offsets.get(end.file) ?? 0) + (is_moved ? left - this.offset : 0);
    if (grown !== lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)) return false;
    for (const line of lines) this.range.add(leafHash(line));
    if (is_moved) this.offsets.set(this.file, left);
    this.offsets.set(end.file, end.offset);
    this.file = end.file;
    this.hash = end.hash;
    return true;
  }

  /** These months' files are in an archive now. */
  forget(files: readonly string[]): void {
    for (const file of files) this.offsets.delete(file);
  }

  /** True if the files have what it covers, as far as that shows without reading them. @throws the system's error */
  fits(folder: string): boolean {
    for (const [file, offset] of this.offsets) if (sizeOf(folder, file) < offset) return false;
    if (this.file === "") return this.range.size === 0;
    const window = Math.max(0, this.offset - LINE_WINDOW_BYTES);
    let last: Buffer | undefined;
    for (const { bytes, end } of linesBetween(join(folder, this.file), window, this.offset))
      if (end === this.offset) last = bytes;
    return last !== undefined && lineHash(last) === this.hash;
  }

  /** True if the files have nothing that it doesn't cover. @throws the system's error */
  coversAll(folder: string): boolean {
    return monthFiles(folder).every((file) => sizeOf(folder, file) === (this.offsets.get(file) ?? 0));
  }

  /**
   * Adds the lines that the files have beyond it, in pieces between which others run. `added` is called after each; it ends the
   * reading by returning false. Returns how many there were. @throws the system's error
   */
  async readOn(folder: string, now_ms: number, added: () => boolean): Promise<number> {
    let count = 0;
    let read_bytes = 0;
    // What archives hold is before any line that a month's file still has: the whole of a trail begins with it.
    const walk = new TrailWalk(folder, now_ms, () => undefined, this.range.size === 0 ? undefined : this);
    for await (const { line, file, is_archived } of walk.lines()) {
      // Torn: the gate cuts it off, or ends it and writes after it.
      if (!line.is_ended) continue;
      if (!is_archived) this.offsets.set(file, line.end);
      if (line.bytes.length === 0) continue;
      this.range.add(leafHash(line.bytes));
      this.file = file;
      this.hash = line.hash;
      count++;
      if (!added()) break;
      read_bytes += line.bytes.length;
      if (read_bytes < TURN_BYTES) continue;
      read_bytes = 0;
      await nextTurn();
    }
    return count;
  }
}

/** So much is read at most before others run. */
const TURN_BYTES = 64 * 1024;

function sizeOf(folder: string, file: string): number {
  return lstatSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
}
