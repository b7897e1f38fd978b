import type { Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, GrammyError } from "grammy";
import { z } from "zod";
import { nodeHttp } from "../../../ipc/base/node-http.ts";
import { type BotAccount, botSchema, sentSchema } from "./updates.ts";

/**
 * Telegram's Bot API, as far as it is used. The bot's token is a part of each address, and errors quote addresses: none leaves here,
 * each becomes one of this file's own.
 */

/** What went wrong, as far as it matters what is done next. */
export type TelegramProblem =
  /** 401, 404: there is no such bot. */
  | "token-refused"
  /** 409: somebody else asks for this bot's updates. */
  | "other-poller"
  /** 429. */
  | "too-many"
  /** 403: the user has blocked the bot, or removed the chat. */
  | "blocked"
  /** 400 of an edit that changes nothing. */
  | "unmodified"
  /** 400 of a message that is there no more, or can't be changed any more. */
  | "gone"
  /** Any other 4xx. */
  | "refused"
  /** No connection, a time-out, 5xx. */
  | "unreachable"
  /** What arrived is no answer of a Bot API. */
  | "malformed"
  | "closed";

export class TelegramError extends Error {
  override readonly name = "TelegramError";
  readonly problem: TelegramProblem;
  /** How long nothing should be sent, in milliseconds; only of `too-many`. */
  readonly retry_after_ms: number | undefined;

  constructor(problem: TelegramProblem, retryAfterMs?: number) {
    super(PROBLEM_TEXT[problem]);
    this.problem = problem;
    this.retry_after_ms = retryAfterMs;
  }
}

const PROBLEM_TEXT: Readonly<Record<TelegramProblem, string>> = {
  "token-refused": "Telegram doesn't know this bot: its token is wrong, or was revoked",
  "other-poller": "another program asks Telegram for this bot's messages: end it, or use a bot of its own",
  "too-many": "Telegram wants fewer messages for a while",
  blocked: "the bot is blocked in your chat: unblock it there",
  unmodified: "nothing has changed",
  gone: "the message is there no more",
  refused: "Telegram refuses what is sent",
  unreachable: "Telegram can't be reached",
  malformed: "what answers isn't Telegram",
  closed: "the gate is closing",
};

export interface Button {
  text: string;
  /** 64 bytes at most. */
  data: string;
}

/** What a message says. */
export interface Screen {
  text: string;
  buttons: readonly (readonly Button[])[];
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CALL_MS = 20_000;
/** Longer than Telegram is asked to wait with its answer. */
const POLL_GRACE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Of a text that a pressed button shows. */
const MAX_ANSWER_TEXT = 200;

export class BotApi {
  readonly #api: Api;
  readonly #agent: Agent;
  readonly #closing = new AbortController();

  /** @param apiUrl without the token, such as `https://api.telegram.org` */
  constructor(token: string, apiUrl: string) {
    const options = { keepAlive: true, maxSockets: 8 };
    const root = apiUrl.replace(/\/+$/, "");
    this.#agent = root.startsWith("https:") ? new HttpsAgent(options) : new (nodeHttp().Agent)(options);
    this.#api = new Api(token, {
      apiRoot: root,
      // Nothing follows a redirect: the address it comes from has the token in it.
      baseFetchConfig: { agent: this.#agent, compress: false, redirect: "error", size: MAX_ANSWER_BYTES },
    });
  }

  async getMe(): Promise<BotAccount> {
    return read(botSchema, await this.#call(CALL_MS, (signal) => this.#api.getMe(signal)));
  }

  /** Those from `offset` on, once there are some or so many seconds are over. */
  async getUpdates(offset: number | undefined, timeout: number): Promise<unknown[]> {
    const updates = await this.#call(timeout * 1000 + POLL_GRACE_MS, (signal) =>
      this.#api.getUpdates(
        { ...(offset === undefined ? {} : { offset }), timeout, allowed_updates: ["message", "callback_query"] },
        signal,
      ),
    );
    return read(z.array(z.unknown()), updates);
  }

  /** The message's number. */
  async send(chatId: number, screen: Screen, isSilent = false): Promise<number> {
    const sent = await this.#call(CALL_MS, (signal) =>
      this.#api.sendMessage(
        chatId,
        screen.text,
        { ...PLAIN, reply_markup: keyboard(screen), ...(isSilent ? { disable_notification: true } : {}) },
        signal,
      ),
    );
    return read(sentSchema, sent).message_id;
  }

  async edit(chatId: number, messageId: number, screen: Screen): Promise<void> {
    await this.#call(CALL_MS, (signal) =>
      this.#api.editMessageText(chatId, messageId, screen.text, { ...PLAIN, reply_markup: keyboard(screen) }, signal),
    );
  }

  async answerCallback(callbackId: string, text: string, showAlert: boolean): Promise<void> {
    const shown = text.length > MAX_ANSWER_TEXT ? `${text.slice(0, MAX_ANSWER_TEXT - 1)}…` : text;
    await this.#call(CALL_MS, (signal) =>
      this.#api.answerCallbackQuery(callbackId, { text: shown, show_alert: showAlert }, signal),
    );
  }

  async delete(chatId: number, messageId: number): Promise<void> {
    await this.#call(CALL_MS, (signal) => this.#api.deleteMessage(chatId, messageId, signal));
  }

  async setCommands(chatId: number, commands: readonly { command: string; description: string }[]): Promise<void> {
    const scope = { type: "chat" as const, chat_id: chatId };
    await this.#call(CALL_MS, (signal) => this.#api.setMyCommands(commands, { scope }, signal));
  }

  /** Ends what is under way. */
  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }

  async #call<T>(withinMs: number, act: (signal: GrammySignal) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new TelegramError("closed");
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(withinMs)]);
    try {
      // Node's own does all that grammy's type for it is used for.
      return await act(signal as unknown as GrammySignal);
    } catch (error) {
      if (this.#closing.signal.aborted) throw new TelegramError("closed");
      throw mapped(error);
    }
  }
}

type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

const PLAIN = { link_preview_options: { is_disabled: true } };

function keyboard({ buttons }: Screen) {
  return {
    inline_keyboard: buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data } = schema.safeParse(value);
  if (!success) throw new TelegramError("malformed");
  return data;
}

/** The same problem in our own words: the error itself holds the token, and what the message says. */
function mapped(error: unknown): TelegramError {
  if (!(error instanceof GrammyError)) {
    // Grammy's own errors of the network are HttpErrors; whatever else was thrown tripped over the answer.
    const isNetwork = error instanceof Error && error.name === "HttpError";
    return new TelegramError(isNetwork ? networkProblem(error) : "malformed");
  }
  const { error_code: code, description, parameters } = error;
  if (code === 401 || code === 404) return new TelegramError("token-refused");
  if (code === 403) return new TelegramError("blocked");
  if (code === 409) return new TelegramError("other-poller");
  if (code === 429) return new TelegramError("too-many", retryAfterMs(parameters?.retry_after));
  if (code === 400) return new TelegramError(problemOfEdit(String(description)));
  // A proxy's own answer may be JSON, too: it refuses nothing.
  if (typeof code !== "number") return new TelegramError("malformed");
  return new TelegramError(code >= 500 ? "unreachable" : "refused");
}

/** What isn't JSON was answered by something else; a proxy that answers 502 in HTML is rather Telegram that can't be reached. */
function networkProblem(error: Error): TelegramProblem {
  const cause: unknown = "error" in error ? error.error : undefined;
  const type = typeof cause === "object" && cause !== null && "type" in cause ? cause.type : undefined;
  return type === "max-size" || type === "no-redirect" ? "malformed" : "unreachable";
}

function retryAfterMs(seconds: unknown): number {
  const ms = typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : 1000;
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

function problemOfEdit(description: string): TelegramProblem {
  if (/not modified/i.test(description)) return "unmodified";
  return /message to (?:edit|delete) not found|can't be edited|MESSAGE_ID_INVALID/i.test(description)
    ? "gone"
    : "refused";
}
