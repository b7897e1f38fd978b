import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "../../../ipc/base/paths.ts";
import { BOT_TOKEN } from "../../../ipc/contract/settings.ts";
import { readSecret, SecretError } from "../../base/files/secret-text.ts";
import { waitAfter } from "../delivery/retry.ts";
import { BotApi, TelegramError } from "./bot-api.ts";
import type { Timing, Waits } from "./timing.ts";
import { type BotAccount, readUpdate, type Update } from "./updates.ts";

/** The bot's token, and the loop that asks Telegram for what has arrived: it survives whatever Telegram or the network answers. */

export interface ConnectionParts {
  token_env: string | undefined;
  token_file: string | undefined;
  api_url: string;
  env: Env;
  timing: Timing;
  waits: Waits;
  /** Handles one update; resolves once it may be confirmed. Null: one that can't be read. */
  handle(update: Update | null): Promise<void>;
  /** There is a connection, or none any more. */
  changed(): void;
  log(line: string): void;
}

/** Numbers of updates that were handled: Telegram may send one twice. */
const KEPT_NUMBERS = 1000;
/** More in one answer than asked for is no answer of Telegram's. */
const MOST_UPDATES = 100;

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #closing = new AbortController();
  readonly #handled = new Set<number>();
  #api: BotApi | undefined;
  #bot: BotAccount | null = null;
  #problem: string | null = "not connected yet";
  #failed = 0;
  #offset: number | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Undefined where there is no token that Telegram knows. */
  get api(): BotApi | undefined {
    return this.#bot === null ? undefined : this.#api;
  }

  get bot(): BotAccount | null {
    return this.#bot;
  }

  /** Why nothing arrives now, in a sentence without a secret; null where all is well. */
  get problem(): string | null {
    return this.#problem;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Confirms what was handled, where that takes no longer than this. @param sent once nothing is being sent any more */
  async close(withinMs: number, sent: Promise<void>): Promise<void> {
    this.#closing.abort();
    const api = this.#api;
    const limit = sleep(withinMs, undefined, { ref: false });
    // The loop's own call ends, so that no two of them ask at once.
    this.#pollAbort?.();
    await Promise.race([this.#running, limit]);
    if (api !== undefined && this.#offset !== undefined && this.#problem === null)
      await Promise.race([api.getUpdates(this.#offset, 0).catch(() => undefined), limit]);
    await Promise.race([sent, limit]);
    api?.close();
  }

  #pollAbort: (() => void) | undefined;

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#connect();
        while (!this.#closing.signal.aborted) await this.#poll();
      } catch (error) {
        await this.#afterFailure(error);
      }
    }
  }

  /** With the token as it is now: one that was wrong may have been put right. */
  async #connect(): Promise<void> {
    if (this.api !== undefined) return;
    const { token_env, token_file, env, api_url } = this.#parts;
    const token = readSecret({ env_name: token_env, file: token_file }, env, "token") ?? "";
    if (!BOT_TOKEN.test(token)) throw new SecretError("what is configured as the token isn't a bot's token");
    this.#api?.close();
    this.#api = new BotApi(token, api_url);
    this.#bot = await this.#api.getMe();
    this.#well();
  }

  async #poll(): Promise<void> {
    const api = this.#api;
    if (api === undefined) return;
    const began = this.#parts.waits.monotonic();
    // After a failure it is known at once whether that is over.
    const asked = api.getUpdates(this.#offset, this.#problem === null ? this.#parts.timing.pollSeconds : 0);
    const aborted = new Promise<undefined>((resolve) => {
      this.#pollAbort = () => resolve(undefined);
    });
    const entries = await Promise.race([asked, aborted]);
    if (entries === undefined) {
      asked.catch(() => undefined);
      return;
    }
    const { fresh, hasNumber } = await this.#take(entries.slice(0, MOST_UPDATES));
    if (entries.length > 0 && !hasNumber) throw new TelegramError("malformed");
    this.#well();
    // What answers at once with nothing new would be asked again at once.
    if (fresh === 0 && this.#parts.waits.monotonic() - began < this.#parts.timing.firstWaitMs)
      await this.#pause(this.#parts.timing.firstWaitMs);
  }

  /** One after the other, in their order. */
  async #take(entries: readonly unknown[]): Promise<{ fresh: number; hasNumber: boolean }> {
    let fresh = 0;
    let hasNumber = false;
    for (const entry of entries) {
      const read = readUpdate(entry);
      if (read === undefined) continue;
      hasNumber = true;
      const { update_id, update } = read;
      if (!this.#handled.has(update_id)) {
        fresh += 1;
        await this.#parts.handle(update);
        this.#handled.add(update_id);
        const [oldest] = this.#handled;
        if (this.#handled.size > KEPT_NUMBERS && oldest !== undefined) this.#handled.delete(oldest);
      }
      this.#offset = Math.max(this.#offset ?? 0, update_id + 1);
    }
    return { fresh, hasNumber };
  }

  #well(): void {
    this.#failed = 0;
    if (this.#problem === null) return;
    this.#problem = null;
    this.#parts.changed();
  }

  async #afterFailure(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const known = error instanceof TelegramError || error instanceof SecretError;
    const problem = known ? error.message : "Telegram's answer can't be used";
    if (error instanceof SecretError || (error instanceof TelegramError && error.problem === "token-refused"))
      this.#bot = null;
    this.#failed += 1;
    if (this.#problem !== problem) {
      this.#problem = problem;
      this.#parts.log(`${problem}; it is tried again`);
      this.#parts.changed();
    }
    const waitMs = error instanceof TelegramError ? error.retry_after_ms : undefined;
    await this.#pause(Math.max(waitMs ?? 0, waitAfter(this.#failed, this.#parts.timing)));
  }

  async #pause(ms: number): Promise<void> {
    await this.#parts.waits.pause(ms, this.#closing.signal);
  }
}
