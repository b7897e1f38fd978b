import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { card, cards, press } from "../../support/card-page.ts";
import { cardKind, operatorWith } from "../../support/card-views.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("the forms of a card", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("it shrinks as the same question comes back, twice, in the same layout and padding", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser });
    const agent = await gate.agent();
    const heights: number[] = [];
    const classes: (string | null)[] = [];
    for (let times = 0; times <= 8; times++) {
      const { decision } = await agent.ask({
        executor: "Read",
        args: { file_path: `${gate.home.home}/src/${times}.txt` },
      });
      if ([0, 3, 8].includes(times)) {
        const asking = page.locator(`[data-token="${tokenOf(decision)}"]`);
        heights.push((await asking.boundingBox())?.height ?? 0);
        classes.push(await asking.getAttribute("class"));
      }
      await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    }
    expect(classes).toEqual(["card full", "card medium", "card short"]);
    const [full = 0, medium = 0, short = 0] = heights;
    expect(medium).toBeLessThan(full * 0.9);
    expect(short).toBeLessThan(medium * 0.97);
  });

  it("only a hazard is red, and a call without one has no red; no answer has its own colour", async () => {
    const gate = await startGate();
    const views = ["command with a hazard", "command that only reads", "many hazards"].map((kind, index) => {
      return { ...cardKind(kind), token: String(index) };
    });
    const { page } = await openPage(operatorWith(gate.operator, views), { browser, height: 1400 });
    await cards(page).nth(2).waitFor();
    await page.locator("article .answers .button:disabled").first().waitFor({ state: "detached" });
    const red = await page.evaluate<string[]>(`(() => {
      const all = [...document.querySelectorAll("article *")].filter((one) => one.childElementCount === 0);
      const danger = getComputedStyle(document.querySelector(".hazard")).color;
      return all.filter((one) => getComputedStyle(one).color === danger).map((one) => one.textContent);
    })()`);
    expect(red).toEqual([
      "Rewrites history on a remote: can't be undone",
      "Runs a script from the internet (get.example.org)",
      "As root",
      "Deletes 2 folders (1,204 files)",
    ]);
    const buttons = await page.evaluate<string[]>(
      `[...document.querySelectorAll("article .answers .button")].map((one) => getComputedStyle(one).color + getComputedStyle(one).backgroundColor)`,
    );
    expect(new Set(buttons).size).toBe(1);
  });

  it("a pairing request explains the three levels, presumes none, and lets the agent in with the one that is chosen", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const stranger = await gate.connect();
    stranger.send("hello", { id: "hello", protocol: 1, agent: { name: "my-script", version: "1.2" } });
    const asking = card(page, "May my-script connect?");
    await asking.waitFor();
    expect(await asking.getByRole("radio").count()).toBe(3);
    expect(await asking.getByRole("radio", { checked: true }).count()).toBe(0);
    const pair = asking.getByRole("button", { name: "Pair", exact: true });
    expect(await pair.isDisabled()).toBe(true);
    await asking.getByRole("radio", { name: /^Supervised/ }).check();
    await pair.click();
    await asking.getByText("That didn't count").waitFor();
    await press(pair);
    const { data } = await stranger.next("hello.ok");
    expect(data.level).toBe("Supervised");
    await asking.waitFor({ state: "detached" });
  });

  it.each([
    ["en", "Allow more …", /^This folder and below$/, /^This file$/, /^Not covered, asked each time: .*\.git.*\.env$/],
    [
      "it",
      "Permetti di più …",
      /^Questa cartella e quelle dentro$/,
      /^Questo file$/,
      /^Non coperti, chiesti ogni volta: .*\.git.*\.env$/,
    ],
  ])(
    "an answer that reaches below a folder says in one line what it doesn't cover (%s)",
    async (language, more, below, file, line) => {
      const gate = await startGate({ config: `language = "${language}"\n` });
      const { page } = await openPage(gate.operator, { browser });
      const agent = await gate.agent();
      await agent.ask({ executor: "Write", args: { file_path: `${gate.home.home}/p/a.txt`, content: "text" } });
      await page.getByRole("button", { name: more }).click();
      await page.getByRole("radio", { name: file }).check();
      expect(await page.getByText(line).count()).toBe(0);
      await page.getByRole("radio", { name: below }).check();
      await page.getByText(line).waitFor();
      expect(await page.getByText(line).count()).toBe(1);
      const target = page.locator("input.mono");
      await target.fill("~/p/*");
      await page.getByText(line).waitFor({ state: "detached" });
      await page.getByRole("radio", { name: file }).check();
      await target.fill("~/p/**");
      await page.getByText(line).waitFor();
    },
  );

  it("the popup is 380 px wide without scrolling sideways, and reports its height as it changes", async () => {
    const gate = await startGate();
    const { page, heights } = await openPage(gate.operator, { browser, at: "popup", width: 380, height: 900 });
    await page.getByText("Nothing is waiting.").waitFor();
    const agent = await gate.agent("an-agent-with-a-long-name-indeed");
    const path = `${gate.home.home}/${"a-long-folder-name/".repeat(8)}file.txt`;
    await agent.ask({ executor: "Write", args: { file_path: path, content: "text" }, context: { cwd: path } });
    await cards(page).waitFor();
    await page.getByRole("button", { name: "Everything" }).click();
    await page.getByRole("button", { name: "Allow more …" }).click();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(380);
    await expect
      .poll(() => heights.at(-1))
      .toBe(Math.ceil(await page.evaluate<number>("document.querySelector('main').getBoundingClientRect().height")));
    expect(heights[0]).toBeLessThan(200);
  });

  it("the address of a request brings its card into sight, with the focus on its Deny", async () => {
    const gate = await startGate();
    const agents = await Promise.all(["a", "b", "c", "d"].map((name) => gate.agent(name)));
    const tokens: string[] = [];
    for (const agent of agents) {
      const { decision } = await agent.ask({
        executor: "Read",
        args: { file_path: `${gate.home.home}/${agent.agent_id}` },
      });
      tokens.push(tokenOf(decision));
    }
    const { page } = await openPage(gate.operator, { browser, at: `approvals/${tokens[3]}` });
    const pointedAt = page.locator(`[data-token="${tokens[3]}"]`);
    await pointedAt.getByRole("button", { name: "Deny", exact: true }).and(page.locator(":focus")).waitFor();
    expect(await pointedAt.getByRole("heading").boundingBox()).not.toBe(null);
  });
});
