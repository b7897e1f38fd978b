import { visible } from "../../../ipc/base/visible-text.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { isHazardous } from "../../../ipc/words/notice-text.ts";
import type { Gathered } from "../../core/channel.ts";
import type { ChannelMessage, ChannelMessages } from "../delivery/channel-messages.ts";
import { commonAnswer, gatheredText } from "../delivery/gathered-requests.ts";
import type { Screen } from "./bot-api.ts";
import type { ChatMessages } from "./chat-messages.ts";
import { endedScreen, MAX_CHARACTERS, requestScreen, type ScreenSettings, storeScreen } from "./request-screen.ts";
import { TELEGRAM_WORDS } from "./words.ts";

/** Which requests the chat shows, and what of each: the card, what a wider answer would store, or how it ended. */

export interface RequestParts {
  messages: ChatMessages;
  stored: ChannelMessages;
  settings(): ScreenSettings;
  /** The linked chat; null where there is none. */
  chat(): number | null;
  /** As the registry has it; undefined where it hasn't. */
  requestOf(token: string): ApprovalView | undefined;
}

export const requestKey = (token: string): string => `request:${token}`;
export const agentKey = (agentId: string): string => `agent:${agentId}`;

export class ShownRequests {
  readonly #parts: RequestParts;
  /** All that should be shown by itself. Some have to wait until there is room, or until a chat is linked. */
  readonly #views = new Map<string, ApprovalView>();
  readonly #gathered = new Map<string, Gathered>();

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Makes the messages of an earlier gate say what is so now. @throws SQLite's error */
  start(): void {
    const rows = Map.groupBy(this.#parts.stored.open(), ({ chat, message }) => `${chat} ${message}`);
    for (const ofMessage of rows.values()) this.#adopt(ofMessage);
  }

  ask(view: ApprovalView): void {
    this.#views.set(view.token, view);
    this.#show(view);
  }

  gather(gathered: Gathered): void {
    const { agent_id, views } = gathered;
    for (const view of views) if (this.#parts.messages.has(requestKey(view.token))) this.ask(view);
    if (views.length === 0) return this.#endGathered(agent_id);
    this.#gathered.set(agent_id, gathered);
    this.#showGathered(gathered);
  }

  ended(view: ApprovalView): void {
    const { token, agent_id } = view;
    this.#views.delete(token);
    this.#parts.messages.end(requestKey(token), endedScreen(view, this.#parts.settings()));
    const gathered = this.#gathered.get(agent_id);
    if (gathered?.views.some((one) => one.token === token))
      this.gather({ ...gathered, views: gathered.views.filter((one) => one.token !== token) });
    this.fill();
  }

  /** Shows what had to wait, where there is room. */
  fill(): void {
    const { messages } = this.#parts;
    for (const view of this.#views.values()) {
      if (messages.isFull) return;
      if (!messages.has(requestKey(view.token))) this.#show(view);
    }
  }

  /** Another chat is linked: what waits is shown there. */
  linked(): void {
    for (const gathered of this.#gathered.values()) this.#showGathered(gathered);
    this.fill();
  }

  /** The chat isn't linked any more: its messages say so. */
  unlinked(): void {
    const { messages, settings } = this.#parts;
    const screen = { text: TELEGRAM_WORDS[settings().language].unlinkedMessage, buttons: [] };
    for (const key of messages.keys()) messages.retire(key, screen);
  }

  view(token: string): ApprovalView | undefined {
    return this.#views.get(token);
  }

  /** Whether the card that is shown is of what the registry has now: of what isn't, the card is made anew. */
  isCurrent(token: string): boolean {
    const shown = this.#views.get(token);
    const now = this.#parts.requestOf(token);
    if (shown === undefined || now === undefined || now.status !== "pending") return true;
    if (JSON.stringify(askedOf(shown)) === JSON.stringify(askedOf(now))) return true;
    this.ask(now);
    return false;
  }

  gatheredOf(agentId: string): Gathered | undefined {
    return this.#gathered.get(agentId);
  }

  /** Shows exactly what this choice would store. False where that can't be chosen. */
  showStored(token: string, index: number): boolean {
    const view = this.#views.get(token);
    const screen = view && storeScreen(view, index, this.#parts.settings());
    if (screen === undefined) return false;
    this.#put(requestKey(token), screen, { tokens: [token] });
    return true;
  }

  showCard(token: string): void {
    const view = this.#views.get(token);
    if (view !== undefined) this.#show(view);
  }

  showGatheredStored(agentId: string): boolean {
    const gathered = this.#gathered.get(agentId);
    const screen = gathered && gatheredStoreScreen(gathered, this.#parts.settings());
    if (gathered === undefined || screen === undefined) return false;
    this.#put(agentKey(agentId), screen, { tokens: tokensOf(gathered), agent_id: agentId });
    return true;
  }

  showGatheredCard(agentId: string): void {
    const gathered = this.#gathered.get(agentId);
    if (gathered !== undefined) this.#showGathered(gathered);
  }

  /** Each is shown by itself from now on. */
  separate(agentId: string): void {
    const gathered = this.#gathered.get(agentId);
    this.#endGathered(agentId);
    for (const view of gathered?.views ?? []) this.ask(view);
  }

  #show(view: ApprovalView): void {
    const key = requestKey(view.token);
    if (!this.#parts.messages.has(key) && this.#parts.messages.isFull) return;
    this.#put(key, requestScreen(view, this.#parts.settings()), { tokens: [view.token], is_urgent: isHazardous(view) });
  }

  #showGathered(gathered: Gathered): void {
    const { agent_id } = gathered;
    this.#put(agentKey(agent_id), gatheredScreen(gathered, this.#parts.settings()), {
      tokens: tokensOf(gathered),
      agent_id,
    });
  }

  #put(key: string, screen: Screen, of: Parameters<ChatMessages["show"]>[3]): void {
    const chat = this.#parts.chat();
    if (chat !== null) this.#parts.messages.show(key, chat, screen, of);
  }

  #endGathered(agentId: string): void {
    const gathered = this.#gathered.get(agentId);
    if (gathered === undefined) return;
    this.#gathered.delete(agentId);
    this.#parts.messages.end(agentKey(agentId), this.#noneWaits(gathered.agent_name));
  }

  #noneWaits(agentName: string): Screen {
    return { text: TELEGRAM_WORDS[this.#parts.settings().language].noneWaits(agentName), buttons: [] };
  }

  #adopt(rows: readonly ChannelMessage[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const message = {
      chat_id: Number(first.chat),
      message_id: Number(first.message),
      tokens: rows.map(({ token }) => token),
      agent_id: first.agent_id,
    };
    const { messages, settings, chat, requestOf } = this.#parts;
    const words = TELEGRAM_WORDS[settings().language];
    const last = (key: string, screen: Screen) => messages.adopt(key, message, screen, true);
    if (message.chat_id !== chat())
      return last(`old:${first.chat}:${first.message}`, { text: words.unlinkedMessage, buttons: [] });
    const views = rows.flatMap(({ token }) => requestOf(token) ?? []);
    const waiting = views.filter(({ status }) => status === "pending");
    const [view] = views;
    if (first.agent_id !== null) {
      const { agent_id } = first;
      const [one] = waiting;
      if (one === undefined) return last(agentKey(agent_id), this.#noneWaits(view?.agent_name ?? ""));
      const gathered = { agent_id, agent_name: one.agent_name, views: waiting };
      this.#gathered.set(agent_id, gathered);
      return messages.adopt(agentKey(agent_id), message, gatheredScreen(gathered, settings()), false);
    }
    const key = requestKey(first.token);
    // A second message of the same request: only the first is kept to what it says.
    if (messages.has(key)) return last(`old:${first.chat}:${first.message}`, { text: words.oldCopy, buttons: [] });
    if (view === undefined) return last(key, { text: words.oldCopy, buttons: [] });
    if (view.status !== "pending") return last(key, endedScreen(view, settings()));
    this.#views.set(view.token, view);
    messages.adopt(key, message, requestScreen(view, settings()), false);
  }
}

/** What an answer is about. Not its deadline: that may be put off. */
function askedOf({ args, description, capabilities, choices }: ApprovalView) {
  return { args, description, capabilities, choices };
}

function tokensOf({ views }: Gathered): string[] {
  return views.map(({ token }) => token);
}

// The message about many requests of one agent. Its buttons say nothing of whom: they are of the message that shows them. Pure.

function gatheredScreen(gathered: Gathered, settings: ScreenSettings): Screen {
  const { language, show } = settings;
  const words = TELEGRAM_WORDS[language];
  const decisions = [
    { text: words.denyAll(String(gathered.views.length)), data: "deny-all" },
    { text: words.showEach, data: "each" },
  ];
  if (show === "title") {
    const title = words.asks(visible(gathered.agent_name));
    const lines = [title, words.waiting(String(gathered.views.length)), words.atMachine];
    return { text: lines.join("\n"), buttons: [decisions] };
  }
  const { title, lines } = gatheredText(gathered, settings);
  const common = commonAnswer(gathered.views, settings);
  const allow = common === null ? [] : [[{ text: `${common.label} …`, data: "allow" }]];
  return { text: [title, ...lines].join("\n").slice(0, MAX_CHARACTERS), buttons: [...allow, decisions] };
}

/** Exactly what the answer to all of them would store; undefined where there is none. */
function gatheredStoreScreen(gathered: Gathered, settings: ScreenSettings): Screen | undefined {
  const words = TELEGRAM_WORDS[settings.language];
  const common = settings.show === "title" ? null : commonAnswer(gathered.views, settings);
  if (common === null) return undefined;
  const text = [
    common.label,
    words.storedForSeveral(String(common.covers), String(gathered.views.length)),
    ...common.stores.map((line) => `│ ${line}`),
  ].join("\n");
  if (text.length > MAX_CHARACTERS) return undefined;
  return { text, buttons: [[{ text: words.store, data: "store-all" }], [{ text: words.back, data: "back-all" }]] };
}
