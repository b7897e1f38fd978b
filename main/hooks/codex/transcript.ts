import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Codex's own record of a session: a line of JSON for each thing said or done, written before its hooks run. */

/** A turn may have said much since it began. In bytes, from the end. */
export const QUICKLY_READ = 1024 * 1024;
const LOOKED_THROUGH = [64 * 1024, QUICKLY_READ, 16 * 1024 * 1024];

/**
 * What `find` makes of a record's last lines, the last one first; of more of them where that is undefined.
 * @param most bytes that are read @throws the system's error
 */
export function foundInTranscript<T>(
  file: string,
  find: (lines: readonly string[]) => T | undefined,
  most = Number.POSITIVE_INFINITY,
): T | undefined {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    for (const lookedThrough of LOOKED_THROUGH.filter((length) => length <= most)) {
      const length = Math.min(size, lookedThrough);
      const bytes = Buffer.alloc(length);
      readSync(fd, bytes, 0, length, size - length);
      const found = find(bytes.toString("utf8").split("\n").reverse());
      if (found !== undefined || length === size) return found;
    }
    return undefined;
  } finally {
    closeSync(fd);
  }
}
