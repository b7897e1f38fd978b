import { Box, Text } from "ink";
import { createElement as h, type ReactNode } from "react";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";
import { callLines } from "./call-text.ts";
import { choicesOf, type Layout, type Mode, selectedCard, type WatchState } from "./state.ts";

/** What is on the screen: the selected card, what else waits in a line each, and what the keys do. */

export interface Screen {
  columns: number;
  rows: number;
}

/** Rows that everything but the call and the other cards takes. */
const FRAME_ROWS = 14;
const OTHERS_SHOWN = 4;

/** How many rows the call may take on this screen, and how many it has. */
export function layoutFor(state: WatchState, screen: Screen): Layout {
  const card = selectedCard(state);
  const others = Math.min(OTHERS_SHOWN, Math.max(0, state.cards.length - 1));
  const choices =
    state.mode.kind === "choices" && card !== undefined ? choicesOf(card, state.mode.scope).length * 2 + 3 : 0;
  const page = Math.max(3, screen.rows - FRAME_ROWS - others - choices);
  return { page, lines: card === undefined ? 0 : callLines(card, widthOf(screen)).length };
}

function widthOf(screen: Screen): number {
  return Math.max(20, screen.columns - 4);
}

export function view(state: WatchState, screen: Screen, now: number): ReactNode {
  const card = selectedCard(state);
  if (card === undefined) return emptyView(state);
  const width = widthOf(screen);
  return h(
    Box,
    { flexDirection: "column", width: screen.columns },
    cardView(card, state, screen, now),
    ...othersView(state, card, width, now),
    line("notice", state.notice === "" ? " " : visible(state.notice), { color: "yellow" }),
    keysView(state.mode),
  );
}

function emptyView(state: WatchState): ReactNode {
  return h(
    Box,
    { flexDirection: "column" },
    line("idle", "Nothing is waiting for you."),
    line("next", "Agents that are connected ask here. To connect one: metnos-gate connect claude-code", {
      dimColor: true,
    }),
    line("notice", state.notice === "" ? " " : visible(state.notice), { color: "yellow" }),
    line("keys", "q quit", { dimColor: true }),
  );
}

function cardView(card: ApprovalView, state: WatchState, screen: Screen, now: number): ReactNode {
  const { page, lines: total } = layoutFor(state, screen);
  const all = callLines(card, widthOf(screen));
  const shown = all.slice(state.scroll, state.scroll + page);
  const below = total - state.scroll - shown.length;
  const [question = "", ...rest] = card.card.lines;
  const meta = rest.at(-1);
  return h(
    Box,
    { key: "card", flexDirection: "column", borderStyle: "round", paddingX: 1 },
    h(
      Box,
      { key: "question", justifyContent: "space-between" },
      h(Text, { bold: true, wrap: "wrap" }, question),
      h(Text, { dimColor: true }, `  ${card.agent_name} · ${countdown(card, now)}`),
    ),
    ...rest.slice(0, -1).map((text, index) => line(`line-${index}`, text)),
    meta === undefined
      ? null
      : line("meta", meta, card.reversibility === "irreversible" ? { color: "red" } : { dimColor: true }),
    line("where", `in ${card.cwd === null ? "an unknown folder" : visible(card.cwd)}  ·  waiting ${age(card, now)}`, {
      dimColor: true,
    }),
    line("judge", `${card.judge.reason}${card.intent === "" ? "" : `  ·  it says: ${visible(card.intent)}`}`, {
      dimColor: true,
      wrap: "truncate",
    }),
    line("rule", "─".repeat(widthOf(screen)), { dimColor: true }),
    ...shown.map((text, index) => line(`call-${index}`, text, { wrap: "truncate" })),
    below > 0 ? line("more", `… ${below} more lines: space shows them`, { inverse: true }) : null,
    state.mode.kind === "choices" ? choicesView(card, state.mode) : null,
    state.mode.kind === "message" ? line("message", `Why not? ${visible(state.mode.text)}▏`) : null,
  );
}

function choicesView(card: ApprovalView, mode: Extract<Mode, { kind: "choices" }>): ReactNode {
  const rows = choicesOf(card, mode.scope).flatMap((choice, index) => {
    const is_selected = index === mode.index;
    const edits = is_selected && choice.grants.length === 1;
    const stored = choice.grants.map(
      ({ capability, target }) => `${capability} on ${visible(edits ? mode.target : target)}`,
    );
    const cursor = is_selected && mode.field === "target" ? "▏" : "";
    return [
      line(`choice-${index}`, `${is_selected ? ">" : " "} ${choice.label}`, is_selected ? { bold: true } : {}),
      line(`stored-${index}`, `    ${stored.join(", ")}${cursor}`, { dimColor: !is_selected }),
    ];
  });
  const expires =
    mode.expires === "" && mode.field !== "expires"
      ? mode.scope === "session"
        ? "at the end of the session"
        : "never"
      : mode.expires;
  const cursor = mode.field === "expires" ? "▏  (2h, 30d or a date)" : "";
  return h(
    Box,
    { key: "choices", flexDirection: "column", marginTop: 1 },
    ...rows,
    line("expires", `  expires: ${visible(expires)}${cursor}`),
  );
}

function othersView(state: WatchState, card: ApprovalView, width: number, now: number): ReactNode[] {
  const others = state.cards.filter(({ token }) => token !== card.token);
  const shown = others
    .slice(0, OTHERS_SHOWN)
    .map((other) =>
      line(
        other.token,
        `  ${countdown(other, now)}  ${other.agent_name}  ${visible(`${other.action_verb} ${other.target_summary}`)}`.slice(
          0,
          width,
        ),
        { dimColor: true, wrap: "truncate" },
      ),
    );
  const hidden = others.length - shown.length;
  return hidden > 0 ? [...shown, line("hidden", `  and ${hidden} more`, { dimColor: true })] : shown;
}

const KEYS: Readonly<Record<Mode["kind"], string>> = {
  cards: "Enter/d deny   m deny, say why   a approve once   s session…   p permanently…   Tab next   q quit",
  message: "Enter denies with this message   Esc back",
  choices: "Enter approves and stores this   Up/Down choose   e edit the target   x expiry   Esc back",
};

function keysView(mode: Mode): ReactNode {
  return line("keys", KEYS[mode.kind], { dimColor: true });
}

function line(key: string, text: string, style: Record<string, unknown> = {}): ReactNode {
  return h(Text, { key, ...style }, text === "" ? " " : text);
}

/** `0:09:41` until the deadline. */
function countdown(card: ApprovalView, now: number): string {
  return clock(Math.max(0, Date.parse(card.expires_at) - now));
}

function age(card: ApprovalView, now: number): string {
  return clock(Math.max(0, now - Date.parse(card.created_at)));
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
