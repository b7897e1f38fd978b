import { LENGTHS, type Length } from "../../ipc/contract/answer-lengths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { Answer, ApprovalView, Choice, Refuse } from "../../ipc/contract/operator-api.ts";
import { possibleText } from "../../ipc/words/judge-words.ts";
import { PRESS_DELAY_MS } from "../../ipc/words/press-delay.ts";
import { parseExpiry } from "../durations.ts";
import { isAllShown, selectedBundle } from "./bundle.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { edited, inserted, type LineKey, lineOf, lineText } from "./line-edit.ts";
import {
  answeredAll,
  type Choosing,
  choicesOf,
  type Layout,
  lookedAtEach,
  pairingKey,
  queue,
  refusalKey,
  type Scope,
  type Step,
  selected,
  selectedCard,
  selectedPairing,
  selectedRefusal,
  type WatchState,
} from "./state.ts";
import { hasReady, type LastChange } from "./take-back.ts";

/** What a key means. Escape never approves and never denies; pasted text never answers. */

export type KeyName =
  | "quit"
  | "enter"
  | "escape"
  | "up"
  | "down"
  | "tab"
  | "back_tab"
  | "page_up"
  | "page_down"
  | LineKey;

export interface Key {
  /** The character, or "" for a named key. */
  input: string;
  name?: KeyName;
  /** Several characters received at once: text for a line, never a key. */
  isPaste?: true;
}

interface Times {
  now: number;
  wall: number;
}

/** As the gate's contract has them. */
const MAX_MESSAGE = 2000;
const MAX_TARGET = 4096;

/** Applies a key. @param now milliseconds of a monotonic clock @param wall Unix milliseconds, for dates */
export function pressed(state: WatchState, key: Key, now: number, layout: Layout, wall = now): Step {
  if (key.name === "quit") return { state, effect: { kind: "quit" } };
  if (state.isAway) return key.input === "q" && !key.isPaste ? { state, effect: { kind: "quit" } } : { state };
  const quiet = { ...state, notice: "" };
  switch (state.mode.kind) {
    case "cards":
      return inCards(quiet, key, now, layout);
    case "message":
      return inMessage(quiet, state.mode, key, now);
    case "choices":
      return state.mode.editing === null
        ? inChoices(quiet, state.mode, key, { now, wall }, layout)
        : { state: inField(quiet, state.mode, state.mode.editing, key) };
    case "override":
      return overriding(quiet, key, now);
    case "take_back":
      return takingBack(quiet, state.mode.last, key, now, layout);
    case "help":
      return { state: { ...quiet, mode: { kind: "cards" }, selectedAt: now } };
    case "interrupted":
      if (key.name !== "enter" && key.name !== "escape") return { state };
      return { state: { ...quiet, mode: { kind: "cards" }, selectedAt: now } };
  }
}

function inCards(state: WatchState, key: Key, now: number, layout: Layout): Step {
  if (key.isPaste) return said(state, wordsOf(state).pasted);
  if (key.input === "q") return { state, effect: { kind: "quit" } };
  if (key.input === "?") return { state: { ...state, mode: { kind: "help" } } };
  if (key.input === "u") return { state, effect: { kind: "look_back" } };
  const by = stepOf(key);
  if (by !== 0) return { state: moved(state, by, now) };
  const card = selectedCard(state);
  if (card === undefined && selectedPairing(state) !== undefined) return pairing(state, key, now);
  const paged = pagedBy(state, key, layout);
  if (paged !== undefined) return paged;
  if (selectedBundle(state) !== undefined) return atBundle(state, key, now, layout);
  if (card === undefined) return atRefusal(state, key, now, layout);
  if (key.name === "enter" || key.input === "d")
    return answered(state, { token: card.token, decision: "rejected" }, now);
  if (card.repeated !== null && ["c", "t", "m", "s", "p", "l"].includes(key.input))
    return said(state, wordsOf(state).onlyStop);
  if (key.input === "c" || key.input === "t")
    return refusedForSession(state, card, key.input === "c" ? "call" : "target", now);
  if (key.input === "m")
    return unlessEarly(state, now) ?? { state: { ...state, mode: { kind: "message", line: lineOf("") } } };
  if (!["a", "s", "p", "l"].includes(key.input)) return { state };
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  if (layout.page === 0) return said(state, wordsOf(state).callNotShown);
  if (!state.isRead) return said(state, wordsOf(state).readFirst);
  if (key.input === "a") return answered(state, { token: card.token, decision: "approved" }, now);
  if (key.input === "l") return choosing(state, card, { scope: "session", only_looks: true });
  return choosing(state, card, { scope: key.input === "s" ? "session" : "permanent", only_looks: false });
}

/** Undefined where it isn't a key for pages. */
function pagedBy(state: WatchState, { name, input }: Key, { lines, page }: Layout): Step | undefined {
  const by = name === "page_down" || input === " " ? page : name === "page_up" || input === "b" ? -page : null;
  if (by === null) return undefined;
  return { state: { ...state, scroll: Math.max(0, Math.min(state.scroll + by, lines - page)) } };
}

/** One answer for all of a bundle: a yes only where each of them was shown whole. */
function atBundle(state: WatchState, key: Key, now: number, layout: Layout): Step {
  const bundle = selectedBundle(state);
  const denies = key.name === "enter" || key.input === "d";
  if (bundle === undefined || !(denies || ["a", "e"].includes(key.input))) return { state };
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  if (key.input === "e") return { state: lookedAtEach(state, bundle, now) };
  if (!denies) {
    if (!isAllShown(bundle)) return said(state, wordsOf(state).notAllShown);
    if (layout.page === 0) return said(state, wordsOf(state).callNotShown);
    if (!state.isRead) return said(state, wordsOf(state).readFirst);
  }
  const decision = denies ? "rejected" : "approved";
  const answers = bundle.views.map(({ token }): Answer => ({ token, decision }));
  return { state: answeredAll(state, bundle, now), effect: { kind: "answers", answers } };
}

const LEVEL_KEYS: Readonly<Record<string, Level>> = { r: "ReadOnly", s: "Supervised", f: "Full" };

/** An agent that asks to be paired: a level lets it in, and there is none that counts without a key of its own. */
function pairing(state: WatchState, key: Key, now: number): Step {
  const request = selectedPairing(state);
  if (request === undefined) return { state };
  const level = LEVEL_KEYS[key.input] ?? null;
  if (level === null && key.name !== "enter" && key.input !== "d") return { state };
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  if (state.answering !== null) return said(state, wordsOf(state).onItsWay);
  return { state: { ...state, answering: pairingKey(request) }, effect: { kind: "pair", name: request.name, level } };
}

/** What was refused: seen, or to be allowed once, which is asked back. */
function atRefusal(state: WatchState, key: Key, now: number, layout: Layout): Step {
  const refusal = selectedRefusal(state);
  const dismisses = key.name === "enter" || key.input === "d";
  if (refusal === undefined || !(dismisses || key.input === "o")) return { state };
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  if (state.answering !== null) return said(state, wordsOf(state).onItsWay);
  if (dismisses)
    return { state: { ...state, answering: refusalKey(refusal) }, effect: { kind: "dismiss", id: refusal.id } };
  if (!refusal.can_override) return said(state, `${possibleText(refusal, state.language)}.`);
  if (layout.page === 0) return said(state, wordsOf(state).callNotShown);
  if (!state.isRead) return said(state, wordsOf(state).readFirst);
  return { state: { ...state, mode: { kind: "override" }, selectedAt: now } };
}

function overriding(state: WatchState, key: Key, now: number): Step {
  const refusal = selectedRefusal(state);
  if (refusal === undefined || key.name === "escape") return { state: { ...state, mode: { kind: "cards" } } };
  if (key.isPaste) return said(state, wordsOf(state).pasted);
  if (key.input !== "y") return { state };
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  const answering = refusalKey(refusal);
  return { state: { ...state, mode: { kind: "cards" }, answering }, effect: { kind: "override", id: refusal.id } };
}

function takingBack(state: WatchState, last: LastChange, key: Key, now: number, layout: Layout): Step {
  const left: WatchState = { ...state, mode: { kind: "cards" }, scroll: 0, selectedAt: now };
  if (key.name === "escape") return { state: left };
  if (key.isPaste) return said(state, wordsOf(state).pasted);
  if (key.input !== "y" || !hasReady(last)) return pagedBy(state, key, layout) ?? { state };
  if (layout.page === 0) return said(state, wordsOf(state).callNotShown);
  return unlessEarly(state, now) ?? { state: left, effect: { kind: "take_back", call: last.call.id } };
}

/** A no for the rest of the session: to this very call, or to all on its target. */
function refusedForSession(state: WatchState, card: ApprovalView, refuse: Refuse, now: number): Step {
  if (!card.refusals.some((one) => one.refuse === refuse)) return said(state, wordsOf(state).noTarget);
  return answered(state, { token: card.token, decision: "rejected", refuse }, now);
}

function choosing(state: WatchState, card: ApprovalView, of: Pick<Choosing, "scope" | "only_looks">): Step {
  const [first] = choicesOf(card, of);
  const { only_once, noLooks } = wordsOf(state);
  if (first === undefined) return said(state, of.only_looks ? noLooks : only_once);
  const mode: Choosing = { kind: "choices", ...of, index: 0, target: targetOf(first), expires: "", editing: null };
  return { state: { ...state, mode } };
}

function inMessage(
  state: WatchState,
  mode: { kind: "message"; line: ReturnType<typeof lineOf> },
  key: Key,
  now: number,
): Step {
  if (key.name === "escape") return { state: { ...state, mode: { kind: "cards" } } };
  if (key.name !== "enter") {
    return { state: { ...state, mode: { ...mode, line: typed(mode.line, key, MAX_MESSAGE) } } };
  }
  if (state.selected === null) return { state };
  const message = lineText(mode.line).trim();
  return answered(state, { token: state.selected, decision: "rejected", ...(message === "" ? {} : { message }) }, now);
}

function inChoices(state: WatchState, mode: Choosing, key: Key, times: Times, layout: Layout): Step {
  const card = selectedCard(state);
  const set = (change: Partial<Choosing>): Step => ({ state: { ...state, mode: { ...mode, ...change } } });
  if (card === undefined || key.name === "escape") return { state: { ...state, mode: { kind: "cards" } } };
  if (key.isPaste) return said(state, wordsOf(state).pastedChoices);
  const choices = choicesOf(card, mode);
  const choice = choices[mode.index];
  const by = stepOf(key);
  if (by !== 0) {
    const index = (mode.index + by + choices.length) % choices.length;
    return set({ index, target: targetOf(choices[index]) });
  }
  if (key.input === "e") {
    if (choice?.grants.length !== 1) return said(state, wordsOf(state).severalGrants);
    return set({ editing: { field: "target", line: lineOf(mode.target) } });
  }
  if (key.name === "left" || key.name === "right") return set(ofLength(card, mode, key.name === "left" ? -1 : 1));
  if (key.input === "x") return set({ editing: { field: "expires", line: lineOf(mode.expires) } });
  if (key.name !== "enter") return { state };
  if (!layout.choiceFits) return said(state, wordsOf(state).choiceNotShown);
  return confirmed(state, card, mode, choice, times);
}

/** What each length is in the two fields that say how long: the scope, and the expiry as one would type it. */
const LENGTH_FIELDS: Readonly<Record<Length, Pick<Choosing, "scope" | "expires">>> = {
  session: { scope: "session", expires: "" },
  hour: { scope: "permanent", expires: "1h" },
  today: { scope: "permanent", expires: "today" },
  month: { scope: "permanent", expires: "30d" },
  revoked: { scope: "permanent", expires: "" },
};

/** The next length, for what is chosen: of those that the card offers it for. An expiry of one's own comes before all of them. */
function ofLength(card: ApprovalView, mode: Choosing, by: -1 | 1): Partial<Choosing> {
  const choice = choicesOf(card, mode)[mode.index];
  const { only_looks } = mode;
  const alike = (scope: Scope) =>
    choicesOf(card, { scope, only_looks }).findIndex((other) => isSameButScope(other, choice));
  const offered = LENGTHS.filter((length) => alike(LENGTH_FIELDS[length].scope) !== -1);
  const at = offered.findIndex((length) => {
    const { scope, expires } = LENGTH_FIELDS[length];
    return scope === mode.scope && expires === mode.expires;
  });
  const next = offered[(at + by + offered.length) % offered.length];
  if (next === undefined) return {};
  const fields = LENGTH_FIELDS[next];
  return { ...fields, index: alike(fields.scope) };
}

function isSameButScope(one: Choice, other: Choice | undefined): boolean {
  return one.reach === other?.reach && JSON.stringify(one.grants) === JSON.stringify(other?.grants);
}

function inField(state: WatchState, mode: Choosing, editing: NonNullable<Choosing["editing"]>, key: Key): WatchState {
  const set = (change: Partial<Choosing>): WatchState => ({ ...state, mode: { ...mode, ...change } });
  if (key.name === "escape") return set({ editing: null });
  if (key.name !== "enter" && key.name !== "tab")
    return set({ editing: { ...editing, line: typed(editing.line, key, MAX_TARGET) } });
  const text = lineText(editing.line).trim();
  if (editing.field === "target" && text === "") return { ...state, notice: wordsOf(state).emptyTarget };
  return set({ editing: null, [editing.field]: text });
}

function confirmed(
  state: WatchState,
  card: ApprovalView,
  mode: Choosing,
  choice: Choice | undefined,
  { now, wall }: Times,
): Step {
  let expiresAt: string | undefined;
  try {
    expiresAt = mode.expires === "" ? undefined : parseExpiry(mode.expires, wall);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return said(state, wordsOf(state).noDate(JSON.stringify(mode.expires)));
  }
  const answer: Answer = { token: card.token, decision: "approved", scope: choice?.scope ?? mode.scope };
  if (mode.only_looks) answer.only_looks = true;
  if (choice?.scope === "none") return answered(state, answer, now);
  if (choice !== undefined && choice.reach !== null) answer.reach = choice.reach;
  if (choice?.grants.length === 1) answer.target = mode.target;
  if (expiresAt !== undefined) answer.expires_at = expiresAt;
  return answered(state, answer, now);
}

/** The one way out: too early it doesn't count, and a card is answered once. */
function answered(state: WatchState, answer: Answer, now: number): Step {
  const early = unlessEarly(state, now);
  if (early !== undefined) return early;
  if (state.answering !== null) return said(state, wordsOf(state).onItsWay);
  return { state: { ...state, answering: answer.token }, effect: { kind: "answer", answer } };
}

function unlessEarly(state: WatchState, now: number): Step | undefined {
  if (now - state.selectedAt >= PRESS_DELAY_MS) return undefined;
  return said(state, wordsOf(state).too_early);
}

function wordsOf({ language }: WatchState) {
  return FRAME_WORDS[language];
}

function said(state: WatchState, notice: string): Step {
  return { state: { ...state, notice } };
}

function moved(state: WatchState, by: number, now: number): WatchState {
  const all = queue(state);
  const index = state.selected === null ? -1 : all.indexOf(state.selected);
  const next = all[(index + by + all.length) % all.length];
  return next === undefined || next === state.selected ? state : selected(state, next, now);
}

function stepOf({ name, input }: Key): -1 | 0 | 1 {
  if (name === "down" || name === "tab" || input === "j") return 1;
  return name === "up" || name === "back_tab" || input === "k" ? -1 : 0;
}

function targetOf(choice: Choice | undefined): string {
  return choice?.grants[0]?.target ?? "";
}

function typed(line: ReturnType<typeof lineOf>, key: Key, max: number) {
  switch (key.name) {
    case undefined:
      return inserted(line, key.input, max);
    case "left":
    case "right":
    case "home":
    case "end":
    case "backspace":
    case "delete":
    case "clear":
      return edited(line, key.name);
    default:
      return line;
  }
}
