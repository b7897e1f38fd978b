import type { Locator, Page } from "playwright-core";
import { PRESS_DELAY_MS } from "../../ipc/words/press-delay.ts";

/** What a test does with cards on a page whose clock is stopped. */

/** Long enough for every card to have settled, its last move noticed. */
export async function settle(page: Page): Promise<void> {
  await page.clock.runFor(PRESS_DELAY_MS + 200);
}

/** A click after the press delay. */
export async function press(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded(); // scrolling moves the card
  await settle(button.page());
  await button.click();
}

/** Scrolls a card's parts from their beginning to their end, so that every line of them is on the screen once. */
export async function readAll(card: Locator): Promise<void> {
  for (const part of await card.locator(".hero .scrolls").all()) {
    await part.scrollIntoViewIfNeeded();
    await part.evaluate(async (element) => {
      const box = element as unknown as Scroller;
      const goesTo = async (top: number) => {
        const before = box.scrollTop;
        const moved = new Promise((done) => box.addEventListener("scroll", done, { once: true }));
        box.scrollTop = top;
        if (box.scrollTop === before) return false;
        await moved;
        return true;
      };
      await goesTo(0);
      while (await goesTo(box.scrollTop + box.clientHeight - 60));
    });
  }
}

interface Scroller {
  scrollTop: number;
  clientHeight: number;
  addEventListener(name: string, listener: (event: unknown) => void, options: { once: true }): void;
}

export function cards(page: Page): Locator {
  return page.getByRole("article");
}

export function card(page: Page, question: string | RegExp): Locator {
  return cards(page).filter({ has: page.getByRole("heading", { name: question }) });
}

/** The card of one request: no other one, however much it looks like it. */
export function cardOf(page: Page, token: string): Locator {
  return page.locator(`article[data-token="${token}"]`);
}

/** The name of what has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = (globalThis as never as { document: { activeElement: Focusable | null } }).document;
    // The key that presses it is drawn in a button, and no part of its name.
    const key = activeElement?.querySelector(".key")?.textContent ?? "";
    const text = activeElement?.textContent ?? "";
    return activeElement?.getAttribute("aria-label") ?? text.slice(0, text.length - key.length);
  });
}

interface Focusable {
  getAttribute(name: string): string | null;
  textContent: string | null;
  querySelector(selector: string): { textContent: string | null } | null;
}
