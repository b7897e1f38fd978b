import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { cards, focused, settle } from "../../support/card-page.ts";
import { type CardsOperator, cardKind, operatorWith, readOf } from "../../support/card-views.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

const TOKENS = ["a", "b", "c"].map((letter) => letter.repeat(16));
const [FIRST = "", SECOND = "", THIRD = ""] = TOKENS;

describe.skipIf(NO_BROWSER !== null)("cards by keys, and where they are", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function three(names = TOKENS.map(() => "read")): Promise<{ page: Page; operator: CardsOperator }> {
    const gate = await startGate();
    const now = Date.now();
    const views = names.map((name, index) => ({
      ...cardKind(name),
      token: TOKENS[index] ?? "",
      expires_at: new Date(now + 300_000 + index * 1000).toISOString(),
    }));
    const operator = operatorWith(gate.operator, views);
    const { page } = await openPage(operator, { browser, standsStill: true, height: 1400 });
    await cards(page)
      .nth(names.length - 1)
      .waitFor();
    await settle(page);
    return { page, operator };
  }

  const at = (page: Page, token: string): Locator => page.locator(`[data-token="${token}"]`);
  const positions = (page: Page) =>
    page.evaluate<Record<string, number>>(
      `Object.fromEntries([...document.querySelectorAll("[data-token]")].map((one) => [one.dataset.token, one.getBoundingClientRect().y]))`,
    );

  it("d denies, a approves once, s gives the wider answer, m asks why; each answers the card with the focus", async () => {
    const { page, operator } = await three();
    await page.keyboard.press("d");
    await at(page, FIRST).waitFor({ state: "detached" });
    await settle(page);
    await page.keyboard.press("s");
    await at(page, SECOND).waitFor({ state: "detached" });
    await settle(page);
    await page.keyboard.press("m");
    await page.getByLabel("Why not?").waitFor();
    await page.keyboard.type("das?");
    expect(await page.getByLabel("Why not?").inputValue()).toBe("das?");
    await page.keyboard.press("Escape");
    await page.getByLabel("Why not?").waitFor({ state: "detached" });
    await settle(page);
    await page.keyboard.press("a");
    await at(page, THIRD).waitFor({ state: "detached" });
    expect(operator.answers).toEqual([
      { token: FIRST, decision: "rejected" },
      { token: SECOND, decision: "approved", scope: "session", reach: "tree", target: "/srv/website/src/**" },
      { token: THIRD, decision: "approved" },
    ]);
  });

  it("no key counts in the first 500 ms, none that is held, none with Ctrl, and none for what wasn't read", async () => {
    const { page, operator } = await three(["long script", "read"]);
    for (const key of ["a", "Control+a", "Control+d"]) await page.keyboard.press(key);
    expect(await focused(page)).toBe("The command, 55 lines"); // there is what must be read first
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    for (const key of ["d", "a", "s"]) await page.keyboard.press(key);
    await page.getByText("That didn't count").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.down("a");
    await settle(page);
    await page.keyboard.down("a"); // repeats
    await page.keyboard.up("a");
    expect(operator.answers).toEqual([]);
    await settle(page);
    await page.keyboard.press("a");
    await at(page, SECOND).waitFor({ state: "detached" });
    expect(operator.answers.map(({ token }) => token)).toEqual([SECOND]);
  });

  it("j and k go from card to card, e shows everything, ? lists all keys; Escape closes and answers nothing", async () => {
    const { page, operator } = await three();
    const holder = () => page.evaluate<string>("document.activeElement.closest('article')?.dataset.token ?? ''");
    const seen = [await holder()];
    for (const key of ["j", "j", "j", "k"]) {
      await page.keyboard.press(key);
      seen.push(await holder());
    }
    expect(seen).toEqual([FIRST, SECOND, THIRD, THIRD, SECOND]);
    await page.keyboard.press("e");
    await at(page, SECOND).getByText("score 0.70").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("deny, and say why").waitFor();
    await settle(page);
    await page.keyboard.press("d");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    expect(operator.answers).toEqual([]);
  });

  it("Deny shows that it has the focus, after a mouse, a key and a focus of the page's own", async () => {
    const { page, operator } = await three();
    const ring = async (token: string) => {
      await at(page, token).getByRole("button", { name: "Deny", exact: true }).and(page.locator(":focus")).waitFor();
      return await page.evaluate<string>(
        "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth",
      );
    };
    expect(await ring(FIRST)).toBe("solid2px"); // the page's own
    await at(page, FIRST).getByText("May I read?").click();
    await at(page, FIRST).getByRole("button", { name: "Approve once" }).click();
    await at(page, FIRST).waitFor({ state: "detached" });
    expect(await ring(SECOND)).toBe("solid2px"); // after a mouse
    await page.keyboard.press("j");
    expect(await ring(THIRD)).toBe("solid2px");
    expect(operator.answers).toHaveLength(1);
  });

  it("no card moves while another one ends or a new one comes", async () => {
    const { page, operator } = await three(["edit", "read", "command with a hazard"]);
    const before = await positions(page);
    operator.end(FIRST, { status: "rejected" });
    await at(page, FIRST).waitFor({ state: "detached" });
    operator.end(SECOND, { status: "cancelled" });
    await at(page, SECOND).waitFor({ state: "detached" });
    operator.appear({
      ...readOf("/srv/other"),
      token: "d".repeat(16),
      agent_name: "codex",
      expires_at: new Date().toISOString(),
    });
    await at(page, "d".repeat(16)).waitFor();
    await page.clock.runFor(12_000);
    expect((await positions(page))[THIRD]).toBe(before[THIRD]);
  });

  it("what ended is in one strip at the window's bottom, newest first", async () => {
    const { page, operator } = await three();
    operator.end(FIRST, { status: "rejected" });
    await at(page, FIRST).waitFor({ state: "detached" });
    await page.clock.runFor(100);
    operator.end(SECOND, { status: "expired" });
    await page.getByText("Expired, nobody answered in time").waitFor();
    const lines = await page.locator(".ended-strip .ended").allInnerTexts();
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["Expired,", "Denied"]);
    expect(await page.locator(".stack .ended").count()).toBe(0);
    const box = await page.locator(".ended-strip").boundingBox();
    expect(1400 - ((box?.y ?? 0) + (box?.height ?? 0))).toBeLessThan(20);
  });

  it("an answer from here closes the places that are empty: the next card is where it was pressed", async () => {
    const { page, operator } = await three();
    const before = await positions(page);
    operator.end(FIRST, { status: "rejected" });
    await at(page, FIRST).waitFor({ state: "detached" });
    await settle(page);
    await at(page, SECOND).getByRole("button", { name: "Deny", exact: true }).click();
    await at(page, SECOND).waitFor({ state: "detached" });
    expect((await positions(page))[THIRD]).toBe(before[FIRST]);
  });

  it("what was approved often is proposed until tonight, and says so", async () => {
    const { page, operator } = await three(["fetch"]);
    await page.getByText("reads only · You approved this 3 times.").waitFor();
    await page.getByRole("button", { name: "Allow rates.example.net, today" }).click();
    await at(page, FIRST).waitFor({ state: "detached" });
    expect(operator.answers).toEqual([
      {
        token: FIRST,
        decision: "approved",
        scope: "permanent",
        reach: "host",
        target: "rates.example.net",
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
  });
});
