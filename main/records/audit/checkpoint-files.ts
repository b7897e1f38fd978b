import { closeSync, fdatasyncSync, fstatSync, lstatSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import { endedSize, writeWhole } from "./append.ts";
import { notesIn, partsIn, type ReadNote, verdictOn } from "./checkpoint.ts";

/** The checkpoints that the gate has signed: a file for each month, to which it only adds. */

const CHECKPOINT_FILE = /^\d{4}-(?:0[1-9]|1[0-2])\.checkpoints$/;
/** The newest is searched in this many last bytes of a file: some dozen of them. */
const TAIL_BYTES = 32 * 1024;

const LOOKED_INTO = 4;

/** What should be a note, not read yet. */
export interface StoredNote {
  text: string;
  file: string;
  /** The number of its first line. */
  line: number;
}

export class CheckpointFiles {
  readonly folder: string;
  /** How long each file was when it was read or written last, in bytes. */
  readonly #sizes = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The file of a time, in milliseconds. */
  fileAt(ms: number): string {
    return join(this.folder, `${new Date(ms).toISOString().slice(0, 7)}.checkpoints`);
  }

  /** @param file the one of its time. Returns whether that had become shorter, or was gone. @throws the system's error, or GateError `not_a_file` */
  add(text: string, file: string, isDurable: boolean): { wasCut: boolean } {
    const descriptor = openOwnFile(file, "append");
    try {
      const before = endedSize(descriptor);
      const wasCut = before < (this.#sizes.get(file) ?? 0);
      this.#sizes.set(file, before + writeWhole(descriptor, `${text}\n`));
      if (isDurable) fdatasyncSync(descriptor);
      return { wasCut };
    } finally {
      closeSync(descriptor);
    }
  }

  /** The newest that one of these keys has signed; undefined where there is none. Never throws: what can't be read is passed over. */
  newest(keys: readonly Uint8Array[]): ReadNote | undefined {
    let newest: ReadNote | undefined;
    // Not only the last file: where a clock was wrong, that may be of a month to come.
    for (const file of this.#files().slice(-LOOKED_INTO)) {
      this.#sizes.set(
        join(this.folder, file),
        lstatSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0,
      );
      for (const { note } of notesIn(tailOf(join(this.folder, file))).reverse()) {
        if (note === undefined || verdictOn(note, keys) !== "valid") continue;
        if (newest === undefined || isLater(note, newest)) newest = note;
        break;
      }
    }
    return newest;
  }

  /** All of them, oldest first; a file that can't be read is one part that is no note. */
  all(): StoredNote[] {
    return this.#files().flatMap((file) => {
      let text: string;
      try {
        text = wholeOf(join(this.folder, file));
      } catch (error) {
        return [{ file, line: 0, text: errorCode(error) }];
      }
      let at = 0;
      let line = 1;
      return partsIn(text).map((part) => {
        const start = Math.max(at, text.indexOf(part, at));
        line += newlinesIn(text, at, start);
        at = start;
        return { text: part, file, line };
      });
    });
  }

  #files(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => CHECKPOINT_FILE.test(name))
        .sort();
    } catch {
      return []; // none yet, or a folder that can't be read: adding to it is reported
    }
  }
}

/** Those of earlier versions came first, and may have counted lines that have no number. */
function isLater(one: ReadNote, other: ReadNote): boolean {
  const version = ({ root }: ReadNote) => (root === null ? 2 : 1);
  return (one.epoch - other.epoch || version(one) - version(other) || one.size - other.size) > 0;
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function wholeOf(file: string): string {
  const descriptor = openOwnFile(file, "read");
  try {
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function tailOf(file: string): string {
  try {
    const descriptor = openOwnFile(file, "read");
    try {
      const { size } = fstatSync(descriptor);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return ""; // as if it were empty: `audit verify` names it
  }
}
