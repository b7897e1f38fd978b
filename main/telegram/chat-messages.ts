import { setTimeout as sleep } from "node:timers/promises";
import { waitAfter } from "../channels/retry.ts";
import { type BotApi, type Screen, TelegramError } from "./bot-api.ts";
import type { Timing, Waits } from "./timing.ts";

/**
 * The messages in the chat, each kept to what it should say: sent, changed as that changes, and changed a last time. One call of the Bot
 * API at a time, tried again until it is taken; of what a message should have said meanwhile only the last is sent.
 */

export interface MessageParts {
  /** Undefined while there is no connection: `connected` is called once there is. */
  api(): BotApi | undefined;
  timing: Timing;
  waits: Waits;
  /** A message was sent, and shows this from now on. */
  sent(message: Shown): void;
  /** A message was changed a last time. */
  ended(message: Shown): void;
  /** Null: what is sent is taken again. */
  failing(problem: TelegramError | null): void;
  log(line: string): void;
}

export interface Shown {
  readonly key: string;
  readonly chat_id: number;
  readonly message_id: number;
  readonly tokens: readonly string[];
  readonly agent_id: string | null;
}

interface Kept {
  readonly key: string;
  readonly chat_id: number;
  tokens: readonly string[];
  agent_id: string | null;
  message_id: number | null;
  wanted: Screen;
  is_final: boolean;
  /** What is in the chat for sure; null while that isn't known. */
  shown: Screen | null;
  shown_at: number;
  is_silent: boolean;
}

/** Beyond these, what is to be shown has to wait until something has ended. */
export const MOST_MESSAGES = 60;
/** Texts without buttons that still have to be sent; of more the oldest are left out. */
const MOST_TEXTS = 20;

const SINCE_EVER = Number.NEGATIVE_INFINITY;

/** Whether what a tap says was on offer. */
export type Offer = "offered" | "not-offered" | "too-early" | "changing";

export class ChatMessages {
  readonly #parts: MessageParts;
  readonly #kept = new Map<string, Kept>();
  #texts: { chat_id: number; screen: Screen; is_silent: boolean; sent: (message_id: number | null) => void }[] = [];
  readonly #settling = new Set<() => void>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #connected: (() => void) | undefined;
  #failed = 0;
  #retired = 0;

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#kept.size >= MOST_MESSAGES;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  keys(): string[] {
    return [...this.#kept.keys()];
  }

  /** Shows this, in the key's message or in a new one. */
  show(
    key: string,
    chat_id: number,
    screen: Screen,
    of: { tokens: readonly string[]; agent_id?: string; is_silent?: boolean },
  ): void {
    const { tokens, agent_id = null, is_silent = false } = of;
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.chat_id !== chat_id)
      this.#kept.set(key, {
        ...{ key, chat_id, tokens, agent_id, is_silent },
        ...{ message_id: null, wanted: screen, is_final: false, shown: null, shown_at: SINCE_EVER },
      });
    else
      Object.assign(kept, {
        tokens,
        agent_id,
        wanted: isSame(kept.wanted, screen) ? kept.wanted : screen,
        is_final: false,
      });
    this.wake();
  }

  /** One that an earlier gate has sent: whatever it says, it is made to say this. */
  adopt(key: string, message: Omit<Shown, "key">, screen: Screen, is_final: boolean): void {
    this.#kept.set(key, {
      ...message,
      key,
      wanted: screen,
      is_final,
      shown: null,
      shown_at: SINCE_EVER,
      is_silent: true,
    });
    this.wake();
  }

  /** The last that the key's message says. One that wasn't sent yet never is. */
  end(key: string, screen: Screen): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    if (kept.message_id === null && kept !== this.#sending) {
      this.#kept.delete(key);
      this.#settled();
      return;
    }
    kept.wanted = screen;
    kept.is_final = true;
    this.wake();
  }

  /** As `end`, and the key is free for another message. */
  retire(key: string, screen: Screen): void {
    const kept = this.#kept.get(key);
    this.end(key, screen);
    if (kept === undefined || this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#retired += 1;
    this.#kept.set(`retired:${this.#retired}`, kept);
  }

  /** Sends a text once. Resolves with the message's number; null where it was left out, or can't be sent. */
  text(chat_id: number, screen: Screen, is_silent = false): Promise<number | null> {
    const sent = new Promise<number | null>((resolve) => {
      this.#texts.push({ chat_id, screen, is_silent, sent: resolve });
    });
    while (this.#texts.length > MOST_TEXTS) this.#texts.shift()?.sent(null);
    this.wake();
    return sent;
  }

  /** The message of this number, if it is one that shows something now. */
  find(
    chat_id: number,
    message_id: number,
  ): (Shown & { isOffered(data: string): Offer; isSettled: boolean }) | undefined {
    for (const kept of this.#kept.values())
      if (kept.chat_id === chat_id && kept.message_id === message_id)
        return {
          ...kept,
          message_id,
          isSettled: kept.shown === kept.wanted,
          isOffered: (data) => this.#offer(kept, data),
        };
    return undefined;
  }

  /** Whether a message is on its way whose number isn't known yet. Waits for it, for so many milliseconds at the most. */
  async isSending(within_ms: number): Promise<boolean> {
    const ends_at = this.#parts.waits.monotonic() + within_ms;
    while (this.#sending?.message_id === null) {
      const left = ends_at - this.#parts.waits.monotonic();
      if (left <= 0 || this.#closing.signal.aborted) return true;
      await this.#change(left);
    }
    return false;
  }

  #offer({ shown, shown_at, wanted }: Kept, data: string): Offer {
    if (shown !== wanted) return "changing";
    if (!shown.buttons.some((row) => row.some((button) => button.data === data))) return "not-offered";
    return this.#parts.waits.monotonic() - shown_at < this.#parts.timing.tap_delay_ms ? "too-early" : "offered";
  }

  /** Resolves once the key's message says what it should, or so many milliseconds are over. */
  async settled(key: string, within_ms: number): Promise<void> {
    const ends_at = this.#parts.waits.monotonic() + within_ms;
    const isSettled = () => {
      const kept = this.#kept.get(key);
      return kept === undefined || kept.shown === kept.wanted;
    };
    while (!isSettled()) {
      const left = ends_at - this.#parts.waits.monotonic();
      if (left <= 0 || this.#closing.signal.aborted) return;
      await this.#change(left);
    }
  }

  /** There is a connection again. */
  connected(): void {
    this.#connected?.();
    this.wake();
  }

  /** There is something to do. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#next() !== undefined && !this.#closing.signal.aborted) this.wake();
    });
  }

  /** What is being sent may be taken within this time; nothing else is sent. */
  async close(within_ms: number): Promise<void> {
    this.#closing.abort();
    this.#connected?.();
    this.#settled();
    for (const { sent } of this.#texts.splice(0)) sent(null);
    await Promise.race([this.#running, sleep(within_ms, undefined, { ref: false })]);
  }

  #sending: Kept | undefined;

  async #run(): Promise<void> {
    for (let next = this.#next(); next !== undefined && !this.#closing.signal.aborted; next = this.#next()) {
      const api = this.#parts.api();
      if (api === undefined) {
        await new Promise<void>((resolve) => {
          this.#connected = resolve;
        });
        continue;
      }
      try {
        await (next.kept === undefined ? this.#sendText(api) : this.#make(api, next.kept));
        if (this.#failed > 0) this.#parts.failing(null);
        this.#failed = 0;
      } catch (error) {
        await this.#afterFailure(error instanceof TelegramError ? error : new TelegramError("malformed"));
      }
    }
  }

  /** First what has ended, then changes, then texts, then new messages. */
  #next(): { kept: Kept | undefined } | undefined {
    const due = [...this.#kept.values()].filter((kept) => kept.shown !== kept.wanted);
    const first = due.find((kept) => kept.is_final) ?? due.find((kept) => kept.message_id !== null);
    if (first !== undefined) return { kept: first };
    if (this.#texts.length > 0) return { kept: undefined };
    return due[0] && { kept: due[0] };
  }

  async #sendText(api: BotApi): Promise<void> {
    const [text] = this.#texts;
    if (text === undefined) return;
    let message_id: number | null = null;
    try {
      message_id = await api.send(text.chat_id, text.screen, text.is_silent);
    } catch (error) {
      if (!isRefused(error)) throw error;
      this.#parts.log("a text was refused by Telegram");
    }
    this.#texts = this.#texts.filter((one) => one !== text);
    text.sent(message_id);
  }

  async #make(api: BotApi, kept: Kept): Promise<void> {
    const { wanted, is_final } = kept;
    const { message_id } = kept;
    this.#sending = kept;
    try {
      if (message_id === null) {
        kept.message_id = await api.send(kept.chat_id, wanted, kept.is_silent);
        this.#shows(kept, wanted, this.#parts.waits.monotonic());
        this.#parts.sent({ ...kept, message_id: kept.message_id });
      } else {
        await api.edit(kept.chat_id, message_id, wanted);
        this.#shows(kept, wanted, this.#parts.waits.monotonic());
        if (!kept.is_final) this.#parts.sent({ ...kept, message_id });
      }
    } catch (error) {
      this.#takeRefusal(kept, wanted, error);
    } finally {
      this.#sending = undefined;
      this.#settled();
    }
    if (is_final && kept.is_final && kept.shown === kept.wanted) {
      this.#remove(kept);
      if (kept.message_id !== null) this.#parts.ended({ ...kept, message_id: kept.message_id });
    }
    this.#settled();
  }

  #shows(kept: Kept, screen: Screen, at: number): void {
    kept.shown = screen;
    kept.shown_at = at;
  }

  /** What Telegram answers to a message that can't be what it should. @throws whatever is tried again */
  #takeRefusal(kept: Kept, wanted: Screen, error: unknown): void {
    if (!(error instanceof TelegramError)) throw error;
    const { problem } = error;
    // It was so all the time: since when isn't known, but the user has seen it before this gate asked.
    if (problem === "unmodified") return this.#shows(kept, wanted, kept.shown_at);
    if (problem === "gone" && !kept.is_final && kept.message_id !== null) {
      // The user has deleted it: it is sent again.
      this.#parts.ended({ ...kept, message_id: kept.message_id });
      kept.message_id = null;
      return;
    }
    if (problem !== "gone" && problem !== "refused") throw error;
    if (problem === "refused") this.#parts.log("a message was refused by Telegram");
    this.#remove(kept);
    if (kept.message_id !== null) this.#parts.ended({ ...kept, message_id: kept.message_id });
  }

  /** It may have another key than at first. */
  #remove(kept: Kept): void {
    for (const [key, one] of this.#kept) if (one === kept) this.#kept.delete(key);
  }

  async #afterFailure(error: TelegramError): Promise<void> {
    if (error.problem === "closed") return this.#pause(this.#parts.timing.first_wait_ms);
    this.#failed += 1;
    this.#parts.failing(error);
    await this.#pause(error.retry_after_ms ?? waitAfter(this.#failed, this.#parts.timing));
  }

  /** Ends early where the gate closes. What is to be done meanwhile waits, too. */
  async #pause(ms: number): Promise<void> {
    await this.#parts.waits.pause(ms, this.#closing.signal);
  }

  async #change(within_ms: number): Promise<void> {
    const changed = new AbortController();
    const done = () => changed.abort();
    this.#settling.add(done);
    await this.#parts.waits.pause(within_ms, changed.signal);
    this.#settling.delete(done);
  }

  #settled(): void {
    for (const done of [...this.#settling]) done();
  }
}

function isSame(one: Screen, other: Screen): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isRefused(error: unknown): boolean {
  return error instanceof TelegramError && (error.problem === "refused" || error.problem === "gone");
}
