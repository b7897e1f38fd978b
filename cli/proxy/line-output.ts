import type { Readable, Writable } from "node:stream";

/** Where lines leave to: those that are passed on, and ours in between them, never inside one. */
export class LineOutput {
  readonly #to: Writable;
  /** Not read from while what they cause doesn't fit. */
  readonly #paused = new Set<Readable>();
  #waiting: Buffer[] = [];
  #is_within_line = false;
  #is_broken = false;

  constructor(to: Writable) {
    this.#to = to;
    to.on("drain", () => this.#resume());
    // Whoever read it has ended: what is left for it is dropped, and its sources are read on.
    const broken = () => {
      this.#is_broken = true;
      this.#resume();
    };
    to.on("error", broken);
    to.on("close", broken);
  }

  /**
   * A line of ours, with its `\n`. Behind the rest of a line that is just being passed on in parts.
   * @param source not read from until there is room again
   */
  send(line: Buffer | string, source?: Readable): void {
    const bytes = typeof line === "string" ? Buffer.from(line) : line;
    if (this.#is_within_line) this.#waiting.push(bytes);
    else this.#write(bytes, source);
  }

  /** What is passed on: whole lines, or with `is_within_line` a part of one whose rest follows. */
  pass(bytes: Buffer, source: Readable, is_within_line = false): void {
    this.#write(bytes, source);
    this.#is_within_line = is_within_line;
    if (is_within_line || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#write(Buffer.concat(waiting), source);
  }

  end(): void {
    if (!this.#is_broken) this.#to.end();
  }

  #write(bytes: Buffer, source: Readable | undefined): void {
    if (this.#is_broken || bytes.length === 0) return;
    if (this.#to.write(bytes) || source === undefined) return;
    source.pause();
    this.#paused.add(source);
  }

  #resume(): void {
    for (const source of this.#paused) source.resume();
    this.#paused.clear();
  }
}
