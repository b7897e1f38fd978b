import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ViewName } from "../../../renderer/window/view-names.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** Each place with something in it, what shows that it is there, and the Italian for its name. */
const PLACES = {
  approvals: { at: "approvals/history", en: "Approvals", it: "Richieste", shows: ".history" },
  policy: { at: "policy", en: "Policy", it: "Regole", shows: ".matrix .cell" },
  grants: { at: "grants", en: "Grants", it: "Permessi", shows: ".grant-row .target[role=cell]" },
  agents: { at: "agents", en: "Agents", it: "Agenti", shows: ".agent-table tbody" },
  activity: { at: "activity", en: "Activity", it: "Attività", shows: ".decision" },
  safety: { at: "safety", en: "Safety", it: "Sicurezza", shows: ".state h2" },
  settings: { at: "settings", en: "Settings", it: "Impostazioni", shows: ".setting" },
} as const satisfies Record<ViewName, { at: string; en: string; it: string; shows: string }>;
const VIEWS = Object.values(PLACES);

const WRITE_GRANT = {
  capability: "fs:write",
  target: "/srv/**",
  expires_at: "2099-01-01T00:00:00Z",
  agent: "claude-code",
} as const;

async function lived(): Promise<GateUnderTest> {
  const gate = await startGate();
  const agent = await gate.agent("claude-code", "Supervised");
  await gate.agent("an-agent-with-quite-a-long-name-for-a-column-0123456789", "Full");
  const long = `/srv/${"a-rather-long-folder-name/".repeat(8)}file.txt`;
  await gate.operator.call("grants.add", { capability: "fs:read", target: `${long}` });
  await gate.operator.call("grants.add", WRITE_GRANT);
  await agent.ask({ executor: "Read", args: { file_path: long }, intent: `read ${"very ".repeat(40)}long` });
  await agent.ask({ executor: "Bash", args: { command: `echo ${"x".repeat(300)}` } });
  await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/.ssh/id_rsa` } });
  await agent.ask({ executor: "Write", args: { file_path: `${gate.home.home}/${"b".repeat(60)}.txt`, content: "b" } });
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not now" });
  const stranger = await gate.connect();
  stranger.send("hello", { id: "h", protocol: 1, agent: { name: "my-script" } });
  await stranger.next((message) => message.type === "hello.pairing");
  return gate;
}

/** Another view of the same page: what was unfolded is closed. */
async function goTo(page: Page, at: string): Promise<void> {
  await page.goto(`${page.url().split("#")[0]}#/${at}`);
}

/** Opens what can be opened in a view, so that it is checked, too. */
async function unfold(page: Page, at: string): Promise<void> {
  if (at === "policy") {
    await page
      .getByRole("button", { name: /^fs:write, / })
      .nth(1)
      .click();
    await page.locator(".bearing li").first().waitFor();
  }
  if (at === "grants") await page.locator(".grant-row .act button").first().click();
  if (at === "agents") await page.locator(".agent-table .ends button").first().click();
  if (at === "activity") {
    await page.locator(".decision > button").first().click();
    await page.locator(".trace li").first().waitFor();
  }
}

const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll(".pane, .grant-table, .side, .above")]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .map((element) => element.tagName + "." + element.className + ": " + element.scrollWidth + " > " + element.clientWidth)`;

async function sidewaysScroll(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(SIDEWAYS);
}

describe.skipIf(NO_BROWSER !== null)("every view", () => {
  it.each(SCHEMES)(
    "has no serious accessibility problem, empty, full and unfolded (%s)",
    async (scheme) => {
      const empty = await openPage((await startGate()).operator, { at: "policy", scheme, browser: browser() });
      const full = await openPage((await lived()).operator, { at: "policy", scheme, browser: browser() });
      for (const { at, en, shows } of VIEWS) {
        await goTo(empty.page, at);
        await empty.page.getByRole("heading", { level: 1, name: en }).waitFor();
        expect(await seriousProblems(empty.page), `${at}, empty`).toEqual([]);
        await goTo(full.page, at);
        await full.page.locator(shows).first().waitFor();
        await unfold(full.page, at);
        expect(await seriousProblems(full.page), at).toEqual([]);
        await full.page.setViewportSize({ width: 320, height: 640 });
        expect(await seriousProblems(full.page), `${at}, 320 px`).toEqual([]);
        await full.page.setViewportSize({ width: 1000, height: 680 });
      }
      expect([...empty.problems, ...full.problems]).toEqual([]);
    },
    300_000,
  );

  // 640 x 360 is what 1280 x 720 leaves at a zoom of 200 %.
  it.each([
    [320, 640],
    [375, 667],
    [640, 360],
    [1280, 720],
  ])(
    "fits into %i x %i: nothing scrolls sideways, in either language, while paused too",
    async (width, height) => {
      const gate = await lived();
      await gate.operator.call("safety.pause", { reason: `lunch ${"and-more-".repeat(20)}` });
      const { page } = await openPage(gate.operator, { at: "policy", width, height, browser: browser() });
      for (const language of ["en", "it"] as const) {
        await gate.operator.call("settings.set", { key: "language", value: language });
        // What was unfolded in the other language has revoked a grant.
        await gate.operator.call("grants.add", WRITE_GRANT);
        for (const view of VIEWS) {
          await goTo(page, view.at);
          await page.getByRole("heading", { level: 1, name: view[language] }).waitFor();
          await page.locator(view.shows).first().waitFor();
          expect(await sidewaysScroll(page), `${view.at}, ${language}`).toEqual([]);
          await unfold(page, view.at);
          expect(await sidewaysScroll(page), `${view.at}, unfolded, ${language}`).toEqual([]);
        }
      }
    },
    60_000,
  );

  it("speaks Italian everywhere once that is chosen in the settings", async () => {
    const gate = await lived();
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    const english = new Map<string, string>();
    const texts = async (at: string) => {
      await goTo(page, at);
      const view = VIEWS.find((one) => one.at === at);
      await page
        .locator(view?.shows ?? "")
        .first()
        .waitFor();
      return (await page.locator("main").innerText()).replace(/\s+/g, " ");
    };
    for (const { at } of VIEWS) english.set(at, await texts(at));
    await page.getByLabel("Language").selectOption("it");
    await page.getByRole("heading", { name: "Impostazioni" }).waitFor();
    for (const { at, it: name } of VIEWS) {
      const italian = await texts(at);
      expect(italian).toContain(name);
      // No sentence of the English page is left: what both have are names, commands and times.
      const left = (english.get(at) ?? "")
        .split(/[.:?!]\s/)
        .filter((part) => part.split(" ").length > 4 && italian.includes(part));
      expect(left, at).toEqual([]);
    }
  });

  it("is reached by Tab alone: every cell of the matrix, and Enter opens it", async () => {
    const gate = await lived();
    const { page } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await page.locator(".matrix .cell").first().waitFor();
    const reached = new Set<string>();
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      if ((await focused.count()) === 0) break; // past the last control
      reached.add((await focused.getAttribute("aria-label")) ?? (await focused.textContent()) ?? "");
    }
    expect([...reached].filter((label) => /^[a-z]+:[a-z]+, /.test(label))).toHaveLength(39);
    await page.getByRole("button", { name: /^fs:read, Full/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "fs:read, Full" }).waitFor();
  });
});
