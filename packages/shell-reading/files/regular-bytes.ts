import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The error code for a file with more bytes than whoever reads it takes. */
export const TOO_LARGE = "TOO_LARGE";

interface BytesRead {
  /** Larger files aren't read. */
  maxBytes: number;
  /** A link at the end of the path is followed. */
  follows?: boolean;
}

/**
 * The bytes of a file that a hostile command may have put there: what would keep the reader waiting (a pipe, a lease) is refused.
 * @throws the system's error, or one with the code `NOT_A_FILE` or `TOO_LARGE`
 */
export function readRegularBytes(file: string, { maxBytes, follows = true }: BytesRead): Buffer {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const fd = openSync(file, O_RDONLY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw Object.assign(new Error(`${file} is not a file`), { code: "NOT_A_FILE" });
    if (stat.size > maxBytes)
      throw Object.assign(new Error(`${file} has more than ${maxBytes} bytes`), { code: TOO_LARGE });
    const bytes = Buffer.allocUnsafe(stat.size);
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

/** What went wrong, by the system's code (`ENOENT`) where there is one: nothing of what an error's message may say. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}
