import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../support/axe.ts";
import { launchBrowser, NO_BROWSER, SCHEMES } from "../support/browser.ts";
import { cards } from "../support/card-page.ts";
import { openPage } from "../support/page-home.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

/** One of each kind of card. */
async function fill(gate: GateUnderTest): Promise<void> {
  const { home } = gate.home;
  const agent = await gate.agent("claude-code");
  await agent.ask({ executor: "Bash", args: { command: "make all" }, context: { cwd: home } });
  await agent.ask({ executor: "Write", args: { file_path: `${home}/a.txt`, content: "line\n".repeat(500) } });
  const busy = await gate.agent("busy");
  for (let index = 0; index < 6; index++) {
    await busy.ask({ executor: "Read", args: { file_path: `${home}/${index}` } });
  }
  const stranger = await gate.connect();
  stranger.send("hello", { id: "hello", protocol: 1, agent: { name: "my-script" } });
  await stranger.next("hello.pairing");
}

/** Each button so named, until none is left: pressed, it has another name or is gone. */
async function pressAll(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  await button.first().waitFor();
  while ((await button.count()) > 0) await button.first().click();
}

describe.skipIf(NO_BROWSER !== null)("axe finds nothing serious", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("it would: text that is too pale is reported", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser });
    await page.getByText("No agent is connected yet").waitFor();
    await page.evaluate("document.documentElement.style.setProperty('--muted', '#bbbbbb')");
    expect((await seriousProblems(page)).join()).toContain("color-contrast");
  });

  for (const scheme of SCHEMES) {
    for (const at of ["approvals", "popup"]) {
      it(`on the cards of ${at}, folded and with everything open: ${scheme}`, async () => {
        const gate = await startGate();
        await fill(gate);
        const { page } = await openPage(gate.operator, { browser, scheme, at, width: at === "popup" ? 380 : 1000 });
        await cards(page).nth(3).waitFor();
        expect(await seriousProblems(page)).toEqual([]);
        for (const name of ["Look at each", "Everything", "Deny, and say why"]) await pressAll(page, name);
        await page.getByRole("button", { name: "Deny and send" }).first().waitFor();
        expect(await seriousProblems(page)).toEqual([]);
      });
    }

    it(`on what would be stored, on the history, and where nothing is: ${scheme}`, async () => {
      const gate = await startGate();
      const { page } = await openPage(gate.operator, { browser, scheme });
      await page.getByText("No agent is connected yet").waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      const agent = await gate.agent();
      const asked = await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/a.txt` } });
      await page.getByRole("button", { name: "Allow more …" }).click();
      await page.getByText("Would have covered").waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      const token = asked.decision.pending?.token ?? "";
      await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "no" });
      await page.getByText("Denied elsewhere").waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByText("History").click();
      await page.getByRole("table").waitFor();
      expect(await seriousProblems(page)).toEqual([]);
    });
  }
});

describe.skipIf(NO_BROWSER !== null)("in the accessibility tree", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(["en", "it"])("every button has a name, and one that can't be pressed says why (%s)", async (language) => {
    const gate = await startGate({ config: `language = "${language}"\n` });
    await fill(gate);
    const { page } = await openPage(gate.operator, { browser, width: 380, height: 640 });
    const places = "approvals popup approvals/history policy grants agents activity safety settings".split(" ");
    let buttons = 0;
    let disabled = 0;
    const wrong: string[] = [];
    for (const at of places) {
      await page.goto(`${page.url().split("#")[0]}#/${at}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
      if (at === "approvals" || at === "popup") await cards(page).nth(3).waitFor();
      for (const { name, description, isDisabled } of await buttonsIn(page)) {
        buttons++;
        if (isDisabled) disabled++;
        if (name === "") wrong.push(`${at}: a button without a name`);
        if (isDisabled && description === "") wrong.push(`${at}: ${name}: not why it can't be pressed`);
      }
    }
    expect(wrong).toEqual([]);
    expect(buttons).toBeGreaterThan(60);
    expect(disabled).toBeGreaterThan(4);
  });
});

interface TreeValue {
  value?: unknown;
}

/** As a screen reader gets them. */
async function buttonsIn(page: Page): Promise<{ name: string; description: string; isDisabled: boolean }[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const text = (one: TreeValue | undefined) => String(one?.value ?? "").trim();
  return nodes
    .filter(({ role, ignored }) => role?.value === "button" && !ignored)
    .map(({ name, description, properties = [] }) => ({
      name: text(name),
      description: text(description),
      isDisabled: properties.some((one) => one.name === "disabled" && one.value.value === true),
    }));
}
