import { Box, Text, type TextProps } from "ink";
import { createElement as h, type ReactNode } from "react";
import type { Row } from "./rows.ts";
import { arranged, type Size } from "./screen.ts";
import type { WatchState } from "./state.ts";

/** Draws the rows. Red is for what can't be undone, and for nothing else. */

const STYLES: Readonly<Record<Row["tone"], Omit<TextProps, "children">>> = {
  plain: {},
  strong: { bold: true },
  quiet: { dimColor: true },
  danger: { color: "red" },
  strong_danger: { color: "red", bold: true },
  marked: { bold: true, inverse: true },
  notice: { color: "yellow" },
};

export function view(state: WatchState, size: Size, now: number): ReactNode {
  const { top, card, rest } = arranged(state, size, now);
  const frame = {
    key: "card",
    flexDirection: "column",
    borderStyle: "round",
    borderDimColor: true,
    paddingX: 1,
  } as const;
  return h(
    Box,
    { flexDirection: "column", width: size.columns },
    ...top.map((row, index) => rowView(row, `top-${index}`)),
    card.length === 0 ? null : h(Box, frame, ...card.map((row, index) => rowView(row, `row-${index}`))),
    ...rest.map((row, index) => rowView(row, `rest-${index}`)),
  );
}

function rowView({ text, tone, right }: Row, key: string): ReactNode {
  const left = h(Text, { key, wrap: "truncate", ...STYLES[tone] }, text === "" ? " " : text);
  if (right === undefined) return left;
  const end = h(Text, { key: "right", dimColor: true, wrap: "truncate" }, right);
  return h(Box, { key, justifyContent: "space-between" }, left, end);
}
