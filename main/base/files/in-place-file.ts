import { closeSync, fdatasyncSync, fstatSync, lstatSync, readSync, writeSync } from "node:fs";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "./own-files.ts";

/** A small text in a file of fixed size: once the file is there, overwriting it needs no disk space. */
export class InPlaceFile {
  readonly #file: string;
  readonly #bytes: number;
  #descriptor: number | undefined;

  /** `bytes`: at most 4096, so that a kill leaves no half of it. Nothing is written before `write` is called. */
  constructor(file: string, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** What is in it, with the blanks at its end; undefined where it isn't there. @throws the system's error, or GateError `not_a_file` */
  read(): string | undefined {
    const bytes = Buffer.alloc(2 * this.#bytes);
    try {
      const descriptor = openOwnFile(this.#file, "read");
      try {
        return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, 0));
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Writes a text over the previous one, padded with blanks. `isDurable`: synced, to survive a crash of the machine.
   * @throws RangeError where it is too long, the system's error, or GateError `not_a_file`
   */
  write(text: string, isDurable = false): void {
    const bytes = Buffer.alloc(this.#bytes, " ");
    if (Buffer.byteLength(text) >= this.#bytes) throw new RangeError(`longer than ${this.#bytes - 1} bytes`);
    bytes.write(text);
    bytes.write("\n", this.#bytes - 1);
    if (this.#descriptor !== undefined && !this.#isInPlace(this.#descriptor)) this.close();
    this.#descriptor ??= openOwnFile(this.#file, "overwrite");
    writeSync(this.#descriptor, bytes, 0, bytes.length, 0);
    if (isDurable) fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** False where the file was removed, or another one was put in its place. */
  #isInPlace(descriptor: number): boolean {
    const there = lstatSync(this.#file, { throwIfNoEntry: false });
    return there !== undefined && there.ino === fstatSync(descriptor).ino;
  }
}
