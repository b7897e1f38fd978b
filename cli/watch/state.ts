import type { Answer, ApprovalView, Choice } from "../../ipc/operator-api.ts";
import { parseExpiry } from "../durations.ts";

/** What `watch` shows and what a key means there. Pure: the clock and the screen's size come with each step. */

/** Nothing counts on a card that has just appeared or moved under the human's finger, in milliseconds. */
export const SETTLE_MS = 500;

export type Mode =
  | { kind: "cards" }
  | { kind: "message"; text: string }
  | {
      kind: "choices";
      scope: "session" | "permanent";
      index: number;
      target: string;
      expires: string;
      field: "list" | "target" | "expires";
    };

export interface WatchState {
  /** Soonest deadline first. */
  cards: readonly ApprovalView[];
  selected: string | null;
  /** When the selected card came to stand where it stands. */
  settled_at: number;
  /** First line of the call that is shown. */
  scroll: number;
  /** The whole call has been on the screen: only then can it be approved. */
  is_read: boolean;
  mode: Mode;
  notice: string;
}

/** How much of the selected call there is, and how much of it fits. */
export interface Layout {
  lines: number;
  page: number;
}

export interface Key {
  /** The character, or "" for a named key. */
  input: string;
  name?: "enter" | "escape" | "up" | "down" | "tab" | "page_up" | "page_down" | "backspace" | undefined;
}

export type Effect = { kind: "answer"; answer: Answer } | { kind: "quit" };

export interface Step {
  state: WatchState;
  effect?: Effect;
}

export const EMPTY: WatchState = {
  cards: [],
  selected: null,
  settled_at: 0,
  scroll: 0,
  is_read: false,
  mode: { kind: "cards" },
  notice: "",
};

/** A card appeared. */
export function appeared(state: WatchState, card: ApprovalView, now: number): WatchState {
  const others = state.cards.filter((other) => other.token !== card.token);
  const cards = [...others, card].sort((a, b) =>
    a.expires_at < b.expires_at ? -1 : a.expires_at > b.expires_at ? 1 : 0,
  );
  if (state.selected === null) return select({ ...state, cards }, card.token, now);
  // Above the selected one it pushes that down: what was aimed at has moved.
  const index = (list: readonly ApprovalView[]) => list.findIndex(({ token }) => token === state.selected);
  const has_moved = index(cards) !== index(state.cards);
  return { ...state, cards, settled_at: has_moved ? now : state.settled_at };
}

/** A card was answered, here or elsewhere, expired or was withdrawn. */
export function closed(state: WatchState, card: ApprovalView, now: number): WatchState {
  if (!state.cards.some(({ token }) => token === card.token)) return state;
  const cards = state.cards.filter(({ token }) => token !== card.token);
  const notice = `${CLOSED[card.status]}: ${card.action_verb} ${card.target_summary}`;
  if (state.selected !== card.token) return { ...state, cards, notice, settled_at: now };
  return select({ ...state, cards, notice }, cards[0]?.token ?? null, now);
}

const CLOSED: Readonly<Record<ApprovalView["status"], string>> = {
  pending: "still waiting",
  approved: "approved",
  rejected: "denied",
  expired: "nobody answered in time",
  cancelled: "withdrawn",
};

export function selectedCard(state: WatchState): ApprovalView | undefined {
  return state.cards.find(({ token }) => token === state.selected);
}

/** The choices of a scope, in the card's order. */
export function choicesOf(card: ApprovalView, scope: "session" | "permanent"): Choice[] {
  return card.choices.filter((choice) => choice.scope === scope);
}

/** The screen was drawn: a call that fits, or whose end is shown, has been read. */
export function drawn(state: WatchState, layout: Layout): WatchState {
  if (state.is_read || state.selected === null || state.scroll + layout.page < layout.lines) return state;
  return { ...state, is_read: true };
}

/** What a key does. */
export function pressed(state: WatchState, key: Key, now: number, layout: Layout): Step {
  switch (state.mode.kind) {
    case "cards":
      return inCards(state, key, now, layout);
    case "message":
      return inMessage(state, state.mode.text, key, now);
    case "choices":
      return inChoices(state, state.mode, key, now);
  }
}

function inCards(state: WatchState, key: Key, now: number, layout: Layout): Step {
  if (key.input === "q") return { state, effect: { kind: "quit" } };
  const card = selectedCard(state);
  if (card === undefined) return { state };
  const last = Math.max(0, layout.lines - layout.page);
  const scrolled = (scroll: number): Step => ({ state: { ...state, scroll: Math.min(last, Math.max(0, scroll)) } });
  if (key.name === "page_down" || key.input === " ") return scrolled(state.scroll + layout.page);
  if (key.name === "page_up" || key.input === "b") return scrolled(state.scroll - layout.page);
  if (key.name === "tab" || key.name === "down" || key.input === "j") return { state: move(state, 1, now) };
  if (key.name === "up" || key.input === "k") return { state: move(state, -1, now) };
  if (!(key.name === "enter" || "dmasp".includes(key.input || "-"))) return { state };
  if (now - state.settled_at < SETTLE_MS)
    return { state: { ...state, notice: "too quick: this card has only just appeared" } };
  if (key.name === "enter" || key.input === "d") return answer(state, { token: card.token, decision: "rejected" });
  if (key.input === "m") return { state: { ...state, mode: { kind: "message", text: "" }, notice: "" } };
  if (!state.is_read) return { state: { ...state, notice: "read it to its end first: space shows more" } };
  if (key.input === "a") return answer(state, { token: card.token, decision: "approved" });
  return { state: openChoices(state, card, key.input === "s" ? "session" : "permanent") };
}

function openChoices(state: WatchState, card: ApprovalView, scope: "session" | "permanent"): WatchState {
  const [first] = choicesOf(card, scope);
  if (first === undefined) return { ...state, notice: "this can only be approved once: a" };
  return {
    ...state,
    notice: "",
    mode: { kind: "choices", scope, index: 0, target: targetOf(first), expires: "", field: "list" },
  };
}

function inMessage(state: WatchState, text: string, key: Key, now: number): Step {
  if (key.name === "escape") return { state: { ...state, mode: { kind: "cards" } } };
  if (key.name === "enter") {
    if (state.selected === null || now - state.settled_at < SETTLE_MS) return { state };
    return answer(state, { token: state.selected, decision: "rejected", message: text });
  }
  return { state: { ...state, mode: { kind: "message", text: edited(text, key) } } };
}

function inChoices(state: WatchState, mode: Extract<Mode, { kind: "choices" }>, key: Key, now: number): Step {
  const card = selectedCard(state);
  const set = (change: Partial<typeof mode>): Step => ({ state: { ...state, mode: { ...mode, ...change } } });
  if (card === undefined || (key.name === "escape" && mode.field === "list"))
    return { state: { ...state, mode: { kind: "cards" } } };
  if (key.name === "escape") return set({ field: "list" });
  if (mode.field !== "list" && key.name !== "enter" && key.name !== "tab")
    return set({ [mode.field]: edited(mode[mode.field], key) });
  if (mode.field !== "list") return set({ field: "list" });
  const choices = choicesOf(card, mode.scope);
  const step =
    key.name === "down" || key.name === "tab" || key.input === "j"
      ? 1
      : key.name === "up" || key.input === "k"
        ? -1
        : 0;
  if (step !== 0) {
    const index = (mode.index + step + choices.length) % choices.length;
    return set({ index, target: targetOf(choices[index]) });
  }
  if (key.input === "e" && (choices[mode.index]?.grants.length ?? 0) === 1) return set({ field: "target" });
  if (key.input === "x") return set({ field: "expires" });
  if (key.name !== "enter" || now - state.settled_at < SETTLE_MS) return { state };
  return confirm(state, card, mode, choices[mode.index], now);
}

function confirm(
  state: WatchState,
  card: ApprovalView,
  mode: Extract<Mode, { kind: "choices" }>,
  choice: Choice | undefined,
  now: number,
): Step {
  let expires_at: string | undefined;
  try {
    expires_at = mode.expires.trim() === "" ? undefined : parseExpiry(mode.expires.trim(), now);
  } catch (error) {
    return { state: { ...state, notice: error instanceof Error ? error.message : "not a date" } };
  }
  const has_one_target = choice?.grants.length === 1;
  return answer(state, {
    token: card.token,
    decision: "approved",
    scope: mode.scope,
    ...(has_one_target ? { target: mode.target } : {}),
    ...(expires_at === undefined ? {} : { expires_at }),
  });
}

function answer(state: WatchState, given: Answer): Step {
  return { state: { ...state, mode: { kind: "cards" }, notice: "" }, effect: { kind: "answer", answer: given } };
}

function targetOf(choice: Choice | undefined): string {
  return choice?.grants[0]?.target ?? "";
}

function edited(text: string, key: Key): string {
  if (key.name === "backspace") return [...text].slice(0, -1).join("");
  return key.name === undefined ? text + key.input : text;
}

function move(state: WatchState, by: number, now: number): WatchState {
  const index = state.cards.findIndex(({ token }) => token === state.selected);
  const next = state.cards[(index + by + state.cards.length) % state.cards.length];
  return next === undefined || next.token === state.selected ? state : select(state, next.token, now);
}

function select(state: WatchState, token: string | null, now: number): WatchState {
  return { ...state, selected: token, settled_at: now, scroll: 0, is_read: false, mode: { kind: "cards" } };
}
