import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { Pause } from "../../../ipc/contract/safety.ts";
import type { Screen } from "./bot-api.ts";
import type { ChatMessages } from "./chat-messages.ts";
import type { DailyPin } from "./daily-pin.ts";
import type { GateSide } from "./gate-side.ts";
import type { LinkClaims } from "./link-claims.ts";
import type { Linked } from "./linked-chat.ts";
import type { RefusedUpdates } from "./refused-updates.ts";
import type { ScreenSettings } from "./request-screen.ts";
import type { IncomingMessage, TelegramUser } from "./updates.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/** What the user writes to the bot, and what it answers; nobody else gets a word. */

export interface ConversationParts {
  gate: GateSide;
  messages: ChatMessages;
  claims: LinkClaims;
  pin: DailyPin;
  refused: RefusedUpdates;
  linked(): Linked | null;
  settings(): ScreenSettings;
  /** Removes a message of the user's: best effort. */
  remove(chatId: number, messageId: number): void;
}

const LINK = /^\/start ([A-Za-z0-9_-]{22})$/;
const RESUME_KEY = "resume";
const LISTED = 10;
const LINE = 120;
/** How long a text counts as the PIN after it was asked for, in milliseconds. */
const PIN_ASKED_MS = 600_000;

export class Conversation {
  readonly #parts: ConversationParts;
  #pinAskedUntil = Number.NEGATIVE_INFINITY;
  /** The pause that the user is asked about. */
  #askedAbout = "";

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async handle(message: IncomingMessage): Promise<void> {
    const { from, chat, text = "" } = message;
    const { refused } = this.#parts;
    if (from === undefined || from.is_bot) return refused.note("not-linked", from?.id);
    if (chat.type !== "private" || chat.id !== from.id) return refused.note("group", from.id);
    const linked = this.#parts.linked();
    const isLinked = linked !== null && linked.user_id === from.id && linked.chat_id === chat.id;
    const [, payload] = LINK.exec(text) ?? [];
    const isForwarded = message.forward_origin !== undefined;
    if (payload !== undefined && !isForwarded && this.#claim(payload, from, chat.id)) return;
    if (!isLinked) return refused.note(payload === undefined ? "not-linked" : "wrong-link", from.id);
    if (isForwarded) return refused.note("forwarded", from.id);
    await this.#command(text.trim(), message);
  }

  #claim(payload: string, user: TelegramUser, chatId: number): boolean {
    const { claims, gate } = this.#parts;
    if (!claims.take(payload, user, chatId)) return false;
    gate.record("telegram.claimed", { user_id: user.id });
    gate.changed();
    this.#say(chatId, this.#words.claimed);
    return true;
  }

  async #command(text: string, { chat, message_id }: IncomingMessage): Promise<void> {
    switch (/^(\/\w+)(?:@\w+)?$/.exec(text)?.[1]) {
      case "/pause":
        return this.#pause(chat.id);
      case "/resume":
        return this.#askResume(chat.id);
      case "/pending":
        return this.#pending(chat.id);
      case "/status":
        return this.#status(chat.id);
      default:
        if (this.#isPinAsked) return this.#takePin(text, chat.id, message_id);
        return this.#say(chat.id, this.#words.hello);
    }
  }

  async #pause(chatId: number): Promise<void> {
    const { gate } = this.#parts;
    const { is_paused } = (await gate.api.call("safety.status", {})).pause;
    if (!is_paused) await gate.api.call("safety.pause", {});
    this.#parts.messages.end(RESUME_KEY, plain(this.#words.stillPaused));
    this.#say(chatId, is_paused ? this.#words.pausedAlready : this.#words.paused);
  }

  async #askResume(chatId: number): Promise<void> {
    const { gate, messages } = this.#parts;
    const { pause } = await gate.api.call("safety.status", {});
    if (!pause.is_paused) return this.#say(chatId, this.#words.notPaused);
    this.#askedAbout = identityOf(pause);
    const { askResume, resume, stayPaused } = this.#words;
    messages.retire(RESUME_KEY, plain(this.#words.stillPaused));
    const reason = pause.reason === null ? [] : [shortened(visible(pause.reason), LINE * 3)];
    const buttons = [
      [
        { text: resume, data: "resume" },
        { text: stayPaused, data: "stay" },
      ],
    ];
    messages.show(RESUME_KEY, chatId, { text: [askResume, ...reason].join("\n"), buttons }, { tokens: [] });
  }

  /** What was asked back is answered. Gives what is said. */
  async endResume(isWanted: boolean): Promise<string> {
    const { gate, messages } = this.#parts;
    if (isWanted) {
      const { pause } = await gate.api.call("safety.status", {});
      const linked = this.#parts.linked();
      // Another one than the message speaks of, and perhaps for a worse reason.
      if (pause.is_paused && linked !== null && identityOf(pause) !== this.#askedAbout) {
        await this.#askResume(linked.chat_id);
        return this.#words.pressed.changed;
      }
      await gate.api.call("safety.resume", {});
    }
    const text = isWanted ? this.#words.resumed : this.#words.stillPaused;
    messages.end(RESUME_KEY, plain(text));
    return text;
  }

  async #pending(chatId: number): Promise<void> {
    const { gate, settings } = this.#parts;
    const waiting = await gate.api.call("approvals.list", { order: "deadline", limit: 100 });
    const { nothingWaits, waiting: count, andMore, atMachine } = this.#words;
    if (waiting.length === 0) return this.#say(chatId, nothingWaits);
    const listed = settings().show === "title" ? [] : waiting.slice(0, LISTED);
    const lines = listed.map(({ agent_name, action_verb, target_summary }) =>
      shortened(visible(`${agent_name}: ${action_verb} ${target_summary}`), LINE),
    );
    const more = waiting.length - listed.length;
    const rest = listed.length === 0 ? [atMachine] : more > 0 ? [andMore(String(more))] : [];
    this.#say(chatId, [count(String(waiting.length)), ...lines, ...rest].join("\n"));
  }

  async #status(chatId: number): Promise<void> {
    const { paused, approvals_pending, alarms } = await this.#parts.gate.api.call("status", {});
    this.#say(chatId, this.#words.status(paused, String(approvals_pending), String(alarms.length)).join("\n"));
  }

  /** An answer was refused for want of the PIN: what is written next is taken for it. */
  askPin(chatId: number): void {
    const { pin, gate } = this.#parts;
    if (pin.isLocked) return this.#say(chatId, this.#words.pinLocked);
    const wasAsked = this.#isPinAsked;
    this.#pinAskedUntil = gate.clock.boot().ms + PIN_ASKED_MS;
    if (!wasAsked) this.#say(chatId, this.#words.pin_wanted);
  }

  get #isPinAsked(): boolean {
    return this.#parts.pin.isAsked && this.#parts.gate.clock.boot().ms < this.#pinAskedUntil;
  }

  #takePin(text: string, chatId: number, messageId: number): void {
    const { pin, refused } = this.#parts;
    this.#parts.remove(chatId, messageId);
    const tried = pin.attempt(text);
    if (tried.isRight) return this.#say(chatId, this.#words.pinRight);
    refused.note("wrong-pin", chatId);
    const { left } = tried;
    this.#say(chatId, left === 0 ? this.#words.pinLocked : this.#words.pinWrong(String(left)));
  }

  get #words() {
    return TELEGRAM_WORDS[this.#parts.settings().language];
  }

  #say(chatId: number, text: string): void {
    void this.#parts.messages.text(chatId, plain(text));
  }
}

function identityOf({ by, since, reason }: Pause): string {
  return JSON.stringify([by, since, reason]);
}

function plain(text: string): Screen {
  return { text, buttons: [] };
}
