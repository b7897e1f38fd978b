import type { Readable } from "node:stream";
import type { LineOutput } from "./line-output.ts";

export interface LineFilterOptions {
  from: Readable;
  to: LineOutput;
  /** Of a line that is looked at; a longer one is passed on or dropped unseen. */
  maxBytes: number;
  beyond: "pass" | "drop";
  /** What is passed on in the place of a line: the same bytes, or nothing. The last line of all may be without its `\n`. */
  look(line: Buffer): Buffer | undefined;
  /** A line beyond `maxBytes` has begun. */
  onBeyond?(): void;
}

/** One direction of a proxy: lines as they come, byte for byte, but for those that `look` keeps. */
export class LineFilter {
  /** The source has ended, and all of it was looked at. */
  readonly ended: Promise<void>;
  readonly #options: LineFilterOptions;
  readonly #lines: LineSplitter;

  constructor(options: LineFilterOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.maxBytes);
    const { from } = options;
    from.on("data", (chunk: Buffer) => this.#pass(this.#lines.push(chunk)));
    this.ended = new Promise((resolve) => {
      // A pipe that breaks ends without 'end'.
      let hasEnded = false;
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        this.#pass(this.#lines.end());
        resolve();
      };
      from.on("error", end);
      from.on("end", end);
      from.on("close", end);
    });
  }

  #pass(pieces: readonly Piece[]): void {
    const { to, from, look, beyond, onBeyond } = this.#options;
    let together: Buffer[] = [];
    const flush = () => {
      const [first] = together;
      if (first !== undefined) to.pass(together.length === 1 ? first : Buffer.concat(together), from);
      together = [];
    };
    for (const piece of pieces) {
      if (piece.kind === "line") {
        const bytes = look(piece.bytes);
        if (bytes !== undefined) together.push(bytes);
        continue;
      }
      flush();
      if (piece.isFirst) onBeyond?.();
      if (beyond === "pass") to.pass(piece.bytes, from, !piece.isLast);
    }
    flush();
  }
}

// Splits what comes from a pipe into lines, without touching a byte of them.

const NEWLINE = 0x0a;

type Piece =
  /** A whole line with its `\n`; the last one of all may have none. */
  | { kind: "line"; bytes: Buffer }
  /** A part of a line that is longer than what is looked at. */
  | { kind: "part"; bytes: Buffer; isFirst: boolean; isLast: boolean };

export class LineSplitter {
  readonly #maxBytes: number;
  #kept: Buffer[] = [];
  #length = 0;
  #isBeyond = false;

  /** @param maxBytes of a line that is given whole; a longer one is given in parts as they come */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What `chunk` completes, in order. The bytes given are slices of what was pushed, wherever that is possible. */
  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      pieces.push(this.#complete(chunk.subarray(start, end + 1)));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start), pieces);
    return pieces;
  }

  /** What is left once nothing more comes: a line without its end. */
  end(): Piece[] {
    if (this.#isBeyond) return [this.#complete(Buffer.alloc(0))];
    return this.#length === 0 ? [] : [this.#complete(Buffer.alloc(0))];
  }

  #complete(last: Buffer): Piece {
    if (this.#isBeyond) {
      this.#isBeyond = false;
      return { kind: "part", bytes: last, isFirst: false, isLast: true };
    }
    const isWhole = this.#length + last.length <= this.#maxBytes;
    const bytes = this.#length === 0 ? last : Buffer.concat([...this.#kept, last]);
    this.#kept = [];
    this.#length = 0;
    return isWhole ? { kind: "line", bytes } : { kind: "part", bytes, isFirst: true, isLast: true };
  }

  #keep(rest: Buffer, pieces: Piece[]): void {
    if (this.#isBeyond) {
      pieces.push({ kind: "part", bytes: rest, isFirst: false, isLast: false });
      return;
    }
    this.#kept.push(rest);
    this.#length += rest.length;
    // What comes byte by byte would otherwise hold a whole chunk for each.
    if (this.#kept.length >= 1024) this.#kept = [Buffer.concat(this.#kept)];
    if (this.#length <= this.#maxBytes) return;
    pieces.push({ kind: "part", bytes: Buffer.concat(this.#kept), isFirst: true, isLast: false });
    this.#kept = [];
    this.#length = 0;
    this.#isBeyond = true;
  }
}
