import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { PartEnd, useMustBeRead } from "./read-to-end.tsx";

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
  const { count, row, look } = props;
  if (isLong(props)) return <LongBlock {...props} />;
  return (
    <div className={`block mono ${look}`}>
      {indexes(count).map(row)}
      <PartEnd />
    </div>
  );
}

/** Scrolls in place, and says what its end is for. */
function LongBlock(props: TextBlockProps) {
  const words = useWords(cardWords);
  const isAskedAbout = useMustBeRead();
  const [wasSeen, setSeen] = useState(false);
  const box = useRef<HTMLElement>(null);
  const { label, count, row, look, startsAt = 0 } = props;
  useLayoutEffect(() => {
    const above = startsAt - ROWS_ABOVE;
    if (box.current === null || above <= 0) return;
    const placed = box.current.children[above];
    box.current.scrollTop =
      count > ALL_AT_ONCE || placed === undefined ? above * ROW_HEIGHT : offsetIn(box.current, placed);
  }, [startsAt, count]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <figure ref={box} className={`block scrolls mono ${look}`} aria-label={label} tabIndex={0} data-unread={!wasSeen}>
        {count > ALL_AT_ONCE ? <RowsInSight {...props} box={box} /> : indexes(count).map(row)}
        <PartEnd onSeen={() => setSeen(true)} />
      </figure>
      {isAskedAbout ? <p className="quiet hint">{wasSeen ? words.wasRead : `${words.readOn}.`}</p> : null}
    </>
  );
}

/** Of what comes before a marked row so many are shown. */
const ROWS_ABOVE = 2;

const offsetIn = (box: HTMLElement, row: Element): number =>
  row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;

function RowsInSight({ count, row, lengthOf, box }: TextBlockProps & { box: RefObject<HTMLElement | null> }) {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: (index) => ROW_HEIGHT * linesOf(lengthOf(index)),
    overscan: 12,
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
