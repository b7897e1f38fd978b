import { close, closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import type { DiskReserve } from "../../base/files/disk-reserve.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import { cutTornLine, endedSize, writeWhole } from "./append.ts";
import { CLOCK_TOLERANCE_MS, GENESIS, isInOrder, lineHash, monthBounds, monthFile } from "./chain.ts";
import { HeadWriter, type Loss, readHead } from "./head.ts";
import type { LiveEnd, TrailHealth } from "./health.ts";
import { filesIn } from "./month-files.ts";
import type { AuditRecord } from "./record.ts";
import { EMPTY_TRAIL, resumeTrail, type TrailEnd } from "./resume.ts";

const HEAD_INTERVAL_MS = 100;
/** How often the file's month and place are checked. In milliseconds. */
const CHECK_INTERVAL_MS = 250;
/** So many changed files are named at once. */
const MAX_NAMED = 3;

/** A queued line. */
interface Entry {
  made: AuditRecord | (() => AuditRecord);
  lost: ((error: unknown) => void) | undefined;
}

/** A line without its position in the chain. */
interface Body {
  json: string;
  ms: number;
}

/** Space beyond the open file's end that is the file's own. Both never throw. */
export interface TrailRoom {
  keep(fd: number): boolean;
  /** The disk is full, and little of it is left. */
  readonly isShort: boolean;
}

/**
 * The audit trail: monthly JSONL files, each line chained to the one before (docs/decisions/requirements-vaglio.md, "Log").
 * A line that can't be written is counted and reported to its caller, and the trail records the loss once it can be written again.
 */
export class AuditLog {
  writeFailures = 0;
  last_failure: string | null = null;

  readonly #folder: string;
  readonly #headFile: string;
  readonly #now: () => number;
  readonly #reserve: DiskReserve | undefined;
  readonly #room: TrailRoom | undefined;
  readonly #head: HeadWriter;
  readonly #closed: ClosedFiles;
  readonly #sync = new BackgroundSync((error) => this.#synced(error));
  readonly #listeners = new Set<(line: string) => void>();
  #waiting: Entry[] = [];
  #fd: number | undefined;
  #file = "";
  #bounds = { start: 0, end: 0 };
  #size = 0;
  #end: TrailEnd = EMPTY_TRAIL;
  /** The last line, until its hash is in `#end`. */
  #unhashed: string | undefined;
  /** Records about resuming the chain that aren't written yet. */
  #notes: AuditRecord[] = [];
  #lost: Loss | null = null;
  #isReady = false;
  #isAbandoned = false;
  /** When the open file was last found to be this month's and still in its folder, in milliseconds. */
  #checkedAt = 0;
  #markedAt = 0;
  #marked: string | undefined;
  readonly #health: TrailHealth = {
    failure: null,
    headFailure: null,
    syncFailure: null,
    change: null,
    isOnReserve: false,
    lost: null,
    lostBefore: 0,
  };
  #watch: (health: Readonly<TrailHealth>) => void = () => undefined;
  #lookElsewhere: () => void = () => undefined;

  /**
   * @param headFile a file outside the folder that records where the trail ends, so that a removed end is detected
   * @param now gives milliseconds
   * @param reserve reserved space for lines on a full disk
   * @param room keeps space within the month's file; used before the reserve
   */
  constructor(folder: string, headFile: string, now: () => number = Date.now, reserve?: DiskReserve, room?: TrailRoom) {
    this.#folder = folder;
    this.#headFile = headFile;
    this.#now = now;
    this.#reserve = reserve;
    this.#room = room;
    this.#head = new HeadWriter(headFile);
    this.#closed = new ClosedFiles(folder);
  }

  /**
   * Records losses of an earlier gate, and reports the state of writing to `watch` from now on. Writes nothing where all is well.
   * @param look called before anything is written: abandons the trail where it is another gate's by now
   */
  begin(watch: (health: Readonly<TrailHealth>) => void, look: () => void = () => undefined): void {
    this.#watch = watch;
    this.#lookElsewhere = look;
    this.#lost ??= this.#recordedHead()?.position?.lost ?? null;
    try {
      this.#closed.begin();
    } catch (error) {
      this.#failed(error, 1); // a folder that can't be looked into: the first line says so
    }
    if (this.#lost !== null) this.tend();
  }

  /** The end that this process has written, and the hash that it recorded beside the trail; undefined before its first line. */
  get end(): LiveEnd | undefined {
    if (!this.#isReady || this.#notes.length > 0) return undefined;
    return { hash: this.#endHash(), recorded: this.#marked };
  }

  /** What could not be written, and the trail doesn't say yet. */
  get lost(): Loss | null {
    return this.#lost;
  }

  /** Where the last line is that this process has written, or has found; undefined as long as it has looked at none. */
  get position(): TrailEnd | undefined {
    if (!this.#isReady || this.#notes.length > 0) return undefined;
    return { ...this.#end, hash: this.#endHash() };
  }

  /** The operator has acknowledged the lost lines. */
  acknowledgeLosses(): void {
    this.#health.lostBefore = 0;
    this.#reportHealth();
  }

  /**
   * Queues a line, or the function that makes it; it is in the file once `flush` has returned. Where it can't be written, `lost`
   * is called within `flush`.
   */
  append(record: AuditRecord | (() => AuditRecord), lost?: (error: unknown) => void): void {
    this.#waiting.push({ made: record, lost });
  }

  /** The present time for a line's `ts`, in Unix seconds. */
  time(): number {
    return this.#now() / 1000;
  }

  /** Calls `listener` with every written line. Returns the function that ends the subscription. */
  subscribe(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes nothing any more, not even queued lines: the trail may be another gate's now. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#waiting = [];
  }

  /** Whether the trail is still this gate's to write. */
  isOwn(): boolean {
    this.#lookElsewhere();
    return !this.#isAbandoned;
  }

  /** Writes the queued lines, in one write. Never throws. */
  flush(): void {
    if (this.#isAbandoned) this.#waiting = [];
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

  /** Does in advance what the next line would wait for. */
  prepareNext(): void {
    this.#endHash();
  }

  /** Resumes the chain where that wasn't done yet, and writes what it finds. Never throws. */
  open(): void {
    this.flush();
    if (!this.#isReady || this.#notes.length > 0) this.#put([], []);
  }

  /** Called periodically: retries what could not be written, and refills the reserve. Never throws. */
  tend(): void {
    this.flush();
    if (this.#lost !== null) this.#put([], []);
    this.#reserve?.keep();
    if (this.#fd !== undefined) this.#room?.keep(this.#fd);
    this.rememberHead();
    this.#reportHealth();
  }

  /** Called each second: reports where a file isn't what was written. The next line begins another one where the open one is gone. Never throws. */
  look(): void {
    if (!this.isOwn()) return;
    try {
      const changes = this.#closed.changes();
      const change = this.#fd === undefined ? undefined : this.#changeOf(this.#fd);
      if (change !== undefined) {
        changes.push(change);
        this.#closeFile();
      }
      if (changes.length > 0) this.#reportChanges(changes);
    } catch (error) {
      this.#failed(error, 1); // a folder that can't be looked into: the next line says so
    }
  }

  /** This gate has put months into an archive, or removed what one holds. */
  noteArchived(names: readonly string[]): void {
    for (const name of names) this.#closed.note(name);
  }

  /** Records the trail's end beside the trail, if that isn't recorded yet. */
  rememberHead(): void {
    if (!this.#isAbandoned && this.#isReady && this.#endHash() !== this.#marked) this.#mark(this.#now());
  }

  close(): void {
    this.flush();
    if (this.#lost !== null) this.#put([], []);
    try {
      // The lines before a recorded clean end must survive a crash of the machine.
      if (this.#fd !== undefined) fdatasyncSync(this.#fd);
      this.#sync.settled();
    } catch (error) {
      this.#failed(error, 1);
    }
    if (this.#isReady && !this.#isAbandoned) this.#mark(this.#now(), { is_clean: true, isDurable: true });
    this.#closeFile();
    this.#head.close();
    this.#isReady = false;
  }

  #put(bodies: readonly Body[], entries: readonly Entry[]): void {
    // The process may have been stopped since the lines were made, and another gate have begun meanwhile.
    if (!this.isOwn()) return;
    let lines: string[] = [];
    try {
      lines = this.#withRoom(() => this.#write(bodies));
      if (this.#health.failure !== null) {
        this.#health.failure = null;
        this.#reportHealth();
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
      if (this.#reserve.isSpent && !this.#health.isOnReserve) this.#reportHealth();
    }
  }

  /** All or nothing: where it throws, the trail and the state in memory are unchanged. */
  #write(bodies: readonly Body[]): string[] {
    const now = this.#now();
    const fd = this.#open(now);
    const before = [...this.#notes, ...this.#lossNote(now)].map(bodyOf);
    if (before.length === 0 && bodies.length === 0) return [];
    const { lines, end } = this.#chained(before.length === 0 ? bodies : [...before, ...bodies], now);
    // Recorded before and after: lines that a killed gate leaves beyond the recorded end are only a moment later than it.
    const isDue = Math.abs(now - this.#markedAt) >= HEAD_INTERVAL_MS;
    if (isDue) this.#mark(now);
    const length = writeWhole(fd, lines.join(""));
    this.#size += length;
    this.#sync.wrote(fd);
    const isMoved = this.#end.file !== this.#file;
    this.#end = { ...end, offset: this.#size };
    this.#unhashed = lines.at(-1);
    const wasLost = this.#lost !== null;
    if (this.#lost !== null) {
      this.#health.lostBefore += this.#lost.lines;
      this.#lost = null;
    }
    this.#notes = [];
    if (isDue || isMoved || wasLost) this.#mark(now);
    if (wasLost) this.#reportHealth();
    return lines;
  }

  /** The lines in their chain, and its end. The last line is hashed later, when no answer waits for it. */
  #chained(bodies: readonly Body[], now: number): { lines: string[]; end: TrailEnd } {
    let { seq, ms } = this.#end;
    let hash = this.#endHash();
    const lines: string[] = [];
    const add = ({ json }: Body) => {
      const previous = lines.at(-1);
      if (previous !== undefined) hash = lineHash(withoutEnd(previous));
      lines.push(`${json.slice(0, -1)},"seq":${++seq},"prev":"${hash}"}\n`);
    };
    let isBack = this.#file < this.#end.file;
    for (const body of bodies) {
      if (isBack || !isInOrder(this.#bounds, body.ms, ms)) add(bodyOf({ event: "audit.clock", ts: now / 1000 }));
      add(body);
      isBack = false;
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

  /** The open file of this month. */
  #open(now: number): number {
    if (this.#fd !== undefined && Math.abs(now - this.#checkedAt) < CHECK_INTERVAL_MS) return this.#fd;
    this.#checkedAt = now;
    if (!this.#isReady) this.#resume(now);
    const file = this.#fileAt(now);
    if (this.#fd !== undefined && this.#file === file && this.#isInPlace(this.#fd)) return this.#fd;
    // A month that is over needs no room any more.
    if (this.#fd !== undefined && this.#room !== undefined && this.#isInPlace(this.#fd))
      ftruncateSync(this.#fd, this.#size);
    this.#closeFile();
    const fd = openOwnFile(join(this.#folder, file), "append");
    this.#closed.forget(file);
    this.#fd = fd;
    this.#file = file;
    this.#bounds = monthBounds(file);
    this.#size = endedSize(fd);
    return fd;
  }

  /** At a month's end small corrections of the clock must not lead back to the previous file. */
  #fileAt(now: number): string {
    const file = monthFile(now);
    const isSmallStep = this.#end.file > file && now >= monthBounds(this.#end.file).start - CLOCK_TOLERANCE_MS;
    return isSmallStep ? this.#end.file : file;
  }

  /** False where the file was removed, or something else was written into it: that is reported. */
  #isInPlace(fd: number): boolean {
    const change = this.#changeOf(fd);
    if (change !== undefined) this.#reportChanges([change]);
    return change === undefined;
  }

  /** What happened to the open file, if anything. */
  #changeOf(fd: number): string | undefined {
    const path = join(this.#folder, this.#file);
    const { ino, size } = fstatSync(fd);
    const there = lstatSync(path, { throwIfNoEntry: false });
    const how = howChanged({ ino, size: this.#size }, there?.ino === ino ? { ino, size } : undefined);
    return how === undefined ? undefined : `${path} ${how}`;
  }

  #reportChanges(changes: readonly string[]): void {
    const more = changes.length - MAX_NAMED;
    const named = changes.slice(0, MAX_NAMED).join(", ") + (more > 0 ? `, and ${more} more were changed` : "");
    this.#health.change = `${named} by another program while the gate ran`;
    this.#reportHealth();
    this.#health.change = null;
  }

  /** Resumes the chain where the files end. Differences from the recorded end are noted in the trail. */
  #resume(now: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const head = this.#recordedHead();
    const { end, notes, torn } = resumeTrail(this.#folder, head, now);
    if (torn !== undefined) {
      cutTornLine(join(this.#folder, torn.file), torn);
      this.#closed.note(torn.file);
    }
    this.#end = end;
    this.#unhashed = undefined;
    this.#notes = notes;
    this.#lost ??= head?.position?.lost ?? null;
    this.#isReady = true;
    // Before the first line: from now on lines beyond the recorded end may be this gate's.
    this.#mark(now, { is_clean: false, isDurable: true });
  }

  /** Without a readable head the trail is written all the same: the failure is noted in it as a gap. */
  #recordedHead() {
    try {
      return readHead(this.#headFile);
    } catch (error) {
      this.#failed(error, 1);
      return undefined;
    }
  }

  #mark(now: number, how = { is_clean: false, isDurable: false }): void {
    const { file, offset, seq } = this.#end;
    const hash = this.#endHash();
    try {
      const position = { file, offset, seq, at: now / 1000, is_clean: how.is_clean, lost: this.#lost };
      this.#head.write(hash, position, how.isDurable);
      this.#marked = hash;
      this.#markedAt = now;
      if (this.#health.headFailure === null) return;
      this.#health.headFailure = null;
    } catch (error) {
      this.#failed(error, 1);
      this.#health.headFailure = error;
    }
    this.#reportHealth();
  }

  #lose(entries: readonly Entry[], error: unknown): void {
    for (const { lost } of entries) lost?.(error);
    const isNews = this.#health.failure === null;
    this.#health.failure = error;
    this.#failed(error, entries.length);
    if (entries.length > 0) {
      const now = this.#now();
      const { lines, ...first } = this.#lost ?? { lines: 0, since: now / 1000, error: this.last_failure ?? "unknown" };
      this.#lost = { lines: lines + entries.length, ...first };
      this.#markLoss(now);
    }
    if (isNews) this.#reportHealth();
  }

  /** Records the loss beside the trail: overwriting needs no disk space, and the record outlives this process. */
  #markLoss(now: number): void {
    if (this.#isReady) return this.#mark(now);
    const head = this.#recordedHead() ?? { hash: GENESIS, position: undefined };
    // A record in the earlier format has only the hash: it stays as it is.
    if (head.position === null) return;
    const { hash, position = { file: "", offset: 0, seq: 0, at: now / 1000, is_clean: false } } = head;
    try {
      this.#head.write(hash, { ...position, lost: this.#lost });
    } catch (error) {
      this.#failed(error, 1);
    }
  }

  #failed(error: unknown, count: number): void {
    this.writeFailures += count;
    this.last_failure = errorCode(error);
  }

  #synced(error: Error | null): void {
    if (error !== null) this.#failed(error, 1);
    if (error === null && this.#health.syncFailure === null) return;
    this.#health.syncFailure = error;
    this.#reportHealth();
  }

  #reportHealth(): void {
    this.#health.lost = this.#lost;
    this.#health.isOnReserve = this.#reserve?.isSpent === true || this.#room?.isShort === true;
    this.#watch(this.#health);
  }

  #closeFile(): void {
    if (this.#fd === undefined) return;
    this.#sync.close(this.#fd);
    this.#fd = undefined;
    this.#closed.note(this.#file);
  }
}

function withoutEnd(line: string): string {
  return line.slice(0, -1);
}

function bodyOf(record: AuditRecord): Body {
  return { json: JSON.stringify(record), ms: record.ts * 1000 };
}

// Syncs written data to the disk once a second, without blocking: a crash of the machine loses no more than that.

const INTERVAL_MS = 1000;

export class BackgroundSync {
  readonly #ended: (error: Error | null) => void;
  #timer: NodeJS.Timeout | undefined;
  #descriptor: number | undefined;

  /** `ended` is called after each sync, with its error where it failed. */
  constructor(ended: (error: Error | null) => void) {
    this.#ended = ended;
  }

  /** Notes that something was written through this descriptor. */
  wrote(descriptor: number): void {
    this.#descriptor = descriptor;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#descriptor !== undefined) this.#sync(this.#descriptor, () => undefined);
      this.#descriptor = undefined;
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /** Closes the descriptor, after a sync where one is due. Never throws. */
  close(descriptor: number): void {
    if (this.#descriptor !== descriptor) return this.#closeNow(descriptor);
    this.settled();
    // Without a callback an error would be thrown uncaught.
    this.#sync(descriptor, () => close(descriptor, (error) => error && this.#ended(error)));
  }

  /** Notes that everything has been synced. */
  settled(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#descriptor = undefined;
  }

  #closeNow(descriptor: number): void {
    try {
      closeSync(descriptor);
    } catch (error) {
      this.#ended(error instanceof Error ? error : new Error("unknown", { cause: error }));
    }
  }

  #sync(descriptor: number, done: () => void): void {
    fdatasync(descriptor, (error) => {
      // Closed meanwhile, after a sync.
      if (error?.code !== "EBADF") this.#ended(error);
      done();
    });
  }
}

interface Identity {
  ino: number;
  size: number;
}

/** The months and archives beside the open file: nothing writes them any more, and whatever changes one is no gate. */
class ClosedFiles {
  readonly #folder: string;
  readonly #known = new Map<string, Identity>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes all of them as they are now. @throws the system's error */
  begin(): void {
    for (const { name, role } of filesIn(this.#folder)) if (role !== "stray") this.note(name);
  }

  /** Takes this one as it is now. */
  note(name: string): void {
    const found = this.#look(name);
    if (found) this.#known.set(name, found);
    else this.#known.delete(name);
  }

  /** The gate itself writes it from now on. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  /** What happened to which since, each once: "PATH was cut". */
  changes(): string[] {
    const changes: string[] = [];
    for (const [name, known] of this.#known) {
      const found = this.#look(name);
      const how = found === null ? undefined : howChanged(known, found);
      if (how === undefined) continue;
      changes.push(`${join(this.#folder, name)} ${how}`);
      this.note(name);
    }
    return changes;
  }

  /** Undefined: it is gone; null: nobody can say. */
  #look(name: string): Identity | undefined | null {
    try {
      const { ino, size } = lstatSync(join(this.#folder, name));
      return { ino, size };
    } catch (error) {
      return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? undefined : null;
    }
  }
}

/** Undefined: it is as it was. */
function howChanged(known: Identity, found: Identity | undefined): string | undefined {
  if (found === undefined || found.ino !== known.ino) return "was removed, moved or replaced";
  if (found.size === known.size) return undefined;
  return found.size < known.size ? "was cut" : "was written into";
}
