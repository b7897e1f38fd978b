import { visible } from "../../ipc/base/visible-text.ts";
import type { Alarm } from "../../ipc/contract/alarms.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { RefusedCall, RunningReview } from "../../ipc/contract/judges.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { Answer, ApprovalView, Choice, PairingRequest } from "../../ipc/contract/operator-api.ts";
import { looksOf } from "../../ipc/words/looking.ts";
import { isHazardous } from "../../ipc/words/notice-text.ts";
import { plainSummary } from "../../ipc/words/plain-lines.ts";
import { RULE_WORDS } from "../../ipc/words/rule-words.ts";
import { SURFACE_WORDS } from "../../ipc/words/surface-words.ts";
import type { WaitingState } from "../../ipc/words/waiting.ts";
import * as list from "../../ipc/words/waiting.ts";
import { type Bundle, contentOf, entriesOf, selectedBundle } from "./bundle.ts";
import { CARD_WORDS } from "./card-words.ts";
import type { Line } from "./line-edit.ts";
import type { LastChange } from "./take-back.ts";

/** What `watch` knows, and how it changes by what happens outside. Pure: the clock and the screen's size come with each step. */

/** How many of the closed cards are still reported, in a line each. */
const ENDED_SHOWN = 3;

export type Scope = "session" | "permanent";

export interface Choosing {
  kind: "choices";
  scope: Scope;
  /** With it the user says that a server's tool only looks: these are the ways to say so. */
  only_looks: boolean;
  index: number;
  /** What would be stored, as shown. */
  target: string;
  /** A span or a date; "" for none. */
  expires: string;
  editing: { field: "target" | "expires"; line: Line } | null;
}

export type Mode =
  | { kind: "cards" }
  | { kind: "message"; line: Line }
  | Choosing
  /** The card went away under an open sub-view: what is still being typed there must not reach the next card. */
  | { kind: "interrupted" }
  /** What each key does. */
  | { kind: "help" }
  /** Whether a call is really to be allowed once in spite of a judge. */
  | { kind: "override" }
  /** Whether what the last call did to files is to be taken back. */
  | { kind: "take_back"; last: LastChange };

export interface WatchState {
  /** Whether the list of waiting requests has arrived. */
  isLoaded: boolean;
  /** No gate answers: nothing that was shown may be true, and no key counts. */
  isAway: boolean;
  /** Of the cards, and of what is said of the gate's choices. */
  language: Language;
  /** The home folder that the gate reads `~` as; null until it has said so. */
  home: string | null;
  /** Why the gate is paused; null while it isn't. */
  paused: string | null;
  /** What keeps the gate from what it promises, oldest first. */
  alarms: readonly Alarm[];
  /** What is dangerous first, then those whose time is over soonest. */
  cards: readonly ApprovalView[];
  /** Agents that ask to be paired, after the cards. */
  pairings: readonly PairingRequest[];
  /** Calls that judges look at now. */
  running: readonly RunningReview[];
  /** What judges refused, newest first: after everything that waits. */
  refusals: readonly RefusedCall[];
  /** Agents whose many requests are looked at one by one. */
  apart: ReadonlySet<string>;
  /** The tokens whose answer is on its way, in one for all of a bundle. */
  answeringAll: readonly string[];
  /** A card's token, or the key of a bundle, a pairing or a refusal. */
  selected: string | null;
  /** When the selected card came to its place. */
  selectedAt: number;
  /** First line of the call that is shown. */
  scroll: number;
  /** The call's lines that were on the screen, from the first one without a gap, and of how many. */
  readTo: number;
  readOf: number;
  /**
   * The whole call was on the screen: only then can it be approved. Either it fits, or every page up to its end was drawn.
   * Once read it stays read; before that, a screen of another width starts the reading anew.
   */
  isRead: boolean;
  mode: Mode;
  /** The token whose answer is on its way to the gate. */
  answering: string | null;
  /** What the last key came to. */
  notice: string;
  /** What happened to the cards that went away, the latest last. */
  ended: readonly string[];
}

/** How much of the selected call there is, how much of it fits, and whether all that a choice would store does. */
export interface Layout {
  lines: number;
  page: number;
  choiceFits: boolean;
}

type Effect =
  | { kind: "answer"; answer: Answer }
  /** One for each request of a bundle. */
  | { kind: "answers"; answers: readonly Answer[] }
  /** Level null: it is refused. */
  | { kind: "pair"; name: string; level: Level | null }
  /** Of a refusal: allowed once, or taken off the list. */
  | { kind: "override" | "dismiss"; id: string }
  /** What the last call did to files is wanted, to be asked about. */
  | { kind: "look_back" }
  | { kind: "take_back"; call: string }
  | { kind: "quit" };

export interface Step {
  state: WatchState;
  effect?: Effect;
}

export const EMPTY: WatchState = {
  isLoaded: false,
  isAway: false,
  language: "en",
  home: null,
  paused: null,
  alarms: [],
  cards: [],
  pairings: [],
  running: [],
  refusals: [],
  apart: new Set(),
  answeringAll: [],
  selected: null,
  selectedAt: 0,
  scroll: 0,
  readTo: 0,
  readOf: 0,
  isRead: false,
  mode: { kind: "cards" },
  answering: null,
  notice: "",
  ended: [],
};

/** What changes in the list, as it does on the page; but a card that has ended is gone from it at once. */
function withCards(state: WatchState, change: (waiting: WaitingState) => WaitingState): WatchState {
  const before = { isLoaded: state.isLoaded, asked: state.cards.map((view) => ({ view, ended: null })) };
  const { isLoaded, asked } = change(before);
  const waiting = asked.filter(({ ended }) => ended === null).map(({ view }) => view);
  // What is dangerous is looked at first.
  const cards = [...waiting.filter(isHazardous), ...waiting.filter((view) => !isHazardous(view))];
  const agents = new Set(cards.map(({ agent_name }) => agent_name));
  const apart = new Set([...state.apart].filter((name) => agents.has(name)));
  return { ...state, isLoaded, cards, apart };
}

/** A bundle that is looked at has another content, and has to be looked at again; one that is none any more makes room. */
function withBundleOf(before: WatchState, state: WatchState, now: number): WatchState {
  if (before.selected?.startsWith("bundle ") !== true || state.selected !== before.selected) return state;
  const bundle = selectedBundle(state);
  if (bundle === undefined) return selected(state, queue(state)[0] ?? null, now);
  return contentOf(bundle) === contentOf(selectedBundle(before)) ? state : selected(state, bundle.key, now);
}

/** What waited before `watch` began, or came while the gate was away. A card that says something else by now has to be looked at again. */
export function loaded(state: WatchState, views: readonly ApprovalView[], now: number): WatchState {
  const next = withBundleOf(
    state,
    withCards(state, (waiting) => list.loaded(waiting, views, now)),
    now,
  );
  if (!isAtWaiting(state)) return firstSelected(next, now);
  const [before, after] = [selectedCard(state), selectedCard(next)].map((card) => JSON.stringify(card?.description));
  if (before === after) return next;
  const again = selected(next, state.selected, now);
  return state.mode.kind === "cards" ? again : { ...again, mode: { kind: "interrupted" } };
}

/** The agents that ask to be paired now. One that is looked at keeps its place; one that has gone makes room. */
export function pairingsAre(state: WatchState, pairings: readonly PairingRequest[], now: number): WatchState {
  const next = { ...state, pairings };
  if (isAtWaiting(state) && queue(next).includes(state.selected ?? "")) return next;
  return isAtWaiting(state) ? selected(next, queue(next)[0] ?? null, now) : firstSelected(next, now);
}

/** What the judges look at and what they refused. A refusal that is looked at keeps its place; none takes that of what waits. */
export function reviewsAre(
  state: WatchState,
  { running, refused }: { running: readonly RunningReview[]; refused: readonly RefusedCall[] },
  now: number,
): WatchState {
  const next = { ...state, running, refusals: refused };
  const before = selectedRefusal(state);
  if (isAtWaiting(state) || (before === undefined && refused.length === 0)) return next;
  const after = selectedRefusal(next);
  if (after === undefined) return firstSelected(next, now);
  // Allowed once elsewhere: there is nothing to be asked back any more.
  return before?.can_override === after.can_override ? next : selected(next, state.selected, now);
}

/** The user's answer to a pairing has arrived. */
export function pairingEnded(state: WatchState, name: string, line: string, now: number): WatchState {
  const left = state.pairings.filter((request) => request.name !== name);
  return pairingsAre(
    { ...state, answering: null, ended: [...state.ended, visible(line)].slice(-ENDED_SHOWN) },
    left,
    now,
  );
}

/**
 * A card appeared, or says something else than before: then it has to be looked at again. The selected one keeps its position, under the
 * user's finger.
 */
export function appeared(state: WatchState, card: ApprovalView, now: number): WatchState {
  const next = withBundleOf(
    state,
    withCards(state, (waiting) => list.appeared(waiting, card, false)),
    now,
  );
  if (state.selected === card.token) {
    // What is being typed was meant for what it said before.
    const isInterrupted = state.answering !== card.token && state.mode.kind !== "cards";
    const again = selected(next, card.token, now);
    return isInterrupted ? { ...again, mode: { kind: "interrupted" } } : again;
  }
  return isAtWaiting(state) ? next : firstSelected(next, now);
}

/** What is selected waits for an answer. */
function isAtWaiting(state: WatchState): boolean {
  return state.selected !== null && selectedRefusal(state) === undefined;
}

/** Nothing that waits was selected: the first of all is. What is open for everything, such as the keys' list, stays open. */
function firstSelected(state: WatchState, now: number): WatchState {
  const first = queue(state)[0] ?? null;
  if (first === state.selected) return state;
  const moved = selected(state, first, now);
  return state.mode.kind === "override" ? moved : { ...moved, mode: state.mode };
}

/** Somebody is at the card, here or elsewhere: it has a later deadline. */
export function held(state: WatchState, token: string, expiresAt: string): WatchState {
  return withCards(state, (waiting) => list.held(waiting, token, expiresAt));
}

/** A card was answered, here or elsewhere, expired or was withdrawn: it goes away with one line that says so. */
export function closed(state: WatchState, card: ApprovalView, now: number, isRefused = false): WatchState {
  if (!state.cards.some(({ token }) => token === card.token)) return state;
  const isOwn = state.answering === card.token || state.answeringAll.includes(card.token);
  const gone: WatchState = {
    ...withCards(state, (waiting) => list.closed(waiting, card, isOwn, now)),
    ended: [...state.ended, endedLine(card, isOwn, state.language, isRefused)].slice(-ENDED_SHOWN),
    answering: state.answering === card.token ? null : state.answering,
    answeringAll: state.answeringAll.filter((token) => token !== card.token),
  };
  const next = withBundleOf(state, gone, now);
  if (state.selected !== card.token) return next;
  const isInterrupted = !isOwn && state.mode.kind !== "cards";
  const moved = selected({ ...next, notice: "" }, queue(next)[0] ?? null, now);
  return isInterrupted ? { ...moved, mode: { kind: "interrupted" } } : moved;
}

/** The gate refused the answer: the card stays, and so does what the user had filled in. */
export function refused(state: WatchState, token: string, notice: string): WatchState {
  const answeringAll = state.answeringAll.filter((one) => one !== token);
  return { ...state, answering: state.answering === token ? null : state.answering, answeringAll, notice };
}

/** What the last call did to files is shown, and asked about; where something else was begun meanwhile, it isn't. */
export function lookedBack(state: WatchState, last: LastChange, now: number): WatchState {
  if (state.mode.kind !== "cards") return state;
  return { ...state, notice: "", mode: { kind: "take_back", last }, scroll: 0, selectedAt: now };
}

/** A line about what was done, beside those on cards that went away. */
export function noted(state: WatchState, line: string): WatchState {
  return { ...state, ended: [...state.ended, visible(line)].slice(-ENDED_SHOWN) };
}

/** A frame with these measures is on the screen. */
export function drawn(state: WatchState, { lines, page }: Layout): WatchState {
  if (
    (selectedCard(state) ?? selectedBundle(state) ?? selectedRefusal(state)) === undefined ||
    state.isRead ||
    state.mode.kind !== "cards" ||
    page <= 0
  )
    return state;
  // Broken into other lines, how much was read is unknown.
  if (state.readOf !== lines && state.readTo > 0) return { ...state, scroll: 0, readTo: 0, readOf: lines };
  if (state.scroll > state.readTo) return state;
  const readTo = Math.max(state.readTo, Math.min(lines, state.scroll + page));
  const isRead = readTo >= lines;
  return readTo === state.readTo && !isRead ? state : { ...state, readTo, readOf: lines, isRead };
}

/** Puts another card into the selected place. */
export function selected(state: WatchState, token: string | null, now: number): WatchState {
  const fresh = { scroll: 0, readTo: 0, readOf: 0, isRead: false };
  return { ...state, ...fresh, selected: token, selectedAt: now, mode: { kind: "cards" } };
}

export function selectedCard(state: WatchState): ApprovalView | undefined {
  return state.cards.find(({ token }) => token === state.selected);
}

/** Everything that waits, then what judges refused, in the order in which Tab goes through it. */
export function queue(state: WatchState): string[] {
  return [...waitingQueue(state), ...state.refusals.map(refusalKey)];
}

/** Everything that waits. */
export function waitingQueue(state: WatchState): string[] {
  return [...entriesOf(state).map(({ key }) => key), ...state.pairings.map(pairingKey)];
}

/** All of a bundle is answered at once. */
export function answeredAll(state: WatchState, { views }: Bundle, now: number): WatchState {
  const sent = { ...state, answeringAll: [...state.answeringAll, ...views.map(({ token }) => token)] };
  return selected(sent, queue(sent)[0] ?? null, now);
}

/** The requests of a bundle's agent become entries of their own, the first of them the one that is looked at. */
export function lookedAtEach(state: WatchState, { agent, views }: Bundle, now: number): WatchState {
  return selected({ ...state, apart: new Set([...state.apart, agent]) }, views[0]?.token ?? null, now);
}

/** No token looks like it. */
export function refusalKey({ id }: RefusedCall): string {
  return `refusal ${id}`;
}

export function selectedRefusal({ refusals, selected: key }: WatchState): RefusedCall | undefined {
  return refusals.find((refusal) => refusalKey(refusal) === key);
}

/** No token looks like it. */
export function pairingKey({ name }: PairingRequest): string {
  return `pairing ${name}`;
}

export function selectedPairing({ pairings, selected: key }: WatchState): PairingRequest | undefined {
  return pairings.find((request) => pairingKey(request) === key);
}

/** The choices of a scope, in the card's order; of saying that a tool only looks, before them to say no more than that. */
export function choicesOf(card: ApprovalView, { scope, only_looks }: Pick<Choosing, "scope" | "only_looks">): Choice[] {
  if (only_looks) return looksOf(card).filter((choice) => choice.scope === scope || choice.scope === "none");
  return card.choices.filter((choice) => choice.scope === scope);
}

function endedLine(card: ApprovalView, isOwn: boolean, language: Language, isRefused: boolean): string {
  const words = CARD_WORDS[language];
  const what = `${card.action_verb} ${plainSummary(card.target_summary)}`;
  const why = card.message === null || card.message === "" ? "" : ` (${card.message})`;
  switch (card.status) {
    case "approved":
    case "rejected": {
      const said = (isOwn ? words.ended.own : words.ended.elsewhere)[card.status];
      // What answered an approval of one's own was one's own press.
      const because = isOwn && card.status === "approved" ? "" : why;
      // Another terminal is no other place than this one.
      const surface = card.decision_surface === "terminal" ? null : card.decision_surface;
      const where = surface === null ? words.ended.somewhere : SURFACE_WORDS[language][surface];
      const remembered = isRefused ? words.forSession : words.remembered[card.territory_concession];
      return visible(said(what, remembered, where) + because);
    }
    case "cancelled":
      if (card.withdrawn !== null && card.withdrawn !== "approval.withdrawn")
        return visible(`${RULE_WORDS[language][card.withdrawn]}: ${what}`);
      return visible(words.ended.otherwise.cancelled(what, card.agent_name) + why);
    default:
      return visible(words.ended.otherwise[card.status](what, card.agent_name));
  }
}
