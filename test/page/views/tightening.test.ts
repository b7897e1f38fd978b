import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

const FETCH = { executor: "http_get", args: { url: "https://example.com" } };

async function openPolicy(width = 1000) {
  const gate = await startGate();
  const aider = await gate.agent("aider", "Full");
  const goose = await gate.agent("goose", "Full");
  const { page, problems } = await openPage(gate.operator, { at: "policy", width, browser: browser() });
  await page.getByLabel("In force for").selectOption("aider");
  const outcomeOf = async (agent: typeof aider) => (await agent.ask(FETCH)).decision.outcome;
  return { gate, aider, goose, page, problems, outcomeOf };
}

const cell = (page: Page, what: string) => page.getByRole("button", { name: new RegExp(`^${what}`) });
const panel = (page: Page) => page.getByRole("group", { name: "network:http, Full" });
const strip = (page: Page) => page.locator(".undo-strip");

describe.skipIf(NO_BROWSER !== null)("a cell on the page", () => {
  it("is made stricter by one press, for the agent that is looked at, at once; one press undoes it", async () => {
    const { page, problems, aider, goose, outcomeOf } = await openPolicy();
    await cell(page, "network:http, Full").click();
    await panel(page).getByRole("button", { name: "denied for aider" }).click();
    await strip(page).getByText("network:http, Full, for aider: denied from now on.").waitFor();
    await cell(page, "network:http, Full: denied, made stricter").waitFor();
    expect([await outcomeOf(aider), await outcomeOf(goose)]).toEqual(["denied", "allowed"]);
    await panel(page).getByText("For aider: denied, in place of allowed.").waitFor();
    await panel(page).getByText("By hand, in force for aider").waitFor();
    await strip(page).getByRole("button", { name: "Undo" }).click();
    await strip(page).getByText("network:http, Full, for aider: no longer stricter.").waitFor();
    expect(await strip(page).getByRole("button").count()).toBe(0);
    expect(await outcomeOf(aider)).toBe("allowed");
    expect(problems).toEqual([]);
  });

  it("is made stricter for every agent, changed, taken back, and that is undone: each says what is now", async () => {
    const { gate, page, aider, goose, outcomeOf } = await openPolicy();
    await cell(page, "network:http, Full").click();
    await panel(page).getByLabel("For whom").selectOption({ label: "every agent" });
    await panel(page).getByRole("button", { name: "question first for every agent" }).click();
    await strip(page).getByText("for every agent: question first from now on.").waitFor();
    expect([await outcomeOf(aider), await outcomeOf(goose)]).toEqual(["approval_required", "approval_required"]);
    await panel(page).getByRole("button", { name: "denied for every agent" }).click();
    await strip(page).getByText("for every agent: denied from now on.").waitFor();
    await strip(page).getByRole("button", { name: "Undo" }).click();
    await strip(page).getByText("for every agent: question first from now on.").waitFor();
    await panel(page).getByRole("button", { name: "Take back what is stricter for every agent" }).click();
    await strip(page).getByText("for every agent: no longer stricter.").waitFor();
    expect((await gate.operator.call("policy.overrides", {})).overrides).toEqual([]);
    await strip(page).getByRole("button", { name: "Undo" }).click();
    await strip(page).getByText("for every agent: question first from now on.").waitFor();
    expect(await outcomeOf(goose)).toBe("approval_required");
  });

  it("follows what another surface does, and where the table denies it offers nothing", async () => {
    const { gate, page } = await openPolicy();
    await gate.operator.call("policy.tighten", { level: "Full", capability: "fs:read", outcome: "denied" });
    await cell(page, "fs:read, Full: denied, made stricter").waitFor();
    await page.getByLabel("In force for").selectOption("no agent");
    await cell(page, "fs:read, Full: denied, made stricter").waitFor();
    await cell(page, "code:exec, Read only").click();
    const denied = page.getByRole("group", { name: "code:exec, Read only" });
    await denied.waitFor();
    expect(await denied.getByText("Make it stricter for").count()).toBe(0);
  });

  it("by keys alone, and everybody can use it: 320 px wide, and in Italian", async () => {
    const { gate, page } = await openPolicy(320);
    await cell(page, "network:http, Full").focus();
    await page.keyboard.press("Enter");
    await panel(page).waitFor();
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate("document.activeElement.getAttribute('aria-label')");
      if (name === "denied for aider") break;
    }
    await page.keyboard.press("Enter");
    await strip(page).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const sideways = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";
    expect(await page.evaluate(sideways)).toBe(0);
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await strip(page).getByText("network:http, Completo, per aider: d'ora in poi negato.").waitFor();
    await page.getByRole("button", { name: "Togli ciò che è più severo per aider" }).click();
    await strip(page).getByText("network:http, Completo, per aider: non è più severa.").waitFor();
    await strip(page).getByRole("button", { name: "Annulla" }).waitFor();
  });
});
