import Database from "better-sqlite3";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const SOON = { timeout: 10_000 };
const browser = sharedBrowser(beforeAll, afterAll);

async function withGrants(count: number): Promise<GateUnderTest> {
  const gate = await startGate();
  for (let index = 0; index < count; index++) {
    await gate.operator.call("grants.add", {
      capability: index % 2 === 0 ? "fs:read" : "network:http",
      target: index % 2 === 0 ? `/srv/folder-${index}/**` : `host-${index}.example.com`,
    });
  }
  return gate;
}

const targets = (page: Page) => page.locator(".body .target").allTextContents();
const activeTargets = async (gate: GateUnderTest) =>
  (await gate.operator.call("grants.search", {})).grants.map(({ target }) => target);

describe.skipIf(NO_BROWSER !== null)("grants", () => {
  it("one that is added is stored as it was said, and shows", async () => {
    const gate = await startGate();
    await gate.agent("tester");
    const { page, problems } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("No grant is in force.").waitFor();
    await page.getByRole("button", { name: "Add a grant" }).click();
    const form = page.getByRole("dialog", { name: "Add a grant" });
    await form.getByLabel("It may").selectOption("fs:write");
    await form.getByLabel("On", { exact: true }).fill("/srv/out/**");
    await form.getByLabel("Agent").selectOption("tester");
    await form.getByLabel("For", { exact: true }).selectOption("day");
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByRole("row").filter({ hasText: "/srv/out/**" }).waitFor();
    const { grants } = await gate.operator.call("grants.search", {});
    expect(grants).toMatchObject([{ capability: "fs:write", target: "/srv/out/**", agent_name: "tester" }]);
    const left_hours = (Date.parse(grants[0]?.expires_at ?? "") - Date.now()) / 3_600_000;
    expect(left_hours).toBeGreaterThan(23.9);
    expect(left_hours).toBeLessThanOrEqual(24);
    expect(problems).toEqual([]);
  });

  it("what the gate would never store is refused in the form, in the gate's own words; none is offered that can't be granted", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByRole("button", { name: "Add a grant" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("It may").locator("option[value='fs:read']").waitFor({ state: "attached" });
    expect(await form.getByLabel("It may").locator("option[value='code:exec']").count()).toBe(0);
    await form.getByLabel("On", { exact: true }).fill("/**");
    await form.getByRole("button", { name: "Add" }).click();
    await form.getByRole("alert").waitFor();
    expect(await activeTargets(gate)).toEqual([]);
  });

  it("one granted elsewhere is shown without a reload, one revoked elsewhere is removed", async () => {
    const gate = await withGrants(1);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("/srv/folder-0/**").waitFor();
    const added = await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/later" });
    await page.getByText("/srv/later").waitFor();
    expect(await targets(page)).toEqual(["/srv/later", "/srv/folder-0/**"]);
    await gate.operator.call("grants.revoke", { id: added.id });
    await page.getByText("/srv/later").waitFor({ state: "detached" });
    expect(await targets(page)).toEqual(["/srv/folder-0/**"]);
  });

  it("one is revoked after a question in its place; keep and Escape leave it", async () => {
    const gate = await withGrants(3);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    const ask = page.getByRole("button", { name: "Revoke the grant on host-1.example.com" });
    const row = page.getByRole("row").filter({ hasText: "host-1.example.com" });
    await ask.click();
    await row.getByRole("button", { name: "Keep" }).click();
    await ask.click();
    await page.keyboard.press("Escape");
    expect(await activeTargets(gate)).toHaveLength(3);
    await ask.click();
    await row.getByRole("button", { name: "Revoke", exact: true }).click();
    await row.waitFor({ state: "detached" });
    expect(await activeTargets(gate)).toEqual(["/srv/folder-2/**", "/srv/folder-0/**"]);
  });

  it("many are revoked together, those that were ticked and no other", async () => {
    const gate = await withGrants(30);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByLabel("Search targets").fill("folder");
    await page.getByText("15 grants").waitFor();
    await page.getByLabel("Select all that match").click();
    await page.getByText("15 selected").waitFor();
    await page.getByLabel("Select /srv/folder-28/**").uncheck();
    await page.getByRole("button", { name: "Revoke 14 grants" }).click();
    expect(await activeTargets(gate)).toHaveLength(30);
    await page.getByText("Revoke these 14 grants?").waitFor();
    await page.getByRole("button", { name: "Revoke 14 grants" }).click();
    await page.getByText("14 grants revoked.").waitFor();
    const left = await activeTargets(gate);
    expect(left).toHaveLength(16);
    expect(left.filter((target) => target.startsWith("/srv"))).toEqual(["/srv/folder-28/**"]);
  });

  it("are searched, filtered and sorted by the gate", async () => {
    const gate = await withGrants(6);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("6 grants").waitFor();
    await page.getByLabel("Capability").selectOption("network:http");
    await page.getByText("3 grants").waitFor();
    await page.getByRole("button", { name: "Target" }).click();
    await expect
      .poll(() => targets(page), SOON)
      .toEqual(["host-1.example.com", "host-3.example.com", "host-5.example.com"]);
    await page.getByRole("button", { name: "Target" }).click();
    await expect
      .poll(() => targets(page), SOON)
      .toEqual(["host-5.example.com", "host-3.example.com", "host-1.example.com"]);
    expect(await page.getByRole("columnheader", { name: "Target" }).getAttribute("aria-sort")).toBe("descending");
    await page.getByLabel("Search targets").fill("nowhere");
    await page.getByText("No grant matches.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByText("6 grants").waitFor();
  });

  it("ended ones show only when asked for, and say how they ended", async () => {
    const gate = await withGrants(2);
    const { grants } = await gate.operator.call("grants.search", {});
    await gate.operator.call("grants.revoke", { id: grants[0]?.id ?? 0 });
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("1 grant", { exact: true }).waitFor();
    await page.getByLabel("Show ended ones").check();
    const ended = page.getByRole("row").filter({ hasText: "host-1.example.com" });
    await ended.getByText("revoked").waitFor();
    expect(await ended.getByRole("checkbox").isDisabled()).toBe(true);
  });

  it("a target's hidden characters are visible", async () => {
    const gate = await startGate();
    await gate.operator.call("grants.add", { capability: "mail:read", target: "me\u202e@example.com" });
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.locator(".grant-row .hidden-character").waitFor();
    expect((await targets(page)).join()).toBe("me\\u{202e}@example.com");
  });

  it("100,000 of them scroll: few rows exist, and the last is reached", async () => {
    const first = await startGate();
    const { home, paths } = first;
    await first.close();
    const db = new Database(paths.grants_db);
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
       INSERT INTO grants (channel, sender_id, capability, target, granted_at, target_base, target_real)
       SELECT 'local', 'me', 'fs:read', '/srv/' || i, '2026-01-01T00:00:00Z', '/srv/' || i, '/srv/' || i FROM n`,
    ).run();
    db.close();
    const gate = await startGate({ home });
    const { page, problems } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("100,000 grants").waitFor();
    await page.getByText("/srv/100000", { exact: true }).waitFor();
    const table = page.getByRole("table");
    await table.hover();
    for (let step = 0; step < 20; step++) {
      await page.mouse.wheel(0, 100_000);
      expect(await page.getByRole("row").count()).toBeLessThan(100);
    }
    await table.focus();
    await page.keyboard.press("End");
    await page.getByText("/srv/1", { exact: true }).waitFor();
    await page.keyboard.press("Home");
    await page.getByText("/srv/100000", { exact: true }).waitFor();
    expect(await page.getByLabel("Select all that match").isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });
});
