import { NtfyError } from "./ntfy-api.ts";

/** A message that is to be sent. */
export interface Outgoing {
  /** Whether it still has to be sent: what has ended meanwhile needn't be. */
  isWanted(): boolean;
  /** @throws NtfyError, SecretError, the reason of `signal` */
  send(signal: AbortSignal): Promise<void>;
}

export interface OutboxParts {
  /** The last message was taken: null; or why not. */
  state(error: Error | null): void;
  /** How long to wait after so many failures one after the other, in milliseconds. */
  pause?(failures: number): number;
}

/** Of more, the oldest go: what they were about is on the user's own screen. */
const MOST_WAITING = 100;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** One after the other, in order, each again until it was taken or isn't wanted any more. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #ending = new AbortController();
  #waiting: Outgoing[] = [];
  #sending: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  add(message: Outgoing): void {
    if (this.#ending.signal.aborted) return;
    this.#waiting = [...this.#waiting, message].slice(-MOST_WAITING);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#ending;
    let failures = 0;
    while (!signal.aborted) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      if (!next.isWanted()) {
        this.#drop(next);
        continue;
      }
      try {
        await next.send(signal);
        failures = 0;
        this.#drop(next);
        this.#parts.state(null);
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.state(error instanceof Error ? error : new NtfyError("unreachable"));
        // It would be refused again, as it is.
        if (error instanceof NtfyError && error.problem === "refused") this.#drop(next);
        else await this.#wait(Math.max(pauseOf(error), (this.#parts.pause ?? backoffMs)(++failures)));
      }
    }
  }

  #drop(message: Outgoing): void {
    this.#waiting = this.#waiting.filter((one) => one !== message);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function pauseOf(error: unknown): number {
  return error instanceof NtfyError ? (error.retry_after_ms ?? 0) : 0;
}

/** 1 s, 2 s, 4 s … a minute. */
export function backoffMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10));
}
