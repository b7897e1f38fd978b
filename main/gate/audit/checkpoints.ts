import { randomBytes } from "node:crypto";
import type { Alarms } from "../alarms.ts";
import {
  type Checkpoint,
  type CheckpointSigner,
  type ReadNote,
  type RestartReason,
  readNote,
  signCheckpoint,
} from "./checkpoint.ts";
import { raiseMissing, raiseRestart, raiseUnwritable } from "./checkpoint-alarms.ts";
import { CheckpointFiles } from "./checkpoint-files.ts";
import { DailyCheckpoint } from "./daily-checkpoint.ts";
import type { AuditLog } from "./log.ts";
import { TrailTree } from "./trail-tree.ts";
import { readTree, type StoredTree, writeTree } from "./tree-file.ts";

/** A checkpoint is signed after this many lines, or this long after the first line since the last one; in milliseconds. */
const LINES_PER_CHECKPOINT = 64;
const CHECKPOINT_INTERVAL_MS = 10 * 60_000;

/** The event of the trail that a tree was begun anew, or over lines that there were before. */
const TREE_EVENT = "audit.tree";

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
  tree_file: string;
  checkpoints_dir: string;
  /** The newest is added to this file once a day. */
  checkpoint_file: string | undefined;
  /** Milliseconds. */
  now(): number;
  alarms: Alarms;
  failed(what: string, error: unknown): void;
}

/**
 * Signs checkpoints of the trail: statements of the Merkle tree over its lines. Nothing here is on a decision's way: lines are
 * noted when they are written, and hashed in a later turn. At a start only the lines since the last end are read, in the background.
 */
export class Checkpoints {
  readonly files: CheckpointFiles;
  readonly daily: DailyCheckpoint;
  readonly #parts: CheckpointParts;
  #origin = "";
  #epoch = 1;
  #tree = new TrailTree();
  /** The tree is built from the trail's first line on; else it was stored. */
  #is_whole = true;
  /** No gate has signed anything of this trail. */
  #is_first = false;
  #newest: ReadNote | undefined;
  /** What the tree must be at its size, or it isn't the continuation of what was signed. */
  #expected: ReadNote | undefined;
  #is_other = false;
  #is_accepted = false;
  #restarted: RestartReason | null = null;
  /** Written lines that aren't in the tree yet; undefined while the tree is read from the files. */
  #pending: string[] | undefined;
  #reading: Promise<void> | undefined;
  #turn: NodeJS.Immediate | undefined;
  /** When the first line that no checkpoint covers was noticed, in milliseconds. */
  #unsigned_since: number | undefined;
  #is_saved = true;
  #is_failing = false;
  #is_unreadable = false;
  #is_closed = false;
  #unsubscribe: () => void = () => undefined;

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    this.files = new CheckpointFiles(parts.checkpoints_dir);
    this.daily = new DailyCheckpoint(parts, () => this.#save(true));
  }

  /** Which gate's trail this is. */
  get origin(): string {
    return this.#origin;
  }

  /** Which tree of it. */
  get epoch(): number {
    return this.#epoch;
  }

  get keys(): CheckpointKeys {
    return this.#parts.keys;
  }

  /** As it was signed; undefined before the first. */
  get newest(): ReadNote | undefined {
    return this.#newest;
  }

  /** Continues the stored tree, without reading a line. Never throws. */
  begin(): void {
    const { audit, keys, folder, tree_file } = this.#parts;
    this.#unsubscribe = audit.subscribe((line) => this.#note(line));
    this.#newest = this.files.newest(keys.known());
    const found = readTree(tree_file);
    // What is signed counts: another gate's file isn't this tree's.
    const stored = this.#newest === undefined || found?.origin === this.#newest.origin ? found : undefined;
    this.#origin = stored?.origin ?? this.#newest?.origin ?? `metnos-gate/${randomBytes(16).toString("hex")}`;
    this.#epoch = Math.max(stored?.epoch ?? 1, this.#newest?.epoch ?? 1);
    this.#is_first = stored === undefined && this.#newest === undefined;
    if (stored !== undefined) {
      this.daily.resume(stored);
      // Without a key in order none of them can be known as the gate's: that is reported with the receipts.
      const is_missing = this.#epoch === stored.epoch && this.#signedOf(stored.epoch) < stored.signed;
      if (is_missing && keys.current() !== undefined) raiseMissing(this.#parts.alarms, this.files.folder);
    }
    try {
      this.#take(stored);
      if (this.#expected === undefined && this.#tree.coversAll(folder)) {
        this.#pending = [];
        this.#is_first = false;
      }
    } catch (error) {
      this.#parts.failed("looking for the tree of the trail", error);
    }
    if (this.#pending === undefined) this.#read();
  }

  /** Resolves once the tree has all lines of the files, unless they can't be read. */
  async settled(): Promise<void> {
    do {
      await this.#reading;
      this.#catchUp();
    } while (this.#reading !== undefined);
  }

  /** Called periodically: takes what was written, signs and sends what is due. Never throws. */
  tend(): void {
    if (this.#is_closed) return;
    if (this.#pending === undefined && this.#reading === undefined) this.#read();
    this.#catchUp();
    if (!this.#isCurrent) return;
    const waited = this.#unsigned_since === undefined ? 0 : Math.abs(this.#parts.now() - this.#unsigned_since);
    if (this.#unsigned >= LINES_PER_CHECKPOINT || waited >= CHECKPOINT_INTERVAL_MS || this.#restarted !== null)
      this.#sign(false);
    if (!this.#is_saved) this.#save(false);
    this.daily.tend(this.#newest);
  }

  /** Signs what was written since the last checkpoint. Never throws: where it can't be, that is an alarm. */
  async signNow(): Promise<void> {
    await this.settled();
    if (!this.#is_closed && this.#isCurrent && this.#unsigned > 0) this.#sign(true);
  }

  /** A checkpoint of the first lines of the trail, for an archive; undefined where there is no key to sign with. */
  signed(closed: Pick<Checkpoint, "size" | "root" | "end">): string | undefined {
    const key = this.#parts.keys.current();
    const said = { origin: this.#origin, epoch: this.#epoch, ms: this.#parts.now(), restarted: null };
    return key && signCheckpoint({ ...said, ...closed }, key);
  }

  /** These months' files are in an archive now: the tree's file is stored without them. Never throws. */
  archived(files: readonly string[]): void {
    this.#tree.forget(files);
    this.#save(true);
  }

  /**
   * The operator has accepted what isn't as it was written: the tree is built over the trail as it is now. Where that isn't the one
   * that was signed, the next checkpoint says so.
   */
  rebuild(): void {
    this.#is_accepted = true;
    this.#startOver();
    if (this.#reading === undefined) this.#read();
  }

  /** Signs what was written since the last checkpoint, and stores the tree. Never throws. */
  close(): void {
    this.#catchUp();
    if (!this.#is_closed && this.#isCurrent) {
      if (this.#unsigned > 0) this.#sign(true);
      if (!this.#is_saved) this.#save(true);
    }
    this.abandon();
  }

  /** Writes nothing any more: the files may be another gate's now. */
  abandon(): void {
    this.#is_closed = true;
    clearImmediate(this.#turn);
    this.#unsubscribe();
  }

  get #isCurrent(): boolean {
    return this.#pending?.length === 0 && this.#reading === undefined;
  }

  /** Lines of the tree that no checkpoint of it covers. */
  get #unsigned(): number {
    return this.#tree.range.size - this.#signedOf(this.#epoch);
  }

  /** Lines that the newest checkpoint of this tree is about. */
  #signedOf(epoch: number): number {
    return this.#newest?.epoch === epoch ? this.#newest.size : 0;
  }

  /** @throws the system's error */
  #take(stored: StoredTree | undefined): void {
    this.#expected = this.#newest?.epoch === this.#epoch ? this.#newest : undefined;
    if (stored === undefined || stored.epoch !== this.#epoch || !stored.tree.fits(this.#parts.folder)) return;
    this.#tree = stored.tree;
    this.#restarted = stored.restarted;
    this.#is_whole = false;
    this.#compare();
    if (this.#is_other) this.#startOver();
    if (this.#tree.range.size >= (this.#expected?.size ?? 0)) this.#expected = undefined;
  }

  #startOver(): void {
    this.#tree = new TrailTree();
    this.#pending = undefined;
    this.#is_whole = true;
    this.#is_other = false;
    this.#expected = this.#newest?.epoch === this.#epoch ? this.#newest : undefined;
  }

  #compare(): void {
    const expected = this.#expected;
    const { range } = this.#tree;
    if (expected?.size === range.size && !expected.root.equals(range.root())) this.#is_other = true;
  }

  /** A line was written. */
  #note(line: string): void {
    if (this.#pending === undefined) return;
    const count = this.#pending.push(line);
    if (this.#turn !== undefined || count + this.#unsigned < LINES_PER_CHECKPOINT) return;
    this.#turn = setImmediate(() => {
      if (!this.#parts.audit.isOwn()) return;
      this.#catchUp();
      if (this.#isCurrent && !this.#is_failing && this.#unsigned >= LINES_PER_CHECKPOINT) this.#sign(false);
    });
  }

  /** Takes the noted lines into the tree. */
  #catchUp(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    const [first] = this.#pending ?? [];
    if (this.#pending === undefined || first === undefined) return;
    const end = this.#parts.audit.position;
    const lines = this.#pending;
    this.#pending = undefined;
    // Else there are lines in the files that this gate hasn't written: they are read there.
    if (end === undefined || !first.endsWith(`"prev":"${this.#tree.hash}"}`)) return this.#read();
    try {
      if (!this.#tree.add(this.#parts.folder, lines, end)) return this.#read();
      this.#pending = [];
    } catch (error) {
      this.#parts.failed("adding to the tree of the trail", error);
      return this.#startOver();
    }
    this.#changed();
  }

  #changed(): void {
    this.#is_saved = false;
    if (this.#unsigned > 0) this.#unsigned_since ??= this.#parts.now();
  }

  #read(): void {
    if (this.#is_closed || this.#reading !== undefined) return;
    this.#pending = undefined;
    this.#reading = this.#readFiles()
      .catch((error: unknown) => {
        // Tried again at each `tend`, and logged once.
        if (!this.#is_unreadable) this.#parts.failed("reading the trail for its tree", error);
        this.#is_unreadable = true;
      })
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readFiles(): Promise<void> {
    const { folder, now } = this.#parts;
    while (!this.#is_closed) {
      const tree = this.#tree;
      // Of an empty tree there is nothing to compare.
      const count = await tree.readOn(folder, now(), () => {
        if (this.#is_closed || tree !== this.#tree) return false;
        this.#compare();
        return this.#is_whole || !this.#is_other;
      });
      if (this.#is_closed) return;
      if (tree !== this.#tree || !this.#isSettledAfter(count)) continue;
      this.#pending = [];
      this.#is_unreadable = false;
      this.#changed();
      return;
    }
  }

  /** After the files were read to their end: whether that was the end of the trail, too. */
  #isSettledAfter(count: number): boolean {
    const size_expected = this.#expected?.size ?? 0;
    const is_short = this.#tree.range.size < size_expected;
    if (this.#is_other || is_short) {
      if (this.#is_whole) this.#restart(is_short ? "cut" : "changed");
      else this.#startOver();
      return false;
    }
    this.#expected = undefined;
    this.#is_accepted = false;
    if (this.#is_first && this.#tree.range.size > 0) this.#say({ reason: "begun" });
    this.#is_first = false;
    const end = this.#parts.audit.position;
    const { file, offset } = this.#tree;
    return count === 0 || (end?.file === file && end.offset === offset);
  }

  /** The trail isn't the one that was signed: from now on it is another tree. */
  #restart(found: RestartReason): void {
    const reason = this.#is_accepted ? "accepted" : found;
    this.#is_other = false;
    this.#is_accepted = false;
    this.#is_first = false;
    this.#expected = undefined;
    this.#epoch++;
    this.#restarted = reason;
    if (reason !== "accepted") raiseRestart(this.#parts.alarms, this.#parts.folder, reason);
    this.#say({ reason, epoch: this.#epoch });
  }

  #say(fields: { reason: string; epoch?: number }): void {
    const { audit } = this.#parts;
    audit.append({ event: TREE_EVENT, ts: audit.time(), ...fields, lines: this.#tree.range.size });
    audit.flush();
  }

  #sign(is_durable: boolean): void {
    const { keys, now, alarms } = this.#parts;
    const key = keys.current();
    this.#is_failing = key === undefined;
    // That there is no key is reported with the receipts.
    if (key === undefined || this.#tree.range.size === 0) return;
    const { range, file, offset, hash } = this.#tree;
    const ms = now();
    const stored_in = this.files.fileAt(ms);
    try {
      const said = { origin: this.#origin, epoch: this.#epoch, ms, restarted: this.#restarted };
      const text = signCheckpoint({ ...said, size: range.size, root: range.root(), end: { file, offset, hash } }, key);
      const { was_cut } = this.files.add(text, ms, is_durable);
      if (was_cut) raiseMissing(alarms, this.files.folder);
      this.#newest = readNote(text);
    } catch (error) {
      this.#is_failing = true;
      return raiseUnwritable(alarms, this.files.folder, stored_in, error);
    }
    this.#restarted = null;
    this.#unsigned_since = undefined;
    this.#is_saved = false;
    raiseUnwritable(alarms, this.files.folder, stored_in, null);
  }

  #save(is_durable: boolean): void {
    const { tree_file, alarms } = this.#parts;
    const { sent, filed } = this.daily;
    try {
      const said = { origin: this.#origin, epoch: this.#epoch, restarted: this.#restarted, sent, filed };
      const signed = this.#signedOf(this.#epoch);
      writeTree(tree_file, { ...said, signed, tree: this.#tree }, is_durable);
      this.#is_saved = true;
      raiseUnwritable(alarms, tree_file, tree_file, null);
    } catch (error) {
      raiseUnwritable(alarms, tree_file, tree_file, error);
    }
  }
}
