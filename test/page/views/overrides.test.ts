import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperatorResult } from "../../../ipc/contract/operator-api.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

type Overrides = OperatorResult<"policy.overrides">;

const OVERRIDES: Overrides["overrides"] = [
  {
    profile: "agent claude-code",
    level: "Supervised",
    capability: "fs:write",
    before: "approval_required",
    outcome: "denied",
    line: 12,
    agents: ["claude-code"],
  },
  {
    profile: `agent kind co\u202edex${"x".repeat(300)}`,
    level: "Full",
    capability: "fs:read",
    before: "allowed",
    outcome: "approval_required",
    line: 18,
    agents: ["codex-work"],
  },
];

async function openPolicy(overrides: Overrides["overrides"], width = 1000) {
  const gate = await startGate();
  await gate.agent("claude-code", "Supervised");
  await gate.agent("codex-work", "Full");
  const file = `${gate.home.home}/.config/metnos/policy_overrides.toml`;
  const { api } = partialOperator(gate.operator, { "policy.overrides": () => Promise.resolve({ file, overrides }) });
  const { page } = await openPage(api, { at: "policy", width, browser: browser() });
  await page.locator(".matrix .cell").first().waitFor();
  return page;
}

describe.skipIf(NO_BROWSER !== null)("what is made stricter for some agents", () => {
  it("is marked in its cell, by a shape and in words: what is in force for the agent that is looked at, or for others", async () => {
    const page = await openPolicy(OVERRIDES);
    await page.getByLabel("In force for").selectOption("claude-code");
    const own = page.getByRole("button", { name: "fs:write, Supervised: denied, made stricter", exact: true });
    const others = page.getByRole("button", { name: "fs:read, Full: allowed, made stricter for other agents" });
    await own.waitFor();
    await others.waitFor();
    const drawn = (name: string) =>
      page.getByRole("button", { name }).locator(".override-mark path").getAttribute("fill");
    expect(await drawn("fs:write, Supervised")).toBe("currentColor");
    expect(await drawn("fs:read, Full")).toBe("none");
    expect(await page.locator(".matrix .override-mark").count()).toBe(2);
    await page.getByLabel("In force for").selectOption("codex-work");
    await page.getByRole("button", { name: "fs:read, Full: question first, made stricter", exact: true }).waitFor();
    await page.getByRole("button", { name: "fs:write, Supervised: question first, made stricter for other" }).waitFor();
  });

  it("an opened cell says for whom, how, and which line of the file", async () => {
    const page = await openPolicy(OVERRIDES);
    await page.getByLabel("In force for").selectOption("codex-work");
    await page.getByRole("button", { name: /^fs:write, Supervised/ }).click();
    const panel = page.getByRole("group", { name: "fs:write, Supervised" });
    await panel.getByText("For agent claude-code: denied, in place of question first.").waitFor();
    await panel.getByText("Line 12, in force for claude-code").waitFor();
    await page.getByRole("button", { name: /^fs:read, Full/ }).click();
    const other = page.getByRole("group", { name: "fs:read, Full" });
    await other.getByText("Line 18, in force for codex-work").waitFor();
    const text = await other.innerText();
    expect(text).toContain("co\\u{202e}dex");
    expect(text.length).toBeLessThan(400);
  });

  it("the file is named whether it says anything or not", async () => {
    const page = await openPolicy([]);
    await page.getByText("No profile makes a cell stricter.").waitFor();
    expect(await page.locator(".override-mark").count()).toBe(0);
    await page.getByText("~/.config/metnos/policy_overrides.toml").waitFor();
    const filled = await openPolicy(OVERRIDES);
    await filled.getByText("Profiles make 2 cells stricter, in").waitFor();
  });

  it("everybody can use it, 320 px wide too", async () => {
    const page = await openPolicy(OVERRIDES, 320);
    await page.getByRole("button", { name: /^fs:read, Full/ }).click();
    await page.locator(".overridden").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    const sideways = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";
    expect(await page.evaluate(sideways)).toBe(0);
  });
});
