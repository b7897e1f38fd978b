import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CAPABILITIES, LEVELS } from "../../../ipc/contract/decision.ts";
import { POLICY_TABLE } from "../../../main/decide/policy/policy.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const LETTERS = { allowed: "A", approval_required: "Q", denied: "D" };
const NAMES = { ReadOnly: "Read only", Supervised: "Supervised", Full: "Full" };

describe.skipIf(NO_BROWSER !== null)("policy", () => {
  it("shows the gate's own table, each cell with a letter and a shape", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await page.getByRole("button", { name: /^fs:read, Full/ }).waitFor();
    for (const capability of CAPABILITIES) {
      for (const level of LEVELS) {
        const cell = page.getByRole("button", { name: new RegExp(`^${capability}, ${NAMES[level]}: `) });
        const outcome = POLICY_TABLE[level][capability];
        expect(await cell.textContent(), `${capability} ${level}`).toBe(LETTERS[outcome]);
        expect(await cell.locator(`svg.shape.${outcome}`).count()).toBe(1);
      }
    }
    expect(problems).toEqual([]);
  });

  it("a cell opens to the rule that made it and the grants that bear on it, and Escape closes it", async () => {
    const gate = await startGate();
    await gate.agent("tester", "Supervised");
    await gate.operator.call("grants.add", { capability: "fs:write", target: "/srv/out/**" });
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/in/**" });
    const { page } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await page.getByRole("button", { name: /^fs:write, Supervised/ }).click();
    const panel = page.getByRole("group", { name: "fs:write, Supervised" });
    await panel.getByText("/srv/out/**").waitFor();
    const text = await panel.textContent();
    expect(text).toContain("Supervised may do everything, after asking");
    expect(text).toContain("With one of these it isn't asked");
    expect(text).not.toContain("/srv/in");

    await page.getByRole("button", { name: /^fs:write, Read only/ }).click();
    const denied = page.getByRole("group", { name: "fs:write, Read only" });
    await denied.getByText("a grant never lifts a denial").waitFor();
    expect(await page.getByRole("group", { name: "fs:write, Supervised" }).count()).toBe(0);

    await page.getByRole("button", { name: /^code:exec, Full/ }).click();
    await page.getByText("you are asked every time, and no grant is kept for it").waitFor();
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Close" }).press("Escape");
    expect(await page.getByRole("group", { name: /^code:exec/ }).count()).toBe(0);
    expect(await page.locator(":focus").getAttribute("aria-label")).toContain("code:exec, Full");
  });

  it("leads from a cell to all of its grants", async () => {
    const gate = await startGate();
    for (let index = 0; index < 7; index++)
      await gate.operator.call("grants.add", { capability: "network:http", target: `host-${index}.example.com` });
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/in/**" });
    const { page } = await openPage(gate.operator, { at: "policy", browser: browser() });
    await page.getByRole("button", { name: /^network:http, Full/ }).click();
    await page.getByRole("link", { name: "Show all 7 in Grants" }).click();
    await page.getByRole("row").nth(7).waitFor();
    expect(await page.getByText("7 grants").count()).toBe(1);
    expect(await page.getByText("/srv/in/**").count()).toBe(0);
  });

  it("marks each agent's level, and the column in force moves with the chosen agent and with its level", async () => {
    const gate = await startGate();
    await gate.agent("first", "Supervised");
    await gate.operator.call("agents.pair", { name: "second", level: "Full" });
    const { page } = await openPage(gate.operator, { at: "policy", browser: browser() });
    const head = (name: string) => page.getByRole("columnheader", { name });
    await head("Supervised in force for first").waitFor();
    expect(await head("Full").textContent()).toContain("second");
    await page.getByLabel("In force for").selectOption("second");
    await head("Full in force for second").waitFor();
    expect(await page.locator("th.in-force").count()).toBe(1);
    await gate.operator.call("agents.level", { name: "second", level: "ReadOnly" });
    await head("Read only in force for second").waitFor();
  });
});
