import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { WAITS, type Waits } from "../../main/surfaces/telegram/timing.ts";

/** A real HTTP server on loopback that behaves as Telegram's Bot API does, with users who press buttons and write, and faults. */

export const BOT_TOKEN = "123456789:AAsecretsecretsecretsecretsecretsecr";
export const BOT_NAME = "metnos_test_bot";

export interface ChatUser {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
}

export const ROBERTO_USER: ChatUser = { id: 4242, first_name: "Roberto" };
export const STRANGER: ChatUser = { id: 6666, first_name: "Mallory" };

interface Button {
  text: string;
  callback_data: string;
}

/** A message that the bot has sent, as it is now. */
export interface BotMessage {
  message_id: number;
  chat_id: number;
  text: string;
  buttons: Button[][];
  edits: number;
  sent_at: number;
  /** What its buttons carried when it was sent. */
  data: readonly string[];
  /** Whether the gate has got an answer to it; without one it sends another. */
  is_answered: boolean;
  disable_notification: boolean;
}

export interface ApiCall {
  method: string;
  params: Readonly<Record<string, unknown>>;
}

/** What goes wrong with a call instead of an answer. */
export type TelegramFault =
  | { status: number; retry_after?: number; description?: string }
  /** The connection ends: before the call had an effect, or after it. */
  | { drop: "before" | "after" }
  | { body: string }
  /** It has its effect at once, and is answered once this has happened. */
  | { answeredAfter: Promise<void> };

interface SentUpdate {
  update_id: number;
  [kind: string]: unknown;
}

const MAX_TEXT = 4096;
const MAX_DATA = 64;

export class TelegramServer {
  readonly calls: ApiCall[] = [];
  readonly messages: BotMessage[] = [];
  readonly answers: { id: string; text: string; show_alert: boolean }[] = [];
  readonly deleted: number[] = [];
  #token = BOT_TOKEN;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #events = new EventEmitter().setMaxListeners(0);
  #updates: SentUpdate[] = [];
  #newest: SentUpdate | undefined;
  #repeated: SentUpdate[] = [];
  #nextUpdate = 1000;
  #nextMessage = 1;
  #nextCallback = 1;
  #poll: { response: ServerResponse; ended: AbortController; offset: number } | undefined;
  #inFlight = 0;
  /** How time passes here: a poll waits, and an answer of 429 counts, by it. */
  waits: Waits = WAITS;
  readonly #notBefore = new Map<string, number>();
  /** Calls of a method that came sooner than the 429 before them allowed. */
  tooSoon: string[] = [];
  #faults: { method: string; fault: TelegramFault; left: number }[] = [];
  /** Called before each call is answered; what it gives goes wrong. */
  chaos: ((call: ApiCall) => TelegramFault | undefined) | undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#inFlight += 1;
      response.once("close", () => {
        this.#inFlight -= 1;
      });
      void this.#serve(request, response);
    });
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** For benchmarks; a test uses `telegramServer`. */
  static async start(): Promise<TelegramServer> {
    const server = new TelegramServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  /** For gate.toml. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Nothing is asked of it but, perhaps, to wait for what arrives. */
  get isQuiet(): boolean {
    return this.#inFlight === (this.#poll === undefined ? 0 : 1);
  }

  get isPolled(): boolean {
    return this.#poll !== undefined;
  }

  /** Another token is the bot's from now on. */
  revokeToken(token: string): void {
    this.#token = token;
  }

  /** The next calls of this method go wrong. */
  fail(method: string, fault: TelegramFault, times = 1): void {
    this.#faults.push({ method, fault, left: times });
  }

  /** Nothing goes wrong any more. */
  forgive(): void {
    this.#faults = [];
  }

  // --- users

  writes(user: ChatUser, text: string, extra: Record<string, unknown> = {}): void {
    this.push({
      message: {
        message_id: this.#nextMessage++,
        date: Math.floor(Date.now() / 1000),
        from: { is_bot: false, ...user },
        chat: { id: user.id, type: "private", first_name: user.first_name },
        text,
        ...extra,
      },
    });
  }

  /** Presses the button of this text, or the one that carries this data. Gives the callback's id. */
  presses(user: ChatUser, message: Pick<BotMessage, "message_id" | "chat_id">, button: string): string {
    const known = this.messages.find(({ message_id }) => message_id === message.message_id);
    const found = known?.buttons.flat().find(({ text, callback_data }) => text === button || callback_data === button);
    if (found === undefined) throw new Error(`no button ${button}: ${JSON.stringify(known?.buttons)}`);
    return this.sendsCallback(user, message, found.callback_data);
  }

  /** A callback as Telegram delivers it, whatever its message shows. */
  sendsCallback(
    user: ChatUser,
    { message_id, chat_id }: Pick<BotMessage, "message_id" | "chat_id">,
    data: string,
    chat: Record<string, unknown> = { type: "private" },
  ): string {
    const id = `cb${this.#nextCallback++}`;
    this.push({
      callback_query: {
        id,
        from: { is_bot: false, ...user },
        message: {
          message_id,
          date: 1,
          chat: { id: chat_id, ...chat },
          from: { id: 1, is_bot: true, first_name: "b" },
        },
        chat_instance: "1",
        data,
      },
    });
    return id;
  }

  push(update: Record<string, unknown>, updateId = this.#nextUpdate++): number {
    this.#newest = { update_id: updateId, ...update };
    this.#updates.push(this.#newest);
    this.#answerPoll();
    return updateId;
  }

  /** Delivers these again although they were confirmed. */
  pushAgain(update: SentUpdate): void {
    this.#updates.push(update);
    this.#answerPoll();
  }

  /** Delivers the newest update once more, whether it was confirmed or not. */
  deliverAgain(): void {
    if (this.#newest !== undefined) this.#repeated.push(this.#newest);
    this.#answerPoll();
  }

  // --- what can be waited for

  /** The first message that matches, now or later. */
  async message(matches: (message: BotMessage) => boolean): Promise<BotMessage> {
    return this.until(() => this.messages.find(matches));
  }

  async answerTo(id: string): Promise<{ id: string; text: string; show_alert: boolean }> {
    return this.until(() => this.answers.find((answer) => answer.id === id));
  }

  /** What this gives once it isn't undefined or false; looked at after each call that was answered. */
  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      await once(this.#events, "changed");
    }
  }

  /** Every update so far was confirmed. */
  async allTaken(): Promise<void> {
    await this.until(() => this.#updates.length === 0);
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  // --- the API

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    if (token !== this.#token) return error(response, 401, "Unauthorized");
    const params = body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
    const call = { method, params };
    this.calls.push(call);
    if (this.waits.monotonic() < (this.#notBefore.get(method) ?? 0)) this.tooSoon.push(method);
    const fault = this.#faultOf(call);
    if (fault !== undefined && "drop" in fault) {
      if (fault.drop === "after" && method === "getUpdates") this.#confirm(call);
      else if (fault.drop === "after") this.#effect(call);
      request.socket.destroy();
      return this.#changed();
    }
    if (fault !== undefined && "body" in fault) {
      response.end(fault.body);
      return this.#changed();
    }
    if (fault !== undefined && "status" in fault) {
      if (fault.retry_after !== undefined)
        this.#notBefore.set(method, this.waits.monotonic() + fault.retry_after * 1000);
      error(response, fault.status, fault.description ?? "fault", fault.retry_after);
      return this.#changed();
    }
    if (method === "getUpdates") return this.#getUpdates(call, response);
    const effect = this.#effect(call);
    const sent = this.messages.at(-1);
    if (fault !== undefined) {
      this.#changed();
      await fault.answeredAfter;
    }
    if ("error" in effect) error(response, 400, effect.error);
    else ok(response, effect.result);
    if (method === "sendMessage" && sent !== undefined) sent.is_answered = true;
    this.#changed();
  }

  #faultOf(call: ApiCall): TelegramFault | undefined {
    const found = this.#faults.find(({ method }) => method === call.method);
    if (found === undefined) return this.chaos?.(call);
    found.left -= 1;
    if (found.left === 0) this.#faults = this.#faults.filter((one) => one !== found);
    return found.fault;
  }

  #effect({ method, params }: ApiCall): { result: unknown } | { error: string } {
    switch (method) {
      case "getMe":
        return { result: { id: 123456789, is_bot: true, first_name: "Gate", username: BOT_NAME } };
      case "sendMessage":
        return this.#send(params);
      case "editMessageText":
        return this.#edit(params);
      case "answerCallbackQuery":
        this.answers.push({
          id: String(params.callback_query_id),
          text: String(params.text ?? ""),
          show_alert: params.show_alert === true,
        });
        return { result: true };
      case "deleteMessage":
        this.deleted.push(Number(params.message_id));
        return { result: true };
      case "setMyCommands":
        return { result: true };
      default:
        return { error: `no such method: ${method}` };
    }
  }

  #send(params: Readonly<Record<string, unknown>>): { result: unknown } | { error: string } {
    const refused = refusedText(params);
    if (refused !== undefined) return { error: refused };
    const message: BotMessage = {
      message_id: this.#nextMessage++,
      chat_id: Number(params.chat_id),
      text: String(params.text),
      buttons: buttonsOf(params),
      edits: 0,
      sent_at: this.waits.monotonic(),
      data: buttonsOf(params)
        .flat()
        .map(({ callback_data }) => callback_data),
      is_answered: false,
      disable_notification: params.disable_notification === true,
    };
    this.messages.push(message);
    return { result: { message_id: message.message_id, date: 1, chat: { id: message.chat_id, type: "private" } } };
  }

  #edit(params: Readonly<Record<string, unknown>>): { result: unknown } | { error: string } {
    const refused = refusedText(params);
    if (refused !== undefined) return { error: refused };
    const message = this.messages.find(({ message_id }) => message_id === params.message_id);
    if (message === undefined || this.deleted.includes(message.message_id))
      return { error: "Bad Request: message to edit not found" };
    const buttons = buttonsOf(params);
    if (message.text === params.text && JSON.stringify(message.buttons) === JSON.stringify(buttons))
      return {
        error: "Bad Request: message is not modified: specified new message content and reply markup are the same",
      };
    message.text = String(params.text);
    message.buttons = buttons;
    message.edits += 1;
    return { result: true };
  }

  #getUpdates({ params }: ApiCall, response: ServerResponse): void {
    const offset = this.#confirm({ params });
    const timeout = Number(params.timeout ?? 0);
    this.#changed();
    if (this.#poll !== undefined) {
      // As Telegram does it: who asked first is sent away.
      const before = this.#endPoll();
      if (before !== undefined) error(before, 409, "Conflict: terminated by other getUpdates request");
    }
    const due = this.#due(offset);
    if (due.length > 0 || timeout === 0) return ok(response, due);
    const poll = { response, ended: new AbortController(), offset };
    this.#poll = poll;
    const over = () => this.#poll === poll && this.#endPoll();
    void this.waits.pause(timeout * 1000, poll.ended.signal).then(() => {
      if (over()) ok(response, []);
    });
    response.once("close", over);
  }

  /** What was handled isn't delivered any more. Gives the number from which on it is. */
  #confirm({ params }: Pick<ApiCall, "params">): number {
    const offset = Number(params.offset ?? 0);
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    return offset;
  }

  #due(offset: number): SentUpdate[] {
    const repeated = this.#repeated.splice(0);
    return [...repeated, ...this.#updates.filter(({ update_id }) => update_id >= offset)].slice(0, 100);
  }

  #endPoll(): ServerResponse | undefined {
    const poll = this.#poll;
    this.#poll = undefined;
    poll?.ended.abort();
    return poll?.response;
  }

  #answerPoll(): void {
    const poll = this.#poll;
    if (poll === undefined) return;
    const due = this.#due(poll.offset);
    if (due.length === 0) return;
    this.#endPoll();
    ok(poll.response, due);
  }

  #changed(): void {
    setImmediate(() => this.#events.emit("changed"));
  }
}

function refusedText({ text }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof text !== "string" || text === "") return "Bad Request: message text is empty";
  return text.length > MAX_TEXT ? "Bad Request: message is too long" : undefined;
}

function buttonsOf({ reply_markup }: Readonly<Record<string, unknown>>): Button[][] {
  const markup = reply_markup as { inline_keyboard?: Button[][] } | undefined;
  const rows = markup?.inline_keyboard ?? [];
  for (const { callback_data, text } of rows.flat())
    if (Buffer.byteLength(callback_data) > MAX_DATA || text === "") throw new Error("BUTTON_DATA_INVALID");
  return rows;
}

function ok(response: ServerResponse, result: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ok: true, result }));
}

function error(response: ServerResponse, status: number, description: string, retryAfter?: number): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  response.end(JSON.stringify({ ok: false, error_code: status, description, ...parameters }));
}

/** Closed when the test ends. */
export async function telegramServer(): Promise<TelegramServer> {
  const server = await TelegramServer.start();
  onTestFinished(() => server.close());
  return server;
}
