import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import type { BoxStatus } from "../../../ipc/contract/box.ts";
import type { ApprovalView, OperatorApi, OperatorMethod } from "../../../ipc/contract/operator-api.ts";
import { seriousProblems } from "../../support/axe.ts";
import { WORKING_BOX } from "../../support/box-status.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { operatorWith, readOf, runs } from "../../support/card-views.ts";
import { describedCard } from "../../support/described-cards.ts";
import { openPage } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** A gate's operator that says this of the box. */
function withBox(operator: OperatorApi, status: () => BoxStatus): OperatorApi {
  return withAnswers(operator, { "box.status": status });
}

function withAnswers(operator: OperatorApi, answers: Partial<Record<OperatorMethod, () => unknown>>): OperatorApi {
  return {
    call: async (method, params) => {
      const answer = answers[method];
      return answer === undefined ? await operator.call(method, params) : (answer() as never);
    },
    subscribe: (listener, types) => operator.subscribe(listener, types),
    close: () => operator.close(),
  };
}

describe.skipIf(NO_BROWSER !== null)("confined commands", () => {
  const box = (page: Page) => page.getByRole("region", { name: "Confined commands" });

  it("the policy place says of each agent whether its commands are confined, and why not", async () => {
    const gate = await startGate();
    const agents: BoxStatus["agents"] = [
      { name: "claude-code", state: "confined", client: "claude 2.1.330", tested_at: "2026-11-21T10:00:00Z" },
      { name: "my-script", state: "confined", client: null, tested_at: null },
      { name: "reader", state: "read-only", client: null, tested_at: null },
      { name: "codex", state: "untested", client: null, tested_at: null },
      { name: "claude-next", state: "untested", client: "claude 2.2.0", tested_at: "2026-11-20T10:00:00Z" },
      { name: "gemini", state: "failed", client: "gemini 1.0.0", tested_at: "2026-11-20T10:00:00Z" },
    ];
    const operator = withBox(gate.operator, () => ({ ...WORKING_BOX, agents }));
    const { page, problems } = await openPage(operator, { at: "policy", browser: browser() });
    const rows = box(page).getByRole("list", { name: "Agents" }).getByRole("listitem");
    await rows.nth(5).waitFor();
    const said = await rows.locator(".said").allInnerTexts();
    expect(said).toEqual([
      "Commands run confined",
      "Commands run confined",
      "Read only: it runs no commands",
      "Not confined: it hasn't said that it runs what it is given",
      "Not confined: its client has changed since it was tested. Test it: connect it again",
      "Not confined: its client didn't run what it was given. Use another version of the client, then connect it again",
    ]);
    expect(await rows.nth(0).innerText()).toContain("claude 2.1.330, tested ");
    await page.setViewportSize({ width: 320, height: 680 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await seriousProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("the policy place says what is wrong with the machine, and its fix can be copied", async () => {
    const gate = await startGate();
    let status: BoxStatus = {
      ...WORKING_BOX,
      is_available: false,
      maker: null,
      problem: "user-namespaces-restricted",
      detail: "bwrap: setting up uid map: Permission denied\u202e",
      fix: "sudo tee /etc/apparmor.d/bwrap <<'END'\nabi <abi/4.0>,\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\nEND\nsudo apparmor_parser -r /etc/apparmor.d/bwrap",
      agents: [{ name: "claude-code", state: "untested", client: null, tested_at: null }],
    };
    const { page } = await openPage(
      withBox(gate.operator, () => status),
      { at: "policy", browser: browser() },
    );
    await box(page).getByText("The system doesn't let ordinary users make user namespaces.").waitFor();
    expect(await box(page).innerText()).toContain("setting up uid map: Permission denied\\u{202e}");
    expect(await box(page).locator("code").innerText()).toBe(status.fix);
    expect(await box(page).getByRole("button", { name: "Copy" }).count()).toBe(1);
    // Where nothing is confined, no agent is listed as one whose commands are.
    expect(await box(page).innerText()).not.toMatch(/connect it again|claude-code/);
    status = { ...WORKING_BOX, is_available: false, maker: null, problem: "unsupported-system" };
    await gate.agent("made-anew", "Supervised");
    await box(page).getByText("This version confines commands on Linux only.").waitFor();
    expect(await box(page).getByRole("button").count()).toBe(0);
  });

  it("what was set aside is listed with where it is now", async () => {
    const gate = await startGate();
    const setAside = [
      {
        path: `${gate.home.home}/projects/website/.git/hooks/pre-commit`,
        kept_at: `${gate.home.home}/.local/state/metnos/box/set-aside/2026-11-22T10-00-00-1/pre-commit`,
        at: "2026-11-22T10:00:00Z",
        agent_name: "claude-code",
      },
    ];
    const { page } = await openPage(
      withBox(gate.operator, () => ({ ...WORKING_BOX, set_aside: setAside })),
      {
        at: "policy",
        browser: browser(),
      },
    );
    const item = box(page).locator(".set-aside li");
    await item.waitFor();
    expect((await item.innerText()).split("\n").map((line) => line.trim())).toEqual([
      "~/projects/website/.git/hooks/pre-commit",
      "now at ~/.local/state/metnos/box/set-aside/2026-11-22T10-00-00-1/pre-commit",
      expect.stringMatching(/^claude-code, /),
    ]);
  });

  it("what changes without an event, as a client that was tested meanwhile, is there within half a minute", async () => {
    const gate = await startGate();
    const agent = { name: "claude-code", client: null, tested_at: null } as const;
    let state: "untested" | "confined" = "untested";
    const operator = withBox(gate.operator, () => ({ ...WORKING_BOX, agents: [{ ...agent, state }] }));
    const { page } = await openPage(operator, { at: "policy", browser: browser(), standsStill: true });
    await box(page).getByText("Not confined: its client was never tested").waitFor();
    state = "confined";
    await page.clock.runFor(31_000);
    const now = box(page).getByText("Commands run confined");
    await now.waitFor();
    expect(await now.count()).toBe(1);
  });

  it("of many files that were set aside the first are listed, and the others on a press", async () => {
    const gate = await startGate();
    const setAside = Array.from({ length: 50 }, (_, index) => ({
      path: `/srv/p/${index}/.envrc`,
      kept_at: `/srv/kept/${index}/.envrc`,
      at: "2026-11-22T10:00:00Z",
      agent_name: "claude-code",
    }));
    const operator = withBox(gate.operator, () => ({ ...WORKING_BOX, set_aside: setAside }));
    const { page } = await openPage(operator, { at: "policy", browser: browser() });
    const items = box(page).locator(".set-aside li");
    await items.nth(4).waitFor();
    expect(await items.count()).toBe(5);
    await box(page).getByRole("button", { name: "45 more" }).click();
    expect(await items.count()).toBe(50);
  });

  const CONFINED = { project: "", network: false };
  const granted = (gate: GateUnderTest) =>
    (["fs:read", "fs:write"] as const).map((capability) => ({
      capability,
      target: `${gate.home.home}/projects/website/**`,
    }));
  const confined = (gate: GateUnderTest): ApprovalView =>
    runs("npm test", {
      choices: [
        { scope: "none", reach: null, grants: [] },
        { scope: "session", reach: "project", grants: granted(gate) },
        { scope: "permanent", reach: "project", grants: granted(gate) },
      ],
      token: "c".repeat(16),
      confined: { ...CONFINED, project: `${gate.home.home}/projects/website` },
      capabilities: [{ capability: "fs:write", target: `${gate.home.home}/projects/website/**` }],
      intent: "Run the tests",
    });

  it("a confined call's card says what it is confined to, never that it can change anything", async () => {
    const gate = await startGate();
    const { page } = await openPage(operatorWith(gate.operator, [confined(gate)]), { browser: browser() });
    const card = page.getByRole("article");
    await card.getByText("Confined to ~/projects/website · no network").waitFor();
    await card
      .getByText("It then reads, writes and runs confined commands in ~/projects/website without asking; no network.")
      .waitFor();
    // One answer for every later command that is confined there.
    expect(await card.getByRole("button", { name: "Let it work in ~/projects/website, this session" }).count()).toBe(1);
    expect(await card.innerText()).not.toContain("can change anything");
    await card.getByRole("button", { name: /^Everything/ }).click();
    await card
      .getByText("It can change only what is in ~/projects/website. Of the rest of your home it sees only your tools")
      .waitFor();
  });

  it("a bundle says of each of its requests that it runs confined or asks not to, and doesn't call them reading", async () => {
    const gate = await startGate();
    const place = { capability_class: "fs_read:~/projects/website/**", agent_name: "claude-code" };
    const views = ["a", "b", "c", "d", "e"].map((name) => ({
      ...confined(gate),
      ...place,
      token: name.repeat(16),
    }));
    const asked = runs("metnos-gate outside --reason 'a reason' -- make", { ...place, token: "f".repeat(16) });
    const operator = operatorWith(gate.operator, [...views, asked]);
    const { page } = await openPage(operator, { browser: browser() });
    const card = page.getByRole("article");
    await card.getByText("5 running confined below ~/projects/website").waitFor();
    await card.getByRole("button", { name: /^\+ 1 more/ }).click();
    const rows = card.getByRole("listitem");
    await rows.nth(5).waitFor();
    expect((await rows.nth(0).innerText()).split("\n")[0]).toBe("run, confined");
    expect(await rows.nth(5).innerText()).toContain("Outside the box. The agent's reason: “a reason”");
  });

  it("a call that asks to run outside says so on its card with the agent's reason, whatever is in it", async () => {
    const gate = await startGate();
    const asked = runs("metnos-gate outside --reason 'it needs the network' -- npm install left-pad", {
      token: "d".repeat(16),
    });
    const bare = runs("metnos-gate outside -- npm install left-pad", { token: "e".repeat(16) });
    const hostile = runs("metnos-gate outside --reason $'Confined\\u202e\\n<b>x</b>' -- npm install left-pad", {
      token: "f".repeat(16),
    });
    const { page } = await openPage(operatorWith(gate.operator, [asked, bare, hostile]), { browser: browser() });
    const line = (token: string) => page.locator(`[data-token="${token}"] .outside`);
    await line(asked.token).waitFor();
    expect(await line(asked.token).innerText()).toBe("Outside the box. The agent's reason: “it needs the network”");
    expect(await line(bare.token).innerText()).toBe("Outside the box. The agent gives no reason");
    expect(await line(hostile.token).innerText()).toMatch(
      /^Outside the box\. The agent's reason: “Confined\\u\{202e\}/,
    );
  });

  it("a request for a host says which confined command wants it, not as the agent's reason, and shows no name of the gate's own", async () => {
    const gate = await startGate();
    const wanted = readOf("/srv/x", {
      token: "9".repeat(16),
      executor: "@box_connect",
      action_verb: "connect to",
      description: { ...describedCard(["WebFetch", { url: "https://registry.example.org" }]), effect: "sends" },
      intent: "npm install left-pad",
      args: { url: "https://registry.example.org", description: "npm install left-pad" },
      capabilities: [{ capability: "network:http", target: "registry.example.org" }],
    });
    const { page } = await openPage(operatorWith(gate.operator, [wanted]), { browser: browser() });
    const card = page.getByRole("article");
    await card.getByText("The confined command: npm install left-pad").waitFor();
    expect(await card.getByRole("heading").innerText()).toBe("May I connect to registry.example.org?");
    await card.getByRole("button", { name: /^Everything/ }).click();
    await card.getByText("confined command", { exact: true }).waitFor();
    expect(await card.innerText()).not.toContain("@box_connect");
    expect(await card.innerText()).not.toContain("“npm install");
  });

  it("Activity marks what was decided on as confined, lists it alone where that is wanted, and says what it was confined to", async () => {
    const gate = await startGate();
    const entry: ActivityEntry = {
      number: 2,
      line: "npm test",
      project: null,
      result: "allowed",
      decision_id: "one",
      ts: Date.now() / 1000,
      agent_name: "claude-code",
      executor: "Bash",
      outcome: "allowed",
      stage: "policy",
      reason: "a grant covers it",
      capabilities: [{ capability: "fs:write", target: `${gate.home.home}/projects/website/**` }],
      rule: undefined,
      is_confined: true,
    };
    const free = { ...entry, number: 1, decision_id: "two", line: "Read", executor: "Read", is_confined: false };
    const asked: unknown[] = [];
    const operator: OperatorApi = {
      ...withAnswers(gate.operator, {}),
      call: async (method, params) => {
        if (method === "activity.open")
          return {
            ts: entry.ts,
            agent_name: entry.agent_name,
            executor: "Bash",
            intent: "Run the tests",
            cwd: `${gate.home.home}/projects/website`,
            decision: {
              ...entry,
              explain: {},
              verdict: null,
              confined: { project: `${gate.home.home}/projects/website`, network: true },
            },
          } as never;
        if (method !== "activity.list") return await gate.operator.call(method, params);
        asked.push(params);
        const entries = (params as { confined?: boolean }).confined === true ? [entry] : [entry, free];
        return { entries, since: 0, gaps: [], keep: "line", days: 30 } as never;
      },
    };
    const { page } = await openPage(operator, { at: "activity", browser: browser() });
    const rows = page.locator(".decision");
    await rows.nth(1).waitFor();
    expect(await rows.locator(".confined").allInnerTexts()).toEqual(["confined"]);
    await rows.nth(0).getByRole("button").click();
    await rows
      .nth(0)
      .getByText(
        "It can change only what is in ~/projects/website. Of the rest of your home it sees only your tools, no keys, and it reaches only the hosts that you allow.",
      )
      .waitFor();
    await page.getByText("Days, your answers, export").click();
    await page.getByLabel("Only what is confined").check();
    await rows.nth(1).waitFor({ state: "detached" });
    expect(asked.at(-1)).toMatchObject({ confined: true });
  });

  it("the history says of a request that ended that it was confined", async () => {
    const gate = await startGate();
    const now = new Date().toISOString();
    const ended = { status: "approved", decision_at: now } as const;
    const approvals = [
      { ...confined(gate), ...ended },
      { ...readOf("/srv/a.ts"), ...ended, token: "b".repeat(16) },
    ];
    const operator = withAnswers(gate.operator, {
      "approvals.history": () => ({ total: approvals.length, approvals }),
    });
    const { page } = await openPage(operator, { at: "approvals/history", browser: browser() });
    const outcomes = page.locator("td.outcome");
    await outcomes.nth(1).waitFor();
    expect(await outcomes.allInnerTexts()).toEqual(["approved, once, confined", "approved, once"]);
  });
});
