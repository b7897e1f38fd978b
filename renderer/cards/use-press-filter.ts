import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { PressFilter } from "./press-filter.ts";

/** The cards' positions are checked this often, and at each press. */
const CHECK_MS = 100;
const NOTICE_MS = 3000;

/** Every card on the page, checked by one timer while there is one. */
const checks = new Set<() => void>();
const filters = new Set<PressFilter>();
let timer: ReturnType<typeof setInterval> | undefined;

function watchPosition(check: () => void, filter: PressFilter): () => void {
  checks.add(check);
  filters.add(filter);
  if (timer === undefined) {
    timer = setInterval(() => {
      for (const check of checks) check();
    }, CHECK_MS);
    document.addEventListener("visibilitychange", restartAll);
    window.addEventListener("focus", keysArrived);
  }
  return () => {
    checks.delete(check);
    filters.delete(filter);
    if (checks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener("visibilitychange", restartAll);
    window.removeEventListener("focus", keysArrived);
  };
}

/** Restarts the delay of all cards: the window was shown, or the focus was put on one of them. */
export function restartAll(): void {
  for (const filter of filters) filter.moved(performance.now());
}

function keysArrived(): void {
  for (const filter of filters) filter.keysArrived(performance.now());
}

export interface FilteredPresses {
  /** Spread on the card: it sees where each press begins. */
  presses: { onPointerDownCapture(): void; onKeyDownCapture(event: { repeat: boolean }): void };
  /** Wraps what an answer does; a press too soon is reported (`wasTooSoon`) and does nothing. */
  answers(action: () => void): (event: { detail: number }) => void;
  wasTooSoon: boolean;
}

/**
 * The filter of the card in `card`. Every button that answers goes through `answers`.
 * @param shape changes when the card shows other buttons than before
 */
export function usePressFilter(card: RefObject<HTMLElement | null>, shape: string): FilteredPresses {
  const held = useRef<PressFilter | null>(null);
  held.current ??= new PressFilter(performance.now());
  const filter = held.current;
  const [wasTooSoon, setTooSoon] = useState(false);

  const lookNow = useCallback(() => {
    if (card.current !== null) filter.setPosition(positionOf(card.current), performance.now());
  }, [card, filter]);

  // Its first position is known before anything can move it: the timer may come late.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another shape is a move, though the card's box stays the same
  useLayoutEffect(() => {
    filter.moved(performance.now());
    lookNow();
  }, [filter, lookNow, shape]);
  useEffect(() => watchPosition(lookNow, filter), [lookNow, filter]);
  useEffect(() => {
    if (!wasTooSoon) return;
    const end = setTimeout(() => setTooSoon(false), NOTICE_MS);
    return () => clearTimeout(end);
  }, [wasTooSoon]);

  return {
    wasTooSoon,
    presses: {
      onPointerDownCapture: () => {
        lookNow();
        filter.pressed(performance.now(), false);
      },
      onKeyDownCapture: ({ repeat }) => {
        lookNow();
        filter.pressed(performance.now(), repeat);
      },
    },
    answers: (action) => (event) => {
      lookNow();
      // A click that a key made has no count of clicks.
      const isAccepted = filter.accepts(performance.now(), event.detail === 0 ? "keys" : "pointer");
      setTooSoon(!isAccepted);
      if (isAccepted) action();
    },
  };
}

/** The card's box and its answers', as one text. */
function positionOf(card: HTMLElement): string {
  return [card, card.querySelector("[data-answers]")]
    .map((element) => {
      const box = element?.getBoundingClientRect();
      return box === undefined
        ? ""
        : [box.left, box.top, box.width, box.height].map((length) => Math.round(length)).join(",");
    })
    .join(" ");
}
