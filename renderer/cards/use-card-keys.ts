import { type RefObject, useEffect, useRef } from "react";
import { restartAll } from "./use-press-filter.ts";

/** Keys that press a button of the card that has the focus, or of the first one. The same letters as in the terminal. */
export const CARD_KEYS = ["d", "m", "a", "s", "e"] as const;

/** What the window does for a key that it shares with the cards: `event.detail` is the key. */
export const WINDOW_KEY_EVENT = "metnos-key";
const WINDOW_KEYS: readonly string[] = ["p"];

const FIELDS = "input, textarea, select, [contenteditable], dialog";

/** One letter, without a button in between. What a press does passes the same filter as a click: nothing counts too soon. */
export function useCardKeys(stack: RefObject<HTMLElement | null>, onHelp: () => void): void {
  const help = useRef(onHelp);
  useEffect(() => {
    help.current = onHelp;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const element = event.target instanceof Element ? event.target : null;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
      if (stack.current === null || element?.closest(FIELDS) || document.querySelector("dialog[open]")) return;
      if (!act(event.key, stack.current, help.current)) return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [stack]);
}

/** Returns whether the key means something. */
function act(key: string, stack: HTMLElement, onHelp: () => void): boolean {
  if (key === "?") onHelp();
  else if (key === "j" || key === "k") step(stack, key === "j" ? 1 : -1);
  else if (WINDOW_KEYS.includes(key)) window.dispatchEvent(new CustomEvent(WINDOW_KEY_EVENT, { detail: key }));
  else if ((CARD_KEYS as readonly string[]).includes(key)) press(key, cardAt(stack));
  else return false;
  return true;
}

function press(key: string, card: HTMLElement | undefined): void {
  const button = card?.querySelector<HTMLButtonElement>(`[data-key="${key}"]`);
  if (card === undefined || button === null || button === undefined) return;
  if (!button.disabled) {
    button.click();
    return;
  }
  // Not everything was on the screen: there.
  const unread = card.querySelector<HTMLElement>(".hero .scrolls, .bundle-list");
  unread?.focus();
  unread?.scrollIntoView({ block: "nearest" });
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
