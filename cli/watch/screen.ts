import { shortenHome, visible } from "../../ipc/base/visible-text.ts";
import type { RefusedCall } from "../../ipc/contract/judges.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView, PairingRequest } from "../../ipc/contract/operator-api.ts";
import { ALARM_WORDS, PAST_ALARMS } from "../../ipc/words/alarm-words.ts";
import { toolText } from "../../ipc/words/box-words.ts";
import { callFacts, quietText } from "../../ipc/words/card-facts.ts";
import { agentGotText, beingJudgedText, possibleText, refusedText } from "../../ipc/words/judge-words.ts";
import { looksOf } from "../../ipc/words/looking.ts";
import { bundleText } from "../../ipc/words/notice-text.ts";
import { PAIRING_WORDS } from "../../ipc/words/pairing-words.ts";
import { timeLeftText } from "../../ipc/words/time-left.ts";
import { spanText } from "../times.ts";
import { type Bundle, bundleLines, isAllShown, kindsText, selectedBundle } from "./bundle.ts";
import { type CallOfCard, callLines } from "./call-text.ts";
import { choiceRows, headRows, messageRows, otherRows, wordRows } from "./card-rows.ts";
import { CARD_WORDS } from "./card-words.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { folded, type Row, rule, widthOf } from "./rows.ts";
import {
  choicesOf,
  type Layout,
  type Mode,
  queue,
  refusalKey,
  type Scope,
  selectedCard,
  selectedPairing,
  selectedRefusal,
  type WatchState,
  waitingQueue,
} from "./state.ts";
import { hasReady, type LastChange, TAKE_BACK_WORDS, takeBackHead, takeBackLines } from "./take-back.ts";
import { AWAY_WORDS } from "./words.ts";

/** The rows on the screen, counted, so that it is known what of a call was shown. */

export interface Size {
  columns: number;
  rows: number;
}

export interface Arranged {
  /** Above it: what is wrong with the gate itself. */
  top: Row[];
  /** In the frame; none where no request waits. */
  card: Row[];
  /** Below it. */
  rest: Row[];
  layout: Layout;
}

/** The frame's own rows and columns. */
const FRAME_ROWS = 2;
const FRAME_COLUMNS = 4;
/** Fewer rows than this leave out what isn't the card's three lines. */
const SMALL_ROWS = 20;
/** From here on there is room for more of the other waiting requests and of the ended ones. */
const LARGE_ROWS = 30;
const NOTHING: Layout = { lines: 0, page: 0, choiceFits: false };

export function arranged(state: WatchState, screen: Size, now: number): Arranged {
  const top = alarmRows(state, screen.columns, screen.rows >= SMALL_ROWS ? 2 : 1);
  // The part below has the rest of the screen, as if it were all.
  const size = { ...screen, rows: screen.rows - top.length };
  const card = selectedCard(state);
  if (state.mode.kind === "help") return { top, ...help(state, size) };
  if (state.mode.kind === "take_back") return { top, ...takeBackScreen(state.mode.last, state, size, now) };
  const bundle = selectedBundle(state);
  if (state.mode.kind === "cards" && bundle !== undefined) return { top, ...bundleScreen(bundle, state, size, now) };
  const request = selectedPairing(state);
  if (state.mode.kind !== "interrupted" && card === undefined && request !== undefined)
    return { top, ...pairingScreen(request, state, size, now) };
  const refusal = selectedRefusal(state);
  if (state.mode.kind !== "interrupted" && card === undefined && refusal !== undefined)
    return { top, ...refusalScreen(refusal, state, size, now) };
  if (state.mode.kind === "interrupted" || card === undefined) return { top, ...idle(state, size, now) };
  return { top, ...cardScreen(card, state, size, now) };
}

function cardScreen(card: ApprovalView, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const isSmall = size.rows < SMALL_ROWS;
  const isLarge = size.rows >= LARGE_ROWS;
  const position = positionOf(state);
  const head = headRows(card, position, width, now, isLarge ? 3 : isSmall ? 1 : 2, state);
  const layout = layoutOf(card, state, width);
  const rest = (fits: boolean): Row[] => [
    ...otherRows(state, size.columns, isLarge ? 5 : isSmall ? 1 : 2, now),
    ...runningRows(state, size.columns, isLarge ? 3 : isSmall ? 0 : 1, now),
    ...(isSmall ? [] : refusedRow(state, size.columns)),
    ...endedRows(state, size, isLarge ? 3 : isSmall ? 0 : 1),
    noticeRow(state, size),
    ...footerRows(keyWords(card, state, fits), size.columns, isSmall ? smallFooter(state.mode) : size.rows),
  ];
  if (state.mode.kind === "choices") {
    const below = fitting(rest(true), size);
    const { rows, fits } = choiceRows(card, state.mode, width, roomFor(size, head, below), now, state.language);
    const { stored, looking } = FRAME_WORDS[state.language];
    const title = state.mode.only_looks ? looking : stored(state.mode.scope === "session");
    const text = folded(rule(title, "", width), width, 1)[0] ?? "";
    return {
      card: clipped([...head, { text, tone: "quiet" }, ...rows], below, size),
      rest: below,
      layout: { ...layout, choiceFits: fits },
    };
  }
  const editor = state.mode.kind === "message" ? messageRows(state.mode.line, width, state.language) : [];
  const body = (page: number) => callRows(card, state, width, page, isSmall);
  return paged({ head, layout, rest, body, editor }, state, size, width);
}

/** What may be too long for the screen. */
interface Paged {
  head: readonly Row[];
  layout: Layout;
  /** What is below it, as far as there is room. @param fits whether it is on the screen as a whole */
  rest(fits: boolean): Row[];
  /** So many rows of it at once. */
  body(page: number): Row[];
  editor?: readonly Row[];
}

/** A page of it; where there is no room for one, that is said. */
function paged(
  { head, layout, rest, body, editor = [] }: Paged,
  state: WatchState,
  size: Size,
  width: number,
): Omit<Arranged, "top"> {
  const room = (below: readonly Row[]) => roomFor(size, head, below) - editor.length;
  const fitted = (fits: boolean) => fitting(rest(fits), size);
  const below = fitted(layout.lines <= room(fitted(true)));
  const page = pageIn(room(below), layout, size.rows < SMALL_ROWS);
  const card =
    page === 0
      ? clipped([...head.slice(0, 1), tooSmall(state, width), ...head.slice(1), ...editor], below, size)
      : [...head, ...body(page), ...editor];
  return { card, rest: below, layout: { ...layout, page } };
}

/** Many requests at once: all of them in one list, and one answer. */
function bundleScreen(bundle: Bundle, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const { language, home } = state;
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const isSmall = size.rows < SMALL_ROWS;
  const head = bundleHead(bundle, state, width, now);
  const lines = bundleLines(bundle, width, language, home);
  const rest = (fits: boolean): Row[] => [
    ...otherRows(state, size.columns, isSmall ? 1 : 3, now),
    ...endedRows(state, size, isSmall ? 0 : 1),
    noticeRow(state, size),
    ...footerRows(bundleWords(bundle, state, fits), size.columns, isSmall ? 2 : size.rows),
  ];
  const layout = { ...NOTHING, lines: lines.length };
  const title = FRAME_WORDS[language].wholeBundle;
  const body = (page: number) => pagedRows(lines, title, state, width, page, isSmall);
  return paged({ head, layout, rest, body }, state, size, width);
}

/** What the last call did to files, and whether it is to be taken back. */
function takeBackScreen(last: LastChange, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const { keys } = FRAME_WORDS[state.language];
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const isSmall = size.rows < SMALL_ROWS;
  const head = takeBackHead(last, width, now, state).slice(0, isSmall ? 3 : undefined);
  const lines = takeBackLines(last, width, state);
  const rest = (fits: boolean): Row[] => [
    noticeRow(state, size),
    ...wordRows([keys.back, ...(hasReady(last) ? [keys.take_back] : []), ...(fits ? [] : [keys.page])], size.columns),
  ];
  const body = (page: number) => pagedRows(lines, TAKE_BACK_WORDS[state.language].files, state, width, page, isSmall);
  return paged({ head, layout: { ...NOTHING, lines: lines.length }, rest, body }, state, size, width);
}

function bundleHead(bundle: Bundle, state: WatchState, width: number, now: number): Row[] {
  const { language } = state;
  const [soonest] = bundle.views;
  const left = soonest === undefined ? "" : timeLeftText(Date.parse(soonest.expires_at) - now, language);
  const right = [left, positionOf(state)].filter(Boolean).join("  ·  ");
  const { title } = bundleText(bundle.agent, bundle.views, language, 0);
  const notAll = isAllShown(bundle) ? [] : folded(FRAME_WORDS[language].notAllShown, width, 2);
  return [
    { text: "", tone: "quiet", right: folded(right, width, 1)[0] ?? "" },
    ...folded(title, width, 2).map((text): Row => ({ text, tone: "strong" })),
    ...folded(kindsText(bundle.views, language), width, 1).map((text): Row => ({ text, tone: "quiet" })),
    ...notAll.map((text): Row => ({ text, tone: "plain" })),
  ];
}

function bundleWords(bundle: Bundle, state: WatchState, fits: boolean): KeyWord[] {
  const { keys } = FRAME_WORDS[state.language];
  const isRead = state.isRead || fits;
  const approve = isAllShown(bundle) ? [needed(isRead ? keys.all_once : keys.to_approve)] : [];
  const paging = fits ? [] : [needed(keys.page)];
  const others = queue(state).length > 1 ? [more(keys.next)] : [];
  return [
    needed(keys.deny_all),
    ...approve,
    needed(keys.each),
    ...paging,
    ...others,
    needed(keys.help),
    needed(keys.quit),
  ];
}

function layoutOf(call: CallOfCard, { language, home }: WatchState, width: number): Layout {
  return { ...NOTHING, lines: callLines(call, width, language, home).length };
}

/** For the call, below its title. The last row stays free: a frame as high as the screen would make the terminal scroll. */
function roomFor(size: Size, head: readonly Row[], below: readonly Row[]): number {
  return size.rows - 1 - FRAME_ROWS - head.length - 1 - below.length;
}

/** In a small window the head of the call and the keys say that there is more of it: its row is the call's. */
function pageIn(free: number, { lines }: Layout, isSmall: boolean): number {
  return Math.max(0, lines <= free || isSmall ? free : free - 1);
}

/** What was refused: like a card, with the whole call, but nothing waits for an answer. */
function refusalScreen(refusal: RefusedCall, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const isSmall = size.rows < SMALL_ROWS;
  const call = { ...refusal, intent: "" };
  const head = refusalRows(refusal, positionOf(state), width, now, isSmall ? 1 : 3, state);
  const layout = layoutOf(call, state, width);
  const rest = (fits: boolean): Row[] => [
    ...runningRows(state, size.columns, isSmall ? 0 : 3, now),
    ...endedRows(state, size, isSmall ? 0 : 1),
    noticeRow(state, size),
    ...footerRows(refusalWords(refusal, state, fits), size.columns, isSmall ? 2 : size.rows),
  ];
  const body = (page: number) => callRows(call, state, width, page, isSmall);
  return paged({ head, layout, rest, body }, state, size, width);
}

function refusalWords(refusal: RefusedCall, state: WatchState, callFits: boolean): KeyWord[] {
  const { keys } = FRAME_WORDS[state.language];
  if (state.mode.kind === "override") return [needed(keys.back), needed(keys.allow_now)];
  const allow = refusal.can_override ? [needed(state.isRead || callFits ? keys.allow_once : keys.to_approve)] : [];
  const paging = callFits ? [] : [needed(keys.page)];
  const others = queue(state).length > 1 ? [more(keys.next)] : [];
  return [needed(keys.dismiss), ...allow, ...paging, ...others, needed(keys.help), needed(keys.quit)];
}

function callRows(
  card: CallOfCard & Pick<ApprovalView, "executor">,
  state: WatchState,
  width: number,
  page: number,
  isSmall: boolean,
): Row[] {
  const title = FRAME_WORDS[state.language].wholeCall(visible(toolText(card.executor, state.language)));
  return pagedRows(callLines(card, width, state.language, state.home), title, state, width, page, isSmall);
}

/** The lines that are on the screen, below their title. */
function pagedRows(
  all: readonly string[],
  title: string,
  state: WatchState,
  width: number,
  page: number,
  isSmall: boolean,
): Row[] {
  const from = Math.max(0, Math.min(state.scroll, all.length - page));
  const shown = all.slice(from, from + page);
  const to = from + shown.length;
  const words = FRAME_WORDS[state.language];
  const isPart = shown.length < all.length;
  const top: Row = {
    text: rule(title, isPart ? words.linesOf(from + 1, to, all.length) : "", width),
    tone: "quiet",
  };
  const rows: Row[] = [top, ...shown.map((text): Row => ({ text, tone: "plain" }))];
  if (!isPart || isSmall) return rows;
  const below = all.length - to;
  const more: Row =
    below > 0 ? { text: words.moreLines(below), tone: "marked" } : { text: words.theEnd, tone: "quiet" };
  return [...rows, more];
}

function tooSmall({ language }: WatchState, width: number): Row {
  return { text: folded(FRAME_WORDS[language].too_small, width, 1)[0] ?? "", tone: "marked" };
}

function positionOf(state: WatchState): string {
  const refusals = state.refusals.map(refusalKey);
  const all = refusals.includes(state.selected ?? "") ? refusals : waitingQueue(state);
  const index = state.selected === null ? 0 : all.indexOf(state.selected) + 1;
  return all.length > 1 ? FRAME_WORDS[state.language].position(index, all.length) : "";
}

function pairingScreen(request: PairingRequest, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const { keys } = FRAME_WORDS[state.language];
  const others = queue(state).length > 1 ? [keys.next] : [];
  const words = [keys.refuse, keys.read_only, keys.supervised, keys.full, ...others, keys.help, keys.quit];
  const judged = size.rows < SMALL_ROWS ? [] : runningRows(state, size.columns, 1, now);
  const below = fitting(
    [...judged, ...endedRows(state, size, 1), noticeRow(state, size), ...wordRows(words, size.columns)],
    size,
  );
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const rows = pairingRows(request, positionOf(state), width, state.language);
  return { card: clipped(rows, below, size), rest: below, layout: NOTHING };
}

function help(state: WatchState, size: Size): Omit<Arranged, "top"> {
  const words = FRAME_WORDS[state.language];
  const rows = words.help.flatMap((line) =>
    folded(line, size.columns, 2).map((text): Row => ({ text, tone: "plain" })),
  );
  const last = wordRows([words.keys.back], size.columns);
  return { card: [], rest: [...rows.slice(0, Math.max(1, size.rows - 1 - last.length)), ...last], layout: NOTHING };
}

/** In a window too small for it: never higher than the screen, whose top would then scroll away. */
function clipped(rows: Row[], below: Row[], size: Size): Row[] {
  return rows.slice(0, Math.max(1, size.rows - 1 - FRAME_ROWS - below.length));
}

/** The part below the card leaves it at least one row, however narrow the window. */
function fitting(rows: Row[], size: Size): Row[] {
  return rows.slice(0, Math.max(1, size.rows - 2 - FRAME_ROWS));
}

function idle(state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const words = FRAME_WORDS[state.language];
  const say = (text: string, tone: Row["tone"]): Row[] =>
    folded(text, size.columns, 3).map((part) => ({ text: part, tone }));
  const away = AWAY_WORDS[state.language];
  const head = state.isAway
    ? [...say(away.title, "strong"), ...say(away.next, "plain")]
    : state.mode.kind === "interrupted"
      ? [...say(words.interrupted, "strong"), ...say(words.interruptedNext, "plain")]
      : !state.isLoaded
        ? say(words.asking, "quiet")
        : state.paused !== null
          ? [...say(words.paused, "strong"), ...say(words.toResume(visible(state.paused)), "plain")]
          : [...say(words.nothing, "strong"), ...say(words.nothingNext, "plain"), ...say(words.toConnect(), "plain")];
  const blank: Row = { text: "", tone: "plain" };
  const keys =
    state.mode.kind === "interrupted" ? [words.keys.continue] : [words.keys.undo, words.keys.help, words.keys.quit];
  const judged = runningRows(state, size.columns, size.rows >= LARGE_ROWS ? 8 : size.rows < SMALL_ROWS ? 2 : 4, now);
  const rest = [
    ...head,
    blank,
    ...judged,
    ...endedRows(state, size, 3),
    noticeRow(state, size),
    ...wordRows(keys, size.columns),
  ];
  return { card: [], rest, layout: NOTHING };
}

function endedRows(state: WatchState, size: Size, most: number): Row[] {
  return (most === 0 ? [] : state.ended.slice(-most)).map((line) => ({
    text: folded(line, size.columns, 1)[0] ?? "",
    tone: "plain",
  }));
}

function noticeRow(state: WatchState, size: Size): Row {
  const text =
    state.answering !== null && state.notice === "" ? FRAME_WORDS[state.language].sending : visible(state.notice);
  return { text: folded(text, size.columns, 1)[0] ?? "", tone: "notice" };
}

/** A key and what it does. In a small window those that can do without are left to `?`, the last of them first. */
interface KeyWord {
  text: string;
  isNeeded: boolean;
}

const needed = (text: string): KeyWord => ({ text, isNeeded: true });
const more = (text: string): KeyWord => ({ text, isNeeded: false });

/** So many rows of keys a small window has; where exactly what would be stored has to be on the screen, fewer. */
const smallFooter = ({ kind }: Mode): number => (kind === "choices" ? 2 : 3);

function footerRows(words: readonly KeyWord[], width: number, most: number): Row[] {
  const texts = words.map(({ text }) => text);
  const rows = wordRows(texts, width);
  const last = words.findLastIndex(({ isNeeded }) => !isNeeded);
  return rows.length <= most || last === -1 ? rows : footerRows(words.toSpliced(last, 1), width, most);
}

const hasChoices = (card: ApprovalView, scope: Scope) => choicesOf(card, { scope, only_looks: false }).length > 0;

function keyWords(card: ApprovalView, state: WatchState, callFits: boolean): KeyWord[] {
  const mode: Mode = state.mode;
  const { keys } = FRAME_WORDS[state.language];
  if (mode.kind === "message") return [needed(keys.deny_with_message), needed(keys.back)];
  if (mode.kind === "choices" && mode.editing !== null) return [needed(keys.take_it), needed(keys.leave_it)];
  if (mode.kind === "choices") {
    const edit = choicesOf(card, mode)[mode.index]?.grants.length === 1 ? [more(keys.edit_target)] : [];
    return [
      needed(keys.approve_stored),
      more(keys.choose),
      more(keys.how_long),
      ...edit,
      more(keys.expiry),
      needed(keys.back),
    ];
  }
  if (card.repeated !== null) {
    const letIt = needed(state.isRead || callFits ? keys.let_it : keys.to_approve);
    const others = queue(state).length > 1 ? [more(keys.next)] : [];
    const paging = callFits ? [] : [needed(keys.page)];
    return [needed(keys.stop), letIt, ...paging, ...others, needed(keys.help), needed(keys.quit)];
  }
  const remember = [
    ...(hasChoices(card, "session") ? [more(keys.for_session)] : []),
    ...(hasChoices(card, "permanent") ? [more(keys.permanently)] : []),
    ...(looksOf(card).length > 0 ? [more(keys.only_looks)] : []),
  ];
  const approve = state.isRead || callFits ? [needed(keys.once), ...remember] : [needed(keys.to_approve)];
  const paging = callFits ? [] : [needed(keys.page)];
  const refuse = card.refusals.some((one) => one.refuse === "target") ? keys.deny_session_both : keys.deny_session;
  const others = queue(state).length > 1 ? [more(keys.next)] : [];
  const last = [...paging, ...others, needed(keys.help), needed(keys.quit)];
  return [needed(keys.deny), more(keys.deny_why), ...approve, more(refuse), ...last];
}

/** The newest alarm that still holds, else the newest one, with what to do, above everything; the others are counted. */
function alarmRows({ alarms, language }: WatchState, width: number, most: number): Row[] {
  const alarm = alarms.findLast(({ code }) => !PAST_ALARMS.includes(code)) ?? alarms.at(-1);
  if (alarm === undefined) return [];
  const others = alarms.length - 1;
  const more = others === 0 ? "" : CARD_WORDS[language].moreAlarms(others);
  // The gate's own sentence, which names the file, is in English.
  const title = language === "en" ? "" : `${ALARM_WORDS[language][alarm.code].title}: `;
  const message = folded(`! ${title}${visible(alarm.message)}`, width, most);
  const hint = folded(`  ${visible(alarm.hint)}${more}`, width, most);
  return [
    ...message.map((text): Row => ({ text, tone: "marked" })),
    ...hint.map((text): Row => ({ text, tone: "notice" })),
  ];
}

/** The card of an agent that asks to be paired: no level is preset. */
function pairingRows(request: PairingRequest, position: string, width: number, language: Language): Row[] {
  const words = PAIRING_WORDS[language];
  const version = request.version === null ? "" : words.version(visible(request.version));
  const right = folded([version, position].filter(Boolean).join("  ·  "), width, 1)[0] ?? "";
  const of = (text: string, most: number, tone: Row["tone"]): Row[] =>
    folded(text, width, most).map((part) => ({ text: part, tone }));
  const keys = [
    ["r", "ReadOnly"],
    ["s", "Supervised"],
    ["f", "Full"],
  ] as const;
  return [
    { text: "", tone: "quiet", right },
    ...of(words.question(visible(request.name)), 2, "strong"),
    ...of(words.meta, 3, "quiet"),
    ...keys.flatMap(([key, level]) => {
      const [name, detail] = words.level[level];
      return of(`${key}  ${name}: ${detail}`, 4, "plain");
    }),
  ];
}

// Calls that judges look at, and what they refused, as rows.

/** `claude-code  being judged by NAME, 3 s  run npm test`, the longest first, a row each; the others are counted. */
function runningRows({ running, language }: WatchState, width: number, most: number, now: number): Row[] {
  if (running.length === 0 || most === 0) return [];
  const oldest = running.toSorted((a, b) => a.since.localeCompare(b.since));
  const shown = oldest.length > most ? oldest.slice(0, Math.max(1, most - 1)) : oldest;
  const hidden = oldest.length - shown.length;
  const more = hidden === 0 ? "" : FRAME_WORDS[language].moreJudged(hidden);
  const hasRow = more !== "" && most > 1;
  const rows = shown.map(({ agent_name, name, since, summary }): Row => {
    const beside = more === "" || hasRow ? "" : ` (${more})`;
    const start = `${visible(agent_name)}  ${beingJudgedText(visible(name), now - Date.parse(since), language)}${beside}  `;
    const text = start + (folded(visible(summary), Math.max(8, width - widthOf(start)), 1)[0] ?? "");
    return { text: widthOf(text) > width ? (folded(text, width, 1)[0] ?? "") : text, tone: "quiet" };
  });
  return hasRow ? [...rows, { text: folded(more, width, 1)[0] ?? "", tone: "quiet" }] : rows;
}

/** Below a card: that something was refused, too. */
function refusedRow({ refusals, language }: WatchState, width: number): Row[] {
  const open = refusals.filter(({ overridden_at }) => overridden_at === null).length;
  if (open === 0) return [];
  return [{ text: folded(FRAME_WORDS[language].refusedCalls(open), width, 1)[0] ?? "", tone: "quiet" }];
}

/** The head of a refusal: by whom and why, what the agent got, what the call does, and what is possible. */
function refusalRows(
  refusal: RefusedCall,
  position: string,
  width: number,
  now: number,
  most: number,
  { language, home, mode }: Pick<WatchState, "language" | "home" | "mode">,
): Row[] {
  const words = FRAME_WORDS[language];
  const of = (text: string, tone: Row["tone"], rows = most): Row[] =>
    folded(visible(text), width, rows).map((part) => ({ text: part, tone }));
  const ago = spanText(now - Date.parse(refusal.refused_at));
  const right = [words.refusedAgo(visible(refusal.agent_name), ago), position].filter(Boolean).join("  ·  ");
  const got = agentGotText(refusal, language);
  const summary = home === null ? refusal.summary : shortenHome(refusal.summary, home);
  const asked: Row[] =
    mode.kind === "override"
      ? [...of(words.allowAsked, "marked"), ...of(possibleText(refusal, language), "plain")]
      : refusal.can_override
        ? []
        : of(possibleText(refusal, language), "plain");
  return [
    { text: "", tone: "quiet", right: folded(right, width, 1)[0] ?? "" },
    ...of(refusedText(refusal, language), "strong", Math.max(2, most)),
    ...(got === null ? [] : of(got, "plain")),
    // The call below says it.
    ...(refusal.args === null ? of(summary, "plain", 1) : []),
    ...effectRows(refusal, language, of),
    ...asked,
  ];
}

/** As on a card: what is dangerous is the only red. */
function effectRows(
  { description }: RefusedCall,
  language: WatchState["language"],
  of: (text: string, tone: Row["tone"]) => Row[],
): Row[] {
  const { hazards, ...quiet } = callFacts(description, language);
  const text = quietText(quiet);
  return [
    ...hazards.slice(0, 3).flatMap((sentence) => of(sentence, "danger")),
    ...(text === "" ? [] : of(visible(text), "quiet")),
  ];
}
