import { EventEmitter, once } from "node:events";

/** Log lines that can be awaited. */
export class LineLog {
  readonly lines: string[] = [];
  readonly #events = new EventEmitter();

  readonly push = (line: string): void => {
    this.lines.push(line);
    this.#events.emit("line");
  };

  /** The first line that matches, now or later. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const line = this.lines.find((text) => pattern.test(text));
      if (line !== undefined) return line;
      await once(this.#events, "line");
    }
  }
}
