import type { Readable, Writable } from "node:stream";

/** Where lines leave to: those that are passed on, and ours in between them, never inside one. */
export class LineOutput {
  readonly #to: Writable;
  /** Not read from while what they cause doesn't fit. */
  readonly #paused = new Set<Readable>();
  #waiting: Buffer[] = [];
  #isWithinLine = false;
  #isBroken = false;

  constructor(to: Writable) {
    this.#to = to;
    to.on("drain", () => this.#resume());
    // Whoever read it has ended: what is left for it is dropped, and its sources are read on.
    const broken = () => {
      this.#isBroken = true;
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
    if (this.#isWithinLine) this.#waiting.push(bytes);
    else this.#write(bytes, source);
  }

  /** What is passed on: whole lines, or with `isWithinLine` a part of one whose rest follows. */
  pass(bytes: Buffer, source: Readable, isWithinLine = false): void {
    this.#write(bytes, source);
    this.#isWithinLine = isWithinLine;
    if (isWithinLine || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#write(Buffer.concat(waiting), source);
  }

  end(): void {
    if (!this.#isBroken) this.#to.end();
  }

  #write(bytes: Buffer, source: Readable | undefined): void {
    if (this.#isBroken || bytes.length === 0) return;
    if (this.#to.write(bytes) || source === undefined) return;
    source.pause();
    this.#paused.add(source);
  }

  #resume(): void {
    for (const source of this.#paused) source.resume();
    this.#paused.clear();
  }
}
