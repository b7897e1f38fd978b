import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import type { CallRow } from "./call-text.ts";

/** Up to this many rows are all rendered; of more, only the visible ones. */
const ALL_AT_ONCE = 200;
const ROW_HEIGHT = 19;
/** About as many fit beside each other in the window. */
const ROW_CHARACTERS = 84;

/** A short call, whole on the card. */
export function ShortCall({ rows }: { rows: readonly CallRow[] }) {
  return (
    <div className="call short-call mono">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a call never change
        <Row key={index} row={row} />
      ))}
    </div>
  );
}

/** A call of any length in a box that scrolls. `onEnd`: its end was on the screen. */
export function LongCall({ rows, label, onEnd }: { rows: readonly CallRow[]; label: string; onEnd(): void }) {
  const words = useWords(cardWords);
  const box = useRef<HTMLElement>(null);
  const is_many = rows.length > ALL_AT_ONCE;
  const virtual = useVirtualizer({
    count: is_many ? rows.length : 0,
    getScrollElement: () => box.current,
    estimateSize: (index) => ROW_HEIGHT * Math.ceil(((rows[index]?.text.length ?? 0) + 1) / ROW_CHARACTERS),
    overscan: 12,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <figure ref={box} className="call long-call mono" aria-label={label} tabIndex={0}>
      {rows.length === 0 ? <p>{words.noArguments}</p> : null}
      {is_many ? (
        <div className="many-rows" style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              className="placed"
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index] ?? NO_ROW} />
            </div>
          ))}
        </div>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a call never change
        rows.map((row, index) => <Row key={index} row={row} />)
      )}
      <EndMark onSeen={onEnd} />
    </figure>
  );
}

const NO_ROW: CallRow = { text: "", kind: "line" };

function Row({ row: { text, kind } }: { row: CallRow }) {
  return (
    <div className={`call-row ${kind}`}>
      <VisibleText text={text} />
      {text === "" ? <br /> : null}
    </div>
  );
}

/** The last line of a long text: calls back once when it is on the screen, wherever it was scrolled. */
export function EndMark({ onSeen }: { onSeen(): void }) {
  const mark = useRef<HTMLDivElement>(null);
  const seen = useRef(onSeen);
  useEffect(() => {
    seen.current = onSeen;
  });
  useEffect(() => {
    if (mark.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) seen.current();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={mark} className="end-mark" />;
}
