import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { TelegramStatus } from "../../../ipc/contract/channels.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { errorCode } from "../../base/errors.ts";
import type { ChannelConfig } from "../../config/index.ts";
import type { Channel, ChannelNote, Gathered, TelegramLinking } from "../../core/channel.ts";
import type { ChannelMessages } from "../delivery/channel-messages.ts";
import { type BotApi, TelegramError } from "./bot-api.ts";
import { ChatMessages } from "./chat-messages.ts";
import { Connection } from "./connection.ts";
import { Conversation } from "./conversation.ts";
import { DailyPin } from "./daily-pin.ts";
import type { GateSide } from "./gate-side.ts";
import { LinkClaims } from "./link-claims.ts";
import type { LinkedChat } from "./linked-chat.ts";
import type { PinTries } from "./pin-tries.ts";
import { RefusedUpdates } from "./refused-updates.ts";
import { MAX_CHARACTERS, type ScreenSettings } from "./request-screen.ts";
import { ShownRequests } from "./shown-requests.ts";
import { Taps } from "./taps.ts";
import type { Timing, Waits } from "./timing.ts";
import type { Callback, Update } from "./updates.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/** Telegram as a channel: the user's own chat with a bot of theirs, by long polling alone. */

export interface TelegramParts {
  config: ChannelConfig["telegram"];
  env: Env;
  gate: GateSide;
  links: LinkedChat;
  stored: ChannelMessages;
  pin_tries: PinTries;
  timing: Timing;
  waits: Waits;
}

/** Of what is to be answered beside the messages: more at once are left out. */
const MOST_AFTERWARDS = 100;
const TEST_MS = 10_000;
const LONGEST_WAIT_MS = 10_000;
const TRIES = 3;

export class TelegramChannel implements Channel {
  readonly name = "telegram";
  readonly linking: TelegramLinking;
  readonly #parts: TelegramParts;
  readonly #connection: Connection;
  readonly #messages: ChatMessages;
  readonly #requests: ShownRequests;
  readonly #conversation: Conversation;
  readonly #taps: Taps;
  readonly #claims: LinkClaims;
  readonly #refused: RefusedUpdates;
  readonly #pin: DailyPin;
  /** Why messages aren't taken; null where they are. */
  #failing: TelegramError | null = null;
  #afterwards = 0;
  /** Until then Telegram wants nothing of what is answered beside the messages. */
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(parts: TelegramParts) {
    this.#parts = parts;
    const { config, env, gate, stored, timing, waits } = parts;
    const linked = () => parts.links.current;
    const settings = () => this.#settings;
    this.#claims = new LinkClaims(gate.clock);
    this.#pin = new DailyPin(config.pin_file, parts.pin_tries, env, gate.clock);
    this.#refused = new RefusedUpdates({
      intervalMs: timing.refusedIntervalMs,
      write: (fields) => gate.record("telegram.refused", fields),
    });
    this.#connection = new Connection({
      ...{ token_env: config.token_env, token_file: config.token_file, api_url: config.api_url, env, timing, waits },
      handle: (update) => this.#handle(update),
      changed: () => this.#changed(),
      log: (line) => gate.log(line),
    });
    this.#messages = new ChatMessages({
      api: () => this.#connection.api,
      isLinked: (chatId) => linked()?.chat_id === chatId,
      timing,
      waits,
      sent: ({ chat_id, message_id, tokens, agent_id }) =>
        this.#store(() => stored.put({ chat: String(chat_id), message: String(message_id), agent_id }, tokens)),
      ended: ({ chat_id, message_id }) => {
        this.#store(() => stored.end(String(chat_id), String(message_id)));
        setImmediate(() => this.#requests.fill());
      },
      failing: (problem) => this.#sendingFails(problem),
      log: (line) => gate.log(line),
    });
    this.#requests = new ShownRequests({
      messages: this.#messages,
      stored,
      settings,
      chat: () => linked()?.chat_id ?? null,
      requestOf: gate.requestOf,
    });
    const shared = { gate, messages: this.#messages, pin: this.#pin, refused: this.#refused, linked, settings };
    this.#conversation = new Conversation({
      ...shared,
      claims: this.#claims,
      remove: (chatId, messageId) => this.#tryOften((api) => api.delete(chatId, messageId)),
    });
    this.#taps = new Taps({
      ...shared,
      requests: this.#requests,
      stored,
      conversation: this.#conversation,
      claims: this.#claims,
      timing,
      answer: (id, text, showAlert) => this.#tryOften((api) => api.answerCallback(id, text, showAlert)),
      afterwards: (work) => this.#later(work),
      replace: (chatId, messageId, text) => this.#tryOften((api) => api.edit(chatId, messageId, { text, buttons: [] })),
    });
    this.linking = {
      status: () => this.#linkStatus(),
      link: () => this.#link(),
      confirm: (id) => this.#confirm(id),
      reject: (id) => this.#reject(id),
      unlink: () => this.#unlink(),
    };
  }

  /** Makes earlier messages true, and begins to ask for what has arrived. */
  start(): void {
    this.#store(() => this.#requests.start());
    this.#connection.start();
  }

  status(): { state: "on" | "waiting" | "failing"; text: string } {
    const { problem, bot } = this.#connection;
    const failing = problem ?? this.#failing?.message;
    if (failing !== undefined) return { state: "failing", text: failing };
    const linked = this.#parts.links.current;
    if (linked === null) return { state: "waiting", text: `no chat is linked: ${ownCommand("telegram link")}` };
    return { state: "on", text: `@${bot?.username ?? ""} writes to ${linked.name} (${linked.user_id})` };
  }

  ask(view: ApprovalView): void {
    this.#requests.ask(view);
  }

  gather(gathered: Gathered): void {
    this.#requests.gather(gathered);
  }

  ended(view: ApprovalView): void {
    this.#requests.ended(view);
  }

  note(note: ChannelNote): void {
    const chatId = this.#parts.links.current?.chat_id;
    if (chatId !== undefined) void this.#messages.text(chatId, this.#noteScreen(note), !note.is_urgent);
  }

  async test(note: ChannelNote): Promise<void> {
    const chatId = this.#parts.links.current?.chat_id;
    if (chatId === undefined)
      throw new GateError("not_available", "no chat is linked", `link yours: ${ownCommand("telegram link")}`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), TEST_MS);
    });
    const sent = await Promise.race([this.#messages.text(chatId, this.#noteScreen(note)), late]);
    clearTimeout(timer);
    if (sent === null) throw new GateError("channel_failed", this.#whyFailing(), "see docs/telegram.md");
  }

  async close(): Promise<void> {
    const { closeMs } = this.#parts.timing;
    this.#refused.close();
    await this.#connection.close(closeMs, this.#messages.close(closeMs));
  }

  get #settings(): ScreenSettings {
    const { gate, config } = this.#parts;
    return { language: gate.language(), show: config.show, home: gate.home };
  }

  async #handle(update: Update | null): Promise<void> {
    try {
      if (update === null) this.#refused.note("malformed");
      else if (update.callback_query !== undefined) await this.handleCallback(update.callback_query);
      else if (update.message !== undefined) await this.#conversation.handle(update.message);
    } catch (error) {
      this.#parts.gate.log(`what arrived could not be handled (${errorCode(error)})`);
    }
  }

  /** What became of a tap. */
  handleCallback(callback: Callback): ReturnType<Taps["handle"]> {
    return this.#taps.handle(callback);
  }

  #linkStatus(): TelegramStatus {
    const linked = this.#parts.links.current;
    const { claim, linkEnd } = this.#claims;
    return {
      bot: this.#connection.bot?.username ?? null,
      linked: linked && { user_id: linked.user_id, name: linked.name, linked_at: linked.linked_at },
      link_expires_at: linkEnd,
      claim: claim && {
        id: claim.id,
        user_id: claim.user_id,
        name: claim.name,
        username: claim.username,
        claimed_at: claim.claimed_at,
        is_renamed: claim.is_renamed,
      },
    };
  }

  async #link(): Promise<{ url: string; expires_at: string }> {
    const { bot } = this.#connection;
    if (bot === null) throw new GateError("channel_failed", this.#whyFailing(), "see docs/telegram.md");
    const { payload, expires_at } = this.#claims.begin();
    this.#parts.gate.changed();
    return { url: `https://t.me/${bot.username}?start=${payload}`, expires_at };
  }

  #confirm(id: string): TelegramStatus {
    const claim = this.#claims.end(id);
    if (claim === undefined) throw noClaim();
    const { links, gate } = this.#parts;
    const before = links.current;
    links.set(claim);
    this.#pin.forget();
    if (before !== null && before.chat_id !== claim.chat_id) this.#leave(before.chat_id);
    void this.#messages.text(claim.chat_id, { text: this.#words.linked, buttons: [] });
    const commands = Object.entries(this.#words.commands).map(([command, description]) => ({ command, description }));
    this.#tryOften((api) => api.setCommands(claim.chat_id, commands));
    this.#requests.linked();
    gate.changed();
    return this.#linkStatus();
  }

  #reject(id: string): TelegramStatus {
    const claim = this.#claims.end(id);
    if (claim === undefined) throw noClaim();
    this.#parts.gate.record("telegram.claim-rejected", { user_id: claim.user_id });
    this.#parts.gate.changed();
    return this.#linkStatus();
  }

  #unlink(): boolean {
    const before = this.#parts.links.remove();
    if (before === null) return false;
    this.#leave(before.chat_id);
    this.#parts.gate.changed();
    return true;
  }

  #leave(chatId: number): void {
    this.#requests.unlinked();
    void this.#messages.text(chatId, { text: this.#words.unlinked, buttons: [] });
  }

  #noteScreen({ kind, title, lines }: ChannelNote) {
    const isBare = this.#parts.config.show === "title" && kind !== "checkpoint" && kind !== "test";
    const said = isBare ? [title, this.#words.atMachine] : [title, ...lines];
    const text = said.map((line) => visible(line, { keepNewlines: true })).join("\n");
    return { text: shortened(text, MAX_CHARACTERS), buttons: [] };
  }

  get #words() {
    return TELEGRAM_WORDS[this.#parts.gate.language()];
  }

  #whyFailing(): string {
    return this.#connection.problem ?? this.#failing?.message ?? "Telegram doesn't answer";
  }

  #changed(): void {
    if (this.#connection.api !== undefined) this.#messages.connected();
    this.#parts.gate.changed();
  }

  #sendingFails(problem: TelegramError | null): void {
    if (this.#failing?.problem === problem?.problem) return;
    this.#failing = problem;
    if (problem !== null) this.#parts.gate.log(`${problem.message}; it is tried again`);
    this.#parts.gate.changed();
  }

  /** What can't be stored is known in memory until the gate ends. */
  #store(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.gate.log(`which message shows what can't be stored (${errorCode(error)})`);
    }
  }

  #later(work: () => Promise<void>): void {
    if (this.#afterwards >= MOST_AFTERWARDS) return;
    this.#afterwards += 1;
    void work()
      .catch((error: unknown) => this.#parts.gate.log(`failed inside (${errorCode(error)})`))
      .finally(() => {
        this.#afterwards -= 1;
      });
  }

  /** Best effort: what isn't taken soon is of no use any more. */
  #tryOften(act: (api: BotApi) => Promise<void>): void {
    this.#later(async () => {
      for (let attempt = 1; attempt <= TRIES; attempt++) {
        const wantedMs = this.#notBefore - this.#parts.waits.monotonic();
        // By then nobody waits for it.
        if (wantedMs > LONGEST_WAIT_MS) return;
        if (wantedMs > 0) await this.#parts.waits.pause(wantedMs);
        const api = this.#connection.api;
        if (api === undefined) return;
        try {
          return await act(api);
        } catch (error) {
          const problem = error instanceof TelegramError ? error : new TelegramError("malformed");
          if (!["unreachable", "too-many", "malformed"].includes(problem.problem)) return;
          const waitMs = problem.retry_after_ms ?? this.#parts.timing.firstWaitMs * attempt;
          this.#notBefore = this.#parts.waits.monotonic() + waitMs;
        }
      }
    });
  }
}

function noClaim(): GateError {
  return new GateError(
    "too_late",
    "nobody waits to be linked",
    `ask for a new link, and press it in Telegram: ${ownCommand("telegram link")}`,
  );
}
