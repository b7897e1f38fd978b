import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UndoneCall, UndoneFile, UndoSelection } from "../../../ipc/contract/undo.ts";
import { withoutBox } from "../../box/box-under-test.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";
import { CART_BY_AGENT, undoProject, warmed } from "../../support/undo-project.ts";

const browser = sharedBrowser(beforeAll, afterAll);

const filesOf = (page: Page) => page.getByRole("region", { name: "Files it changed" });

/** Another view of the same page. */
const goTo = (page: Page, at: string) => page.goto(`${page.url().split("#")[0]}#/${at}`);

describe.skipIf(NO_BROWSER !== null || withoutBox() !== undefined)("what calls did to files", () => {
  it("a call's details list them with a difference each; they are taken back, and put again", async () => {
    const world = await warmed(await undoProject());
    const before = world.read("src/cart.ts");
    const call = await world.edit("src/cart.ts", CART_BY_AGENT);
    const { page, problems } = await openPage(world.operator, { at: `activity/${call}`, browser: browser() });
    const files = filesOf(page);
    await files.getByText("1 file changed").waitFor();
    const name = files.getByRole("button", { name: /^src\/cart\.ts/ });
    await name.click();
    await files.getByText("return Math.round(sum * 100) / 100;").waitFor();
    expect(await files.locator(".line.removed").textContent()).toContain("return sum;");
    await files.getByRole("button", { name: "Take back 1 file" }).press("Enter");
    await files.getByText("1 file back as before.").waitFor();
    expect(world.read("src/cart.ts")).toBe(before);
    await files.getByRole("button", { name: /^Take back/ }).waitFor({ state: "detached" });
    expect(await page.locator(":focus").textContent()).toBe("1 file back as before.");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Put again");
    await files.getByText("You took back 1 call").waitFor();
    await files.getByText("All of it is as it was before.").waitFor();
    await files.getByRole("button", { name: /^Put again/ }).click();
    await files.getByText("1 file there again").waitFor();
    expect(world.read("src/cart.ts")).toBe(CART_BY_AGENT);
    await files.getByRole("button", { name: "Take back 1 file" }).waitFor();
    expect(await files.getByRole("button", { name: /^Put again/ }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("a confined `rm -rf src` comes back, but for what the user made meanwhile: that waits for a choice", async () => {
    const world = await warmed(await undoProject());
    const cart = world.read("src/cart.ts");
    const call = await world.run("rm -rf src");
    expect(existsSync(world.path("src"))).toBe(false);
    const { page } = await openPage(world.operator, { at: `activity/${call}`, browser: browser() });
    const files = filesOf(page);
    await files.getByText("2 files deleted").waitFor();
    await files.getByText("such as node_modules, aren't kept").waitFor();
    // The page doesn't know it yet.
    mkdirSync(world.path("src"));
    writeFileSync(world.path("src/cart.ts"), "the user's\n");
    await files.getByRole("button", { name: "Take back 2 files" }).click();
    await files.getByText("1 file back as before. 1 file left as it is now.").waitFor();
    expect([world.read("src/cart.ts"), world.read("src/price.ts")]).toEqual([
      "the user's\n",
      "export const VAT = 0.22;\n",
    ]);

    await files.getByRole("heading", { name: "1 file for you to decide" }).waitFor();
    const versions = files.getByRole("group", { name: "What becomes of src/cart.ts" });
    expect(await versions.getByRole("radio").count()).toBe(3);
    expect(await versions.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await files.getByRole("button", { name: /^Take back/ }).count()).toBe(0);
    await files.getByRole("button", { name: /^src\/cart\.ts/ }).click();
    await files.getByText("And what came since").waitFor();
    await files.getByText("the user's", { exact: true }).waitFor();
    await versions.getByText("as it is now").click();
    expect(await files.getByRole("button", { name: /^Take back/ }).count()).toBe(0);
    await versions.getByText("as before").click();
    await files.getByRole("button", { name: "Take back 1 file" }).click();
    await files.getByText("All of it is as it was before.").waitFor();
    expect(world.read("src/cart.ts")).toBe(cart);
  });

  it("all of the last hour, and all of a session, are taken back at once: the list first", async () => {
    const world = await warmed(await undoProject());
    const before = world.read("src/cart.ts");
    await world.edit("src/cart.ts", CART_BY_AGENT);
    await world.edit("made.ts", "export {};\n");
    const { page, problems } = await openPage(world.operator, { at: "activity", browser: browser() });
    const hour = page.getByRole("region", { name: "Take it back" });
    await hour.getByRole("button", { name: "Take all back" }).click();
    await hour.getByText("2 files: 1 made, 1 changed").waitFor();
    await hour.getByText("What can't come back: what was sent").waitFor();
    expect(world.read("src/cart.ts")).toBe(CART_BY_AGENT);
    await hour.getByRole("button", { name: "Take back 2 files" }).click();
    await hour.getByText("2 files back as before.").waitFor();
    expect([world.read("src/cart.ts"), existsSync(world.path("made.ts"))]).toEqual([before, false]);
    await hour.getByRole("button", { name: /^Put again/ }).click();
    await hour.getByText("2 files there again").waitFor();
    expect([world.read("src/cart.ts"), existsSync(world.path("made.ts"))]).toEqual([CART_BY_AGENT, true]);

    await goTo(page, "agents/claude-code");
    const sessions = page.getByRole("region", { name: "What its sessions changed" });
    await sessions.getByRole("button", { name: "Take back all of s1" }).click();
    await sessions.getByRole("button", { name: "Take back 2 files" }).click();
    await sessions.getByText("2 files back as before.").waitFor();
    expect(world.read("src/cart.ts")).toBe(before);
    await sessions.getByRole("button", { name: /^Put again/ }).click();
    await sessions.getByText("2 files there again").waitFor();
    expect(world.read("src/cart.ts")).toBe(CART_BY_AGENT);
    expect(problems).toEqual([]);
  });

  it("what the user has changed since an undo stays when it is put again", async () => {
    const world = await warmed(await undoProject());
    const call = await world.edit("src/cart.ts", CART_BY_AGENT);
    await world.operator.call("undo.take_back", { call });
    writeFileSync(world.path("src/cart.ts"), "the user's\n");
    const { page } = await openPage(world.operator, { at: `activity/${call}`, browser: browser() });
    await filesOf(page)
      .getByRole("button", { name: /^Put again/ })
      .click();
    await filesOf(page).getByText("0 files there again").waitFor();
    expect(world.read("src/cart.ts")).toBe("the user's\n");
  });
});

describe.skipIf(NO_BROWSER !== null)("a session that two agents name", () => {
  it("is taken back on an agent's page for that agent alone", async () => {
    const gate = await startGate({ config: "[undo]\nenabled = false\n" });
    await gate.agent("claude-code", "Full");
    const asked: unknown[] = [];
    const { api } = partialOperator(gate.operator, {
      "undo.list": async (selection: UndoSelection) =>
        selection.agent === "claude-code" ? [knownCall(ID, "kept")] : [],
      "undo.files": async (selection: UndoSelection) => {
        asked.push(selection);
        return { calls: [ID], files: [FILE] };
      },
      "undo.take_back": async (selection: UndoSelection) => {
        asked.push(selection);
        return [];
      },
    });
    const { page } = await openPage(api, { at: "agents/claude-code", browser: browser() });
    await page.getByRole("button", { name: "Take back all of s1" }).click();
    await page.getByRole("button", { name: "Take back 1 file" }).waitFor();
    expect(asked.at(-1)).toEqual({ session: "s1", agent: "claude-code" });
    await page.getByRole("button", { name: "Take back 1 file" }).click();
    // What was shown, whatever was called since.
    const taken = { session: "s1", agent: "claude-code", calls: [ID] };
    await expect.poll(() => asked).toContainEqual(expect.objectContaining(taken));
  });
});

const ID = "0f1e2d3c-1";
const PROJECT = "/srv/shop";
const SIDEWAYS = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";

/** As the gate says it. */
function knownCall(id: string, state: UndoneCall["state"], missing: string | null = null): UndoneCall {
  const at = new Date().toISOString();
  return { id, agent: "claude-code", session: "s1", executor: "Bash", at, project: PROJECT, state, missing };
}

const FILE: UndoneFile = {
  project: PROJECT,
  path: "src/a.ts",
  bytes: "src/a.ts",
  state: "ready",
  part: "file",
  before: "file",
  agent: "file",
  now: "file",
};

interface Shown {
  state: UndoneCall["state"];
  missing?: string;
  files?: readonly UndoneFile[];
  contents?: { before: string | null; agent: string | null; now: string | null };
  language?: "en" | "it";
  width?: number;
  scheme?: "light" | "dark";
}

/** The details of a call of which the gate says this. */
async function shown({ state, missing, files = [FILE], contents, language = "en", ...look }: Shown) {
  const gate = await startGate({ config: `language = "${language}"\n[undo]\nenabled = false\n` });
  const agent = await gate.agent("claude-code", "Full");
  const { decision } = await agent.ask({ executor: "Read", args: { file_path: "/srv/a.txt" } });
  const id = decision.decision_id;
  const { api } = partialOperator(gate.operator, {
    "undo.list": async () => [knownCall(id, state, missing ?? null)],
    "undo.files": async () => ({ calls: [id], files }),
    "undo.contents": async ({ calls }) => {
      // Of what is shown, whatever was called since.
      expect(calls).toEqual([id]);
      return contents ?? { before: "a\n", agent: "b\n", now: "b\n" };
    },
  });
  const { page, problems } = await openPage(api, { at: `activity/${id}`, browser: browser(), ...look });
  const section = page.locator(".call-files");
  await section.waitFor();
  return { page, problems, section };
}

describe.skipIf(NO_BROWSER !== null)("what is said of a call", () => {
  it.each([
    ["running", undefined, "It runs. Once it has ended, what it changed can be taken back."],
    ["unended", undefined, "Nobody said that it ended, so each file is for you to decide."],
    ["not-kept", "late", "It can't be taken back: its project could not be kept in time before it began."],
    ["kept", "disk", "It can't be taken back as a whole: what it could change could not be stored."],
    ["not-kept", "something-new", "It can't be taken back: something-new."],
  ] as const)("%s, missing %s", async (state, missing, sentence) => {
    const files = [{ ...FILE, state: "unsure" as const }];
    const { section } = await shown({ state, files, ...(missing === undefined ? {} : { missing }) });
    await section.getByText(sentence).waitFor();
    expect(await section.getByText(sentence).count()).toBe(1);
    const isListed = state === "unended" || state === "kept";
    await expect.poll(() => section.locator(".undo-files li").count()).toBe(isListed ? 1 : 0);
    expect(await section.getByRole("button", { name: /^Take back/ }).count()).toBe(0);
  });

  it("of what runs later, and of a repository's own, nothing comes back without a choice", async () => {
    const files: UndoneFile[] = [
      { ...FILE, path: ".git/hooks/pre-commit", bytes: ".git/hooks/pre-commit", part: "runs-later", before: null },
      { ...FILE, path: ".git/refs/heads/main", bytes: ".git/refs/heads/main", part: "git" },
      { ...FILE, path: "big", bytes: "big", state: "unkept", before: "unkept" },
    ];
    const { section } = await shown({ state: "kept", files });
    await section.getByText("is run later, so look at it first").waitFor();
    await section.getByText("the repository's own: a branch, the index, a stash").waitFor();
    await section.getByText("not kept, as it is too large or is made anew: it stays as it is").waitFor();
    expect(await section.getByRole("radio").count()).toBe(4);
    expect(await section.getByRole("button", { name: /^Take back/ }).count()).toBe(0);
    await section.getByText("as before").first().click();
    await section.getByRole("button", { name: "Take back 1 file" }).waitFor();
  });

  it.each([
    ["long", { before: null, agent: "x", now: "x" }, "Too long to be shown here, or not kept."],
    ["no text", { before: "a", agent: "\0b", now: "\0b" }, "It isn't text."],
    ["the same", { before: "a", agent: "a", now: "a" }, "The text is the same: only its rights differ."],
  ])("a content that is %s is no difference", async (_, contents, sentence) => {
    const { section } = await shown({ state: "kept", contents });
    await section.getByRole("button", { name: /^src\/a\.ts/ }).click();
    await section.getByText(sentence).waitFor();
    expect(await section.getByText(sentence).count()).toBe(1);
  });

  it("of many files the first are there, and all on a press; a name that hides something shows it", async () => {
    const files = Array.from({ length: 2229 }, (_, at): UndoneFile => {
      const path = at === 0 ? "a\u202egpj.exe" : `src/${at}.ts`;
      return { ...FILE, path, bytes: path, agent: null, now: null };
    });
    const { section } = await shown({ state: "kept", files });
    await section.getByText("2229 files deleted").waitFor();
    expect(await section.locator(".undo-files li").count()).toBe(50);
    expect(await section.locator(".hidden-character").textContent()).toBe("\\u{202e}");
    await section.getByRole("button", { name: "Show 2,179 more" }).click();
    await expect.poll(() => section.locator(".undo-files li").count()).toBe(2229);
  });

  it("a call of which nothing is known has no such part, and where undo is off one line says so", async () => {
    const gate = await startGate({ config: "[undo]\nenabled = false\n" });
    const agent = await gate.agent("claude-code", "Full");
    const { decision } = await agent.ask({ executor: "Read", args: { file_path: "/srv/a.txt" } });
    const at = `activity/${decision.decision_id}`;
    const { page, problems } = await openPage(gate.operator, { at, browser: browser() });
    await page.getByText("Nothing is kept that could be taken back. Why not, says").waitFor();
    await page.locator(".trace li").first().waitFor();
    expect(await page.locator(".call-files, .last-hour").count()).toBe(0);
    await goTo(page, "agents/claude-code");
    await page.getByRole("heading", { name: "Last decisions" }).waitFor();
    expect(await page.getByText("What its sessions changed").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each(SCHEMES)("has no serious accessibility problem, and fits 320 px (%s)", async (scheme) => {
    const files: UndoneFile[] = [
      FILE,
      ...["x", "y", "z"].map((name): UndoneFile => {
        const path = `${"a-rather-long-folder-name/".repeat(4)}${name}`;
        return { ...FILE, path, bytes: path, state: "changed" };
      }),
    ];
    const { page, section } = await shown({ state: "kept", missing: "late", files, scheme, language: "it" });
    await section.getByText("Di 3 file decidi tu").waitFor();
    for (const button of await section.locator(".undo-file > button").all()) await button.click();
    await section.locator(".line.added").nth(3).waitFor();
    for (const width of [1280, 380, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await seriousProblems(page), `${width}`).toEqual([]);
      const sideways = await page.evaluate<number>(SIDEWAYS);
      expect(sideways, `${width}`).toBeLessThanOrEqual(0);
    }
  });

  it("everything is done by keys: the name, the choice, and taking back", async () => {
    const files: UndoneFile[] = [{ ...FILE, state: "changed" }];
    const { page, section } = await shown({ state: "kept", files });
    await section.getByRole("button", { name: /^src\/a\.ts/ }).focus();
    await page.keyboard.press("Enter");
    await section.locator(".line.added").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await section.getByRole("radio", { name: "as before", checked: true }).waitFor({ state: "attached" });
    await section.getByRole("button", { name: "Take back 1 file" }).focus();
    expect(await page.locator(":focus").textContent()).toBe("Take back 1 file");
  });
});
