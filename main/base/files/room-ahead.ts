import { spawn } from "node:child_process";
import { closeSync, fstatSync, statfsSync } from "node:fs";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "./own-files.ts";

/**
 * Disk space beyond a file's end that is already the file's: no other program can take it, and no reader sees it. Only on Linux, by
 * util-linux's fallocate, and where the file system can; elsewhere there is none, and what is kept aside in files of its own counts.
 */

const PROGRAM = "/usr/bin/fallocate";
/** What it says on a full disk. */
const FULL = "No space left";
/** There is no use in trying again: the program isn't there or is another one, or the file system can't. */
const NEVER = /ENOENT|EACCES|not supported|unrecognized/;

/** Reserved only where so many times its size is free: it must not fill the disk itself. */
const FREE_TIMES = 2;

/** What failed is tried again after this time, in milliseconds. */
const RETRY_MS = 10_000;

export class RoomAhead {
  readonly #bytes: number;
  #ino: number | undefined;
  /** The last known size, and where the room ends. */
  #size = 0;
  #until = 0;
  #isWorking = false;
  #hasHad = false;
  #retryAt = process.platform === "linux" ? 0 : Number.POSITIVE_INFINITY;
  #isShort = false;

  /** So much beyond the file's end; it is renewed once half of it is used. */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** True while less than half of the room is left, and the disk is too full for more. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Keeps the room of a file without opening it for long; one that isn't there has none. As `keep`. */
  keepOf(file: string): boolean {
    if (!this.#isDue()) return false;
    try {
      const fd = openOwnFile(file, "read");
      try {
        return this.keep(fd);
      } finally {
        closeSync(fd);
      }
    } catch {
      return false; // not there, or not the gate's: others say so
    }
  }

  /** Keeps the room of an open file. Returns whether it has begun to. Never throws, waits for nothing. */
  keep(fd: number): boolean {
    if (!this.#isDue()) return false;
    try {
      const { ino, size } = fstatSync(fd);
      // Another file, or one that was cut: what was beyond its end is gone.
      if (ino !== this.#ino || size < this.#size) this.#until = size;
      this.#ino = ino;
      this.#size = size;
      if (this.#until - size >= this.#bytes / 2) return false;
      const { bavail, bsize } = statfsSync(`/proc/self/fd/${fd}`);
      if (bavail * bsize < FREE_TIMES * this.#bytes) this.#ended(FULL, 0);
      else this.#reserve(fd, size);
    } catch (error) {
      this.#ended(errorCode(error), 0);
    }
    return this.#isWorking;
  }

  #isDue(): boolean {
    return !this.#isWorking && performance.now() >= this.#retryAt;
  }

  #reserve(fd: number, size: number): void {
    this.#isWorking = true;
    const words = ["--keep-size", "--offset", String(size), "--length", String(this.#bytes), "/proc/self/fd/3"];
    // The child's is its own open file: it stays the same file whatever becomes of the name.
    const child = spawn(PROGRAM, words, { cwd: "/", env: { LC_ALL: "C" }, stdio: ["ignore", "ignore", "pipe", fd] });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(0, 1000);
    });
    child.once("error", (error) => this.#ended(errorCode(error), 0));
    child.once("close", (code) => this.#ended(code === 0 ? undefined : said, size + this.#bytes));
    child.unref();
  }

  #ended(problem: string | undefined, until: number): void {
    this.#isWorking = false;
    const isFull = problem?.includes(FULL) === true;
    this.#isShort = isFull && this.#hasHad;
    if (problem === undefined) {
      this.#until = until;
      this.#hasHad = true;
    } else this.#retryAt = NEVER.test(problem) ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS;
  }
}

/** The same for several files. */
export class RoomsAhead {
  readonly #rooms: readonly (readonly [file: string, room: RoomAhead])[];

  constructor(files: readonly string[], bytes: number) {
    this.#rooms = files.map((file) => [file, new RoomAhead(bytes)]);
  }

  /** One at a time: to start a process takes a moment. */
  keep(): void {
    this.#rooms.some(([file, room]) => room.keepOf(file));
  }
}
