import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperatorApi, OperatorEvent } from "../../../ipc/operator-api.ts";
import type { Pause, SafetyStatus, ViolationView } from "../../../ipc/safety.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

const RUNNING: Pause = { is_paused: false, by: null, reason: null, since: null, until: null, clears: "by_human" };

const violation = (id: number, change: Partial<ViolationView> = {}): ViolationView => ({
  id,
  rule_id: "SR-007",
  severity: "CRITICAL",
  subject_type: "goal",
  subject_id: `goal-${id}`,
  agent_name: "tester",
  detail: "the goal's type is exfiltrate_data",
  detected_at: "2026-11-21T00:00:00Z",
  acknowledged_at: null,
  ...change,
});

/** The real gate, with the answers of a safety filter in place of its own. */
async function withSafetyFilter() {
  const gate = await startGate();
  const listeners = new Set<(event: OperatorEvent) => void>();
  const asked: { method: string; params: unknown }[] = [];
  const status: SafetyStatus = {
    pause: RUNNING,
    violations_unacknowledged: 2,
    rules: [
      {
        rule_id: "SR-007",
        subject_type: "goal",
        severity: "CRITICAL",
        description: "goal_type is self_modify_runtime, disable_safety_filter or exfiltrate_data",
        is_builtin: true,
        errors: 0,
        last_error: null,
      },
      {
        rule_id: "mine-1",
        subject_type: "subtask",
        severity: "WARN",
        description: "a subtask without a name",
        is_builtin: false,
        errors: 3,
        last_error: "took longer than 100 ms",
      },
    ],
  };
  let violations = [violation(2), violation(1, { rule_id: "SR-004", severity: "WARN" })];
  const tell = (event: OperatorEvent) => {
    for (const listener of listeners) listener(event);
  };
  const answers: Record<string, (params: never) => unknown> = {
    "safety.status": () => ({
      ...status,
      violations_unacknowledged: violations.filter((one) => one.acknowledged_at === null).length,
    }),
    "safety.violations": ({ include_acknowledged }: { include_acknowledged: boolean }) =>
      violations.filter((one) => include_acknowledged || one.acknowledged_at === null),
    "safety.acknowledge": ({ ids }: { ids: "all" | number[] }) => {
      const now = new Date().toISOString();
      violations = violations.map((one) =>
        ids === "all" || ids.includes(one.id) ? { ...one, acknowledged_at: now } : one,
      );
      return { acknowledged: 1 };
    },
    "safety.pause": ({ for_seconds, reason }: { for_seconds?: number; reason?: string }) => {
      const until = for_seconds === undefined ? null : new Date(Date.now() + for_seconds * 1000).toISOString();
      status.pause = {
        ...RUNNING,
        is_paused: true,
        by: "human",
        reason: reason ?? null,
        since: new Date().toISOString(),
        until,
      };
      tell({ type: "safety.paused", data: status.pause });
      return status.pause;
    },
    "safety.resume": () => {
      status.pause = RUNNING;
      tell({ type: "safety.resumed", data: RUNNING });
      return RUNNING;
    },
  };
  const operator: OperatorApi = {
    call: (async (method: string, params: never) => {
      const answer = answers[method];
      if (answer === undefined) return await gate.operator.call(method as "status", params);
      asked.push({ method, params });
      return answer(params);
    }) as OperatorApi["call"],
    subscribe(listener) {
      listeners.add(listener);
      const unsubscribe = gate.operator.subscribe(listener);
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    },
    close: async () => undefined,
  };
  const happens = (one: ViolationView) => {
    violations = [one, ...violations];
    tell({ type: "safety.violation", data: one });
  };
  return { operator, asked, happens };
}

describe.skipIf(NO_BROWSER !== null)("safety", () => {
  it("of a gate that can't be paused says so, and what to do instead", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "safety", browser: browser() });
    await page.getByText("The gate is running.").waitFor();
    await page.getByRole("button", { name: "5 minutes" }).click();
    await page.getByText("This gate can't be paused from here yet.").waitFor();
    expect(await page.textContent("main")).toContain("This gate has no safety rules.");
    expect(problems).toEqual([]);
  });

  it("pauses for as long as was said, with the reason, and resumes", async () => {
    const { operator, asked } = await withSafetyFilter();
    const { page } = await openPage(operator, { at: "safety", browser: browser() });
    await page.getByLabel("Reason (agents are told)").fill("at lunch");
    await page.getByRole("button", { name: "1 hour" }).click();
    await page.getByText("The gate is paused.").waitFor();
    const last = asked.find(({ method }) => method === "safety.pause");
    expect(last?.params).toEqual({ for_seconds: 3600, reason: "at lunch" });
    expect(await page.locator(".state").textContent()).toContain("at lunch");
    expect(await page.locator(".state time").first().getAttribute("datetime")).toMatch(/Z$/);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The gate is running.").waitFor();
    await page.getByRole("button", { name: "until I resume it" }).click();
    await page.getByText("It goes on when you resume it.").waitFor();
    expect(asked.filter(({ method }) => method === "safety.pause").at(-1)?.params).toEqual({});
  });

  it("violations show as they happen, and are acknowledged one by one or all", async () => {
    const { operator, asked, happens } = await withSafetyFilter();
    const { page } = await openPage(operator, { at: "safety", browser: browser() });
    await page.getByText("2 not acknowledged").waitFor();
    happens(violation(3, { subject_id: "goal\u202e-3" }));
    await page.getByText("3 not acknowledged").waitFor();
    expect(await page.locator(".violation").first().textContent()).toContain("goal\\u{202e}-3");
    await page.getByRole("button", { name: "Acknowledge SR-004 on goal-1" }).click();
    await page.getByText("2 not acknowledged").waitFor();
    expect(asked.filter(({ method }) => method === "safety.acknowledge").at(-1)?.params).toEqual({ ids: [1] });
    await page.getByRole("button", { name: "Acknowledge all" }).click();
    await page.getByText("all acknowledged").waitFor();
    await page.getByLabel("Show acknowledged ones").uncheck();
    await page.locator(".violation").first().waitFor({ state: "detached" });
  });

  it("a rule that fails is named, with what happened", async () => {
    const { operator } = await withSafetyFilter();
    const { page } = await openPage(operator, { at: "safety", browser: browser() });
    const row = page.getByRole("row").filter({ hasText: "mine-1" });
    await row.waitFor();
    expect(await row.textContent()).toContain("3 errors");
    expect(await row.textContent()).toContain("took longer than 100 ms");
    await page.getByText("A rule that fails is skipped").waitFor();
  });
});
