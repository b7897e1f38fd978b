import type { ApprovalView } from "../../ipc/operator-api.ts";
import { ownCommand } from "../../ipc/own-command.ts";
import { visible } from "../../ipc/visible-text.ts";
import { alarmRows } from "./alarm-rows.ts";
import { callLines } from "./call-text.ts";
import { choiceRows, counted, headRows, messageRows, otherRows, wordRows } from "./card-rows.ts";
import { folded, type Row, rule } from "./rows.ts";
import { choicesOf, type Layout, type Mode, selectedCard, type WatchState } from "./state.ts";

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
const TOO_SMALL: Row = { text: "The window is too small.", tone: "marked" };
const NOTHING: Layout = { lines: 0, page: 0, choice_fits: false };

export function arranged(state: WatchState, screen: Size, now: number): Arranged {
  const top = alarmRows(state, screen.columns, screen.rows >= SMALL_ROWS ? 2 : 1);
  // The part below has the rest of the screen, as if it were all.
  const size = { ...screen, rows: screen.rows - top.length };
  const card = selectedCard(state);
  if (state.mode.kind === "interrupted" || card === undefined) return { top, ...idle(state, size) };
  return { top, ...cardScreen(card, state, size, now) };
}

function cardScreen(card: ApprovalView, state: WatchState, size: Size, now: number): Omit<Arranged, "top"> {
  const width = Math.max(16, size.columns - FRAME_COLUMNS);
  const is_small = size.rows < SMALL_ROWS;
  const is_large = size.rows >= LARGE_ROWS;
  const index = state.cards.indexOf(card) + 1;
  const position = state.cards.length > 1 ? `${index} of ${state.cards.length}` : "";
  const head = headRows(card, position, width, now, is_large ? 3 : is_small ? 1 : 2, state.language);
  const layout = { ...NOTHING, lines: callLines(card, width).length };
  const rest = (fits: boolean): Row[] =>
    fitting(
      [
        ...otherRows(state, size.columns, is_large ? 5 : is_small ? 1 : 2, now),
        ...endedRows(state, size, is_large ? 3 : is_small ? 0 : 1),
        noticeRow(state, size),
        ...wordRows(keyWords(card, state, fits), size.columns),
      ],
      size,
    );
  // The last row stays free: a frame as high as the screen would make the terminal scroll.
  const room = (below: Row[]) => size.rows - 1 - FRAME_ROWS - head.length - 1 - below.length;
  if (state.mode.kind === "choices") {
    const below = rest(true);
    const { rows, fits } = choiceRows(card, state.mode, width, room(below), now, state.language);
    const title = `approve ${state.mode.scope === "session" ? "for this session" : "permanently"}: exactly this would be stored`;
    const text = folded(rule(title, "", width), width, 1)[0] ?? "";
    return {
      card: clipped([...head, { text, tone: "quiet" }, ...rows], below, size),
      rest: below,
      layout: { ...layout, choice_fits: fits },
    };
  }
  const editor = state.mode.kind === "message" ? messageRows(state.mode.line, width) : [];
  const below = rest(layout.lines <= room(rest(true)) - editor.length);
  const free = room(below) - editor.length;
  const page = Math.max(0, layout.lines <= free ? free : free - 1);
  return {
    card:
      page === 0
        ? clipped([...head.slice(0, 1), TOO_SMALL, ...head.slice(1), ...editor], below, size)
        : [...head, ...callRows(card, state, width, page), ...editor],
    rest: below,
    layout: { ...layout, page },
  };
}

function callRows(card: ApprovalView, state: WatchState, width: number, page: number): Row[] {
  const all = callLines(card, width);
  const from = Math.max(0, Math.min(state.scroll, all.length - page));
  const shown = all.slice(from, from + page);
  const to = from + shown.length;
  const title = `the whole call: ${visible(card.executor)}`;
  const is_part = shown.length < all.length;
  const top: Row = {
    text: rule(title, is_part ? `lines ${from + 1} to ${to} of ${all.length}` : "", width),
    tone: "quiet",
  };
  const rows: Row[] = [top, ...shown.map((text): Row => ({ text, tone: "plain" }))];
  if (!is_part) return rows;
  const below = all.length - to;
  const more: Row =
    below > 0
      ? { text: `▼ ${counted(below, "more line")}: space`, tone: "marked" }
      : { text: "▲ the end; b goes back", tone: "quiet" };
  return [...rows, more];
}

/** In a window too small for it: never higher than the screen, whose top would then scroll away. */
function clipped(rows: Row[], below: Row[], size: Size): Row[] {
  return rows.slice(0, Math.max(1, size.rows - 1 - FRAME_ROWS - below.length));
}

/** The part below the card leaves it at least one row, however narrow the window. */
function fitting(rows: Row[], size: Size): Row[] {
  return rows.slice(0, Math.max(1, size.rows - 2 - FRAME_ROWS));
}

function idle(state: WatchState, size: Size): Omit<Arranged, "top"> {
  const say = (text: string, tone: Row["tone"]): Row[] =>
    folded(text, size.columns, 3).map((part) => ({ text: part, tone }));
  const head =
    state.mode.kind === "interrupted"
      ? [
          ...say("The request you were answering has ended.", "strong"),
          ...say("What you typed was not sent. Enter or Esc continues.", "plain"),
        ]
      : !state.is_loaded
        ? say("Asking the gate for requests …", "quiet")
        : state.paused !== null
          ? [
              ...say("The gate is paused: every call is denied.", "strong"),
              ...say(`${visible(state.paused)}. To resume: ${ownCommand("safety resume")}`, "plain"),
            ]
          : [
              ...say("Nothing is waiting for you.", "strong"),
              ...say(`Connected agents ask here. To connect one: ${ownCommand("connect claude-code")}`, "plain"),
            ];
  const blank: Row = { text: "", tone: "plain" };
  const words = state.mode.kind === "interrupted" ? ["Enter/Esc continue"] : ["q quit"];
  const rest = [...head, blank, ...endedRows(state, size, 3), noticeRow(state, size), ...wordRows(words, size.columns)];
  return { card: [], rest, layout: NOTHING };
}

function endedRows(state: WatchState, size: Size, most: number): Row[] {
  return (most === 0 ? [] : state.ended.slice(-most)).map((line) => ({
    text: folded(line, size.columns, 1)[0] ?? "",
    tone: "plain",
  }));
}

function noticeRow(state: WatchState, size: Size): Row {
  const text = state.answering !== null && state.notice === "" ? "Sending your answer …" : visible(state.notice);
  return { text: folded(text, size.columns, 1)[0] ?? "", tone: "notice" };
}

function keyWords(card: ApprovalView, state: WatchState, call_fits: boolean): string[] {
  const mode: Mode = state.mode;
  if (mode.kind === "message") return ["Enter deny with this message", "Esc back"];
  if (mode.kind === "choices" && mode.editing !== null) return ["Enter take it", "Esc leave it as it was"];
  if (mode.kind === "choices") {
    const edit = choicesOf(card, mode.scope)[mode.index]?.grants.length === 1 ? ["e edit the target"] : [];
    return ["Enter approve and store this", "Up/Down what", "Left/Right how long", ...edit, "x expiry", "Esc back"];
  }
  const remember = [
    ...(choicesOf(card, "session").length > 0 ? ["s for this session …"] : []),
    ...(choicesOf(card, "permanent").length > 0 ? ["p permanently …"] : []),
  ];
  const approve = state.is_read || call_fits ? ["a approve once", ...remember] : ["to approve, page to its end"];
  const paging = call_fits ? [] : ["space/b page"];
  const refuse = card.refusals.some((one) => one.refuse === "target")
    ? "c/t deny for the session: call/target"
    : "c deny for the session";
  const others = state.cards.length > 1 ? ["Tab next"] : [];
  return ["Enter/d deny", "m deny, say why", ...approve, refuse, ...paging, ...others, "q quit"];
}
