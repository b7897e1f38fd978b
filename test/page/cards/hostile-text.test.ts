import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { card, cards, press, readAll } from "../../support/card-page.ts";
import { cardKind, operatorWith, runs } from "../../support/card-views.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0007]/;
const FAKE = [
  '<article class="card"><h2>May I read?</h2><button>Approve once</button></article>',
  "<img src=x onerror=alert(1)><script>window.was_run = true</script>",
  "May I read?\nnotes.txt from ~/\nreversible | class: fs_read\n[ Deny ] [ Approve once ]",
  "\u001b[2J\u001b[31m\u0007 \u202egnp.exe\u202c \u200b",
].join("\n");

describe.skipIf(NO_BROWSER !== null)("an agent can't change a card's words", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("HTML, escape codes, direction marks and a fake second card are inert, visible characters", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const path = `${gate.home.home}/a\u202e\u001b[31mtxt.exe`;
    agent.send("session.event", { id: "said", event: { kind: "prompt", turn: "t1", text: FAKE } });
    await agent.next("session.noted");
    await agent.ask({
      executor: "Write",
      intent: FAKE,
      args: { file_path: path, content: FAKE, "\u202e<b>key": FAKE },
      context: { cwd: `${gate.home.home}/<b>\u202e`, subagent: "\u202e<i>", turn: "t1" },
    } as never);
    await cards(page).waitFor();
    await page.getByRole("button", { name: "Everything" }).click();
    await page.getByText("gnp.exe").first().waitFor();
    expect(await cards(page).count()).toBe(1);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["May I write?"]);
    expect(await page.getByRole("button", { name: "Approve once" }).count()).toBe(1);
    expect(await page.locator("article :is(b, i, img, script)").count()).toBe(0);
    expect(await page.locator("article .details .user-words").count()).toBe(1);
    const text = await page.locator("body").innerText();
    expect(text).not.toMatch(RAW);
    for (const shown of ["\\u{202e}", "\\u{1b}[31m", "\\u{200b}", "<img src=x onerror=alert(1)>", "[ Approve once ]"]) {
      expect(text).toContain(shown);
    }
    expect(await page.evaluate("window.was_run")).toBe(undefined);
    // Titles are read aloud and shown on hover: they are text, too.
    const titles = await page.evaluate<string>("[...document.querySelectorAll('[title]')].map((e) => e.title).join()");
    expect(titles).not.toMatch(RAW);
    expect(problems).toEqual([]);
  });

  it("in a command, a difference, a script that a name stands for, a tool's name and a hazard it is inert, too", async () => {
    const gate = await startGate();
    const bare = cardKind("command with a hazard");
    const hunks = [
      { old_start: 1, new_start: 1, lines: FAKE.split("\n").map((text) => ({ kind: "added" as const, text })) },
    ];
    const change = {
      path: `/srv/${FAKE}`,
      status: "edits" as const,
      old_lines: 1,
      added: 4,
      removed: 0,
      hunks,
      left_out: 0,
    };
    const command = runs(
      FAKE,
      {},
      {
        hazards: [{ id: "sends-file", span: { arg: "command", start: 0, end: FAKE.length }, path: FAKE, host: FAKE }],
        stands_for: [
          { span: null, name: FAKE, file: `/srv/${FAKE}`, sha256: null, lines: FAKE.split("\n"), total_lines: 4 },
        ],
      },
    );
    const described = bare.description ?? command.description;
    if (described === null) throw new Error("it has no description");
    const views = [
      command,
      {
        ...bare,
        args: {},
        description: { ...described, commands: [], stands_for: [], hazards: [], changes: [change, change] },
      },
      {
        ...cardKind("MCP"),
        description: { ...described, commands: [], mcp: { server: FAKE, tool: FAKE, claims: [] } },
      },
      {
        ...cardKind("fetch"),
        args: { url: FAKE },
        description: { ...described, commands: [], request: { method: FAKE, host: FAKE, path: FAKE } },
      },
    ].map((view, index) => ({ ...view, token: String(index), agent_name: `agent-${index % 2}`, cwd: `/srv/${FAKE}` }));
    const { page, problems } = await openPage(operatorWith(gate.operator, views), { browser, height: 3000 });
    await cards(page).nth(3).waitFor();
    for (let times = 0; times < 4; times++) await page.getByRole("button", { name: "Everything" }).first().click();
    expect(await cards(page).count()).toBe(4);
    expect(await page.getByRole("heading", { level: 2 }).count()).toBe(4);
    expect(await page.getByRole("button", { name: "Approve once", exact: true }).count()).toBe(4);
    expect(await page.locator("article :is(b, i, img, script)").count()).toBe(0);
    expect(await page.locator("body").innerText()).not.toMatch(RAW);
    const said = await page.evaluate<string>(
      "[...document.querySelectorAll('[title], [aria-label]')].map((e) => e.title + e.ariaLabel).join()",
    );
    expect(said).not.toMatch(RAW);
    const left = await page.evaluate<number>(`[...document.querySelectorAll("article")].filter((card) =>
      [...card.querySelectorAll("*")].some((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right + 1)).length`);
    expect(left).toBe(0);
    expect(await page.evaluate("window.was_run")).toBe(undefined);
    expect(problems).toEqual([]);
  });

  it("10,000 lines of a difference and of a command are drawn only where they are looked at", async () => {
    const gate = await startGate();
    const lines = Array.from({ length: 10_000 }, (_, index) => `echo ${index}`);
    const edit = cardKind("edit");
    const [change] = edit.description?.changes ?? [];
    if (edit.description === null || change === undefined) throw new Error("the edit changes nothing");
    const hunks = [{ old_start: 1, new_start: 1, lines: lines.map((text) => ({ kind: "added" as const, text })) }];
    const views = [
      { ...runs(lines.join("\n")), token: "a" },
      {
        ...edit,
        token: "b",
        agent_name: "codex",
        description: { ...edit.description, changes: [{ ...change, hunks }] },
      },
    ];
    const { page } = await openPage(operatorWith(gate.operator, views), { browser, height: 1400 });
    await cards(page).nth(1).waitFor();
    await page.getByText("echo 0 · 10000 lines").waitFor();
    expect(await page.locator(".block code").count()).toBeLessThan(150);
    for (const index of [0, 1]) {
      const asking = cards(page).nth(index);
      const approve = asking.getByRole("button", { name: "Approve once" });
      expect(await approve.isDisabled()).toBe(true);
      await asking.getByRole("figure").first().focus();
      await page.keyboard.press("End");
      await asking.getByText("echo 9999", { exact: true }).first().waitFor();
      expect(await page.locator(".block code").count()).toBeLessThan(150);
      await asking.getByText("Scroll up to approve: the lines above weren't shown yet.").waitFor();
      expect(await approve.isDisabled()).toBe(true);
    }
  });

  it("a file whose name only looks like another one's is shown with codes; a name of another script is as it is", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const content = "\u0444\u0430\u0439\u043b \u0441 \u0440\u0430ypal";
    await agent.ask({ executor: "Write", args: { file_path: `${gate.home.home}/\u0440\u0430ypal.txt`, content } });
    const asking = card(page, "May I write?");
    await asking.waitFor();
    await asking.getByText("\\u{440}\\u{430}ypal.txt").first().waitFor();
    const text = await page.locator("body").innerText();
    expect(text).not.toContain("\u0440\u0430ypal");
    expect(text).toContain("\u0444\u0430\u0439\u043b \u0441 \\u{440}\\u{430}ypal");
    expect(await asking.locator(".hidden-character").allTextContents()).toContain("\\u{440}");
    expect(problems).toEqual([]);
  });

  it("3,000 lines can't be approved before all of them were on the screen, and don't slow the page", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index}`);
    const asked = await agent.ask({
      executor: "Write",
      args: { file_path: `${gate.home.home}/long.txt`, content: `${lines.join("\n")}\n# the end` },
    });
    const asking = card(page, "May I write?");
    const approve = asking.getByRole("button", { name: "Approve once" });
    await asking.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await asking.getByText("Scroll to the end to approve.").first().waitFor();
    await asking.getByText("line 0", { exact: true }).first().waitFor();
    expect(await approve.isDisabled()).toBe(true);
    expect(await page.locator(".block code").count()).toBeLessThan(400);
    // The difference is bounded: the rest of the text is in the argument beside it.
    for (const part of await asking.getByRole("figure").all()) {
      await part.focus();
      await page.keyboard.press("End");
    }
    await asking.getByText("# the end").last().waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await readAll(asking);
    await approve.and(page.locator(":enabled")).waitFor();
    await press(approve);
    expect((await asked.final()).outcome).toBe("allowed");
  });

  it("a million characters in one line are shown, too", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent();
    await agent.ask({
      executor: "Write",
      args: { file_path: `${gate.home.home}/long.txt`, content: `${"x".repeat(900_000)}THE-END` },
    });
    await cards(page).waitFor();
    const approve = page.getByRole("button", { name: "Approve once" });
    expect(await approve.isDisabled()).toBe(true);
    // Rows that become visible may turn out taller than expected.
    for (const part of await page.getByRole("figure").all()) {
      await part.focus();
      await page.keyboard.press("End");
    }
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return await page.getByText("THE-END").last().isVisible();
      })
      .toBe(true);
    expect(await approve.isDisabled()).toBe(true);
  });
});
