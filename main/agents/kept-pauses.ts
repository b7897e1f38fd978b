import { z } from "zod";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { Alarms } from "../base/alarms.ts";
import { errorCode } from "../base/errors.ts";
import { causeOf, diskFullCode } from "../base/files/disk-reserve.ts";
import { InPlaceFile } from "../base/files/in-place-file.ts";

/**
 * The pauses that their databases could not store: each is an alarm until it is stored, and is kept in a file that needs no disk space,
 * so that the next gate starts with it.
 */

/** The pause of every agent; another key is an agent's id. */
export const GATE = "gate";
/** Its alarm's subject: no name of an agent has a blank. */
const EVERY_AGENT = "the gate";

/** As in its database: text or nothing in each column. */
const rowSchema = z.record(z.string(), z.string().nullable());
const fileSchema = z.record(z.string(), rowSchema);
type Row = z.infer<typeof rowSchema>;

/** One page. */
const FILE_BYTES = 4096;
/** Longer texts are cut where the file would be too small. */
const SHORT = 120;

export interface KeptPausesParts {
  file: string;
  alarms: Alarms;
  /** Milliseconds. */
  now(): number;
  /** The agent of this id, in a sentence. */
  nameOf(agentId: string): string;
}

export class KeptPauses {
  readonly #parts: KeptPausesParts;
  readonly #file: InPlaceFile;
  /** What the file is to hold. */
  readonly #rows = new Map<string, Row>();
  /** What the file may hold, as far as is known. */
  #inFile: ReadonlySet<string>;
  /** True while the file must be written again. */
  #isStale = true;
  /** What isn't stored: why, and its alarm's subject. */
  readonly #unstored = new Map<string, { error: unknown; subject: string }>();
  readonly #adopted = new Set<string>();

  /** Reads the file. One that can't be read counts as a pause of every agent. Never throws. */
  constructor(parts: KeptPausesParts) {
    this.#parts = parts;
    this.#file = new InPlaceFile(parts.file, FILE_BYTES);
    for (const [who, row] of this.#read()) this.#rows.set(who, row);
    this.#inFile = new Set(this.#rows.keys());
  }

  /** The keys of what the file holds. */
  keys(): string[] {
    return [...this.#rows.keys()];
  }

  /** What the file holds of it, as it was given to `hold`, but unchecked and maybe shortened. */
  row<T extends object>(who: string): T | undefined {
    return this.#rows.get(who) as T | undefined;
  }

  /** Those which the databases didn't know at the start. */
  get adopted(): ReadonlySet<string> {
    return this.#adopted;
  }

  /** The database doesn't know this pause of the file. */
  adopt(who: string): void {
    this.#adopted.add(who);
  }

  /** One sentence about each pause that isn't stored, without its full stop. */
  notes(): string[] {
    return [...this.#unstored.keys()].flatMap((who) => this.noteOf(who) ?? []);
  }

  noteOf(who: string): string | undefined {
    const unstored = this.#unstored.get(who);
    if (unstored === undefined) return undefined;
    const { error, subject } = unstored;
    const paused = `${who === GATE ? subject : `agent ${subject}`} is paused, but`;
    return this.#isKept(who)
      ? `${paused} its database can't store that: ${causeOf(error)}; it is kept in ${this.#parts.file}, and tried again`
      : `${paused} a restart would forget it: ${causeOf(error)}; it is tried again`;
  }

  /** True while the end of this process would end a pause: it is neither in its database nor in the file. */
  get isAnyUnkept(): boolean {
    return [...this.#unstored.keys()].some((who) => !this.#isKept(who));
  }

  /** A pause could not be stored. `row`: its database's, text or nothing in each column. Never throws. */
  hold(who: string, row: object, error: unknown): void {
    this.#rows.set(who, row as Row);
    this.#isStale = true;
    this.#tryToWrite();
    this.#unstored.set(who, { error, subject: who === GATE ? EVERY_AGENT : this.#parts.nameOf(who) });
    // Of the others as well: the file may have room for them now, or none any more.
    for (const [each, unstored] of this.#unstored) this.#raise(each, unstored);
  }

  #raise(who: string, { error, subject }: { error: unknown; subject: string }): void {
    const full = diskFullCode(error) !== undefined;
    this.#parts.alarms.raise({
      code: "pause_not_stored",
      subject,
      message: this.noteOf(who) ?? "",
      hint: full ? "make room on the disk" : `see: ${ownCommand("doctor")}`,
    });
  }

  /** A pause is stored now, or is over by itself. What can't be removed from the file is removed later. Never throws. */
  stored(who: string): void {
    const unstored = this.#unstored.get(who);
    this.#unstored.delete(who);
    if (unstored !== undefined) this.#parts.alarms.clear("pause_not_stored", unstored.subject);
    this.#rows.delete(who);
    if (!this.#inFile.has(who)) return;
    this.#isStale = true;
    this.#tryToWrite();
  }

  /** Before a pause ends: the next gate must not find it here. @throws GateError `storage_failed`: it may be there still */
  forget(who: string): void {
    const row = this.#rows.get(who);
    this.#rows.delete(who);
    if (!this.#inFile.has(who)) return;
    this.#isStale = true;
    try {
      this.#write();
    } catch (error) {
      if (row !== undefined) this.#rows.set(who, row);
      const { file } = this.#parts;
      const why = error instanceof GateError ? error.message : `${file} can't be written: ${causeOf(error)}`;
      throw new GateError("storage_failed", `that the pause ends can't be stored: ${why}`, `see: ls -l ${file}`, {
        cause: error,
      });
    }
  }

  /** Makes the file, so that it takes a pause also on a full disk, or writes what could not be written. Never throws. */
  flush(): void {
    if (this.#isStale) this.#tryToWrite();
  }

  close(): void {
    this.#file.close();
  }

  #isKept(who: string): boolean {
    return !this.#isStale && this.#inFile.has(who);
  }

  #tryToWrite(): void {
    try {
      this.#write();
    } catch {
      // Said by the pause's own alarm; tried again.
    }
  }

  /** @throws the system's error, GateError `not_a_file` */
  #write(): void {
    const { text, rows } = this.#fitting();
    try {
      this.#file.write(text, true);
    } catch (error) {
      // Not synced, it may be there all the same.
      this.#inFile = new Set([...this.#inFile, ...this.#found()]);
      throw error;
    }
    this.#inFile = new Set(rows.map(([who]) => who));
    this.#isStale = false;
  }

  /** All of them, shortened where they must be; else as many as there is room for, and first the pause of every agent. */
  #fitting(): { text: string; rows: [string, Row][] } {
    let rows = [...this.#rows];
    let text = JSON.stringify(Object.fromEntries(rows));
    if (isShort(text)) return { text, rows };
    rows = rows.map(([who, row]) => [who, shortened(row)] as [string, Row]);
    rows.sort(([one], [other]) => Number(other === GATE) - Number(one === GATE));
    for (;;) {
      text = JSON.stringify(Object.fromEntries(rows));
      if (isShort(text)) return { text, rows };
      rows.pop();
    }
  }

  #found(): Iterable<string> {
    try {
      return parsed(this.#file.read()).keys();
    } catch {
      return [];
    }
  }

  #read(): ReadonlyMap<string, Row> {
    const { file, now } = this.#parts;
    try {
      return parsed(this.#file.read());
    } catch (error) {
      const why = error instanceof GateError ? error.message : `${file} can't be read (${errorCode(error)})`;
      const reason = `${why}; agents may have been paused by it`;
      const row = { by: "safety", reason, since: isoSeconds(now()), until: null, boot_until: null };
      return new Map([[GATE, { ...row, clears: "by_human", cause: null }]]);
    }
  }
}

const isShort = (text: string): boolean => Buffer.byteLength(text) < FILE_BYTES;

function shortened({ cause, ...row }: Row): Row {
  const cut = Object.entries(row).map(([column, value]) => [column, value?.slice(0, SHORT) ?? null]);
  return { ...Object.fromEntries(cut), ...(cause === undefined ? {} : { cause: null }) };
}

/** @throws where it is none of ours */
function parsed(text: string | undefined): ReadonlyMap<string, Row> {
  // Blanks only, or no byte that was ever written, as after a power loss: it held nothing.
  if (text === undefined || /^[\s\0]*$/.test(text)) return new Map();
  return new Map(Object.entries(fileSchema.parse(JSON.parse(text))));
}
