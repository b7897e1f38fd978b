import { randomFillSync } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, statfsSync, writeSync } from "node:fs";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "./own-files.ts";

/** Reserved disk space, for what must still be written once the disk is full. */

/** Reserved again only where this many times its size is free: the reserve itself must not fill the disk. */
const FREE_TIMES = 4;

const DISK_FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

/** The system's code, where a write failed because the disk is full or the user's quota is used up; else undefined. */
export function diskFullCode(error: unknown): string | undefined {
  const code = errorCode(error);
  if (DISK_FULL_CODES.has(code)) return code;
  return error instanceof Error && error.cause !== undefined ? diskFullCode(error.cause) : undefined;
}

export class DiskReserve {
  readonly #file: string;
  readonly #bytes: number;
  #isHeld = false;
  #isSpent = false;

  /** A reserve file of this many bytes. Nothing is written before `keep` is called. */
  constructor(file: string, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** True once the space was released and could not be reserved again yet. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Reserves the space, if it isn't reserved and the disk has plenty. Returns whether it is reserved now. Never throws. */
  keep(): boolean {
    if (this.#isHeld) return true;
    try {
      const descriptor = openOwnFile(this.#file, "overwrite");
      try {
        this.#isHeld = this.#fill(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      // Without a reserve everything works as long as the disk isn't full: it is tried again.
      this.#isHeld = false;
    }
    if (this.#isHeld) this.#isSpent = false;
    return this.#isHeld;
  }

  /** Releases the space. Returns whether there was any. Never throws. */
  release(): boolean {
    this.#isHeld = false;
    try {
      const descriptor = openOwnFile(this.#file, "overwrite");
      try {
        const had = fstatSync(descriptor).size;
        ftruncateSync(descriptor, 0);
        if (had > 0) this.#isSpent = true;
        return had > 0;
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return false; // the caller's write fails then
    }
  }

  /** Runs `act`; if the disk is full, once more with the reserved space. @throws what `act` throws */
  withRoom<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (diskFullCode(error) === undefined || !this.release()) throw error;
      return act();
    }
  }

  /** Written, not only extended: a hole takes no space. Random, as some file systems store equal bytes once. */
  #fill(descriptor: number): boolean {
    const { size } = fstatSync(descriptor);
    if (size >= this.#bytes) return true;
    const { bavail, bsize } = statfsSync(this.#file);
    if (bavail * bsize < FREE_TIMES * this.#bytes) return false;
    try {
      const bytes = randomFillSync(Buffer.allocUnsafe(this.#bytes));
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written, bytes.length - written, written);
      return true;
    } catch (error) {
      ftruncateSync(descriptor, 0);
      throw error;
    }
  }
}

/** Why something can't be written, as the end of a sentence: a full disk is named. */
export function causeOf(error: unknown): string {
  const full = diskFullCode(error);
  if (full !== undefined) return `the disk is full (${full})`;
  return error instanceof GateError ? error.message : errorCode(error);
}
