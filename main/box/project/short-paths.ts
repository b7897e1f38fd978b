import { closeSync, constants, openSync } from "node:fs";

/**
 * Short ways to the folders of a deep tree: the kernel walks a path name by name, so that a folder two thousand levels down costs far
 * more than one at the top. Some folders are kept open while a look goes below them, and the paths of those begin there.
 */

/** In bytes, what is left to be walked of a path before the next short way begins. */
const MAX_REST = 256;
/** The kernel takes no longer path; with a short way it would be found, and couldn't be named afterwards. */
const MAX_PATH = 4096;
/** In one look. */
const MAX_OPEN = 64;
/** Opens a folder as a place only, also one that can't be read. Linux's number; Node has no name for it. */
const O_PATH = 0o10000000;

export class ShortPath {
  readonly #fd: number | undefined;
  readonly #begin: Buffer;
  readonly #length: number;
  /** Folders that are still to be reached by it. */
  waiting: number;

  constructor(fd: number | undefined, length: number, waiting: number) {
    this.#fd = fd;
    this.#begin = Buffer.from(`/proc/self/fd/${fd}`);
    this.#length = length;
    this.waiting = waiting;
  }

  /** A path for the system to `path`, which lies below the folder where the way begins. */
  to(path: Buffer): Buffer {
    if (this.#fd === undefined || path.length >= MAX_PATH) return path;
    return Buffer.concat([this.#begin, path.subarray(this.#length)]);
  }

  isLongTo(path: Buffer): boolean {
    return path.length - this.#length > MAX_REST && path.length < MAX_PATH;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

/** Those of one look. */
export class ShortPaths {
  readonly #open = new Set<ShortPath>();

  /** By which `count` folders in `folder` are reached, which itself is reached by `way`. */
  into(folder: Buffer, way: ShortPath, count: number): ShortPath {
    const short = count > 0 && way.isLongTo(folder) && this.#open.size < MAX_OPEN ? opened(folder, way, count) : null;
    if (short === null) {
      way.waiting += count;
      return way;
    }
    this.#open.add(short);
    return short;
  }

  /** One folder was reached by it. */
  passed(way: ShortPath): void {
    if (--way.waiting > 0 || !this.#open.delete(way)) return;
    way.close();
  }

  close(): void {
    for (const way of this.#open) way.close();
    this.#open.clear();
  }
}

function opened(folder: Buffer, way: ShortPath, count: number): ShortPath | null {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return new ShortPath(openSync(way.to(folder), O_PATH | O_DIRECTORY | O_NOFOLLOW), folder.length, count);
  } catch {
    return null; // it isn't there any more, or too many files are open: the long way says what is there
  }
}
