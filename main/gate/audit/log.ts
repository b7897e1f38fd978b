import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.ts";
import { GENESIS, lineHash, MONTH_FILE, monthFile } from "./chain.ts";
import type { AuditRecord } from "./record.ts";

const HEAD_INTERVAL_MS = 100;
/** How often the file's month and place are looked at again. */
const CHECK_INTERVAL_MS = 250;

/**
 * The audit trail: monthly JSONL files, each line chained to the one before (seed 000, design §3).
 * A failed write never holds a decision up: it is counted, shown, and noted in the trail once it can be written again.
 */
export class AuditLog {
  write_failures = 0;
  last_failure: string | null = null;

  readonly #folder: string;
  readonly #head_file: string;
  readonly #now: () => number;
  readonly #listeners = new Set<(line: string) => void>();
  #waiting: (AuditRecord | (() => AuditRecord))[] = [];
  #fd: number | undefined;
  #head_fd: number | undefined;
  #file = "";
  #size = 0;
  #last_hash = GENESIS;
  #lost = 0;
  #is_ready = false;
  #is_abandoned = false;
  /** When the open file was last seen to be this month's and still in its folder, in milliseconds. */
  #checked_at = 0;
  #remembered_at = 0;
  #remembered = "";

  /**
   * @param head_file one line outside the folder that remembers the last line's hash, so that a removed end is noticed
   * @param now gives milliseconds
   */
  constructor(folder: string, head_file: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#head_file = head_file;
    this.#now = now;
  }

  /** Takes a line, or what makes it; it is in the file once `flush` has returned. */
  append(record: AuditRecord | (() => AuditRecord)): void {
    this.#waiting.push(record);
  }

  /** Calls `listener` with every line that was written. Returns the function that ends it. */
  subscribe(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes nothing any more, not even what was taken: the trail may be another gate's now. */
  abandon(): void {
    this.#is_abandoned = true;
    this.#waiting = [];
  }

  /** Writes what was taken, in one write. Never throws. */
  flush(): void {
    if (this.#is_abandoned) this.#waiting = [];
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    let lines: string[] = [];
    try {
      const records = waiting.map((record) => (typeof record === "function" ? record() : record));
      this.#open();
      if (this.#lost > 0) records.unshift({ event: "audit.lost", ts: this.#now() / 1000, lines: this.#lost });
      lines = this.#write(records);
      this.#lost = 0;
    } catch (error) {
      this.#lost += waiting.length;
      this.write_failures += waiting.length;
      this.last_failure = errorCode(error);
      this.#closeFile();
    }
    for (const listener of this.#listeners) for (const line of lines) listener(line);
  }

  /** Writes the last line's hash beside the trail, where that is due at most every 100 ms. */
  remember_head(): void {
    if (this.#is_abandoned || this.#last_hash === this.#remembered || this.#fd === undefined) return;
    try {
      if (this.#head_fd === undefined) {
        mkdirSync(dirname(this.#head_file), { recursive: true, mode: 0o700 });
        this.#head_fd = openSync(this.#head_file, "w", 0o600);
      }
      writeSync(this.#head_fd, `${this.#last_hash}\n`, 0);
      this.#remembered = this.#last_hash;
      this.#remembered_at = this.#now();
    } catch (error) {
      this.write_failures++;
      this.last_failure = errorCode(error);
    }
  }

  close(): void {
    this.flush();
    this.remember_head();
    this.#closeFile();
    if (this.#head_fd !== undefined) closeSync(this.#head_fd);
    this.#head_fd = undefined;
  }

  #write(records: readonly AuditRecord[]): string[] {
    const fd = this.#fd as number;
    const lines: string[] = [];
    let last = this.#last_hash;
    for (const record of records) {
      record.prev = last;
      const line = JSON.stringify(record);
      last = lineHash(line);
      lines.push(line);
    }
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
    } catch (error) {
      if (written > 0) ftruncateSync(fd, this.#size); // no half a line
      throw error;
    }
    this.#size += bytes.length;
    this.#last_hash = last;
    // A crash in between leaves the trail ahead of the head by whole lines, which is no gap.
    if (Math.abs(this.#now() - this.#remembered_at) >= HEAD_INTERVAL_MS) this.remember_head();
    return lines;
  }

  /** The file of this month; a clock that goes back doesn't go back to an older file. */
  #open(): void {
    const now = this.#now();
    if (this.#fd !== undefined && Math.abs(now - this.#checked_at) < CHECK_INTERVAL_MS) return;
    this.#checked_at = now;
    const file = monthFile(now);
    if (this.#fd !== undefined && (this.#file >= file || this.#file === "") && fstatSync(this.#fd).nlink > 0) return;
    this.#closeFile();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (!this.#is_ready) this.#resume();
    if (this.#file < file) this.#file = file;
    this.#fd = openSync(join(this.#folder, this.#file), "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  /** Takes the chain up where the files end. What is missing there against the remembered head is noted, not forgotten. */
  #resume(): void {
    const files = readdirSync(this.#folder)
      .filter((name) => MONTH_FILE.test(name))
      .sort();
    this.#file = files.at(-1) ?? "";
    const tail = this.#file === "" ? [] : lastLines(join(this.#folder, this.#file));
    const last = tail.at(-1);
    this.#last_hash = last === undefined ? GENESIS : lineHash(last);
    const head = this.#rememberedHead();
    this.#is_ready = true;
    const is_known =
      head === undefined ? files.length === 0 : head === GENESIS || tail.some((line) => lineHash(line) === head);
    if (is_known) return;
    this.#file ||= monthFile(this.#now());
    this.#fd = openSync(join(this.#folder, this.#file), "a", 0o600);
    this.#size = fstatSync(this.#fd).size;
    this.#write([{ event: "audit.gap", ts: this.#now() / 1000, expected: head ?? "unknown" }]);
    this.#closeFile();
  }

  /** A head that can't be read is no reason to write no trail: it is counted, and noted in it as a gap. */
  #rememberedHead(): string | undefined {
    try {
      return readHead(this.#head_file);
    } catch (error) {
      this.write_failures++;
      this.last_failure = errorCode(error);
      return undefined;
    }
  }

  #closeFile(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The hash of the last line that was written, as remembered outside the folder. */
export function readHead(head_file: string): string | undefined {
  try {
    return readFileSync(head_file, "utf8").trim() || undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const TAIL_BYTES = 4 * 1024 * 1024;

/** The last lines of a file, whole ones, from its last 4 MiB. A torn last line is ended, so that the next one stands alone. */
function lastLines(file: string): string[] {
  const fd = openSync(file, "a+", 0o600);
  try {
    const { size } = fstatSync(fd);
    const length = Math.min(size, TAIL_BYTES);
    const buffer = Buffer.alloc(length);
    readSync(fd, buffer, 0, length, size - length);
    const text = buffer.toString("utf8");
    if (text !== "" && !text.endsWith("\n")) writeSync(fd, "\n");
    const lines = text.split("\n").filter((line) => line !== "");
    return length < size ? lines.slice(1) : lines;
  } finally {
    closeSync(fd);
  }
}
