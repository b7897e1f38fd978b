import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Alarms } from "../../base/alarms.ts";
import { readArchiveHeader } from "./archive-file.ts";
import { lineHash } from "./chain.ts";
import {
  type Checkpoint,
  type CheckpointSigner,
  type RestartReason,
  type SignedCheckpoint,
  signCheckpoint,
  signCheckpointBeside,
} from "./checkpoint.ts";
import { raiseMissing, raiseRestart, raiseUnwritable } from "./checkpoint-alarms.ts";
import { CheckpointFiles } from "./checkpoint-files.ts";
import { type CheckpointRecord, CheckpointRecordFile } from "./checkpoint-record.ts";
import { DailyCheckpoint } from "./daily-checkpoint.ts";
import { lineEndingAt } from "./lines.ts";
import type { AuditLog } from "./log.ts";
import { filesIn, monthsIn } from "./month-files.ts";

/** A checkpoint is signed after this many lines, or this long after the first line since the last one; in milliseconds. */
const LINES_PER_CHECKPOINT = 64;
const CHECKPOINT_INTERVAL_MS = 10 * 60_000;

/** The event of the trail that checkpoints were begun anew, or over lines that there were before. Earlier versions signed a tree. */
const BEGUN_EVENT = "audit.tree";

/** The keys as they are now: the gate's may be replaced while it runs. */
export interface CheckpointKeys {
  /** Undefined while there is none that can be used: nothing is signed then. */
  current(): CheckpointSigner | undefined;
  /** Raw public keys: the present one and the earlier ones. */
  known(): readonly Uint8Array[];
}

export interface CheckpointParts {
  audit: AuditLog;
  keys: CheckpointKeys;
  /** Of the trail. */
  folder: string;
  recordFile: string;
  checkpointsDir: string;
  /** The newest is added to this file once a day. */
  checkpoint_file: string | undefined;
  /** Milliseconds. */
  now(): number;
  alarms: Alarms;
  failed(what: string, error: unknown): void;
}

/**
 * Signs checkpoints of the trail: the number and the hash of its last line, which has the hash of the one before in it, and so on. Nothing
 * here is on a decision's way: what was written is signed in a later turn, on another thread where the key can.
 */
export class Checkpoints {
  readonly files: CheckpointFiles;
  readonly daily: DailyCheckpoint;
  readonly #parts: CheckpointParts;
  readonly #record: CheckpointRecordFile;
  #origin = "";
  #epoch = 1;
  #newest: SignedCheckpoint | undefined;
  #restarted: RestartReason | null = null;
  /** How long the months' files were when they were last looked at for a signature. */
  #offsets: Record<string, number> = {};
  #mustLook = true;
  /** Lines that were written since the newest. */
  #lines = 0;
  #turn: NodeJS.Immediate | undefined;
  #isSigning = false;
  /** When the first line that no checkpoint covers was noticed, in milliseconds. */
  #unsignedSince: number | undefined;
  #isSaved = true;
  #isFailing = false;
  #isClosed = false;
  #unsubscribe: () => void = () => undefined;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    this.files = new CheckpointFiles(parts.checkpointsDir);
    this.#record = new CheckpointRecordFile(parts.recordFile);
    this.daily = new DailyCheckpoint(parts, () => this.#save(true));
  }

  /** Which gate's trail this is. */
  get origin(): string {
    return this.#origin;
  }

  /** How often checkpoints of it were begun. */
  get epoch(): number {
    return this.#epoch;
  }

  get keys(): CheckpointKeys {
    return this.#parts.keys;
  }

  /** As it was signed; undefined before the first. */
  get newest(): SignedCheckpoint | undefined {
    return this.#newest;
  }

  /** Continues after the newest checkpoint, if the trail is still the one that it is about. Never throws. */
  begin(): void {
    const { audit, keys, folder, failed } = this.#parts;
    this.#unsubscribe = audit.subscribe(() => this.#note());
    this.#newest = this.files.newest(keys.known());
    const found = this.#record.read();
    // What is signed counts: another gate's file isn't this trail's.
    const record = this.#newest === undefined || found?.origin === this.#newest.origin ? found : undefined;
    this.#origin = record?.origin ?? this.#newest?.origin ?? `metnos-gate/${randomBytes(16).toString("hex")}`;
    this.#epoch = this.#newest?.epoch ?? record?.epoch ?? 1;
    if (record !== undefined) this.#resume(record);
    try {
      const sizes = sizesIn(folder);
      const difference = this.#difference(sizes);
      if (difference !== null) this.restart(difference);
      else if (record === undefined && this.#newest === undefined && sizes.size > 0) this.#say({ reason: "begun" });
      else if (this.#isBeyond(sizes)) this.#unsignedSince = this.#parts.now();
    } catch (error) {
      failed("comparing the trail with its last checkpoint", error);
    }
  }

  /** Called periodically: signs and sends what is due. Never throws. */
  tend(): void {
    if (this.#isClosed) return;
    this.#mustLook = true;
    if (this.#lines > 0) this.#unsignedSince ??= this.#parts.now();
    const waited = this.#unsignedSince === undefined ? 0 : Math.abs(this.#parts.now() - this.#unsignedSince);
    if (this.#lines >= LINES_PER_CHECKPOINT || waited >= CHECKPOINT_INTERVAL_MS || this.#restarted !== null)
      this.#sign(false);
    if (!this.#isSaved) this.#save(false);
    this.daily.tend(this.#newest);
  }

  /** Signs what was written since the last checkpoint. Never throws: where it can't be, that is an alarm. */
  signNow(): void {
    if (!this.#isClosed) this.#sign(true);
  }

  /** A checkpoint of the first lines of the trail, for an archive; undefined where there is no key to sign with. */
  signed(closed: Pick<Checkpoint, "size" | "end">): string | undefined {
    const key = this.#parts.keys.current();
    const said = { origin: this.#origin, epoch: this.#epoch, ms: this.#parts.now(), restarted: null };
    return key && signCheckpoint({ ...said, ...closed }, key);
  }

  /** From now on checkpoints are about the trail as it is, which isn't what was signed. Never throws. */
  restart(reason: RestartReason): void {
    this.#epoch++;
    this.#restarted = reason;
    if (reason !== "accepted") raiseRestart(this.#parts.alarms, this.#parts.folder, reason);
    this.#say({ reason, epoch: this.#epoch });
    this.#sign(true);
  }

  /** Signs what was written since the last checkpoint. Never throws. */
  close(): void {
    if (!this.#isClosed) {
      if (this.#lines > 0) this.#sign(true);
      if (!this.#isSaved) this.#save(true);
    }
    this.abandon();
  }

  /** Writes nothing any more: the files may be another gate's now. */
  abandon(): void {
    this.#isClosed = true;
    clearImmediate(this.#turn);
    this.#unsubscribe();
    this.#record.close();
  }

  #resume(record: CheckpointRecord): void {
    const { keys, alarms } = this.#parts;
    this.daily.resume(record);
    this.#offsets = record.offsets;
    // Without a key in order none of them can be known as the gate's: that is reported with the receipts.
    const isMissing =
      this.#epoch < record.epoch || (this.#epoch === record.epoch && (this.#newest?.size ?? 0) < record.signed);
    if (isMissing && keys.current() !== undefined) raiseMissing(alarms, this.files.folder);
  }

  /**
   * Why the trail isn't the one that the newest checkpoint is about, as far as that shows without reading all of it; null: it is.
   * @throws the system's error
   */
  #difference(sizes: ReadonlyMap<string, number>): "cut" | "changed" | null {
    if (this.#newest === undefined) return null;
    const { folder } = this.#parts;
    const { file, offset, hash } = this.#newest.end;
    const signed = { ...this.#offsets, ...(file === "" ? {} : { [file]: offset }) };
    const shorter = Object.entries(signed).filter(([name, bytes]) => (sizes.get(name) ?? 0) < bytes);
    const archived = shorter.length === 0 ? new Map<string, number>() : archivedIn(folder);
    if (shorter.some(([name, bytes]) => (archived.get(name) ?? 0) < bytes)) return "cut";
    if (file === "" || shorter.some(([name]) => name === file)) return null;
    const last = lineEndingAt(join(folder, file), offset);
    return last !== undefined && lineHash(last.bytes) === hash ? null : "changed";
  }

  /** Whether the files have anything beyond the newest checkpoint. */
  #isBeyond(sizes: ReadonlyMap<string, number>): boolean {
    const { file = "", offset = 0 } = this.#newest?.end ?? {};
    return [...sizes].some(([name, size]) => size > (name === file ? offset : (this.#offsets[name] ?? 0)));
  }

  /** A line was written. */
  #note(): void {
    this.#lines++;
    if (this.#newest === undefined) this.#isSaved = false;
    if (this.#turn !== undefined || this.#isSigning || this.#lines < LINES_PER_CHECKPOINT) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      if (!this.#parts.audit.isOwn()) return;
      if (!this.#isFailing && this.#lines >= LINES_PER_CHECKPOINT) void this.#signBeside();
    });
  }

  #say(fields: { reason: string; epoch?: number }): void {
    const { audit } = this.#parts;
    audit.open();
    audit.append({ event: BEGUN_EVENT, ts: audit.time(), ...fields, lines: audit.position?.seq ?? 0 });
    audit.flush();
  }

  #sign(isDurable: boolean): void {
    const due = this.#due();
    if (due === undefined) return;
    const { checkpoint, key, storedIn } = due;
    try {
      this.#store(checkpoint, signCheckpoint(checkpoint, key), storedIn, isDurable);
    } catch (error) {
      return this.#unwritable(storedIn, error);
    }
    this.#stored(storedIn, this.#lines, isDurable);
  }

  /** The calls that come meanwhile don't wait for the signature: it takes longer than one of them. */
  async #signBeside(): Promise<void> {
    const due = this.#due();
    if (due === undefined) return;
    const { checkpoint, key, storedIn } = due;
    const [newest, lines] = [this.#newest, this.#lines];
    this.#isSigning = true;
    try {
      const text = await signCheckpointBeside(checkpoint, key);
      // A later one may be signed by now, or another key in use, or the trail another gate's.
      const isLate = this.#isClosed || this.#newest !== newest || this.#epoch !== checkpoint.epoch;
      if (isLate || this.#parts.keys.current() !== key || !this.#parts.audit.isOwn()) return;
      this.#store(checkpoint, text, storedIn, false);
      this.#stored(storedIn, lines, false);
    } catch (error) {
      this.#unwritable(storedIn, error);
    } finally {
      this.#isSigning = false;
    }
  }

  /** What is to be signed now; undefined where that is nothing. */
  #due(): { checkpoint: Checkpoint; key: CheckpointSigner; storedIn: string } | undefined {
    const { audit, keys, now } = this.#parts;
    const key = keys.current();
    this.#isFailing = key === undefined;
    // That there is no key is reported with the receipts.
    if (key === undefined) return undefined;
    if (audit.position === undefined) audit.open();
    const { position } = audit;
    if (position === undefined || position.file === "") return undefined;
    const { file, offset, hash, seq: size } = position;
    if (hash === this.#newest?.end.hash && this.#restarted === null) {
      this.#signedUpTo(this.#lines);
      return undefined;
    }
    const ms = now();
    const said = { origin: this.#origin, epoch: this.#epoch, ms, restarted: this.#restarted };
    return { checkpoint: { ...said, size, end: { file, offset, hash } }, key, storedIn: this.files.fileAt(ms) };
  }

  /** @throws the system's error, or GateError `not_a_file` */
  #store(checkpoint: Checkpoint, text: string, storedIn: string, isDurable: boolean): void {
    const { alarms, folder } = this.#parts;
    const { wasCut } = this.files.add(text, storedIn, isDurable);
    if (wasCut) raiseMissing(alarms, this.files.folder);
    // That of the last line's file is signed. The others don't change between two calls of `tend`, but where a month ends.
    if (this.#mustLook || isDurable || checkpoint.end.file !== this.#newest?.end.file)
      this.#offsets = Object.fromEntries(sizesIn(folder));
    this.#mustLook = false;
    this.#newest = { ...checkpoint, root: null, text };
  }

  /** `lines`: of those since the one before. */
  #stored(storedIn: string, lines: number, isDurable: boolean): void {
    this.#restarted = null;
    this.#signedUpTo(lines);
    this.#save(isDurable);
    raiseUnwritable(this.#parts.alarms, this.files.folder, storedIn, null);
  }

  #unwritable(storedIn: string, error: unknown): void {
    this.#isFailing = true;
    raiseUnwritable(this.#parts.alarms, this.files.folder, storedIn, error);
  }

  #signedUpTo(lines: number): void {
    this.#lines -= lines;
    this.#unsignedSince = undefined;
  }

  #save(isDurable: boolean): void {
    const { recordFile, alarms } = this.#parts;
    const { sent, filed } = this.daily;
    this.#isSaved = false;
    try {
      const said = { origin: this.#origin, epoch: this.#newest?.epoch ?? this.#epoch, sent, filed };
      this.#record.write({ ...said, signed: this.#newest?.size ?? 0, offsets: this.#offsets }, isDurable);
      this.#isSaved = true;
      raiseUnwritable(alarms, recordFile, recordFile, null);
    } catch (error) {
      raiseUnwritable(alarms, recordFile, recordFile, error);
    }
  }
}

/** The months' files, and how long they are. @throws the system's error */
function sizesIn(folder: string): Map<string, number> {
  return new Map(monthsIn(folder).map(({ name, size }) => [name, size]));
}

/** How much archives hold of months whose files are gone, by what they say; `audit verify` compares that. */
function archivedIn(folder: string): Map<string, number> {
  const held = new Map<string, number>();
  for (const { name } of filesIn(folder).filter(({ role, not_a_file }) => role === "archive" && not_a_file === null)) {
    try {
      for (const { name: month, bytes } of readArchiveHeader(join(folder, name)).months) held.set(month, bytes);
    } catch {
      // damaged, or unreadable: it has no month's place
    }
  }
  return held;
}
