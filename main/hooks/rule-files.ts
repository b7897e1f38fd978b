import { type Dirent, opendirSync } from "node:fs";
import { join } from "node:path";
import { readRegularBytes, TOO_LARGE } from "../../ipc/base/regular-file.ts";
import { errorCode } from "../base/errors.ts";
import { LeftToProgram } from "./dialect.ts";

/** The files in which clients keep their own rules and settings: a project may hold as many, and as large ones, as it likes. */

/** A file larger than this holds none, in bytes. */
const MAX_FILE = 8 * 1024 * 1024;
/** What the gate itself reads for one call: bytes, names, and for how long; in milliseconds. */
const MAX_BYTES = 128 * 1024;
const MAX_NAMES = 512;
const MAX_MS = 8;

export class RuleFiles {
  readonly isGate: boolean;
  readonly #endsAt = performance.now() + MAX_MS;
  #bytes = MAX_BYTES;
  #names = MAX_NAMES;

  constructor(isGate: boolean) {
    this.isGate = isGate;
  }

  /** @throws LeftToProgram; the system's error, or one with the code `NOT_A_FILE` or `TOO_LARGE` */
  read(file: string): string {
    this.takeTime();
    try {
      const bytes = readRegularBytes(file, { maxBytes: this.isGate ? this.#bytes : MAX_FILE });
      this.#bytes -= bytes.length;
      return bytes.toString("utf8");
    } catch (error) {
      if (this.isGate && errorCode(error) === TOO_LARGE) throw new LeftToProgram();
      throw error;
    }
  }

  /** All files below a folder, not through links to others; none where it isn't there. @throws LeftToProgram; the system's error */
  below(folder: string): string[] {
    this.takeTime();
    let entries: Dirent[];
    try {
      entries = this.#entriesOf(folder);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return [];
      throw error;
    }
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? this.below(path) : [path];
    });
  }

  /** One by one: there may be a million. */
  #entriesOf(folder: string): Dirent[] {
    const entries: Dirent[] = [];
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        this.#names--;
        this.takeTime();
        entries.push(entry);
      }
    } finally {
      opened.closeSync();
    }
    return entries;
  }

  /** Another one is to be looked for. @throws LeftToProgram */
  takeTime(): void {
    if (this.isGate && (this.#names < 0 || performance.now() > this.#endsAt)) throw new LeftToProgram();
  }
}
