import type { RefObject } from "react";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { READ_ON } from "./read-to-end.tsx";
import { restartAll } from "./use-press-filter.ts";

/**
 * Keys that press a button of the card that has the focus, or of the first one: the same letters as in the terminal. What a press does
 * passes the same filter as a click: nothing counts too soon.
 */
export function useCardKeys(stack: RefObject<HTMLElement | null>): void {
  const words = useWords(cardWords);
  const { title, pressing, next, previous } = words.keys;
  const on = (act: (stack: HTMLElement) => void) => () => {
    // While the gate is away nothing of it can be pressed.
    if (stack.current !== null && stack.current.closest("[inert]") === null) act(stack.current);
  };
  useShortcuts(
    [
      ...Object.entries(pressing).map(([key, says]) => ({
        key,
        says,
        shown: key.toUpperCase(),
        run: on((cards) => press(key, cardAt(cards))),
      })),
      { key: "j", shown: "J", says: next, run: on((cards) => step(cards, 1)) },
      { key: "k", shown: "K", says: previous, run: on((cards) => step(cards, -1)) },
    ],
    title,
  );
}

function press(key: string, card: HTMLElement | undefined): void {
  const button = card?.querySelector<HTMLButtonElement>(`[data-key="${key}"]`);
  if (card === undefined || button === null || button === undefined) return;
  if (!button.disabled) {
    button.click();
    return;
  }
  scrollOn(card);
}

/** A part of a page of what scrolls stays in sight, in pixels. */
const KEPT_IN_SIGHT = 40;

/** Not all that is asked about was on the screen: on to what wasn't. */
function scrollOn(card: HTMLElement): void {
  const unread = card.querySelector<HTMLElement>(
    ".hero .scrolls[data-unread=true], .bundle-list.scrolls[data-unread=true]",
  );
  if (unread === null) {
    scrollPage(card);
    return;
  }
  const before = unread.getBoundingClientRect();
  const isInSight = before.top >= 0 && before.bottom <= window.innerHeight;
  unread.focus({ preventScroll: true });
  unread.scrollIntoView({ block: "nearest" });
  if (isInSight) unread.dispatchEvent(new Event(READ_ON));
}

/** A page of the window further, at most to where the thing itself ends, above the answers. */
function scrollPage(card: HTMLElement): void {
  const scroller = card.closest<HTMLElement>(".pane") ?? document.documentElement;
  const end = card.querySelector(".hero > .end-mark, .bundle-list > .end-mark")?.getBoundingClientRect().bottom ?? 0;
  const answers = card.querySelector<HTMLElement>("[data-answers]")?.offsetHeight ?? 0;
  const bottom = Math.min(window.innerHeight, scroller.getBoundingClientRect().top + scroller.clientHeight);
  const page = scroller.clientHeight - answers - KEPT_IN_SIGHT;
  scroller.scrollBy({ top: Math.min(page, end - bottom + answers + KEPT_IN_SIGHT) });
}

/** To the next card's Deny. Other keys of it count once it has been there for a moment. */
function step(stack: HTMLElement, by: 1 | -1): void {
  const cards = cardsOf(stack);
  const current = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[current === -1 ? 0 : Math.min(cards.length - 1, Math.max(0, current + by))];
  if (next === undefined || next === cards[current]) return;
  next.scrollIntoView({ block: "nearest" });
  restartAll();
  next.querySelector<HTMLElement>("[data-deny]")?.focus({ preventScroll: true });
}

function cardAt(stack: HTMLElement): HTMLElement | undefined {
  const cards = cardsOf(stack);
  return cards.find((card) => card.contains(document.activeElement)) ?? cards[0];
}

function cardsOf(stack: HTMLElement): HTMLElement[] {
  return [...stack.querySelectorAll<HTMLElement>("article")];
}
