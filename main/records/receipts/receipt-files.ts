import { closeSync, fdatasync, fdatasyncSync, fstatSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openOwnFile } from "../../base/files/own-files.ts";
import { cutTornLine, writeWhole } from "../audit/append.ts";
import { monthFile } from "../audit/chain.ts";
import { lastLines, linesBetween } from "../audit/lines.ts";
import { monthFiles } from "../audit/month-files.ts";
import { statementOfLine } from "./receipt-line.ts";

/** The monthly files of receipts. */

/** A single line is shorter. */
const LINE_BYTES = 64 * 1024;
/** A killed gate's last lines, which the databases don't know of yet, are within so many months. */
const MONTHS_SEARCHED = 2;

/** How often the file's place is checked, in milliseconds. */
const CHECK_INTERVAL_MS = 250;

export class ReceiptFiles {
  readonly #folder: string;
  readonly #failed: (error: Error) => void;
  #fd: number | undefined;
  #file = "";
  #size = 0;
  /** When the open file was last found to be in its folder, by `performance.now()`. */
  #checked_at = 0;

  /** `failed` is called with the error of a failed sync. */
  constructor(folder: string, failed: (error: Error) => void) {
    this.#folder = folder;
    this.#failed = failed;
  }

  /** The highest number in the files; 0 where there is none. @throws the system's error */
  lastNumber(): number {
    return this.#latest()[0]?.last ?? 0;
  }

  /** The files, those with the highest numbers first: where a clock was wrong they aren't the last ones by name. */
  #latest(): { file: string; last: number }[] {
    const files = monthFiles(this.#folder).map((file) => {
      const lines = [...lastLines(join(this.#folder, file), LINE_BYTES)].reverse();
      return { file, last: firstOf(lines) ?? 0 };
    });
    return files.sort((one, other) => other.last - one.last);
  }

  /** The lowest number in the files; undefined where there is none. @throws the system's error */
  firstNumber(): number | undefined {
    const first = monthFiles(this.#folder).flatMap(
      (file) => firstOf(linesBetween(join(this.#folder, file), 0, LINE_BYTES)) ?? [],
    );
    return first.length === 0 ? undefined : Math.min(...first);
  }

  /** What the last files have receipts about. @throws the system's error */
  lastEvents(): Set<string> {
    const events = new Set<string>();
    for (const { file } of this.#latest().slice(0, MONTHS_SEARCHED)) {
      for (const { bytes } of linesBetween(join(this.#folder, file), 0)) {
        const statement = statementOfLine(bytes.toString("utf8"));
        if (statement !== undefined) events.add(statement.predicate.event);
      }
    }
    return events;
  }

  /** Adds whole lines, all or none. @throws the system's error, GateError `not_a_file` */
  append(lines: readonly string[], now_ms: number): void {
    const fd = this.#open(monthFile(now_ms));
    try {
      this.#size += writeWhole(fd, lines.map((line) => `${line}\n`).join(""));
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Calls `done` with whether what was added is on the disk. */
  sync(done: (is_synced: boolean) => void): void {
    if (this.#fd === undefined) return done(true);
    fdatasync(this.#fd, (error) => {
      // Closed meanwhile, after a sync of its own: the next one tells.
      if (error !== null && error.code !== "EBADF") this.#failed(error);
      done(error === null);
    });
  }

  /** @throws the system's error */
  syncNow(): void {
    if (this.#fd !== undefined) fdatasyncSync(this.#fd);
  }

  close(): void {
    this.#close();
  }

  #open(file: string): number {
    if (this.#fd !== undefined && this.#file === file && this.#wasInPlace(this.#fd)) return this.#fd;
    this.#close();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, file);
    cutUnended(path);
    const fd = openOwnFile(path, "append");
    this.#fd = fd;
    this.#file = file;
    this.#size = fstatSync(fd).size;
    return fd;
  }

  #wasInPlace(fd: number): boolean {
    const now_ms = performance.now();
    if (now_ms - this.#checked_at < CHECK_INTERVAL_MS) return true;
    this.#checked_at = now_ms;
    return this.#isInPlace(fd);
  }

  /** False where the file was removed, or something else was written into it. */
  #isInPlace(fd: number): boolean {
    const there = lstatSync(join(this.#folder, this.#file), { throwIfNoEntry: false });
    const open = fstatSync(fd);
    return there !== undefined && there.ino === open.ino && open.size === this.#size;
  }

  #close(): void {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    try {
      fdatasyncSync(fd);
      closeSync(fd);
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error("unknown", { cause: error }));
    }
  }
}

/** What a killed gate was writing: its receipt is still due. */
function cutUnended(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  for (const line of lastLines(path, LINE_BYTES)) if (!line.is_ended) cutTornLine(path, line);
}

/** The number of the first of these lines that is a receipt. */
function firstOf(lines: Iterable<{ bytes: Buffer }>): number | undefined {
  for (const { bytes } of lines) {
    const number = statementOfLine(bytes.toString("utf8"))?.predicate.receipt;
    if (number !== undefined) return number;
  }
  return undefined;
}
