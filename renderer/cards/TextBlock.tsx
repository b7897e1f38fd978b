import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { offsetIn, readOn, useMustBeRead, useReadingOn, useRowsRead } from "./read-to-end.tsx";

/** Up to so many lines are in the card; longer text scrolls in place. */
const LINES_SHOWN = 14;
/** Up to this many rows are all rendered; of more, only those on the screen. */
const ALL_AT_ONCE = 200;
const ROW_HEIGHT = 20;
/** About as many fit beside each other in the window. */
const ROW_CHARACTERS = 84;

interface TextBlockProps {
  /** Read aloud. */
  label: string;
  count: number;
  /** How many characters a row has. */
  lengthOf(index: number): number;
  row(index: number): ReactNode;
  /** Tells what kind of text it is, for its colours. */
  look: string;
  /** The row that long text begins at: what is marked in it. */
  startsAt?: number | undefined;
}

/** Text of any length that a machine would read, in rows. Hidden characters are made visible by `row`. */
export function TextBlock(props: TextBlockProps) {
  return isLong(props) ? <LongBlock {...props} /> : <ShortBlock {...props} />;
}

function ShortBlock({ count, row, look }: TextBlockProps) {
  const box = useRef<HTMLDivElement>(null);
  useRowsRead(box, count, () => rowsIn(box.current, count));
  return (
    <div ref={box} className={`block mono ${look}`}>
      {indexes(count).map(row)}
    </div>
  );
}

/** Scrolls in place, and says what must be seen of it. */
function LongBlock(props: TextBlockProps) {
  const words = useWords(cardWords);
  const isAskedAbout = useMustBeRead();
  const box = useRef<HTMLElement>(null);
  const { label, count, row, look, startsAt = 0 } = props;
  const { seen, rowsSeen } = useRowsRead(box, count, () => rowsIn(box.current, count));
  useLayoutEffect(() => {
    const above = startsAt - ROWS_ABOVE;
    if (box.current === null || above <= 0) return;
    const placed = box.current.children[above];
    box.current.scrollTop =
      count > ALL_AT_ONCE || placed === undefined ? above * ROW_HEIGHT : offsetIn(box.current, placed);
  }, [startsAt, count]);
  useReadingOn(box, () => readOn(box.current, rowsIn(box.current, count), count, rowsSeen));
  return (
    <>
      <figure
        ref={box}
        className={`block scrolls mono ${look}`}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        data-unread={seen !== "whole"}
      >
        {count > ALL_AT_ONCE ? <RowsInSight {...props} box={box} /> : indexes(count).map(row)}
      </figure>
      {isAskedAbout ? (
        <p className="quiet hint">{seen === "whole" ? words.wasRead : `${words.readOn[seen]}.`}</p>
      ) : null}
    </>
  );
}

/** The rows that are in the document, by their numbers. */
function rowsIn(box: HTMLElement | null, count: number): (readonly [number, Element])[] {
  if (box === null) return [];
  if (count <= ALL_AT_ONCE) return [...box.children].slice(0, count).map((row, index) => [index, row] as const);
  return [...box.querySelectorAll<HTMLElement>("[data-index]")].map((row) => [Number(row.dataset.index), row] as const);
}

/** Of what comes before a marked row so many are shown. */
const ROWS_ABOVE = 2;

function RowsInSight({
  count,
  row,
  lengthOf,
  startsAt = 0,
  box,
}: TextBlockProps & { box: RefObject<HTMLElement | null> }) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: (index) => ROW_HEIGHT * linesOf(lengthOf(index)),
    overscan: 12,
    // It scrolls there by itself once it has found its box.
    initialOffset: Math.max(0, startsAt - ROWS_ABOVE) * ROW_HEIGHT,
  });
  return (
    <div className="many-rows" style={{ blockSize: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start }) => (
        <div
          key={index}
          className="placed"
          ref={virtual.measureElement}
          data-index={index}
          style={{ transform: `translateY(${start}px)` }}
        >
          {row(index)}
        </div>
      ))}
    </div>
  );
}

/** Whether it is more than fits the card without scrolling. */
export function isLong({ count, lengthOf }: Pick<TextBlockProps, "count" | "lengthOf">, most = LINES_SHOWN): boolean {
  if (count > most) return true;
  return indexes(count).reduce((sum, index) => sum + linesOf(lengthOf(index)), 0) > most;
}

function linesOf(characters: number): number {
  return Math.ceil((characters + 1) / ROW_CHARACTERS);
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
