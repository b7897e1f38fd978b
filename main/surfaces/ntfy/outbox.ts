import { pause, waitAfter } from "../channels/retry.ts";
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
}

/** Of more, the oldest go: what they were about is on the user's own screen. */
const MOST_WAITING = 100;

/** One after the other, in order, each again until it was taken or isn't wanted any more. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #ending = new AbortController();
  #waiting: Outgoing[] = [];
  #sending: Promise<void> | undefined;

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
        else await pause(Math.max(wantedPause(error), waitAfter(++failures)), signal);
      }
    }
  }

  #drop(message: Outgoing): void {
    this.#waiting = this.#waiting.filter((one) => one !== message);
  }
}

function wantedPause(error: unknown): number {
  return error instanceof NtfyError ? (error.retry_after_ms ?? 0) : 0;
}
