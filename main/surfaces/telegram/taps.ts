import type { Answer } from "../../../ipc/contract/operator-api.ts";
import { answerWith } from "../../../ipc/words/choices.ts";
import { errorCode } from "../../base/errors.ts";
import type { ChannelMessages } from "../delivery/channel-messages.ts";
import { commonAnswer, denials } from "../delivery/gathered-requests.ts";
import type { ChatMessages, Shown } from "./chat-messages.ts";
import type { Conversation, ConversationParts } from "./conversation.ts";
import { shownName } from "./link-claims.ts";
import type { Linked } from "./linked-chat.ts";
import { endedScreen } from "./request-screen.ts";
import { agentKey, requestKey, type ShownRequests } from "./shown-requests.ts";
import type { Timing } from "./timing.ts";
import type { Callback } from "./updates.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/**
 * The buttons. A tap answers only what the very message shows in which it was made, in the linked chat, by the linked user, a second
 * after that was there; what then decides is the registry. Resolve first, then the message, then the tap's own answer.
 */

export type TapResult =
  | { ok: true; done: "approved" | "rejected" | "shown" | "resumed" }
  | { ok: false; reason: string; error?: string };

export interface TapParts extends Omit<ConversationParts, "remove"> {
  requests: ShownRequests;
  stored: ChannelMessages;
  conversation: Conversation;
  timing: Timing;
  /** Answers the tap itself: best effort. */
  answer(callbackId: string, text: string, showAlert: boolean): void;
  /** Does what may take a while after the decision. */
  afterwards(work: () => Promise<void>): void;
  /** The text of a message that shows nothing any more. */
  replace(chatId: number, messageId: number, text: string): void;
}

type Found = NonNullable<ReturnType<ChatMessages["find"]>>;

type Said =
  | { act: "approve" | "reject" | "back"; token: string }
  | { act: "wider" | "store"; token: string; index: number }
  | { act: "deny-all" | "each" | "allow" | "store-all" | "back-all" | "resume" | "stay" };

const ONE = /^(approve|reject|back):(.*)$/s;
const CHOICE = /^(wider|store):([^:]{1,32}):(\d{1,3})$/;
const OTHERS = ["deny-all", "each", "allow", "store-all", "back-all", "resume", "stay"] as const;
/** These let something through: they need the PIN where one is configured. */
const ALLOWING: ReadonlySet<Said["act"]> = new Set(["approve", "store", "store-all", "resume"]);

function readData(data: string): Said | undefined {
  const [, act, token] = ONE.exec(data) ?? [];
  if (token !== undefined && (act === "approve" || act === "reject" || act === "back")) return { act, token };
  const [, choosing, ofToken, index] = CHOICE.exec(data) ?? [];
  if (ofToken !== undefined && (choosing === "wider" || choosing === "store"))
    return { act: choosing, token: ofToken, index: Number(index) };
  const other = OTHERS.find((name) => name === data);
  return other && { act: other };
}

export class Taps {
  readonly #parts: TapParts;

  constructor(parts: TapParts) {
    this.#parts = parts;
  }

  async handle(callback: Callback): Promise<TapResult> {
    const data = (callback.data ?? "").trim();
    const linked = this.#parts.linked();
    const isLinked = linked !== null && isOf(callback, linked);
    if (!isLinked) return this.#ofSomebody(callback, data);
    const said = readData(data);
    if (said === undefined) {
      this.#parts.gate.log("a button that isn't known was pressed");
      return this.#refuse(callback, "unknown-callback", "unknown_callback", this.#words.pressed.unknown);
    }
    if ("token" in said && said.token === "")
      return this.#refuse(callback, "unknown-callback", "missing_token", this.#words.pressed.unknown);
    const { message } = callback;
    if (message === undefined) return this.#notHere(callback);
    const shown = await this.#messageOf(said, linked.chat_id, message.message_id);
    if (shown === "unknown yet") return this.#turnBack(callback, "busy", this.#words.pressed.busy);
    if (shown === undefined) return this.#onEnded(callback, said, linked.chat_id, message.message_id);
    return this.#onShown(callback, said, data, shown);
  }

  get #words() {
    return TELEGRAM_WORDS[this.#parts.settings().language];
  }

  /**
   * Before any check who that is: the registry takes an answer only from who the request was made for. Whatever it says, nobody else
   * gets a word.
   */
  #ofSomebody(callback: Callback, data: string): TapResult {
    const { gate, refused } = this.#parts;
    const result = gate.dispatch(data, { channel: "telegram", sender_id: String(callback.from.id) });
    const isGroup = callback.message !== undefined && callback.message.chat.type !== "private";
    refused.note(isGroup ? "group" : "not-linked", callback.from.id);
    const { reason = "", error, decision = "rejected" } = result;
    if (result.ok) return { ok: true, done: decision };
    return { ok: false, reason, ...(error === undefined ? {} : { error }) };
  }

  /** A message that is being sent or changed says soon what it should: that is waited for, so that the tap is compared with it. */
  async #messageOf(said: Said, chatId: number, messageId: number): Promise<Found | "unknown yet" | undefined> {
    const { messages, timing } = this.#parts;
    if (messages.find(chatId, messageId) === undefined && (await messages.isSending(timing.settleMs)))
      return "unknown yet";
    const found = messages.find(chatId, messageId);
    if (found === undefined || found.isSettled || this.#hasEnded(said) || said.act === "deny-all") return found;
    await messages.settled(found.key, timing.settleMs);
    return messages.find(chatId, messageId);
  }

  async #onShown(callback: Callback, said: Said, data: string, shown: Found): Promise<TapResult> {
    const { pressed } = this.#words;
    const isBound = !("token" in said) || shown.tokens.includes(said.token);
    if (!isBound) return this.#refuse(callback, "not-shown-here", "not_shown_here", pressed.notHere);
    // By asking on and on an agent changes this message all the time: that must not keep the user from saying no.
    if (said.act === "deny-all" && shown.isOfferedAllAlong(data)) return this.#act(callback, said, shown);
    const offer = shown.isOffered(data);
    if (offer === "not-offered" && this.#hasEnded(said)) return this.#answerEnded(callback, said);
    if (offer === "not-offered") return this.#refuse(callback, "not-offered", "not_offered", pressed.notHere);
    if (offer === "too-early") return this.#turnBack(callback, "too_early", pressed.too_early);
    if (offer === "changing" && this.#hasEnded(said)) return this.#answerEnded(callback, said);
    if (offer === "changing") return this.#turnBack(callback, "changing", pressed.changed);
    if ("token" in said && !this.#parts.requests.isCurrent(said.token))
      return this.#turnBack(callback, "changing", pressed.changed);
    if (ALLOWING.has(said.act) && this.#isRenamed(callback)) return this.#refuseRenamed(callback, shown.chat_id);
    if (ALLOWING.has(said.act) && this.#parts.pin.isAsked) {
      this.#parts.conversation.askPin(shown.chat_id);
      return this.#turnBack(callback, "pin_wanted", this.#words.pin_wanted);
    }
    return this.#act(callback, said, shown);
  }

  #isRenamed({ from }: Callback): boolean {
    return shownName(from) !== this.#parts.linked()?.name;
  }

  /** Whoever took over an account changes its name first: nothing is let through until the user has confirmed the new one here. */
  #refuseRenamed(callback: Callback, chatId: number): TapResult {
    const { claims, gate } = this.#parts;
    if (claims.takeRenamed(callback.from, chatId)) gate.changed();
    return this.#refuse(callback, "changed-name", "changed_name", this.#words.pressed.renamed);
  }

  #act(callback: Callback, said: Said, shown: Shown): Promise<TapResult> | TapResult {
    const { requests, gate } = this.#parts;
    const { agent_id } = shown;
    switch (said.act) {
      case "approve":
        return this.#resolve(callback, { token: said.token, decision: "approved" });
      case "reject":
        return this.#resolve(callback, { token: said.token, decision: "rejected" });
      case "store": {
        const view = requests.view(said.token);
        const choice = view?.choices[said.index];
        if (view === undefined || choice === undefined || choice.scope === "none") return this.#notHere(callback);
        return this.#resolve(callback, answerWith(view, choice));
      }
      case "wider":
        return this.#shows(callback, requests.showStored(said.token, said.index));
      case "back":
        requests.showCard(said.token);
        return this.#shows(callback, true);
      case "resume":
      case "stay":
        return this.#resume(callback, said.act);
      default:
        if (agent_id === null) return this.#notHere(callback);
    }
    switch (said.act) {
      case "allow":
        return this.#shows(callback, requests.showGatheredStored(agent_id));
      case "back-all":
        requests.showGatheredCard(agent_id);
        return this.#shows(callback, true);
      case "each":
        requests.separate(agent_id);
        gate.showEach(agent_id);
        return this.#shows(callback, true);
      case "deny-all":
        return this.#denyAll(callback, agent_id);
      case "store-all":
        return this.#storeAll(callback, agent_id);
    }
  }

  async #resolve(callback: Callback, answer: Answer): Promise<TapResult> {
    const { gate, requests, messages, timing, settings } = this.#parts;
    try {
      const ended = await gate.api.call("approvals.resolve", answer);
      requests.ended(ended);
      const { text } = endedScreen(ended, settings());
      this.#parts.afterwards(async () => {
        await messages.settled(requestKey(answer.token), timing.settleMs);
        this.#parts.answer(callback.id, ended.note ?? text, ended.note !== undefined);
      });
      return { ok: true, done: answer.decision };
    } catch (error) {
      return this.#notTaken(callback, answer.token, error);
    }
  }

  /** The registry, or the gate, didn't take it: the message says what is so, and the tap's answer why. */
  #notTaken(callback: Callback, token: string, error: unknown): TapResult {
    const { gate, requests } = this.#parts;
    const code = errorCode(error);
    const view = gate.requestOf(token);
    if (view !== undefined && view.status !== "pending") requests.ended(view);
    const { refused, pressed } = this.#words;
    const why = Object.entries(refused).find(([known]) => known === code)?.[1] ?? refused.other;
    gate.log(`an answer was not taken (${code})`);
    return this.#turnBack(callback, "approval_failed", pressed.failed(why), code);
  }

  async #denyAll(callback: Callback, agentId: string): Promise<TapResult> {
    const { gate, requests } = this.#parts;
    let denied = 0;
    for (const answer of denials(requests.gatheredOf(agentId)?.views ?? [])) {
      try {
        requests.ended(await gate.api.call("approvals.resolve", answer));
        denied += 1;
      } catch (error) {
        this.#notedEnd(answer.token, error);
      }
    }
    this.#settledAnswer(callback, agentId, this.#words.deniedAll(String(denied)));
    return { ok: true, done: "rejected" };
  }

  async #storeAll(callback: Callback, agentId: string): Promise<TapResult> {
    const { gate, requests, settings } = this.#parts;
    const gathered = requests.gatheredOf(agentId);
    const common = gathered === undefined ? null : commonAnswer(gathered.views, settings());
    if (common === null) return this.#notHere(callback);
    try {
      const ended = await gate.api.call("approvals.resolve", common.answer);
      requests.ended(ended);
      this.#settledAnswer(callback, agentId, endedScreen(ended, settings()).text);
      return { ok: true, done: "approved" };
    } catch (error) {
      return this.#notTaken(callback, common.answer.token, error);
    }
  }

  #settledAnswer(callback: Callback, agentId: string, text: string): void {
    const { messages, timing } = this.#parts;
    this.#parts.afterwards(async () => {
      await messages.settled(agentKey(agentId), timing.settleMs);
      this.#parts.answer(callback.id, text, false);
    });
  }

  #notedEnd(token: string, error: unknown): void {
    const { gate, requests } = this.#parts;
    gate.log(`an answer was not taken (${errorCode(error)})`);
    const view = gate.requestOf(token);
    if (view !== undefined && view.status !== "pending") requests.ended(view);
  }

  async #resume(callback: Callback, act: "resume" | "stay"): Promise<TapResult> {
    const text = await this.#parts.conversation.endResume(act === "resume");
    this.#parts.afterwards(async () => this.#parts.answer(callback.id, text, false));
    return { ok: true, done: act === "resume" ? "resumed" : "shown" };
  }

  #shows(callback: Callback, isShown: boolean): TapResult {
    if (!isShown) return this.#notHere(callback);
    this.#parts.answer(callback.id, "", false);
    return { ok: true, done: "shown" };
  }

  /** A message whose request had ended, or that no gate knows: a double tap, an old copy, a forged one. */
  async #onEnded(callback: Callback, said: Said, chatId: number, messageId: number): Promise<TapResult> {
    const rows = this.#parts.stored.of(String(chatId), String(messageId));
    const isBound = "token" in said && rows.some(({ token }) => token === said.token);
    if (isBound && this.#hasEnded(said)) return this.#answerEnded(callback, said);
    // Whatever it offers, nothing can be answered there.
    if (rows.length === 0) this.#parts.replace(chatId, messageId, this.#words.oldCopy);
    return this.#notHere(callback);
  }

  #hasEnded(said: Said): boolean {
    if (!("token" in said)) return false;
    const view = this.#parts.gate.requestOf(said.token);
    return view !== undefined && view.status !== "pending";
  }

  /** The registry says why it can't be answered any more. */
  #answerEnded(callback: Callback, said: Said): Promise<TapResult> | TapResult {
    if (!("token" in said)) return this.#notHere(callback);
    const decision = said.act === "reject" ? "rejected" : "approved";
    return this.#resolve(callback, { token: said.token, decision });
  }

  #notHere(callback: Callback): TapResult {
    return this.#refuse(callback, "not-shown-here", "not_shown_here", this.#words.pressed.notHere);
  }

  #refuse(
    callback: Callback,
    why: "not-shown-here" | "not-offered" | "unknown-callback" | "changed-name",
    reason: string,
    text: string,
  ): TapResult {
    this.#parts.refused.note(why, callback.from.id);
    return this.#turnBack(callback, reason, text);
  }

  #turnBack(callback: Callback, reason: string, text: string, error?: string): TapResult {
    this.#parts.answer(callback.id, text, true);
    return { ok: false, reason, ...(error === undefined ? {} : { error }) };
  }
}

/** By number, in the chat that was linked: a name alone says nothing. */
function isOf({ from, message }: Callback, { user_id, chat_id }: Linked): boolean {
  const isThere = message !== undefined && message.chat.type === "private" && message.chat.id === chat_id;
  return isThere && from.id === user_id && !from.is_bot;
}
