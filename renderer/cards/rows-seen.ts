import { type RefObject, useEffect, useRef } from "react";

/** Which rows of a text were on the screen, each to its last pixel: a yes is for what was seen, wherever the text began. */

/** Pixels that may be missing at a row's edges: half ones are rounded. */
const TOLERANCE = 2;

/** From where to where of a row's height, of 1. */
type Part = readonly [from: number, to: number];

export class RowsSeen {
  readonly #count: number;
  readonly #parts = new Map<number, readonly Part[]>();
  readonly #whole = new Set<number>();

  constructor(count: number) {
    this.#count = count;
  }

  get isAll(): boolean {
    return this.#whole.size >= this.#count;
  }

  has(row: number): boolean {
    return this.#whole.has(row);
  }

  /** The first row from this one on that wasn't seen whole; -1: none. */
  firstUnseen(from: number): number {
    for (let row = from; row < this.#count; row++) if (!this.#whole.has(row)) return row;
    return -1;
  }

  /** How much of a row was seen from its beginning without a gap, of 1. */
  seenOf(row: number): number {
    return this.#whole.has(row) ? 1 : (this.#parts.get(row)?.find(([from]) => from <= 0)?.[1] ?? 0);
  }

  /** So much of a row is on the screen. @param tolerance of 1 */
  add(row: number, part: Part, tolerance: number): void {
    if (row >= this.#count || this.#whole.has(row)) return;
    const [first, ...others] = [...(this.#parts.get(row) ?? []), part].toSorted((a, b) => a[0] - b[0]);
    const joined: Part[] = first === undefined ? [] : [first];
    for (const one of others) {
      const last = joined.at(-1) ?? one;
      if (one[0] <= last[1]) joined.splice(-1, 1, [last[0], Math.max(last[1], one[1])]);
      else joined.push(one);
    }
    this.#parts.set(row, joined);
    if (!joined.some(([from, to]) => from <= tolerance && to >= 1 - tolerance)) return;
    this.#whole.add(row);
    this.#parts.delete(row);
  }
}

interface Shown {
  seen: RowsSeen;
  /** Each row that is in the document, by its number. */
  rows(): Iterable<readonly [number, Element]>;
}

/**
 * Looks at what of the rows is on the screen, as long as not all of it was.
 * @param box holds the rows, and clips them where it scrolls
 * @param onLook after each look
 */
export function useRowsSeen(box: RefObject<HTMLElement | null>, shown: Shown | null, onLook: () => void): void {
  const looked = useRef({ shown, onLook });
  useEffect(() => {
    looked.current = { shown, onLook };
  });
  const isWatched = shown !== null;
  useEffect(() => {
    const element = box.current;
    if (element === null || !isWatched) return;
    const look = () => {
      const { shown, onLook } = looked.current;
      if (shown === null || shown.seen.isAll || document.visibilityState === "hidden") return;
      lookAt(element, shown);
      onLook();
    };
    // Whatever scrolls around it, too.
    window.addEventListener("scroll", look, { capture: true, passive: true });
    document.addEventListener("visibilitychange", look);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    // Rows of a long text are made as they come into sight.
    const made = new MutationObserver(look);
    made.observe(element, { childList: true, subtree: true });
    const places = new IntersectionObserver(look, { threshold: STEPS });
    places.observe(element);
    return () => {
      window.removeEventListener("scroll", look, { capture: true });
      document.removeEventListener("visibilitychange", look);
      sizes.disconnect();
      made.disconnect();
      places.disconnect();
    };
  }, [box, isWatched]);
}

const STEPS = Array.from({ length: 21 }, (_, at) => at / 20);

function lookAt(box: HTMLElement, { seen, rows }: Shown): void {
  const [top, bottom] = sightOf(box);
  if (bottom <= top) return;
  for (const [row, element] of rows()) {
    if (seen.has(row)) continue;
    const rect = element.getBoundingClientRect();
    const [from, to] = [Math.max(top, rect.top), Math.min(bottom, rect.bottom)];
    if (rect.height <= 0 || to <= from) continue;
    const of = (at: number) => (at - rect.top) / rect.height;
    seen.add(row, [of(from), of(to)], TOLERANCE / rect.height);
  }
}

/** From where to where of the window something in this box can be seen: not below the card's answers, which stay in sight. */
function sightOf(box: HTMLElement): Part {
  const around = [box, box.closest(".bundle-list"), box.closest(".pane")].flatMap(
    (one) => one?.getBoundingClientRect() ?? [],
  );
  const answers = box.closest("article")?.querySelector("[data-answers]")?.getBoundingClientRect();
  const bottoms = [window.innerHeight, ...around.map(({ bottom }) => bottom)];
  return [
    Math.max(0, ...around.map(({ top }) => top)),
    Math.min(...bottoms, answers === undefined || answers.height === 0 ? Number.POSITIVE_INFINITY : answers.top),
  ];
}
