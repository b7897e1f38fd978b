import { readSync, writeSync } from "node:fs";

/** A hook's stdin and stdout, read and written at once: streams would have to be loaded first. */

const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** All of stdin, or undefined beyond 8 MiB. */
export function readInput(): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const read = readChunk(chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, read));
    length += read;
    if (length > MAX_INPUT_BYTES) return undefined;
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** Writes all of it, or throws. */
export function print(answer: object): void {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`);
  for (let written = 0; written < bytes.length; ) written += writeChunk(bytes.subarray(written));
}

function writeChunk(bytes: Buffer): number {
  for (;;) {
    try {
      return writeSync(1, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** For a pipe that is non-blocking: waits a moment for its reader. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
