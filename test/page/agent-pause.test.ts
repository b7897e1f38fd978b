import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../support/axe.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { openPage } from "../support/page-home.ts";
import { startGate } from "../support/running-gate.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

const WRITE = { executor: "fs_write", args: { path: "/srv/a.txt", content: "x" } };

describe.skipIf(NO_BROWSER !== null)("one agent's pause", () => {
  it("is one press away in its row, and so is its end; the row says that it is paused", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider", "Full");
    await gate.agent("goose", "Full");
    const { page, problems } = await openPage(gate.operator, { at: "agents", browser: browser() });
    const row = page.locator(".agent-table tbody").filter({ hasText: "aider" });
    await row.getByRole("button", { name: "Pause aider" }).click();
    await row.getByText("paused", { exact: true }).waitFor();
    expect((await aider.ask(WRITE)).decision).toMatchObject({ outcome: "denied", stage: "safety" });
    expect((await gate.operator.call("status", {})).paused).toBe(false);
    await page.getByRole("button", { name: "Pause goose" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await row.getByRole("button", { name: "Resume aider" }).click();
    await row.getByRole("button", { name: "Pause aider" }).waitFor();
    expect((await aider.ask(WRITE)).decision.stage).not.toBe("safety");
    expect(problems).toEqual([]);
  });

  it("is one press away on its card: what it waits for is withdrawn, another agent's isn't, and Resume stays in sight", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider");
    const goose = await gate.agent("goose");
    const asked = await aider.ask(WRITE);
    await goose.ask(WRITE);
    const { page } = await openPage(gate.operator, { at: "approvals", browser: browser() });
    const card = page.locator(".card").filter({ hasText: "aider" });
    await card.waitFor();
    const button = card.getByRole("button", { name: "Pause aider" });
    const pressed = async () => {
      await button.click({ timeout: 1000 }).catch(() => undefined); // it counts from half a second after the card has come
      return await card.count();
    };
    await expect.poll(pressed, { timeout: 20_000 }).toBe(0);
    expect(await asked.final()).toMatchObject({ outcome: "denied" });
    expect(await gate.waiting()).toHaveLength(1);
    const strip = page.locator(".ended-strip");
    await strip.getByText("aider is paused: every call of it is denied.").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.reload();
    await strip.getByRole("button", { name: "Resume aider" }).click();
    await strip.getByText("aider is paused").waitFor({ state: "detached" });
    expect((await gate.operator.call("agents.list", {})).agents.map(({ paused }) => paused)).toEqual([null, null]);
  });

  it("is one press away on the card of many requests, too", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider");
    for (const name of ["a", "b", "c", "d", "e", "f"])
      await aider.ask({ ...WRITE, args: { path: `/srv/${name}.txt`, content: "x" } });
    const { page } = await openPage(gate.operator, { at: "approvals", browser: browser() });
    const bundle = page.locator(".card.bundle");
    await bundle.waitFor();
    const pressed = async () => {
      await bundle
        .getByRole("button", { name: "Pause aider" })
        .click({ timeout: 1000 })
        .catch(() => undefined);
      return await bundle.count();
    };
    await expect.poll(pressed, { timeout: 20_000 }).toBe(0);
    await page.locator(".ended-strip").getByRole("button", { name: "Resume aider" }).waitFor();
    expect(await gate.waiting()).toEqual([]);
  });

  it("a press on a card that has just come pauses nobody", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider");
    const { page } = await openPage(gate.operator, { at: "approvals", standsStill: true, browser: browser() });
    await aider.ask(WRITE);
    const button = page.getByRole("button", { name: "Pause aider" });
    await button.waitFor();
    await button.click();
    await page.getByText("Too soon").or(page.locator(".hint:not(:empty)")).first().waitFor();
    expect((await gate.operator.call("agents.list", {})).agents[0]?.paused).toBeNull();
  });
});
