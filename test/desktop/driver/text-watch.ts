import type { Readable } from "node:stream";

/** A process's output, and the calls that wait for a part of it. */
export class TextWatch {
  text = "";
  #waiting: { pattern: RegExp; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(...streams: (Readable | null)[]) {
    for (const stream of streams) {
      stream?.setEncoding("utf8").on("data", (more: string) => {
        this.text += more;
        this.#look();
      });
    }
  }

  printed(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pattern, resolve, reject });
      this.#look();
    });
  }

  /** The output has ended. */
  end(): void {
    for (const { pattern, reject } of this.#waiting)
      reject(new Error(`ended without printing ${pattern}:\n${this.text}`));
    this.#waiting = [];
  }

  #look(): void {
    this.#waiting = this.#waiting.filter(({ pattern, resolve }) => {
      const isThere = pattern.test(this.text);
      if (isThere) resolve();
      return !isThere;
    });
  }
}
