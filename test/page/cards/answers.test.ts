import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { card, cards, press, settle } from "../../support/card-page.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

const write = (path: string) => ({ executor: "Write", args: { file_path: path, content: "text" } });

/** Answers reach the gate only once this many were given: no page knows of another's by then. */
function answeredTogether(operator: OperatorApi, many: number): OperatorApi {
  let given = 0;
  let all: () => void = () => undefined;
  const areThere = new Promise<void>((resolve) => {
    all = resolve;
  });
  return {
    subscribe: (listener) => operator.subscribe(listener),
    close: () => operator.close(),
    async call(method, params) {
      if (method === "approvals.resolve") {
        if (++given === many) all();
        await areThere;
      }
      return operator.call(method, params);
    },
  };
}

describe.skipIf(NO_BROWSER !== null)("a card's answers", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("a click in the first 500 ms does nothing, and says so; one after that counts", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const asked = await agent.ask(write(`${gate.home.home}/a.txt`));
    const approve = page.getByRole("button", { name: "Approve once" });
    await approve.click();
    await page.clock.runFor(400);
    await approve.click();
    await page.getByText("That didn't count").waitFor();
    expect(await gate.waiting()).toHaveLength(1);
    await press(approve);
    expect((await asked.final()).outcome).toBe("allowed");
    expect(problems).toEqual([]);
  });

  it("Deny has the focus; Enter in the first 500 ms does nothing, and neither does an Enter that is held since then", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const asked = await agent.ask(write(`${gate.home.home}/a.txt`));
    const deny = page.getByRole("button", { name: "Deny", exact: true });
    await deny.and(page.locator(":focus")).waitFor();
    await page.keyboard.down("Enter");
    await settle(page);
    await page.keyboard.down("Enter"); // repeats: it was never let go
    await page.getByText("That didn't count").waitFor();
    await page.keyboard.up("Enter");
    expect(await gate.waiting()).toHaveLength(1);
    await settle(page);
    await page.keyboard.press("Enter");
    expect((await asked.final()).status).toBe("rejected");
  });

  it("a card that moved up is safe for another 500 ms", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const first = await gate.agent("first");
    const second = await gate.agent("second");
    await first.ask(write(`${gate.home.home}/a.txt`));
    await second.ask({ executor: "Read", args: { file_path: `${gate.home.home}/b.txt` } });
    await card(page, "May I read?").waitFor();
    // Only an answer from here moves another card.
    await press(card(page, "May I write?").getByRole("button", { name: "Deny", exact: true }));
    await page.getByText("You denied").waitFor();
    const approve = card(page, "May I read?").getByRole("button", { name: "Approve once" });
    await approve.click();
    await page.getByText("That didn't count").waitFor();
    expect(await gate.waiting()).toHaveLength(1);
    await press(approve);
    await page.getByText("You approved").waitFor();
  });

  it("a card that moved before its position was checked for the first time is safe for another 500 ms, too", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const asked = await agent.ask(write(`${gate.home.home}/a.txt`));
    const approve = page.getByRole("button", { name: "Approve once" });
    await approve.waitFor();
    await page.evaluate('document.querySelector("article").parentElement.style.paddingTop = "7px"');
    await page.clock.runFor(PRESS_DELAY_MS + 20);
    await approve.click();
    await page.getByText("That didn't count").waitFor();
    expect(await gate.waiting()).toHaveLength(1);
    await press(approve);
    expect((await asked.final()).outcome).toBe("allowed");
  });

  it("all cards begin anew when the window is shown again, and for keys when it gets the keyboard", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    await agent.ask(write(`${gate.home.home}/a.txt`));
    await cards(page).waitFor();
    for (const happening of [
      "document.dispatchEvent(new Event('visibilitychange'))",
      "window.dispatchEvent(new Event('focus'))",
    ]) {
      await settle(page);
      await page.evaluate(happening);
      await page.keyboard.press("Enter");
      await page.getByText("That didn't count").waitFor();
      await page.clock.runFor(4000);
    }
    expect(await gate.waiting()).toHaveLength(1);
  });

  it("answered elsewhere: the card folds to a line that says so", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    for (const [answer, said] of [
      [{ decision: "rejected", message: "not now" } as const, "Denied elsewhere: write a.txt -> ~/ (not now)"],
      [{ decision: "approved" } as const, "Approved elsewhere: write a.txt -> ~/"],
    ] as const) {
      const { decision } = await agent.ask(write(`${gate.home.home}/a.txt`));
      await cards(page).waitFor();
      await gate.operator.call("approvals.resolve", { token: tokenOf(decision), ...answer });
      await page.getByText(said, { exact: true }).waitFor();
      expect(await cards(page).count()).toBe(0);
    }
  });

  it("the address of a request that has ended shows how it ended; one that is none says so", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision } = await agent.ask(write(`${gate.home.home}/a.txt`));
    const token = tokenOf(decision);
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not now" });
    const { page } = await openPage(gate.operator, { browser, standsStill: true, at: `approvals/${token}` });
    await page.getByText("Denied: write a.txt -> ~/ (not now), ").waitFor();
    expect(await cards(page).count()).toBe(0);
    await page.goto(`${page.url().split("#")[0]}#/approvals/${"0".repeat(16)}`);
    await page.getByText("No request is known under this address.").waitFor();
    const waiting = await agent.ask(write(`${gate.home.home}/b.txt`));
    await cards(page).waitFor();
    await page.goto(`${page.url().split("#")[0]}#/approvals/${tokenOf(waiting.decision)}`);
    await page.getByText("No request is known").waitFor({ state: "detached" });
    expect(await cards(page).allInnerTexts()).toEqual([expect.stringContaining("b.txt")]);
  });

  it("two surfaces answer at once: exactly one counts, and both say whose it was", async () => {
    const gate = await startGate();
    const together = answeredTogether(gate.operator, 2);
    const one = await openPage(together, { browser, standsStill: true });
    const two = await openPage(together, { standsStill: true }); // a tab in the background isn't drawn
    const agent = await gate.agent();
    const asked = await agent.ask(write(`${gate.home.home}/a.txt`));
    for (const { page } of [one, two]) {
      await cards(page).waitFor();
      await settle(page);
    }
    await one.page.getByRole("button", { name: "Approve once" }).click();
    await two.page.getByRole("button", { name: "Deny", exact: true }).click();
    const { status } = await asked.final();
    const [own, other] =
      status === "approved"
        ? [one.page.getByText("You approved"), two.page.getByText("Approved elsewhere")]
        : [two.page.getByText("You denied"), one.page.getByText("Denied elsewhere")];
    await Promise.all([own.waitFor(), other.waitFor()]);
    for (const { page } of [one, two]) expect(await cards(page).count()).toBe(0);
  });

  it("an expired request is shown as expired, never as denied", async () => {
    let now = Date.now();
    const gate = await startGate({ now: () => now });
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    await agent.ask(write(`${gate.home.home}/a.txt`));
    await cards(page).waitFor();
    now += 700_000;
    await gate.operator.call("approvals.cleanup", {});
    await page.getByText("Expired, nobody answered in time").waitFor();
    expect(await cards(page).count()).toBe(0);
  });

  it("a denial with a message reaches the agent", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const asked = await agent.ask(write(`${gate.home.home}/a.txt`));
    await page.getByRole("button", { name: "Deny, and say why" }).click();
    await page.getByLabel("Why not?").fill("use the other folder");
    await settle(page);
    await page.keyboard.press("Enter");
    const { status, reason, explain } = await asked.final();
    expect(status).toBe("rejected");
    expect(`${reason} ${JSON.stringify(explain)}`).toContain("use the other folder");
  });

  it("its deadline is extended while the user is at it", async () => {
    let now = Date.now();
    const gate = await startGate({ now: () => now });
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const { decision } = await agent.ask(write(`${gate.home.home}/a.txt`));
    const before = (await gate.request(tokenOf(decision))).expires_at;
    await cards(page).getByText("May I write?").hover();
    for (let moves = 0; moves < 3; moves++) {
      const held = gate.event(({ type }) => type === "approval.held");
      await page.mouse.move(400 + moves, 150);
      now += 4000;
      await page.clock.runFor(4500);
      await held;
    }
    const { expires_at } = await gate.request(tokenOf(decision));
    expect(Date.parse(expires_at) - Date.parse(before)).toBeGreaterThanOrEqual(12_000);
  });
});
