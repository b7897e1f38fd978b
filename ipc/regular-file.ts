import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";

/** The error code for a path at which there is something else than a file: a pipe, a folder, a device. */
export const NOT_A_FILE = "NOT_A_FILE";

/** The error code for a dangling link: its target existed once. */
export const DANGLING_LINK = "DANGLING_LINK";

/**
 * A file's text. A pipe is refused instead of blocking the reader. Imports nothing but Node, for the hook's fast path.
 * @throws the system's error, or one with the code `NOT_A_FILE` or `DANGLING_LINK`
 */
export function readRegularFile(file: string): string {
  const fd = openToRead(file);
  try {
    if (!fstatSync(fd).isFile()) throw Object.assign(new Error(`${file} is not a file`), { code: NOT_A_FILE });
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function openToRead(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) throw error;
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw Object.assign(new Error(`${file} is a link that leads nowhere`), { code: DANGLING_LINK });
  }
}
