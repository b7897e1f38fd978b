import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { cards, focused, settle } from "../../support/card-page.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("with the keyboard alone", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function oneCard(at = "approvals") {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true, at });
    const agent = await gate.agent();
    const asked = await agent.ask({
      executor: "Write",
      args: { file_path: `${gate.home.home}/a.txt`, content: "text" },
    });
    await cards(page).waitFor();
    await settle(page);
    return { gate, page, asked };
  }

  it("Tab follows the reading order, from Deny to the answers that say yes", async () => {
    const { page } = await oneCard();
    const order = [await focused(page)];
    for (let steps = 0; steps < 4; steps++) {
      await page.keyboard.press("Tab");
      order.push(await focused(page));
    }
    const wider = "Allow writing ~/a.txt, this session";
    expect(order).toEqual(["Deny", "Deny, and say why", "Approve once", wider, "Allow more …"]);
    for (let steps = 0; steps < 5; steps++) await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toBe("Everything");
  });

  it("the whole way: choose a scope with the arrows, approve", async () => {
    const { gate, page, asked } = await oneCard();
    for (let steps = 0; steps < 4; steps++) await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Allow more …");
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "This file" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("radio", { name: "This session" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("radio", { name: "1 hour", checked: true }).waitFor();
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Approve and remember");
    await settle(page);
    await page.keyboard.press("Enter");
    expect((await asked.final()).outcome).toBe("allowed");
    const { grants } = await gate.operator.call("grants.search", {});
    expect(grants.map(({ target }) => target)).toEqual([`${gate.home.home}/a.txt`]);
  });

  it("Escape closes what is open, one thing at a time, and answers nothing", async () => {
    const { gate, page } = await oneCard("popup");
    await page.getByRole("button", { name: "Everything" }).press("Enter");
    await page.getByText("score", { exact: false }).waitFor();
    for (const [opener, inside] of [
      ["Deny, and say why", page.getByLabel("Why not?")],
      ["Allow more …", page.getByRole("textbox", { name: "Target" })],
    ] as const) {
      await page.getByRole("button", { name: opener }).press("Enter");
      await inside.waitFor();
      await settle(page);
      await page.keyboard.press("Escape");
      await inside.waitFor({ state: "detached" });
      await page.clock.runFor(50);
      expect(await focused(page)).toBe(opener);
    }
    await page.locator(".details").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".details").waitFor({ state: "detached" });
    for (let times = 0; times < 5; times++) {
      await settle(page);
      await page.keyboard.press("Escape");
    }
    expect(await gate.waiting()).toHaveLength(1);
  });

  it("after an answer the next card's Deny has the focus, and needs its 500 ms", async () => {
    const { gate, page, asked } = await oneCard();
    const other = await gate.agent("other");
    await other.ask({ executor: "Read", args: { file_path: `${gate.home.home}/b.txt` } });
    await cards(page).nth(1).waitFor();
    await settle(page);
    await page.keyboard.press("Enter");
    expect((await asked.final()).status).toBe("rejected");
    await page.getByText("You denied").waitFor();
    await page.getByRole("button", { name: "Deny", exact: true }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("That didn't count").waitFor();
    expect(await gate.waiting()).toHaveLength(1);
  });

  it("what is being typed when its card is taken away reaches no other card", async () => {
    const { gate, page, asked } = await oneCard();
    const other = await gate.agent("other");
    await other.ask({ executor: "Read", args: { file_path: `${gate.home.home}/b.txt` } });
    await cards(page).nth(1).waitFor();
    await page.getByRole("button", { name: "Deny, and say why" }).first().press("Enter");
    await page.getByLabel("Why not?").pressSequentially("use the ");
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    await page.getByText("Approved elsewhere").waitFor();
    for (const key of ["o", "Space", "Enter"]) {
      await settle(page);
      await page.keyboard.press(key);
    }
    expect(await gate.waiting()).toHaveLength(1);
    expect(await page.getByText("That didn't count").count()).toBe(0);
  });
});
