import { setTimeout as passing } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { PRESS_DELAY_MS } from "../../ipc/words/press-delay.ts";
import { card, cards } from "./card-page.ts";

/** An operator at the page, on the real clock: in whichever home it runs. */

/** Longer than presses are ignored after a card appeared or moved. */
const SETTLED_MS = PRESS_DELAY_MS + 300;
/** A click waits for its button to be still and drawn: on a machine that is busy with something else it takes seconds. */
const CLICK_MS = 5000;

/** Waits until no card has moved for longer than presses are ignored: by the page's own clock. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const places = () =>
      JSON.stringify([...document.querySelectorAll("article, article [data-answers]")].map((one) => one.getBoundingClientRect()));
    let [last, since] = [places(), performance.now()];
    const timer = setInterval(() => {
      const now = places();
      if (now !== last) [last, since] = [now, performance.now()];
      if (performance.now() - since < ${SETTLED_MS}) return;
      clearInterval(timer);
      resolve();
    }, 50);
  })`);
}

/** Presses what may be pressed too early on a slow machine: again, until `done` has happened. */
export async function pressUntil<T>(button: Locator, done: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = done.then((value) => {
    isDone = true;
    return value;
  });
  while (!isDone) {
    await Promise.race([ended, passing(SETTLED_MS)]);
    if (!isDone && (await button.isVisible())) await button.click({ timeout: CLICK_MS }).catch(() => undefined); // removed meanwhile
    await Promise.race([ended, passing(SETTLED_MS)]);
  }
  return await ended;
}

/** Approves the write that waits, for `folder` and below, for 30 days. `final` waits for the agent's answer. */
export async function approveFolder<T>(page: Page, folder: string, final: () => Promise<T>): Promise<T> {
  await page.bringToFront(); // a page behind another one isn't drawn
  const asking = card(page, "May I write?");
  await asking.getByRole("button", { name: "Allow more …" }).click();
  await asking.getByRole("radio", { name: "This folder and below", exact: true }).check();
  await asking.getByRole("radio", { name: "30 days" }).check();
  await asking
    .getByRole("listitem")
    .filter({ hasText: `writing ${folder}/**` })
    .waitFor();
  return await pressUntil(asking.getByRole("button", { name: "Approve and remember" }), final());
}

/** The only grant, as its table shows it. */
export async function onlyGrant(page: Page): Promise<string> {
  await page.bringToFront();
  await page.getByRole("link", { name: "Grants" }).click();
  const rows = page.locator(".grant-row:has([role=cell].target)");
  await rows.first().waitFor();
  if ((await rows.count()) !== 1) throw new Error("there is more than one grant");
  return (await rows.innerText()).replaceAll("\n", " ");
}

/** Takes the only grant back, in the table. */
export async function revokeOnly(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Revoke the grant/ }).click();
  await page.getByText("Revoked.").waitFor();
}

/** When the page removed its last card, by this machine's clock (milliseconds). Starts to watch now. */
export async function lastCardGone(page: Page): Promise<{ at: Promise<number> }> {
  await cards(page).first().waitFor();
  const seen = page.evaluate<number>(`new Promise((resolve) => {
    globalThis.is_looking = true;
    const look = () => {
      if (document.querySelector("article") !== null) return;
      observer.disconnect();
      resolve(Date.now());
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
  })`);
  await page.waitForFunction("globalThis.is_looking === true", undefined, { polling: 20 });
  return { at: seen };
}

/** A call that writes one file. */
export function write(file: string) {
  return { executor: "Write", intent: "write a file", args: { file_path: file, content: "text" } };
}
