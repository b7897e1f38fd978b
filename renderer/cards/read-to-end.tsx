import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { EndMark } from "./EndMark.tsx";
import { RowsSeen, useRowsSeen } from "./rows-seen.ts";

/** The parts of a card that must have been on the screen, whole, before it can be approved. */

/**
 * `end`: its end was, and not all that is above. As the last of it is seen no press counts for a moment: whoever presses on to read must
 * not have approved with the press after that.
 */
export type Seen = "no" | "end" | "whole";

interface Ends {
  add(id: string): void;
  remove(id: string): void;
  seen(id: string, how: Seen): void;
}

const EndsContext = createContext<Ends | null>(null);

interface Reading {
  /** Every part, and how much of it was on the screen. */
  parts: ReadonlyMap<string, Seen>;
}

/** `seen`: of all parts together. */
export function useReading(): { seen: Seen; ends: Ends } {
  const [{ parts }, setReading] = useState<Reading>({ parts: new Map() });
  const ends = useMemo((): Ends => {
    const change = (step: (parts: Map<string, Seen>) => void) =>
      setReading((before) => {
        const parts = new Map(before.parts);
        step(parts);
        return { parts };
      });
    return {
      add: (id) => change((parts) => parts.set(id, "no")),
      remove: (id) => change((parts) => parts.delete(id)),
      seen: (id, how) => change((parts) => parts.has(id) && parts.set(id, how)),
    };
  }, []);
  const all = [...parts.values()];
  return { seen: all.length === 0 || all.includes("no") ? "no" : all.includes("end") ? "end" : "whole", ends };
}

export function EndsProvider({ ends, children }: { ends: Ends | null; children: ReactNode }) {
  return <EndsContext value={ends}>{children}</EndsContext>;
}

/** The event that moves a part to what of it wasn't seen yet. */
export const READ_ON = "read-on";

/** Whether what is rendered here must be read before an approval. */
export function useMustBeRead(): boolean {
  return useContext(EndsContext) !== null;
}

/** The end of a part: placed after it. Outside of a card that is read it does nothing. */
export function PartEnd() {
  const ends = useContext(EndsContext);
  const id = usePart(ends);
  return ends === null ? null : <EndMark onSeen={() => ends.seen(id, "whole")} />;
}

/** A part of so many rows, which begins and ends anywhere: each of them must be seen. Outside of a card that is read none must. */
export function useRowsRead(
  box: RefObject<HTMLElement | null>,
  count: number,
  rows: () => Iterable<readonly [number, Element]>,
): { seen: Seen; rowsSeen: RowsSeen } {
  const ends = useContext(EndsContext);
  const id = usePart(ends);
  const rowsSeen = useMemo(() => new RowsSeen(count), [count]);
  const [seen, setSeen] = useState<Seen>("no");
  const said = useRef<Seen>("no");
  useRowsSeen(box, ends === null ? null : { seen: rowsSeen, rows }, () => {
    const now: Seen = rowsSeen.isAll ? "whole" : rowsSeen.has(count - 1) ? "end" : "no";
    if (now === said.current) return;
    said.current = now;
    setSeen(now);
    ends?.seen(id, now);
  });
  return { seen, rowsSeen };
}

function usePart(ends: Ends | null): string {
  const id = useId();
  useLayoutEffect(() => {
    ends?.add(id);
    return () => ends?.remove(id);
  }, [ends, id]);
  return id;
}

/** What the key that approves does as long as not all was seen: the next row that wasn't, at the top. */
export function useReadingOn(box: RefObject<HTMLElement | null>, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const element = box.current;
    const listener = () => latest.current();
    element?.addEventListener(READ_ON, listener);
    return () => element?.removeEventListener(READ_ON, listener);
  }, [box]);
}

/** A part of what was seen stays in sight, in pixels. */
const KEPT_IN_SIGHT = 20;

export function readOn(
  box: HTMLElement | null,
  rows: readonly (readonly [number, Element])[],
  count: number,
  seen: RowsSeen,
): void {
  if (box === null) return;
  const bottom = box.getBoundingClientRect().bottom;
  const below = rows.find(([, row]) => row.getBoundingClientRect().bottom > bottom + 1)?.[0] ?? count;
  const ahead = seen.firstUnseen(below);
  const index = ahead === -1 ? seen.firstUnseen(0) : ahead;
  if (index === -1) return;
  const row = rows.find(([number]) => number === index)?.[1];
  const height = row?.getBoundingClientRect().height ?? 0;
  const top = row === undefined ? (index / count) * box.scrollHeight : offsetIn(box, row) + height * seen.seenOf(index);
  box.scrollTop = top - KEPT_IN_SIGHT;
}

export const offsetIn = (box: HTMLElement, row: Element): number =>
  row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
