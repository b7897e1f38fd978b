import type { Readable } from "node:stream";
import type { LineOutput } from "./line-output.ts";
import { LineSplitter, type Piece } from "./lines.ts";

export interface LineFilterOptions {
  from: Readable;
  to: LineOutput;
  /** Of a line that is looked at; a longer one is passed on or dropped unseen. */
  max_bytes: number;
  beyond: "pass" | "drop";
  /** What is passed on in the place of a line: the same bytes, or nothing. The last line of all may be without its `\n`. */
  look(line: Buffer): Buffer | undefined;
  /** A line beyond `max_bytes` has begun. */
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
    this.#lines = new LineSplitter(options.max_bytes);
    const { from } = options;
    from.on("data", (chunk: Buffer) => this.#pass(this.#lines.push(chunk)));
    this.ended = new Promise((resolve) => {
      // A pipe that breaks ends without 'end'.
      let has_ended = false;
      const end = () => {
        if (has_ended) return;
        has_ended = true;
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
      if (piece.is_first) onBeyond?.();
      if (beyond === "pass") to.pass(piece.bytes, from, !piece.is_last);
    }
    flush();
  }
}
