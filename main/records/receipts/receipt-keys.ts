import { closeSync, fsyncSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { errorCode } from "../../base/errors.ts";
import { syncFolder, writeDurably } from "../../base/files/durable-file.ts";
import { fileError } from "../../base/files/file-errors.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import { cutTornLine, writeWhole } from "../audit/append.ts";
import { KEYS_FILE, type KeyList, type KnownKey, keyLine, type NewKey, readKeys } from "./public-keys-file.ts";
import { makeSigningKey, readSigningKey, type SigningKey } from "./signing-key.ts";

export interface ReceiptKeysParts {
  /** The private key's file. */
  key_file: string;
  /** The folder of receipts, with the file of public keys in it. */
  folder: string;
  gate_version: string;
  /** Milliseconds. */
  now(): number;
  /** The number that the next receipt gets, and of the first one in the folder, where there is one. */
  numbers(): { next: number; first: number | undefined };
}

/** What opening the keys has found. */
export type OpenedKeys = "as they were" | "first key made" | "list made again";

const WHAT = "the list of receipt keys,";

/**
 * The key that signs now, and those that did before. A key that can't be used is never replaced silently: without it nothing is
 * signed until the user has put it back, or has made another one.
 */
export class ReceiptKeys {
  readonly #parts: ReceiptKeysParts;
  readonly #listFile: string;
  #current: SigningKey | undefined;
  #failure: GateError | undefined;
  #known: readonly KnownKey[] = [];

  constructor(parts: ReceiptKeysParts) {
    this.#parts = parts;
    this.#listFile = join(parts.folder, KEYS_FILE);
  }

  /** Undefined while there is none that can be used: `failure` says why. */
  get current(): SigningKey | undefined {
    return this.#current;
  }

  get failure(): GateError | undefined {
    return this.#failure;
  }

  /** Oldest first, the current one last. */
  get known(): readonly KnownKey[] {
    return this.#known;
  }

  /** Reads the keys; makes the first one where nothing was ever signed. Never throws: see `failure`. */
  open(): OpenedKeys {
    this.#current = undefined;
    this.#failure = undefined;
    try {
      return this.#open();
    } catch (error) {
      this.#failure = fileError(error, WHAT, this.#listFile);
      return "as they were";
    }
  }

  /**
   * Makes another key, and has the present one sign it.
   * @param without_previous also where there is none that can be used: that shows in the list for good
   * @throws GateError `file_unusable`: also where the present one can't sign; or the system's error. It is still in use then, unless the
   * list has the other one already
   */
  rotate({ without_previous = false } = {}): KnownKey {
    const previous = this.#current;
    if (previous === undefined && !without_previous) throw this.#failure ?? noKey("there is no key of receipts");
    this.#repairList();
    const last = this.#known.at(-1);
    const nextFile = this.#nextFile;
    const made = makeSigningKey(nextFile);
    const begins = {
      since: this.#now(),
      first_receipt: Math.max(this.#parts.numbers().next, last?.first_receipt ?? 1),
    };
    const signers = previous === undefined ? [made] : [made, previous];
    const lost: Pick<NewKey, "without_previous"> = previous === undefined ? { without_previous: "key lost" } : {};
    try {
      this.#add(made, { ...begins, previous: last?.keyid ?? null, ...lost }, signers);
      this.#replaceKey(nextFile);
    } finally {
      // Once the list has it no other key may sign, also where it can't be put into its place: the next start completes that.
      if (this.#readList().keys.at(-1)?.keyid === made.keyid) this.#take(made);
    }
    return this.#newest();
  }

  #open(): OpenedKeys {
    const { key_file } = this.#parts;
    const list = this.#readList();
    this.#known = list.keys;
    if (list.problem !== null) throw damagedList(this.#listFile, list);
    const last = list.keys.at(-1);
    if (last !== undefined && this.#completeRotation(last)) return "as they were";
    const key = readSigningKey(key_file);
    if (last === undefined) return this.#begin(key);
    if (key === undefined) throw noKey(`the key of receipts ${key_file} is missing`);
    if (key.keyid !== last.keyid)
      throw noKey(`${key_file} is not the last key of the list ${this.#listFile}: one of the two isn't this gate's`);
    this.#current = key;
    return "as they were";
  }

  /** Nothing is known of any key. */
  #begin(key: SigningKey | undefined): OpenedKeys {
    const { numbers, key_file } = this.#parts;
    const { next, first } = numbers();
    const isFirst = next === 1;
    if (key === undefined && !isFirst) throw noKey(`the key of receipts ${key_file} and the list of keys are missing`);
    const signs = key ?? makeSigningKey(key_file);
    const begins = { since: this.#now(), first_receipt: first ?? next, previous: null };
    this.#add(signs, isFirst ? begins : { ...begins, without_previous: "list lost" }, [signs]);
    this.#take(signs);
    return isFirst ? "first key made" : "list made again";
  }

  /** A gate that was killed while it changed the key: the new one is in the list already, and not yet in its place. */
  #completeRotation({ keyid }: KnownKey): boolean {
    const made = unlessUnusable(() => readSigningKey(this.#nextFile));
    if (made === undefined) return false;
    if (made.keyid !== keyid) {
      rmSync(this.#nextFile, { force: true });
      return false;
    }
    this.#replaceKey(this.#nextFile);
    this.#current = made;
    return true;
  }

  get #nextFile(): string {
    return `${this.#parts.key_file}.next`;
  }

  /** What can't be used is kept beside it, for whoever looks into it. */
  #replaceKey(nextFile: string): void {
    const { key_file } = this.#parts;
    if (this.#current === undefined && this.#failure !== undefined) keepAside(key_file, this.#parts.now());
    renameSync(nextFile, key_file);
    syncFolder(dirname(key_file));
  }

  #take(key: SigningKey): void {
    this.#current = key;
    this.#failure = undefined;
    this.#known = this.#readList().keys;
  }

  #newest(): KnownKey {
    const newest = this.#known.at(-1);
    if (newest === undefined) throw noKey(`${this.#listFile} is empty`);
    return newest;
  }

  #add(key: SigningKey, fields: Omit<NewKey, "gate_version">, signers: readonly SigningKey[]): void {
    const line = keyLine(key, { ...fields, gate_version: this.#parts.gate_version }, signers);
    const descriptor = openOwnFile(this.#listFile, "append");
    try {
      writeWhole(descriptor, `${line}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolder(this.#parts.folder);
  }

  /** From a line on that no gate has written nothing can be read: what is before it stays, the whole is kept beside it. */
  #repairList(): void {
    const text = bytesOf(this.#listFile).toString("utf8");
    const { problem } = readKeys(text);
    if (problem === null) return;
    writeDurably(`${this.#listFile}.unusable-${this.#parts.now()}`, text, WHAT);
    const whole = text.split("\n").slice(0, problem.line - 1);
    writeDurably(this.#listFile, whole.map((line) => `${line}\n`).join(""), WHAT);
  }

  #readList(): KeyList {
    const bytes = bytesOf(this.#listFile);
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end < bytes.length) cutTornLine(this.#listFile, { start: end, end: bytes.length });
    return readKeys(bytes.toString("utf8", 0, end));
  }

  #now(): string {
    return isoSeconds(this.#parts.now());
  }
}

/**
 * The keys in this list of public keys; none where there is no file. @throws GateError `not_a_file`, or the system's error
 * @param keyFile of the private key, with which its own signatures are verified in less time
 */
export function knownKeys(folder: string, keyFile?: string): KeyList {
  const list = readKeys(bytesOf(join(folder, KEYS_FILE)).toString("utf8"));
  const own = keyFile === undefined ? undefined : unlessUnusable(() => readSigningKey(keyFile));
  return own === undefined ? list : verifiedBy(own, list);
}

/** The same keys; what this one has signed is verified by its private half. */
export function verifiedBy(own: SigningKey, list: KeyList): KeyList {
  return { ...list, keys: list.keys.map((key) => (key.keyid === own.keyid ? { ...key, verify: own.verify } : key)) };
}

function bytesOf(file: string): Buffer {
  try {
    const descriptor = openOwnFile(file, "read");
    try {
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

function keepAside(file: string, nowMs: number): void {
  try {
    renameSync(file, `${file}.unusable-${nowMs}`);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Undefined also where there is something that is no key: it is replaced by the next change. */
function unlessUnusable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const PUT_BACK = `put it back from a backup; if it is lost: ${ownCommand("receipts rotate-key --lost")}`;

function noKey(message: string): GateError {
  return new GateError("file_unusable", message, PUT_BACK);
}

function damagedList(file: string, { problem }: KeyList): GateError {
  return noKey(`${WHAT} ${file} isn't as the gate wrote it from line ${problem?.line} on: ${problem?.message}`);
}
