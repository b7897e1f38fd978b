import Database from "better-sqlite3";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { openPage } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

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
    const leftHours = (Date.parse(grants[0]?.expires_at ?? "") - Date.now()) / 3_600_000;
    expect(leftHours).toBeGreaterThan(23.9);
    expect(leftHours).toBeLessThanOrEqual(24);
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

  it("one is revoked at once, and can be given back for 10 seconds, by the keyboard too; the line stays in its place", async () => {
    const gate = await withGrants(3);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    const revoke = page.getByRole("button", { name: "Revoke the grant on host-1.example.com" });
    const table = page.getByRole("table");
    await revoke.waitFor();
    const before = await table.boundingBox();
    await revoke.click();
    await page.getByText("Revoked.").waitFor();
    await revoke.waitFor({ state: "detached" });
    expect(await activeTargets(gate)).toEqual(["/srv/folder-2/**", "/srv/folder-0/**"]);
    expect((await table.boundingBox())?.y).toBe(before?.y);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await page.getByText("It is back.").waitFor();
    await revoke.waitFor();
    expect(await activeTargets(gate)).toHaveLength(3);
  });

  it("after 10 seconds the line is gone", async () => {
    const gate = await withGrants(1);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser(), standsStill: true });
    await page.getByRole("button", { name: /^Revoke the grant/ }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.clock.runFor(9000);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(1);
    await page.clock.runFor(1500);
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
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
    await page.getByText("14 grants revoked.").waitFor();
    const left = await activeTargets(gate);
    expect(left).toHaveLength(16);
    expect(left.filter((target) => target.startsWith("/srv"))).toEqual(["/srv/folder-28/**"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("14 grants are back.").waitFor();
    expect(await activeTargets(gate)).toHaveLength(30);
  });

  it("what was unused for 30 days is proposed, shown, and revoked with one press that can be undone", async () => {
    const clock = new ManualClock(new Date(Date.now() - 45 * 86_400_000).toISOString());
    const gate = await startGate({ clock });
    for (const target of ["/srv/old-1", "/srv/old-2"])
      await gate.operator.call("grants.add", { capability: "fs:read", target });
    clock.advance(45 * 86_400);
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/new" });
    const { page, problems } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("2 grants were unused for 30 days").waitFor();
    await page.getByRole("button", { name: "Show them" }).click();
    await page.getByText("2 grants", { exact: true }).waitFor();
    expect((await targets(page)).sort()).toEqual(["/srv/old-1", "/srv/old-2"]);
    await page.getByRole("button", { name: "Revoke 2 unused grants" }).click();
    await page.getByText("2 grants revoked.").waitFor();
    expect(await activeTargets(gate)).toEqual(["/srv/new"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("2 grants are back.").waitFor();
    expect(await activeTargets(gate)).toHaveLength(3);
    expect(problems).toEqual([]);
  });

  it("what is denied for a session is listed below them, and taken back there", async () => {
    const gate = await startGate();
    const agent = await gate.agent("claude-code");
    const asked = await agent.ask({ executor: "Read", args: { file_path: "/srv/diary.txt" } });
    const token = tokenOf(asked.decision);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("No grant is in force.").waitFor();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", refuse: "target" });
    const denied = page.getByRole("region", { name: "Denied for a session" });
    await denied.getByText("/srv/diary.txt").waitFor();
    await denied.getByRole("button", { name: "Revoke the no to /srv/diary.txt" }).click();
    await denied.waitFor({ state: "detached" });
    expect(await gate.operator.call("refusals.list", {})).toEqual([]);
  });

  it("are searched, filtered and sorted by the gate", async () => {
    const gate = await withGrants(6);
    const { page } = await openPage(gate.operator, { at: "grants", browser: browser() });
    await page.getByText("6 grants").waitFor();
    await page.getByLabel("Capability").selectOption("network:http");
    await page.getByText("3 grants").waitFor();
    await page.getByRole("button", { name: "Target" }).click();
    await expect.poll(() => targets(page)).toEqual(["host-1.example.com", "host-3.example.com", "host-5.example.com"]);
    await page.getByRole("button", { name: "Target" }).click();
    await expect.poll(() => targets(page)).toEqual(["host-5.example.com", "host-3.example.com", "host-1.example.com"]);
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

  it("at 380 px a row says whole who may, when it was used and until when", async () => {
    const gate = await startGate();
    await gate.agent("claude-code");
    for (const agent of [undefined, "claude-code"])
      await gate.operator.call("grants.add", {
        capability: "network:http",
        target: `a-host-of-${agent ?? "everybody"}.example.org`,
        expires_at: "2099-01-01T00:00:00Z",
        ...(agent === undefined ? {} : { agent }),
      });
    const { page } = await openPage(gate.operator, { browser: browser(), at: "grants", width: 380, height: 640 });
    await page.locator(".body .grant-row").nth(1).waitFor();
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll(
      ".body .grant-row .capability, .body .grant-row .agent, .body .grant-row .last_used_at, .body .grant-row .expires_at")]
      .filter((one) => one.clientWidth === 0 || one.scrollWidth > one.clientWidth).map((one) => one.className + ": " + one.innerText)`);
    expect(cut).toEqual([]);
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
