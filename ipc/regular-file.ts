import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** The code of the error for what is there but is no file: a pipe, a folder, a device. */
export const NOT_A_FILE = "NOT_A_FILE";

/**
 * A file's text. A pipe at its place is refused instead of waited for. Imports nothing but Node, for the hook's fast path.
 * @throws the system's error, or one with the code `NOT_A_FILE`
 */
export function readRegularFile(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw Object.assign(new Error(`${file} is not a file`), { code: NOT_A_FILE });
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
