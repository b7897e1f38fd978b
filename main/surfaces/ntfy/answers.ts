import { pause, waitAfter } from "../delivery/retry.ts";
import { NtfyError, type NtfyServer, type Received, read } from "./ntfy-api.ts";

export interface AnswersParts {
  server: NtfyServer;
  topic: string;
  /** Unix milliseconds. */
  now(): number;
  /** A message that may be an answer; false: it is none. */
  received(text: string): boolean;
  /** So many messages more that were no answer. */
  ignored(count: number): void;
  state(error: Error | null): void;
}

/** What was published before the gate looked, while it was away, counts as well: as long as servers keep messages. */
const BEFORE_S = 43_200;
/** How often what was ignored is said, in milliseconds. */
const IGNORED_MS = 60_000;
/** A connection that lasted so long was none that failed, in milliseconds. */
const LASTED_MS = 10_000;

/** Reads the topic of answers, while an answer may come. */
export class Answers {
  readonly #parts: AnswersParts;
  #reading: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The last message that was read; null: none yet. */
  #last: string | null = null;
  #ignored = 0;
  #ignoredTimer: NodeJS.Timeout | undefined;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** Begins to read, or continues. */
  begin(): void {
    if (this.#reading !== undefined) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#ended = this.#ended.then(() => this.#readOn(reading.signal));
  }

  /** No answer is waited for. */
  end(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  async close(): Promise<void> {
    this.end();
    await this.#ended;
    this.#sayIgnored();
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const { server, topic, state, now } = this.#parts;
    let failures = 0;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const since = this.#last ?? String(Math.floor(now() / 1000) - BEFORE_S);
        const received = (message: Received) => this.#received(message);
        await read(
          server,
          { topic, since, opened: () => state(null), received, ignored: () => this.#ignore() },
          signal,
        );
      } catch (error) {
        if (signal.aborted) return;
        state(error instanceof Error ? error : new NtfyError("unreachable"));
      }
      failures = performance.now() - began > LASTED_MS ? 1 : failures + 1;
      await pause(waitAfter(failures), signal);
    }
  }

  #received({ id, text }: Received): void {
    this.#last = id;
    if (!this.#parts.received(text)) this.#ignore();
  }

  #ignore(): void {
    this.#ignored++;
    this.#ignoredTimer ??= setTimeout(() => this.#sayIgnored(), IGNORED_MS).unref();
  }

  #sayIgnored(): void {
    clearTimeout(this.#ignoredTimer);
    this.#ignoredTimer = undefined;
    const count = this.#ignored;
    this.#ignored = 0;
    if (count > 0) this.#parts.ignored(count);
  }
}
