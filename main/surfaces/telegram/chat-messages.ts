import { setTimeout as sleep } from "node:timers/promises";
import { waitAfter } from "../delivery/retry.ts";
import { type BotApi, type Screen, TelegramError } from "./bot-api.ts";
import type { Timing, Waits } from "./timing.ts";

/**
 * The messages in the chat, each kept to what it should say: sent, changed as that changes, and changed a last time. One call of the Bot
 * API at a time, tried again until it is taken; of what a message should have said meanwhile only the last is sent.
 */

export interface MessageParts {
  /** Undefined while there is no connection: `connected` is called once there is. */
  api(): BotApi | undefined;
  /** Whether this is the linked chat. What can't be sent to another one is left: it must not hold up what is for this one. */
  isLinked(chatId: number): boolean;
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
  isFinal: boolean;
  /** What is in the chat for sure; null while that isn't known. */
  shown: Screen | null;
  shownAt: number;
  /** When it was sent; what it says may have changed since. */
  sent_at: number;
  /** When it was changed last, or that was tried. */
  editedAt: number;
  isSilent: boolean;
  /** Something dangerous waits: it is sent before all else. */
  is_urgent: boolean;
  /** How often what it should say now was not taken. */
  failed: number;
}

interface Text {
  chat_id: number;
  screen: Screen;
  isSilent: boolean;
  failed: number;
  sent(messageId: number | null): void;
}

/** Beyond these, what is to be shown has to wait until something has ended. */
const MOST_MESSAGES = 60;
/** Texts without buttons that still have to be sent; of more the oldest are left out. */
const MOST_TEXTS = 20;

const SINCE_EVER = Number.NEGATIVE_INFINITY;

/** Whether what a tap says was on offer. */
export type Offer = "offered" | "not-offered" | "too-early" | "changing";

export class ChatMessages {
  readonly #parts: MessageParts;
  readonly #kept = new Map<string, Kept>();
  #texts: Text[] = [];
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
    chatId: number,
    screen: Screen,
    of: { tokens: readonly string[]; agent_id?: string; isSilent?: boolean; is_urgent?: boolean },
  ): void {
    const { tokens, agent_id = null, isSilent = false, is_urgent = false } = of;
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.chat_id !== chatId)
      this.#kept.set(key, {
        ...{ key, chat_id: chatId, tokens, agent_id, isSilent, is_urgent, failed: 0 },
        ...{
          message_id: null,
          wanted: screen,
          isFinal: false,
          shown: null,
          shownAt: SINCE_EVER,
          sent_at: SINCE_EVER,
          editedAt: SINCE_EVER,
        },
      });
    else
      Object.assign(kept, {
        tokens,
        agent_id,
        is_urgent,
        wanted: isSame(kept.wanted, screen) ? kept.wanted : screen,
        isFinal: false,
      });
    this.wake();
  }

  /** One that an earlier gate has sent: whatever it says, it is made to say this. */
  adopt(key: string, message: Omit<Shown, "key">, screen: Screen, isFinal: boolean): void {
    this.#kept.set(key, {
      ...message,
      key,
      wanted: screen,
      isFinal,
      shown: null,
      shownAt: SINCE_EVER,
      sent_at: SINCE_EVER,
      editedAt: SINCE_EVER,
      isSilent: true,
      is_urgent: false,
      failed: 0,
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
    // Said a second time, as by a tap and by the gate, it is sent once.
    if (kept.isFinal && isSame(kept.wanted, screen)) return;
    kept.wanted = screen;
    kept.isFinal = true;
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
  text(chatId: number, screen: Screen, isSilent = false): Promise<number | null> {
    const sent = new Promise<number | null>((resolve) => {
      this.#texts.push({ chat_id: chatId, screen, isSilent, failed: 0, sent: resolve });
    });
    while (this.#texts.length > MOST_TEXTS) this.#texts.shift()?.sent(null);
    this.wake();
    return sent;
  }

  /** The message of this number, if it is one that shows something now. */
  find(
    chatId: number,
    messageId: number,
  ):
    | (Shown & { isOffered(data: string): Offer; isOfferedAllAlong(data: string): boolean; isSettled: boolean })
    | undefined {
    for (const kept of this.#kept.values())
      if (kept.chat_id === chatId && kept.message_id === messageId)
        return {
          ...kept,
          message_id: messageId,
          isSettled: kept.shown === kept.wanted,
          isOffered: (data) => this.#offer(kept, data),
          isOfferedAllAlong: (data) => has(kept.wanted, data) && this.#isOldEnough(kept.sent_at),
        };
    return undefined;
  }

  /** Whether a message is on its way whose number isn't known yet. Waits for it, for so many milliseconds at the most. */
  async isSending(withinMs: number): Promise<boolean> {
    const endsAt = this.#parts.waits.monotonic() + withinMs;
    while (this.#sending?.message_id === null) {
      const left = endsAt - this.#parts.waits.monotonic();
      if (left <= 0 || this.#closing.signal.aborted) return true;
      await this.#change(left);
    }
    return false;
  }

  #offer({ shown, shownAt, wanted }: Kept, data: string): Offer {
    if (shown !== wanted) return "changing";
    if (!has(shown, data)) return "not-offered";
    return this.#isOldEnough(shownAt) ? "offered" : "too-early";
  }

  #isOldEnough(at: number): boolean {
    return this.#parts.waits.monotonic() - at >= this.#parts.timing.tapDelayMs;
  }

  /** Resolves once the key's message says what it should, or so many milliseconds are over. */
  async settled(key: string, withinMs: number): Promise<void> {
    const endsAt = this.#parts.waits.monotonic() + withinMs;
    const isSettled = () => {
      const kept = this.#kept.get(key);
      return kept === undefined || kept.shown === kept.wanted;
    };
    while (!isSettled()) {
      const left = endsAt - this.#parts.waits.monotonic();
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
      else this.#wakeLater();
    });
  }

  #isWakingLater = false;

  /** Once the next message may be changed again. */
  #wakeLater(): void {
    const waits = this.#changing().map((kept) => this.#editableIn(kept));
    if (waits.length === 0 || this.#isWakingLater) return;
    this.#isWakingLater = true;
    void this.#pause(Math.min(...waits)).then(() => {
      this.#isWakingLater = false;
      this.wake();
    });
  }

  /** Those that don't say yet what they should. */
  #changing(): Kept[] {
    return [...this.#kept.values()].filter((kept) => kept.shown !== kept.wanted);
  }

  /** Milliseconds; 0: now. */
  #editableIn({ message_id, editedAt }: Kept): number {
    if (message_id === null) return 0;
    const { timing, waits } = this.#parts;
    return Math.max(0, editedAt + timing.editIntervalMs - waits.monotonic());
  }

  /** What is being sent may be taken within this time; nothing else is sent. */
  async close(withinMs: number): Promise<void> {
    this.#closing.abort();
    this.#connected?.();
    this.#settled();
    for (const { sent } of this.#texts.splice(0)) sent(null);
    await Promise.race([this.#running, sleep(withinMs, undefined, { ref: false })]);
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
        await ("key" in next ? this.#make(api, next) : this.#sendText(api, next));
        if (this.#failed > 0) this.#parts.failing(null);
        this.#failed = 0;
      } catch (error) {
        const problem = error instanceof TelegramError ? error : new TelegramError("malformed");
        // What the chat had too much of isn't the fault of what is dangerous: it stays the first.
        if (problem.problem !== "too-many" || !("key" in next) || !next.is_urgent) next.failed += 1;
        await this.#afterFailure(problem);
      }
    }
  }

  /** First new messages about what is dangerous, then what has ended, changes, texts, other new messages; but what failed comes after what didn't. */
  #next(): Kept | Text | undefined {
    const due = this.#changing().filter((kept) => this.#editableIn(kept) === 0);
    const inOrder = [
      ...due.filter(({ is_urgent, message_id }) => is_urgent && message_id === null),
      ...due.filter(({ isFinal }) => isFinal),
      ...due.filter(({ isFinal, message_id }) => !isFinal && message_id !== null),
      ...this.#texts,
      ...due.filter(({ isFinal, message_id }) => !isFinal && message_id === null),
    ];
    const least = Math.min(...inOrder.map(({ failed }) => failed));
    return inOrder.find(({ failed }) => failed === least);
  }

  async #sendText(api: BotApi, text: Text): Promise<void> {
    let messageId: number | null = null;
    try {
      messageId = await api.send(text.chat_id, text.screen, text.isSilent);
    } catch (error) {
      if (!isRefused(error) && !this.#isLeft(error, text.chat_id)) throw error;
      this.#parts.log("a text was refused by Telegram");
    }
    this.#texts = this.#texts.filter((one) => one !== text);
    text.sent(messageId);
  }

  async #make(api: BotApi, kept: Kept): Promise<void> {
    const { wanted, isFinal } = kept;
    const { message_id } = kept;
    this.#sending = kept;
    try {
      if (message_id === null) {
        kept.message_id = await api.send(kept.chat_id, wanted, kept.isSilent);
        kept.sent_at = this.#parts.waits.monotonic();
        this.#shows(kept, wanted, kept.sent_at);
        this.#parts.sent({ ...kept, message_id: kept.message_id });
      } else {
        kept.editedAt = this.#parts.waits.monotonic();
        await api.edit(kept.chat_id, message_id, wanted);
        this.#shows(kept, wanted, this.#parts.waits.monotonic());
        if (!kept.isFinal) this.#parts.sent({ ...kept, message_id });
      }
    } catch (error) {
      this.#takeRefusal(kept, wanted, error);
    } finally {
      this.#sending = undefined;
      this.#settled();
    }
    if (isFinal && kept.isFinal && kept.shown === kept.wanted) {
      this.#remove(kept);
      if (kept.message_id !== null) this.#parts.ended({ ...kept, message_id: kept.message_id });
    }
    this.#settled();
  }

  #shows(kept: Kept, screen: Screen, at: number): void {
    kept.shown = screen;
    kept.shownAt = at;
    kept.failed = 0;
  }

  /** What Telegram answers to a message that can't be what it should. @throws whatever is tried again */
  #takeRefusal(kept: Kept, wanted: Screen, error: unknown): void {
    if (!(error instanceof TelegramError)) throw error;
    const { problem } = error;
    if (problem === "unmodified") {
      // Of an earlier gate's message: the user has seen it before this gate asked. Else it was changed, and the answer was lost.
      const isEarlier = kept.shown === null && kept.failed === 0;
      return this.#shows(kept, wanted, isEarlier ? kept.shownAt : this.#parts.waits.monotonic());
    }
    if (problem === "gone" && !kept.isFinal && kept.message_id !== null) {
      // The user has deleted it: it is sent again.
      this.#parts.ended({ ...kept, message_id: kept.message_id });
      kept.message_id = null;
      return;
    }
    if (problem !== "gone" && problem !== "refused" && !this.#isLeft(error, kept.chat_id)) throw error;
    if (problem === "refused") this.#parts.log("a message was refused by Telegram");
    this.#remove(kept);
    if (kept.message_id !== null) this.#parts.ended({ ...kept, message_id: kept.message_id });
  }

  /** It may have another key than at first. */
  #remove(kept: Kept): void {
    for (const [key, one] of this.#kept) if (one === kept) this.#kept.delete(key);
  }

  async #afterFailure(error: TelegramError): Promise<void> {
    if (error.problem === "closed") return this.#pause(this.#parts.timing.firstWaitMs);
    this.#failed += 1;
    this.#parts.failing(error);
    await this.#pause(Math.max(error.retry_after_ms ?? 0, waitAfter(this.#failed, this.#parts.timing)));
  }

  /** Who was linked before may have blocked the bot. */
  #isLeft(error: unknown, chatId: number): boolean {
    return error instanceof TelegramError && error.problem === "blocked" && !this.#parts.isLinked(chatId);
  }

  /** Ends early where the gate closes. What is to be done meanwhile waits, too. */
  async #pause(ms: number): Promise<void> {
    await this.#parts.waits.pause(ms, this.#closing.signal);
  }

  async #change(withinMs: number): Promise<void> {
    const changed = new AbortController();
    const done = () => changed.abort();
    this.#settling.add(done);
    await this.#parts.waits.pause(withinMs, changed.signal);
    this.#settling.delete(done);
  }

  #settled(): void {
    for (const done of [...this.#settling]) done();
  }
}

function isSame(one: Screen, other: Screen): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function has({ buttons }: Screen, data: string): boolean {
  return buttons.some((row) => row.some((button) => button.data === data));
}

function isRefused(error: unknown): boolean {
  return error instanceof TelegramError && (error.problem === "refused" || error.problem === "gone");
}
