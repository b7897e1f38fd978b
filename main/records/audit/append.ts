import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { openOwnFile } from "../../base/files/own-files.ts";

/** Appends whole lines to a file. */

/** Returns the number of bytes written. Where not all can be written, none stay, so that no partial line does. @throws the system's error */
export function writeWhole(fd: number, text: string): number {
  const length = Buffer.byteLength(text);
  let written = writeSync(fd, text);
  if (written === length) return length;
  const bytes = Buffer.from(text);
  try {
    while (written < length) written += writeSync(fd, bytes, written);
  } catch (error) {
    ftruncateSync(fd, fstatSync(fd).size - written);
    throw error;
  }
  return length;
}

/** Cuts off the last bytes of a file, unless it has changed since they were read. @throws the system's error */
export function cutTornLine(file: string, { start, end }: { start: number; end: number }): void {
  const fd = openOwnFile(file, "append");
  try {
    if (fstatSync(fd).size === end) ftruncateSync(fd, start);
  } finally {
    closeSync(fd);
  }
}

/** A file's size, once a torn last line has been ended, so that the next one begins on its own line. */
export function endedSize(fd: number): number {
  const { size } = fstatSync(fd);
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === 0x0a ? size : size + writeSync(fd, "\n");
}
