import { closeSync, fdatasync, fdatasyncSync, fstatSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Alarms } from "../../base/alarms.ts";
import { SlicedWork } from "../../base/clocks/sliced-work.ts";
import { errorCode } from "../../base/errors.ts";
import { fileError } from "../../base/files/file-errors.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import { cutTornLine, writeWhole } from "../audit/append.ts";
import { monthFile } from "../audit/chain.ts";
import { lastLines, linesBetween } from "../audit/lines.ts";
import { monthFiles } from "../audit/month-files.ts";
import { signedLine } from "./dsse.ts";
import type { Due, DueCards, DueReceipts, DueUndos, Undone } from "./due-receipts.ts";
import { KEYS_FILE, type KnownKey } from "./public-keys-file.ts";
import { ReceiptKeys, type ReceiptKeysParts } from "./receipt-keys.ts";
import { statementOfLine } from "./receipt-line.ts";

export interface ReceiptsParts extends Omit<ReceiptKeysParts, "numbers"> {
  cards: DueCards;
  grants: DueReceipts;
  undos: DueUndos;
  alarms: Alarms;
  /** Whether the databases are still this gate's. */
  isIntact(): boolean;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

/** So many are signed and added to their file at once. */
const TOGETHER = 25;

/** What is due in one database, and how far it has come. */
interface Source {
  due: DueReceipts;
  /** The last row that has its receipt in the files. */
  written: number;
  /** The last row of which the database knows that. */
  settled: number;
  /** Rows that an earlier gate has left. */
  lateThrough: number;
}

/**
 * Signs a receipt for each answer and each grant, once the answer is on its way. What is due is noted in the databases until its
 * receipt is on the disk: a failure, of a key or a disk, keeps it for later, and never an answer.
 */
export class Receipts {
  /** How often receipts could not be made. */
  failures = 0;
  readonly keys: ReceiptKeys;
  readonly #parts: ReceiptsParts;
  readonly #files: ReceiptFiles;
  readonly #sources: readonly Source[];
  readonly #pieces = new SlicedWork((endsAt) => this.#work(endsAt));
  #next = 1;
  #isOpen = false;
  #isFailing = false;
  /** What was written last may not be on the disk. */
  #isSyncFailing = false;
  /** What was begun gets to the disk later: the databases may be closed then. */
  #isClosed = false;
  /** What an earlier gate had in the files, although it was still due. */
  #madeBefore = new Set<string>();
  #isUnsettled = false;
  #waking: NodeJS.Immediate | undefined;

  constructor(parts: ReceiptsParts) {
    this.#parts = parts;
    this.#sources = [parts.cards, parts.grants, parts.undos].map((due) => ({
      due,
      written: 0,
      settled: 0,
      lateThrough: 0,
    }));
    this.#files = new ReceiptFiles(parts.folder, (error) => this.#fail(error));
    const { key_file, folder, gate_version, now } = parts;
    const numbers = () => ({ next: this.#next, first: this.#files.firstNumber() });
    this.keys = new ReceiptKeys({ key_file, folder, gate_version, now, numbers });
  }

  /** Opens the keys and continues where an earlier gate ended. Never throws. */
  begin(): void {
    this.#attempt(() => {
      for (const source of this.#sources) source.lateThrough = source.due.last();
      this.#resume();
    });
    // At once: a gate that is killed again and again makes them, too.
    this.wake();
  }

  /** Something was answered, given or revoked: its receipt is made in a later turn of the event loop. */
  wake(): void {
    this.#waking ??= setImmediate(() => {
      this.#waking = undefined;
      this.#pieces.go();
    });
  }

  /** Something was taken back, or put again. @throws SQLite's error */
  noteUndo(undone: Undone): void {
    this.#parts.undos.add(undone);
    this.wake();
  }

  /** Makes all that is due now. Never throws. */
  makeAll(): void {
    this.#pieces.finish();
  }

  /** Called periodically: makes what is due, and notes what is on the disk by now. Never throws. */
  flush(): void {
    this.#pieces.go();
    if (!this.#isUnsettled) return;
    this.#isUnsettled = false;
    const through = this.#position();
    this.#files.sync((isSynced) => {
      this.#isSyncFailing = !isSynced;
      if (isSynced) this.#attempt(() => this.#settle(through));
      else this.#isUnsettled = true;
    });
  }

  close(): void {
    clearImmediate(this.#waking);
    this.makeAll();
    this.#attempt(() => {
      this.#files.syncNow();
      this.#settle(this.#position());
    });
    this.#files.close();
    this.#isOpen = false;
    this.#isClosed = true;
  }

  /** Makes another key. See `ReceiptKeys.rotate`. @throws GateError `file_unusable` */
  rotateKey(options: { without_previous: boolean }): KnownKey {
    this.makeAll();
    const key = this.keys.rotate(options);
    this.#isOpen = false;
    this.#pieces.go();
    return key;
  }

  #resume(): void {
    const { cards } = this.#parts;
    this.#next = Math.max(this.#files.lastNumber(), cards.end, this.#next - 1) + 1;
    const opened = this.keys.open();
    if (opened === "list made again") this.#reportRenewed();
    if (this.keys.failure !== undefined) throw this.keys.failure;
    const left = this.#sources.some(({ due, written }) => due.last() > written);
    this.#madeBefore = left ? this.#files.lastEvents() : new Set();
    this.#isOpen = true;
  }

  /** As many as fit, of each database in turn. Returns whether there is more. */
  #work(endsAt: number): boolean {
    return this.#attempt(() => {
      if (!this.#parts.isIntact()) return false;
      if (!this.#isOpen) this.#resume();
      for (const source of this.#sources) {
        while (this.#make(source)) if (performance.now() >= endsAt) return true;
      }
      this.#madeBefore.clear();
      this.#succeeded();
      return false;
    });
  }

  /** Returns whether there may be more. @throws the system's, or SQLite's, error: they are still due */
  #make(source: Source): boolean {
    const listed = source.due.list(source.written, TOGETHER);
    const last = listed.at(-1);
    if (last === undefined) return false;
    const due = listed.filter(({ event }) => !this.#madeBefore.has(event));
    if (due.length > 0) this.#sign(due, source.lateThrough);
    source.written = last.id;
    this.#isUnsettled = true;
    return listed.length === TOGETHER;
  }

  #sign(due: readonly Due[], lateThrough: number): void {
    const key = this.keys.current;
    if (key === undefined) throw this.keys.failure ?? new Error("no key");
    const nowMs = this.#parts.now();
    const lines = due.map(({ id, statement }, index) => {
      const late = id <= lateThrough ? true : undefined;
      return signedLine(statement({ receipt: this.#next + index, ts: nowMs / 1000, late }), [key]);
    });
    this.#files.append(lines, nowMs);
    this.#next += due.length;
  }

  #position(): { written: readonly number[]; end: number } {
    return { written: this.#sources.map(({ written }) => written), end: this.#next - 1 };
  }

  #settle({ written, end }: { written: readonly number[]; end: number }): void {
    const { cards, isIntact } = this.#parts;
    if (!isIntact()) return;
    if (end > cards.end) cards.end = end;
    for (const [index, source] of this.#sources.entries()) {
      const through = written[index] ?? 0;
      if (through > source.settled) source.due.done(through);
      source.settled = through;
    }
  }

  /** Returns what `act` does; false where it fails, or all is closed. */
  #attempt(act: () => unknown): boolean {
    if (this.#isClosed) return false;
    try {
      return act() === true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    this.failures++;
    const { alarms, folder, key_file, failed } = this.#parts;
    if (!this.#isFailing) failed("making receipts", error);
    this.#isFailing = true;
    // What is in the files then is looked at again before anything is added.
    this.#isOpen = false;
    // What becomes of a database is reported by its own alarm.
    if (errorCode(error).startsWith("SQLITE")) return;
    const found: GateError = fileError(error, "the folder of receipts", folder);
    const isKey = error === this.keys.failure;
    alarms.raise({
      code: "receipts_unwritable",
      subject: isKey ? key_file : folder,
      message: `${found.message}; receipts are made later`,
      hint: found.hint,
    });
  }

  #succeeded(): void {
    if (!this.#isFailing || this.#isSyncFailing) return;
    this.#isFailing = false;
    const { alarms, folder, key_file } = this.#parts;
    for (const subject of [folder, key_file]) alarms.clear("receipts_unwritable", subject);
  }

  #reportRenewed(): void {
    const { alarms, folder } = this.#parts;
    alarms.raise({
      code: "file_renewed",
      subject: `${folder}/${KEYS_FILE}`,
      message: `the list of receipt keys ${folder}/${KEYS_FILE} was missing and was made again, with the present key alone`,
      hint: `put it back from a backup to verify what earlier keys have signed; see: ${ownCommand("receipts key")}`,
    });
  }
}

// The monthly files of receipts.

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
  #checkedAt = 0;

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
  append(lines: readonly string[], nowMs: number): void {
    const fd = this.#open(monthFile(nowMs));
    try {
      this.#size += writeWhole(fd, lines.map((line) => `${line}\n`).join(""));
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  /** Calls `done` with whether what was added is on the disk. */
  sync(done: (isSynced: boolean) => void): void {
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
    const nowMs = performance.now();
    if (nowMs - this.#checkedAt < CHECK_INTERVAL_MS) return true;
    this.#checkedAt = nowMs;
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
  for (const line of lastLines(path, LINE_BYTES)) if (!line.isEnded) cutTornLine(path, line);
}

/** The number of the first of these lines that is a receipt. */
function firstOf(lines: Iterable<{ bytes: Buffer }>): number | undefined {
  for (const { bytes } of lines) {
    const number = statementOfLine(bytes.toString("utf8"))?.predicate.receipt;
    if (number !== undefined) return number;
  }
  return undefined;
}
