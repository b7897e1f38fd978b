import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { GrantView, OperatorResult } from "../../../ipc/contract/operator-api.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const REVOKED_AT = "2026-11-20T08:00:00Z";

function grant(id: number): GrantView {
  return {
    id,
    channel: "local",
    sender_id: "me",
    capability: "fs:read",
    target: `/srv/project-${id}\u202e/**`,
    granted_at: "2026-01-01T00:00:00Z",
    expires_at: null,
    granted_by: null,
    revoked_at: REVOKED_AT,
    revoked_reason: "stale",
    last_used_at: id === 0 ? null : "2026-07-01T00:00:00Z",
    agent_id: null,
    agent_name: null,
    session: null,
  };
}

async function openGrants(width = 1000, restore: () => { restored: number } = () => ({ restored: 12 })) {
  const gate = await startGate();
  const asked: string[] = [];
  let stale: OperatorResult<"grants.stale"> = [
    {
      revoked_at: REVOKED_AT,
      until: "2026-11-27T08:00:00Z",
      unused_days: 90,
      grants: Array.from({ length: 12 }, (_, id) => grant(id)),
    },
  ];
  const { api, tell } = partialOperator(gate.operator, {
    "grants.stale": () => Promise.resolve(stale),
    "grants.restore_stale": async ({ revoked_at }: { revoked_at: string }) => {
      asked.push(revoked_at);
      const answer = restore();
      stale = [];
      tell({ type: "grants.changed", data: {} });
      return answer;
    },
  });
  const { page } = await openPage(api, { at: "grants", width, browser: browser() });
  await page.getByText("12 grants that were unused for 90 days were revoked").waitFor();
  return { page, asked };
}

describe.skipIf(NO_BROWSER !== null)("grants that were revoked as nobody used them", () => {
  it("are said with how long that can be undone, and given back with one press", async () => {
    const { page, asked } = await openGrants();
    const until = page.locator(".stale .quiet").filter({ hasText: "You can undo that until" });
    await until.locator('time[datetime="2026-11-27T08:00:00Z"]').waitFor();
    await page.getByRole("button", { name: "Give all 12 back" }).click();
    await page.getByText("12 grants are back.").waitFor();
    expect(asked).toEqual([REVOKED_AT]);
    expect(await page.locator(".stale").count()).toBe(0);
  });

  it("are listed on a press, each with its last use", async () => {
    const { page } = await openGrants(320);
    await page.locator(".stale").getByRole("button", { name: "Show them" }).click();
    const rows = page.locator(".stale-list li");
    expect(await rows.count()).toBe(12);
    expect(await rows.nth(0).innerText()).toMatch(/project-0\\u\{202e\}.*every agent, never used/s);
    expect(await seriousProblems(page)).toEqual([]);
    const sideways = "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth";
    expect(await page.evaluate(sideways)).toBe(0);
  });

  it("where that is too late, it is said, and nothing else", async () => {
    const { page } = await openGrants(1000, () => {
      throw new GateError("too_late", "that was more than a week ago", "add the grants anew");
    });
    await page.getByRole("button", { name: "Give all 12 back" }).click();
    await page.getByRole("alert").getByText("more than a week ago").waitFor();
    expect(await page.getByText("are back").count()).toBe(0);
  });
});
