import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { cardOf, cards, focused, press, settle } from "../../support/card-page.ts";
import { cardKind, operatorWith, readOf } from "../../support/card-views.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const REPEATED = { count: 40, seconds: 60 };

describe.skipIf(NO_BROWSER !== null)("a call that is made again and again", () => {
  it("is asked about as such: to stop it has the focus, to let it continue approves it once, and nothing is wider", async () => {
    const gate = await startGate();
    // This kind offers a wider answer and says why, were it not repeated.
    const view = { ...cardKind("fetch"), repeated: REPEATED };
    const operator = operatorWith(gate.operator, [view, { ...view, token: "b".repeat(16) }]);
    const { page } = await openPage(operator, { browser: browser(), standsStill: true });
    const card = cardOf(page, view.token);
    await card.getByRole("heading", { name: "The same call 40 times in a minute. Stop it?" }).waitFor();
    await card.getByText("rates.example.net").first().waitFor();
    await card.locator(".asked").getByText("download", { exact: true }).waitFor();
    expect(await card.locator("[data-answers] button").allTextContents()).toEqual(["Stop itD", "Let it continueA"]);
    expect(await card.getByText("You approved this").count()).toBe(0);
    expect(await focused(page)).toBe("Stop it");
    for (const key of ["m", "s"]) await page.keyboard.press(key);
    expect(
      (await page.getByRole("textbox").count()) + (await page.getByRole("radio", { name: "1 hour" }).count()),
    ).toBe(0);
    await press(card.getByRole("button", { name: "Let it continue" }));
    await press(cardOf(page, "b".repeat(16)).getByRole("button", { name: "Stop it" }));
    await expect
      .poll(() => operator.answers)
      .toEqual([
        { token: view.token, decision: "approved" },
        { token: "b".repeat(16), decision: "rejected" },
      ]);
  });

  it("what was allowed once a moment ago asks this anew: a press for the one doesn't answer the other", async () => {
    const gate = await startGate();
    const view = cardKind("read");
    const operator = operatorWith(gate.operator, [view]);
    const { page } = await openPage(operator, { browser: browser(), standsStill: true });
    const card = cardOf(page, view.token);
    await card.getByRole("button", { name: "Deny, and say why" }).waitFor();
    await settle(page);
    await card.getByRole("button", { name: "Deny, and say why" }).click();
    operator.appear({ ...view, repeated: REPEATED });
    const yes = card.getByRole("button", { name: "Let it continue" });
    await yes.click();
    await card.getByText("That didn't count").waitFor();
    expect(operator.answers).toEqual([]);
    await press(yes);
    await expect.poll(() => operator.answers).toEqual([{ token: view.token, decision: "approved" }]);
  });

  it("it is no part of a bundle", async () => {
    const gate = await startGate();
    const reads = Array.from({ length: 8 }, (_, index) => ({ ...readOf(`/srv/${index}`), token: String(index) }));
    const views = reads.map((view, index) => (index === 3 ? { ...view, repeated: REPEATED } : view));
    const { page } = await openPage(operatorWith(gate.operator, views), { browser: browser() });
    await cards(page).nth(1).waitFor();
    expect(await cards(page).count()).toBe(2);
    await page.getByRole("heading", { name: "claude-code asks 7 things" }).waitFor();
  });
});

describe.skipIf(NO_BROWSER !== null)("a call with a price", () => {
  it.each([
    ["en", "costs about 0.17 USD"],
    ["it", "costa circa 0,17 USD"],
  ] as const)("says it as a quiet fact: %s", async (language, text) => {
    const gate = await startGate();
    await gate.operator.call("settings.set", { key: "language", value: language });
    const view = { ...cardKind("read"), price: { amount: 0.17, currency: "USD", is_estimated: true } };
    const { page } = await openPage(operatorWith(gate.operator, [view]), { browser: browser() });
    const why = page.locator("article .why");
    await why.filter({ hasText: text }).waitFor();
    expect(await why.getAttribute("class")).toContain("quiet");
    expect(await seriousProblems(page)).toEqual([]);
  });
});

describe.skipIf(NO_BROWSER !== null)("where a request was answered", () => {
  it("is said as it ends, and by an address that still names it", async () => {
    const gate = await startGate();
    const views = ["telegram", "page"].map((name) => ({ ...cardKind("read"), token: name }));
    const operator = operatorWith(gate.operator, views);
    const { page } = await openPage(operator, { browser: browser() });
    await cards(page).nth(1).waitFor();
    operator.end("telegram", { status: "approved", decision_surface: "telegram" });
    await page.getByText("Approved in Telegram: read").waitFor();
    expect(await page.getByText("Approved elsewhere").count()).toBe(0);
    // Another page is no other place than this one.
    operator.end("page", { status: "rejected", decision_surface: "page" });
    await page.getByText("Denied elsewhere: read").waitFor();
    expect(await page.getByText("Denied in").count()).toBe(0);
  });
});
