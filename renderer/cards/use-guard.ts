import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { AnswerGuard } from "./guard.ts";

/** Where the cards stand is looked at this often, and at each press. */
const LOOK_MS = 100;
const NOTICE_MS = 3000;

/** Every card on the page, looked at by one timer while there is one. */
const looked = new Set<() => void>();
const guards = new Set<AnswerGuard>();
let timer: ReturnType<typeof setInterval> | undefined;

function look(card: () => void, guard: AnswerGuard): () => void {
  looked.add(card);
  guards.add(guard);
  if (timer === undefined) {
    timer = setInterval(() => {
      for (const one of looked) one();
    }, LOOK_MS);
    document.addEventListener("visibilitychange", settleAll);
    window.addEventListener("focus", keysArrived);
  }
  return () => {
    looked.delete(card);
    guards.delete(guard);
    if (looked.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener("visibilitychange", settleAll);
    window.removeEventListener("focus", keysArrived);
  };
}

/** All cards begin anew: the window was shown, or the focus was put on one of them. */
export function settleAll(): void {
  for (const guard of guards) guard.moved(performance.now());
}

function keysArrived(): void {
  for (const guard of guards) guard.keysArrived(performance.now());
}

export interface Guarded {
  /** Spread on the card: it sees where each press begins. */
  presses: { onPointerDownCapture(): void; onKeyDownCapture(event: { repeat: boolean }): void };
  /** Wraps what an answer does; a press too soon is told (`was_too_soon`) and does nothing. */
  answers(action: () => void): (event: { detail: number }) => void;
  was_too_soon: boolean;
}

/**
 * The guard of the card in `card`. Every button that answers goes through `answers`.
 * @param shape changes when the card shows other buttons than before
 */
export function useGuard(card: RefObject<HTMLElement | null>, shape: string): Guarded {
  const held = useRef<AnswerGuard | null>(null);
  held.current ??= new AnswerGuard(performance.now());
  const guard = held.current;
  const [was_too_soon, setTooSoon] = useState(false);

  const lookNow = useCallback(() => {
    if (card.current !== null) guard.standsAt(placeOf(card.current), performance.now());
  }, [card, guard]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another shape is a move, though the card's box stays the same
  useLayoutEffect(() => guard.moved(performance.now()), [guard, shape]);
  useEffect(() => look(lookNow, guard), [lookNow, guard]);
  useEffect(() => {
    if (!was_too_soon) return;
    const end = setTimeout(() => setTooSoon(false), NOTICE_MS);
    return () => clearTimeout(end);
  }, [was_too_soon]);

  return {
    was_too_soon,
    presses: {
      onPointerDownCapture: () => {
        lookNow();
        guard.pressed(performance.now(), false);
      },
      onKeyDownCapture: ({ repeat }) => {
        lookNow();
        guard.pressed(performance.now(), repeat);
      },
    },
    answers: (action) => (event) => {
      lookNow();
      // A click that a key made has no count of clicks.
      const counts = guard.counts(performance.now(), event.detail === 0 ? "keys" : "pointer");
      setTooSoon(!counts);
      if (counts) action();
    },
  };
}

/** The card's box and its answers', as one text. */
function placeOf(card: HTMLElement): string {
  return [card, card.querySelector("[data-answers]")]
    .map((element) => {
      const box = element?.getBoundingClientRect();
      return box === undefined
        ? ""
        : [box.left, box.top, box.width, box.height].map((length) => Math.round(length)).join(",");
    })
    .join(" ");
}
