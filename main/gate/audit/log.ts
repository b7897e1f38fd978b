import { fdatasyncSync, fstatSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DiskReserve } from "../disk-reserve.ts";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "../own-files.ts";
import { endedSize, writeWhole } from "./append.ts";
import { BackgroundSync } from "./background-sync.ts";
import { CLOCK_TOLERANCE_MS, GENESIS, isInOrder, lineHash, monthBounds, monthFile } from "./chain.ts";
import { HeadWriter, type Loss, readHead } from "./head.ts";
import type { LiveEnd, TrailHealth } from "./health.ts";
import type { AuditRecord } from "./record.ts";
import { EMPTY_TRAIL, resumeTrail, type TrailEnd } from "./resume.ts";

const HEAD_INTERVAL_MS = 100;
/** How often the file's month and place are looked at again. */
const CHECK_INTERVAL_MS = 250;

/** A line that waits to be written. */
interface Entry {
  made: AuditRecord | (() => AuditRecord);
  lost: ((error: unknown) => void) | undefined;
}

/** A line but for its place in the chain. */
interface Body {
  json: string;
  ms: number;
}

/**
 * The audit trail: monthly JSONL files, each line chained to the one before (docs/decisions/requirements-vaglio.md, "Log").
 * A line that can't be written is counted, whoever appended it hears of it, and the trail tells of it once it can be written again.
 */
export class AuditLog {
  write_failures = 0;
  last_failure: string | null = null;

  readonly #folder: string;
  readonly #head_file: string;
  readonly #now: () => number;
  readonly #reserve: DiskReserve | undefined;
  readonly #head: HeadWriter;
  readonly #sync = new BackgroundSync((error) => this.#failed(error, 1));
  readonly #listeners = new Set<(line: string) => void>();
  #waiting: Entry[] = [];
  #fd: number | undefined;
  #file = "";
  #bounds = { start: 0, end: 0 };
  #size = 0;
  #end: TrailEnd = EMPTY_TRAIL;
  /** The last line, as long as its hash isn't in `#end`. */
  #unhashed: string | undefined;
  /** What the taking up of the chain has to say, not written yet. */
  #notes: AuditRecord[] = [];
  #lost: Loss | null = null;
  #is_ready = false;
  #is_abandoned = false;
  /** When the open file was last seen to be this month's and still in its folder, in milliseconds. */
  #checked_at = 0;
  #marked_at = 0;
  #marked: string | undefined;
  readonly #health: TrailHealth = {
    failure: null,
    head_failure: null,
    is_on_reserve: false,
    lost: null,
    lost_before: 0,
  };
  #watch: (health: Readonly<TrailHealth>) => void = () => undefined;

  /**
   * @param head_file a file outside the folder that records where the trail ends, so that a removed end is noticed
   * @param now gives milliseconds
   * @param reserve room for lines on a full disk
   */
  constructor(folder: string, head_file: string, now: () => number = Date.now, reserve?: DiskReserve) {
    this.#folder = folder;
    this.#head_file = head_file;
    this.#now = now;
    this.#reserve = reserve;
    this.#head = new HeadWriter(head_file);
  }

  /** Takes up what an earlier gate could not write, and says from now on how the writing goes. Writes nothing where all is well. */
  begin(watch: (health: Readonly<TrailHealth>) => void): void {
    this.#watch = watch;
    this.#lost ??= this.#recordedHead()?.position?.lost ?? null;
    if (this.#lost !== null) this.tend();
  }

  /** The end as this process has written it, and the hash that it recorded beside the trail; undefined before its first line. */
  get end(): LiveEnd | undefined {
    if (!this.#is_ready || this.#notes.length > 0) return undefined;
    return { hash: this.#endHash(), recorded: this.#marked };
  }

  /** The human knows of the lines that were lost. */
  acknowledgeLosses(): void {
    this.#health.lost_before = 0;
    this.#tell();
  }

  /**
   * Takes a line, or what makes it; it is in the file once `flush` has returned. Where it can't be written, `lost` is called
   * within `flush`.
   */
  append(record: AuditRecord | (() => AuditRecord), lost?: (error: unknown) => void): void {
    this.#waiting.push({ made: record, lost });
  }

  /** What a line's `ts` is now, in Unix seconds. */
  time(): number {
    return this.#now() / 1000;
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
    const entries: Entry[] = [];
    const bodies: Body[] = [];
    for (const entry of waiting) {
      try {
        bodies.push(bodyOf(typeof entry.made === "function" ? entry.made() : entry.made));
        entries.push(entry);
      } catch (error) {
        this.#lose([entry], error);
      }
    }
    this.#put(bodies, entries);
  }

  /** Does now what the next line would wait for. */
  prepareNext(): void {
    this.#endHash();
  }

  /** Writes that the chain is taken up, where it wasn't yet, and what that finds. Never throws. */
  open(): void {
    this.flush();
    if (!this.#is_ready || this.#notes.length > 0) this.#put([], []);
  }

  /** Now and then: tries to write what could not be written, and keeps room aside again. Never throws. */
  tend(): void {
    this.flush();
    if (this.#lost !== null) this.#put([], []);
    this.#reserve?.keep();
    this.rememberHead();
    this.#tell();
  }

  /** Records beside the trail where it ends, if that isn't recorded yet. */
  rememberHead(): void {
    if (!this.#is_abandoned && this.#is_ready && this.#endHash() !== this.#marked) this.#mark(this.#now());
  }

  close(): void {
    this.flush();
    if (this.#lost !== null) this.#put([], []);
    try {
      // What the record of a clean end speaks of must be there also after a crash of the machine.
      if (this.#fd !== undefined) fdatasyncSync(this.#fd);
      this.#sync.settled();
    } catch (error) {
      this.#failed(error, 1);
    }
    if (this.#is_ready && !this.#is_abandoned) this.#mark(this.#now(), { is_clean: true, is_durable: true });
    this.#closeFile();
    this.#head.close();
    this.#is_ready = false;
  }

  #put(bodies: readonly Body[], entries: readonly Entry[]): void {
    if (this.#is_abandoned) return;
    let lines: string[] = [];
    try {
      lines = this.#withRoom(() => this.#write(bodies));
      if (this.#health.failure !== null) {
        this.#health.failure = null;
        this.#tell();
      }
    } catch (error) {
      this.#closeFile();
      this.#lose(entries, error);
    }
    for (const listener of this.#listeners) for (const line of lines) listener(withoutEnd(line));
  }

  #withRoom<T>(act: () => T): T {
    if (this.#reserve === undefined) return act();
    try {
      return this.#reserve.withRoom(act);
    } finally {
      if (this.#reserve.isSpent !== this.#health.is_on_reserve) this.#tell();
    }
  }

  /** All or nothing. What stands in the trail and in memory is as before where it throws. */
  #write(bodies: readonly Body[]): string[] {
    const now = this.#now();
    const fd = this.#open(now);
    const before = [...this.#notes, ...this.#lossNote(now)].map(bodyOf);
    if (before.length === 0 && bodies.length === 0) return [];
    const { lines, end } = this.#chained(before.length === 0 ? bodies : [...before, ...bodies], now);
    // Recorded before and after: what a killed gate leaves beyond the recorded end is never older than a moment.
    const is_due = Math.abs(now - this.#marked_at) >= HEAD_INTERVAL_MS;
    if (is_due) this.#mark(now);
    const length = writeWhole(fd, lines.join(""));
    this.#size += length;
    this.#sync.wrote(fd);
    const is_moved = this.#end.file !== this.#file;
    this.#end = { ...end, offset: this.#size };
    this.#unhashed = lines.at(-1);
    const was_lost = this.#lost !== null;
    if (this.#lost !== null) {
      this.#health.lost_before += this.#lost.lines;
      this.#lost = null;
    }
    this.#notes = [];
    if (is_due || is_moved || was_lost) this.#mark(now);
    if (was_lost) this.#tell();
    return lines;
  }

  /** With their ends. The last one is hashed later, when no answer waits for it. */
  #chained(bodies: readonly Body[], now: number): { lines: string[]; end: TrailEnd } {
    let { seq, ms } = this.#end;
    let hash = this.#endHash();
    const lines: string[] = [];
    const add = ({ json }: Body) => {
      const previous = lines.at(-1);
      if (previous !== undefined) hash = lineHash(withoutEnd(previous));
      lines.push(`${json.slice(0, -1)},"seq":${++seq},"prev":"${hash}"}\n`);
    };
    let is_back = this.#file < this.#end.file;
    for (const body of bodies) {
      if (is_back || !isInOrder(this.#bounds, body.ms, ms)) add(bodyOf({ event: "audit.clock", ts: now / 1000 }));
      add(body);
      is_back = false;
      ({ ms } = body);
    }
    return { lines, end: { file: this.#file, offset: this.#size, hash, seq, ms } };
  }

  #endHash(): string {
    if (this.#unhashed !== undefined) {
      this.#end.hash = lineHash(withoutEnd(this.#unhashed));
      this.#unhashed = undefined;
    }
    return this.#end.hash;
  }

  #lossNote(now: number): AuditRecord[] {
    if (this.#lost === null) return [];
    return [{ event: "audit.lost", ts: now / 1000, ...this.#lost }];
  }

  /** The file of this month, open. */
  #open(now: number): number {
    if (this.#fd !== undefined && Math.abs(now - this.#checked_at) < CHECK_INTERVAL_MS) return this.#fd;
    this.#checked_at = now;
    if (!this.#is_ready) this.#resume(now);
    const file = this.#fileAt(now);
    if (this.#fd !== undefined && this.#file === file && this.#isInPlace(this.#fd)) return this.#fd;
    this.#closeFile();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const fd = openOwnFile(join(this.#folder, file), "append");
    this.#fd = fd;
    this.#file = file;
    this.#bounds = monthBounds(file);
    this.#size = endedSize(fd);
    return fd;
  }

  /** Within a moment of a month's end the clock may go back and forth: that is no reason to go back a file. */
  #fileAt(now: number): string {
    const file = monthFile(now);
    const is_small_step = this.#end.file > file && now >= monthBounds(this.#end.file).start - CLOCK_TOLERANCE_MS;
    return is_small_step ? this.#end.file : file;
  }

  /** Somebody may have taken the file away, or written into it. */
  #isInPlace(fd: number): boolean {
    const there = lstatSync(join(this.#folder, this.#file), { throwIfNoEntry: false });
    const open = fstatSync(fd);
    return there !== undefined && there.ino === open.ino && open.size === this.#size;
  }

  /** Takes the chain up where the files end. What isn't there as it was recorded is noted, not forgotten. */
  #resume(now: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const head = this.#recordedHead();
    const { end, notes } = resumeTrail(this.#folder, head, now);
    this.#end = end;
    this.#unhashed = undefined;
    this.#notes = notes;
    this.#lost ??= head?.position?.lost ?? null;
    this.#is_ready = true;
    // Before the first line: from now on lines beyond the recorded end may be this gate's.
    this.#mark(now, { is_clean: false, is_durable: true });
  }

  /** A head that can't be read is no reason to write no trail: it is counted, and noted in it as a gap. */
  #recordedHead() {
    try {
      return readHead(this.#head_file);
    } catch (error) {
      this.#failed(error, 1);
      return undefined;
    }
  }

  #mark(now: number, how = { is_clean: false, is_durable: false }): void {
    const { file, offset, seq } = this.#end;
    const hash = this.#endHash();
    try {
      const position = { file, offset, seq, at: now / 1000, is_clean: how.is_clean, lost: this.#lost };
      this.#head.write(hash, position, how.is_durable);
      this.#marked = hash;
      this.#marked_at = now;
      if (this.#health.head_failure === null) return;
      this.#health.head_failure = null;
    } catch (error) {
      this.#failed(error, 1);
      this.#health.head_failure = error;
    }
    this.#tell();
  }

  #lose(entries: readonly Entry[], error: unknown): void {
    for (const { lost } of entries) lost?.(error);
    const is_news = this.#health.failure === null;
    this.#health.failure = error;
    this.#failed(error, entries.length);
    if (entries.length > 0) {
      const now = this.#now();
      const { lines, ...first } = this.#lost ?? { lines: 0, since: now / 1000, error: this.last_failure ?? "unknown" };
      this.#lost = { lines: lines + entries.length, ...first };
      this.#markLoss(now);
    }
    if (is_news) this.#tell();
  }

  /** Writes over what is there: that needs no room, and outlives this process. */
  #markLoss(now: number): void {
    if (this.#is_ready) return this.#mark(now);
    const head = this.#recordedHead() ?? { hash: GENESIS, position: undefined };
    // Of a record in the earlier format only the hash is known: it stays as it is.
    if (head.position === null) return;
    const { hash, position = { file: "", offset: 0, seq: 0, at: now / 1000, is_clean: false } } = head;
    try {
      this.#head.write(hash, { ...position, lost: this.#lost });
    } catch (error) {
      this.#failed(error, 1);
    }
  }

  #failed(error: unknown, count: number): void {
    this.write_failures += count;
    this.last_failure = errorCode(error);
  }

  #tell(): void {
    this.#health.lost = this.#lost;
    this.#health.is_on_reserve = this.#reserve?.isSpent ?? false;
    this.#watch(this.#health);
  }

  #closeFile(): void {
    if (this.#fd !== undefined) this.#sync.close(this.#fd);
    this.#fd = undefined;
  }
}

function withoutEnd(line: string): string {
  return line.slice(0, -1);
}

function bodyOf(record: AuditRecord): Body {
  return { json: JSON.stringify(record), ms: record.ts * 1000 };
}
