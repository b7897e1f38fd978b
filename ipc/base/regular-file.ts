import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from "node:fs";

/** The error code for a path at which there is something else than a file: a pipe, a folder, a device. */
export const NOT_A_FILE = "NOT_A_FILE";

/** The error code for a dangling link: its target existed once. */
export const DANGLING_LINK = "DANGLING_LINK";

/** The error code for a file with more bytes than whoever reads it takes. */
export const TOO_LARGE = "TOO_LARGE";

/**
 * A file's text. A pipe is refused instead of blocking the reader, and so is a file that somebody holds a lease on
 * (`EAGAIN`). Imports nothing but Node, for the hook's fast path.
 * @throws the system's error, or one with the code `NOT_A_FILE` or `DANGLING_LINK`
 */
export function readRegularFile(file: string): string {
  const fd = openToRead(file);
  try {
    if (!fstatSync(fd).isFile()) throw notAFile(file);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

interface BytesRead {
  /** Larger files aren't read; or, where that is enough, their beginning is. */
  maxBytes: number;
  isBeginningEnough?: boolean;
  /** A link at the end of the path is followed. */
  follows?: boolean;
}

/**
 * The bytes of a file that a hostile command may have put there: what would keep the reader waiting is refused.
 * @throws the system's error, or one with the code `NOT_A_FILE` or `TOO_LARGE`
 */
export function readRegularBytes(
  file: string | Buffer,
  { maxBytes, isBeginningEnough = false, follows = true }: BytesRead,
): Buffer {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_RDONLY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw notAFile(file);
    if (stat.size > maxBytes && !isBeginningEnough)
      throw Object.assign(new Error(`${file} has more than ${maxBytes} bytes`), { code: TOO_LARGE });
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, maxBytes));
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(fd, bytes, done, bytes.length - done, done);
      if (read === 0) break;
      done += read;
    }
    return bytes.subarray(0, done);
  } finally {
    closeSync(fd);
  }
}

/** Whether a file has just this text; false also where what runs in a box keeps it from being read. */
export function holdsText(file: string, text: string): boolean {
  try {
    return readRegularBytes(file, { maxBytes: Buffer.byteLength(text), follows: false }).toString() === text;
  } catch {
    return false; // not there, something else, or nobody may read it now
  }
}

const notAFile = (file: string | Buffer): Error =>
  Object.assign(new Error(`${file} is not a file`), { code: NOT_A_FILE });

function openToRead(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) throw error;
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw Object.assign(new Error(`${file} is a link that leads nowhere`), { code: DANGLING_LINK });
  }
}
