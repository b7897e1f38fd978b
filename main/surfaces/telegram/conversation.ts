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
  remove(chat_id: number, message_id: number): void;
}

const LINK = /^\/start ([A-Za-z0-9_-]{22})$/;
const RESUME_KEY = "resume";
const LISTED = 10;
const LINE = 120;
/** How long a text counts as the PIN after it was asked for, in milliseconds. */
const PIN_ASKED_MS = 600_000;

export class Conversation {
  readonly #parts: ConversationParts;
  #pin_asked_until = Number.NEGATIVE_INFINITY;
  /** The pause that the user is asked about. */
  #asked_about = "";

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async handle(message: IncomingMessage): Promise<void> {
    const { from, chat, text = "" } = message;
    const { refused } = this.#parts;
    if (from === undefined || from.is_bot) return refused.note("not-linked", from?.id);
    if (chat.type !== "private" || chat.id !== from.id) return refused.note("group", from.id);
    const linked = this.#parts.linked();
    const is_linked = linked !== null && linked.user_id === from.id && linked.chat_id === chat.id;
    const [, payload] = LINK.exec(text) ?? [];
    const is_forwarded = message.forward_origin !== undefined;
    if (payload !== undefined && !is_forwarded && this.#claim(payload, from, chat.id)) return;
    if (!is_linked) return refused.note(payload === undefined ? "not-linked" : "wrong-link", from.id);
    if (is_forwarded) return refused.note("forwarded", from.id);
    await this.#command(text.trim(), message);
  }

  #claim(payload: string, user: TelegramUser, chat_id: number): boolean {
    const { claims, gate } = this.#parts;
    if (!claims.take(payload, user, chat_id)) return false;
    gate.record("telegram.claimed", { user_id: user.id });
    gate.changed();
    this.#say(chat_id, this.#words.claimed);
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

  async #pause(chat_id: number): Promise<void> {
    const { gate } = this.#parts;
    const { is_paused } = (await gate.api.call("safety.status", {})).pause;
    if (!is_paused) await gate.api.call("safety.pause", {});
    this.#parts.messages.end(RESUME_KEY, plain(this.#words.still_paused));
    this.#say(chat_id, is_paused ? this.#words.paused_already : this.#words.paused);
  }

  async #askResume(chat_id: number): Promise<void> {
    const { gate, messages } = this.#parts;
    const { pause } = await gate.api.call("safety.status", {});
    if (!pause.is_paused) return this.#say(chat_id, this.#words.not_paused);
    this.#asked_about = identityOf(pause);
    const { ask_resume, resume, stay_paused } = this.#words;
    messages.retire(RESUME_KEY, plain(this.#words.still_paused));
    const reason = pause.reason === null ? [] : [shortened(visible(pause.reason), LINE * 3)];
    const buttons = [
      [
        { text: resume, data: "resume" },
        { text: stay_paused, data: "stay" },
      ],
    ];
    messages.show(RESUME_KEY, chat_id, { text: [ask_resume, ...reason].join("\n"), buttons }, { tokens: [] });
  }

  /** What was asked back is answered. Gives what is said. */
  async endResume(is_wanted: boolean): Promise<string> {
    const { gate, messages } = this.#parts;
    if (is_wanted) {
      const { pause } = await gate.api.call("safety.status", {});
      const linked = this.#parts.linked();
      // Another one than the message speaks of, and perhaps for a worse reason.
      if (pause.is_paused && linked !== null && identityOf(pause) !== this.#asked_about) {
        await this.#askResume(linked.chat_id);
        return this.#words.pressed.changed;
      }
      await gate.api.call("safety.resume", {});
    }
    const text = is_wanted ? this.#words.resumed : this.#words.still_paused;
    messages.end(RESUME_KEY, plain(text));
    return text;
  }

  async #pending(chat_id: number): Promise<void> {
    const { gate, settings } = this.#parts;
    const waiting = await gate.api.call("approvals.list", { order: "deadline", limit: 100 });
    const { nothing_waits, waiting: count, and_more, at_machine } = this.#words;
    if (waiting.length === 0) return this.#say(chat_id, nothing_waits);
    const listed = settings().show === "title" ? [] : waiting.slice(0, LISTED);
    const lines = listed.map(({ agent_name, action_verb, target_summary }) =>
      shortened(visible(`${agent_name}: ${action_verb} ${target_summary}`), LINE),
    );
    const more = waiting.length - listed.length;
    const rest = listed.length === 0 ? [at_machine] : more > 0 ? [and_more(String(more))] : [];
    this.#say(chat_id, [count(String(waiting.length)), ...lines, ...rest].join("\n"));
  }

  async #status(chat_id: number): Promise<void> {
    const { paused, approvals_pending, alarms } = await this.#parts.gate.api.call("status", {});
    this.#say(chat_id, this.#words.status(paused, String(approvals_pending), String(alarms.length)).join("\n"));
  }

  /** An answer was refused for want of the PIN: what is written next is taken for it. */
  askPin(chat_id: number): void {
    const { pin, gate } = this.#parts;
    if (pin.isLocked) return this.#say(chat_id, this.#words.pin_locked);
    const was_asked = this.#isPinAsked;
    this.#pin_asked_until = gate.clock.boot().ms + PIN_ASKED_MS;
    if (!was_asked) this.#say(chat_id, this.#words.pin_wanted);
  }

  get #isPinAsked(): boolean {
    return this.#parts.pin.isAsked && this.#parts.gate.clock.boot().ms < this.#pin_asked_until;
  }

  #takePin(text: string, chat_id: number, message_id: number): void {
    const { pin, refused } = this.#parts;
    this.#parts.remove(chat_id, message_id);
    const tried = pin.attempt(text);
    if (tried.is_right) return this.#say(chat_id, this.#words.pin_right);
    refused.note("wrong-pin", chat_id);
    const { left } = tried;
    this.#say(chat_id, left === 0 ? this.#words.pin_locked : this.#words.pin_wrong(String(left)));
  }

  get #words() {
    return TELEGRAM_WORDS[this.#parts.settings().language];
  }

  #say(chat_id: number, text: string): void {
    void this.#parts.messages.text(chat_id, plain(text));
  }
}

function identityOf({ by, since, reason }: Pause): string {
  return JSON.stringify([by, since, reason]);
}

function plain(text: string): Screen {
  return { text, buttons: [] };
}
