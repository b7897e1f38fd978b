import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { seriousProblems } from "../../support/axe.ts";
import { launchBrowser, NO_BROWSER, SCHEMES } from "../../support/browser.ts";
import { card, cards, readAll } from "../../support/card-page.ts";
import { cardKind, cardKinds, hazard, operatorWith, readOf, runs } from "../../support/card-views.ts";
import { openPage, type PageOptions } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

/** Whole and in one window each: a card of every kind, in this order. */
const KINDS = Object.entries(cardKinds());
const LINES_SHOWN = 14;

describe.skipIf(NO_BROWSER !== null)("the thing itself", () => {
  let browser: Browser;
  let gate: GateUnderTest;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function open(views: readonly ApprovalView[], options: PageOptions = {}) {
    gate = await startGate();
    const operator = operatorWith(gate.operator, ordered(views));
    const opened = await openPage(operator, { browser, ...options });
    await cards(opened.page).first().waitFor();
    return { operator, ...opened };
  }

  /** Of several agents, so that they are no bundle; in the given order. */
  function ordered(views: readonly ApprovalView[]): ApprovalView[] {
    const now = Date.now();
    return views.map((view, index) => ({
      ...view,
      token: String(index).padStart(16, "0"),
      agent_name: index % 2 === 0 ? "claude-code" : "codex",
      created_at: new Date(now - index * 20_000).toISOString(),
      expires_at: new Date(now + 300_000 + index * 1000).toISOString(),
    }));
  }

  async function all(options: PageOptions): Promise<Page> {
    const { page, problems } = await open(
      KINDS.map(([, view]) => view),
      { ...options, height: 9000 },
    );
    await cards(page)
      .nth(KINDS.length - 1)
      .waitFor();
    expect(problems).toEqual([]);
    return page;
  }

  for (const scheme of SCHEMES) {
    it(`of every kind fits each width without scrolling sideways, and axe finds nothing: ${scheme}`, async () => {
      const page = await all({ scheme, width: 1280 });
      // A window of 640 px that is shown at 200 % has 320 of the page's own.
      for (const [width, zoom] of [
        [1280, 1],
        [420, 1],
        [320, 1],
        [640, 2],
      ] as const) {
        await page.setViewportSize({ width, height: 9000 });
        await page.evaluate(`document.documentElement.style.zoom = "${zoom}"`);
        const outside = await page.evaluate<string[]>(`[...document.querySelectorAll("article")].flatMap((card) =>
          [...card.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right + 1
            || (one.matches(".block, .bundle-list") && one.scrollWidth > one.clientWidth)).map((one) => one.outerHTML.slice(0, 120)))`);
        expect([width, zoom, outside]).toEqual([width, zoom, []]);
        expect(
          await page.evaluate("document.documentElement.scrollWidth / Number(document.documentElement.style.zoom)"),
        ).toBeLessThanOrEqual(width);
        if (zoom === 1 && width !== 420) expect(await seriousProblems(page)).toEqual([]);
      }
    });
  }

  it("of up to 14 lines is in the card without a click, at every width; a longer one scrolls in place", async () => {
    const script = (lines: number) => Array.from({ length: lines }, (_, index) => `echo ${index}`).join("\n");
    for (const width of [320, 1280]) {
      const { page } = await open([runs(script(LINES_SHOWN)), runs(script(LINES_SHOWN + 1))], { width, height: 1600 });
      const [short, long] = [cards(page).nth(0), cards(page).nth(1)];
      await long.getByText(`echo 0 · ${LINES_SHOWN + 1} lines`).waitFor();
      expect(await short.getByRole("figure").count()).toBe(0);
      await short.getByText(`echo ${LINES_SHOWN - 1}`, { exact: true }).waitFor();
      await short.getByRole("button", { name: "Approve once" }).and(page.locator(":enabled")).waitFor();
      const approve = long.getByRole("button", { name: "Approve once" });
      expect(await approve.isDisabled()).toBe(true);
      // Its end is reached by keys alone.
      await long.getByRole("figure").focus();
      await page.keyboard.press("End");
      await approve.and(page.locator(":enabled")).waitFor();
    }
  });

  it("a command keeps its lines; its words have their kinds, and what is dangerous is marked", async () => {
    const { page } = await open([cardKind("command with a hazard"), runs("echo a\necho b")]);
    const [first, script] = [cards(page).nth(0), cards(page).nth(1)];
    expect(await first.locator(".command code").innerText()).toBe("npm test && git push --force origin main");
    expect(await first.locator("mark").allTextContents()).toEqual(["--force"]);
    expect(await first.locator(".program").allTextContents()).toEqual(["npm", "git", "vitest"]);
    await first.getByText("package.json: vitest run --coverage").waitFor();
    await first.getByText("Rewrites history on a remote: can't be undone", { exact: true }).waitFor();
    await first.getByText("Publish the totals branch — claude-code").waitFor();
    expect(
      await script
        .locator(".number")
        .evaluateAll((all) => all.map((one) => (one as never as { dataset: { number: string } }).dataset.number)),
    ).toEqual(["1", "2"]);
    expect(await script.locator("code").allInnerTexts()).toEqual(["echo a", "echo b"]);
  });

  it("what a name runs is coloured and marked, its danger has its file, and what wasn't read is said", async () => {
    const [one] = runs("npm test").description?.stands_for ?? [];
    if (one === undefined) throw new Error("it stands for nothing");
    const read = {
      lines: ["vitest run", "rm -rf src"],
      total_lines: 2,
      tokens: [
        { kind: "program" as const, start: 0, end: 6 },
        { kind: "program" as const, start: 11, end: 13 },
      ],
      marks: [{ start: 11, end: 21 }],
      unread: ["scripts/lint.mjs"],
    };
    const described = { stands_for: [{ ...one, ...read }] };
    const hazards = [{ id: "deletes-files" as const, span: null, files: 3, file: "package.json" }];
    const { page } = await open([runs("npm test", {}, { ...described, hazards })]);
    const script = page.locator(".runs-file");
    expect(await script.locator("code").allInnerTexts()).toEqual(read.lines);
    expect(await script.locator(".program").allTextContents()).toEqual(["vitest", "rm"]);
    expect(await script.locator("mark").allTextContents()).toEqual(["rm -rf src"]);
    await script.getByText("not read: scripts/lint.mjs", { exact: true }).waitFor();
    await page.getByText("Deletes 3 files (in package.json)", { exact: true }).waitFor();
  });

  it("a hazard that begins within a word and ends in another marks exactly these characters", async () => {
    const text = "rm -rf src; ls";
    const { page } = await open([runs(text, {}, { hazards: [hazard("deletes-files", text, "f src", { files: 3 })] })]);
    expect((await page.locator("mark").allTextContents()).join("")).toBe("f src");
  });

  it("a change is a unified difference with its counts; a new file its text", async () => {
    const { page } = await open(["edit", "new file", "file that is replaced"].map(cardKind));
    const [edit, fresh, replaced] = [0, 1, 2].map((index) => cards(page).nth(index));
    expect(await edit?.locator(".added code").allInnerTexts()).toEqual([
      "    if (entry.voided) continue;",
      "  return round(sum, 2);",
    ]);
    expect(await edit?.locator(".removed .sign").allTextContents()).toEqual(["-"]);
    expect(await edit?.locator(".asked").innerText()).toMatch(
      /^May I edit\?\s+src\/ledger\.ts\s+in \/srv\/website\s+\+2 −1$/,
    );
    await edit?.getByText("in Git, can be taken back").waitFor();
    expect(await fresh?.locator(".sign").count()).toBe(0);
    await fresh?.getByText("new file · 4 lines").waitFor();
    await replaced?.getByText("replaces 4 lines · +1 −2").waitFor();
  });

  it("nothing is said twice: no argument of these is beside what shows it", async () => {
    const page = await all({ width: 1280 });
    for (const said of [
      "--force",
      "if (entry.voided) continue;",
      "Publish the totals branch",
      "rates.example.net/latest",
    ]) {
      const text = await page.locator("body").innerText();
      expect([said, text.split(said).length - 1]).toEqual([said, 1]);
    }
  });

  it("a tool of a server is asked about by its name, its claims are the server's, its arguments are in two columns", async () => {
    const { page } = await open([cardKind("MCP")]);
    const asking = card(page, "May I use github: create pull request?");
    await asking.getByText("github says of it: it only reads, it reaches outside").waitFor();
    expect((await asking.locator(".argument .name").allTextContents()).filter(Boolean)).toEqual([
      "title",
      "body",
      "draft",
      "labels",
    ]);
    const [name, value] = [asking.getByText("title", { exact: true }), asking.getByText("Totals skip voided entries")];
    expect((await name.boundingBox())?.y).toBe((await value.boundingBox())?.y);
  });

  it("a request to the web shows its method, and the domain that somebody registered strong", async () => {
    const { page } = await open([cardKind("fetch")]);
    expect(await page.locator(".request").innerText()).toBe("GET https://rates.example.net/latest?base=EUR");
    expect(await page.locator(".request strong").innerText()).toBe("example.net");
  });

  it("more than three hazards are counted, and open in place", async () => {
    const { page } = await open([cardKind("many hazards")]);
    expect(await page.locator(".hazard").count()).toBe(3);
    await page.getByRole("button", { name: "and 2 more" }).click();
    expect(await page.locator(".hazard").count()).toBe(5);
  });

  it("a script that changed while it waits says so, and is read and pressed anew", async () => {
    const before = cardKind("script that a name stands for");
    const long = (word: string) => Array.from({ length: 40 }, (_, index) => `${word} ${index}`);
    const described = (lines: string[], hasChanged: boolean): ApprovalView => {
      const { description } = before;
      const [one] = description?.stands_for ?? [];
      if (description === null || one === undefined) throw new Error("it stands for nothing");
      const { has_changed: _, ...same } = one;
      const standsFor = [{ ...same, lines, total_lines: 40, ...(hasChanged ? { has_changed: true as const } : {}) }];
      return { ...before, token: "0".repeat(16), description: { ...description, stands_for: standsFor } };
    };
    const { page, operator } = await open([described(long("old"), false)]);
    const approve = page.getByRole("button", { name: "Approve once" });
    await readAll(page.locator("article"));
    await approve.and(page.locator(":enabled")).waitFor();
    operator.appear(described(long("new"), true));
    await page.getByText("This script is another one than before.").waitFor();
    await approve.and(page.locator(":disabled")).waitFor();
    expect(operator.answers).toEqual([]);
  });

  it("minutes are left, and seconds only in the last one", async () => {
    const at = (ms: number) => ({ ...readOf("/srv/a"), expires_at: new Date(Date.now() + ms).toISOString() });
    const operator = operatorWith((await startGate()).operator, [
      { ...at(45_000), token: "a" },
      { ...at(9.5 * 60_000), token: "b", agent_name: "codex" },
    ]);
    const { page } = await openPage(operator, { browser });
    await cards(page).nth(1).waitFor();
    const [first = "", second = ""] = await page.locator(".who time").allInnerTexts();
    expect(first).toMatch(/^[34]\d s left$/);
    expect(second).toBe("9 min left");
  });
});
