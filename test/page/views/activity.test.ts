import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperatorParams } from "../../../ipc/contract/operator-api.ts";
import { RULE_WORDS } from "../../../ipc/words/rule-words.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

describe.skipIf(NO_BROWSER !== null)("activity", () => {
  it("decisions appear as they are made, and the picture counts them", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.getByText("No call is kept yet.").waitFor();
    await page.getByText("Nothing was decided today.").waitFor();
    await agent.ask({ executor: "Read", args: { file_path: "/srv/a.txt" } });
    await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/.ssh/id_rsa` } });
    await agent.ask({ executor: "Bash", args: { command: "make" } });
    const rows = page.locator(".decision > button");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.nth(0).textContent()).toContain("waits for you");
    expect(await rows.nth(1).textContent()).toContain("denied");
    expect(await rows.nth(2).textContent()).toContain("allowed by itself");
    await page.getByRole("img", { name: "1 allowed by itself, 1 asked you and 1 denied in the last hour" }).waitFor();
    await page.getByText("The same as a table").click();
    const cells = page.locator(".counts tbody td");
    const counted = async () => {
      const numbers = (await cells.allTextContents()).map(Number);
      return [0, 1, 2].map((column) => numbers.filter((_, at) => at % 3 === column).reduce((sum, one) => sum + one, 0));
    };
    await expect.poll(counted).toEqual([1, 1, 1]);
    await page.getByText("Week", { exact: true }).click();
    await page.getByRole("img", { name: "1 allowed by itself, 1 asked you and 1 denied in the last week" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("why is said in the user's language, by the rule; the gate's own sentence is beside it", async () => {
    const gate = await startGate();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    const agent = await gate.agent("tester", "Full");
    const { decision } = await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/.ssh/id_rsa` } });
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.locator(".decision > button").click();
    const because = page.locator(".opened-decision .facts dd").first();
    await because.getByText(RULE_WORDS.it["guard.protected-path"]).waitFor();
    expect(await because.textContent()).toContain(decision.reason);
    const step = page.locator(".opened-decision .trace li.denied .detail");
    expect(await step.textContent()).toContain(RULE_WORDS.it["guard.protected-path"]);
  });

  it("one opens to each stage's outcome, and is loaded again when it was answered", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Supervised");
    await agent.ask({
      executor: "Bash",
      args: { command: "make" },
      intent: "build it",
      context: { cwd: "/srv/project" },
    });
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.locator(".decision > button").click();
    const opened = page.locator(".opened-decision");
    await opened.getByText("build it").waitFor();
    expect(await opened.textContent()).toContain("/srv/project");
    const stage = (name: string) => opened.locator(".trace li").filter({ has: page.getByText(name, { exact: true }) });
    const { decision } = await gate.operator.call("activity.open", {
      decision_id: (await gate.operator.call("activity.list", {})).entries[0]?.decision_id ?? "",
    });
    expect(await opened.locator(".trace li").count()).toBe(decision.trace?.length);
    expect(await stage("Policy").textContent()).toContain("asks");
    expect(await stage("Guard").textContent()).toContain("passed");
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not here" });
    await page.locator(".decision > button").filter({ hasText: "you denied" }).waitFor();
    await stage("You").getByText("denied", { exact: true }).waitFor();
    expect(await page.locator(".decision").count()).toBe(1);
  });

  it("a missing answer is shown as none, not as a denial", async () => {
    const clock = { offset: 0 };
    const gate = await startGate({ now: () => Date.now() + clock.offset });
    const agent = await gate.agent("tester", "Supervised");
    await agent.ask({ executor: "Bash", args: { command: "make" } });
    const closed = gate.event(({ type }) => type === "approval.closed");
    clock.offset = 3_600_000;
    await gate.operator.call("approvals.cleanup", {});
    await closed;
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const row = page.locator(".decision > button");
    await row.getByText("no answer").waitFor();
    expect(await row.locator("svg.neither").count()).toBe(1);
    await row.click();
    const answer = page.locator(".trace li").filter({ has: page.getByText("You", { exact: true }) });
    await answer.getByText("no answer").waitFor();
    expect(await answer.locator("svg.denied").count()).toBe(0);
  });

  it("filters by agent, capability and outcome hold for what was and for what comes", async () => {
    const gate = await startGate();
    const first = await gate.agent("first", "Full");
    const second = await gate.agent("second", "Supervised");
    const read = { executor: "Read", args: { file_path: "/srv/a.txt" } };
    await first.ask(read);
    await second.ask({ executor: "Write", args: { file_path: "/srv/b.txt", content: "" } });
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const rows = page.locator(".decision > button");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("Agent").selectOption("first");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain("first");
    await second.ask({ executor: "Bash", args: { command: "ls" } });
    await first.ask({ executor: "Read", args: { file_path: "/srv/c.txt" } });
    await page.getByText("/srv/c.txt").waitFor();
    expect(await rows.count()).toBe(2);
    await page.getByLabel("Outcome").selectOption("denied");
    await page.getByText("No call matches.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByLabel("Capability").selectOption("fs:write");
    await expect.poll(() => rows.count()).toBe(1);
  });

  it("an agent's words are inert and visible", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    await agent.ask({
      executor: "Read",
      args: { file_path: "/srv/\u202egpj.exe" },
      intent: "<img src=x onerror=alert(1)>\u001b[31m red",
    });
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.locator(".decision > button").click();
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    const text = await page.textContent("main");
    expect(text).toContain("\\u{202e}");
    expect(text).toContain("\\u{1b}");
    expect(text).not.toContain("\u202e");
    expect(await page.locator("main img").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("a burst is drawn a page at a time; older ones follow where they are wanted", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.getByText("No call is kept yet.").waitFor();
    for (let index = 0; index < 300; index++)
      await agent.ask({ executor: "Read", args: { file_path: `/srv/${index}` }, context: { cwd: "/srv" } });
    await page.locator(".decision").first().getByText("299", { exact: true }).waitFor();
    const older = page.getByRole("button", { name: "Show older ones" });
    while (await older.isVisible()) {
      const before = await page.locator(".decision").count();
      await older.click();
      // The last page may be empty: then the button goes.
      const isShown = async () => (await page.locator(".decision").count()) > before || !(await older.isVisible());
      await expect.poll(isShown).toBe(true);
    }
    expect(await page.locator(".decision").count()).toBe(300);
    await agent.ask({ executor: "Read", args: { file_path: "/srv/300" }, context: { cwd: "/srv" } });
    await page.locator(".decision").first().getByText("300", { exact: true }).waitFor();
    expect(await page.locator(".decision").count()).toBe(301);
    expect(problems).toEqual([]);
  });

  it("today is first: what each agent did, in figures that add up; a line opens, and lists its calls", async () => {
    const gate = await startGate();
    const first = await gate.agent("first", "Full");
    const second = await gate.agent("second", "Full");
    const context = { cwd: "/srv/shop" };
    for (const name of ["a", "b"])
      await first.ask({ executor: "Write", args: { file_path: `/srv/shop/${name}.ts`, content: "" }, context });
    const asked = await first.ask({ executor: "Bash", args: { command: "make deploy" }, context });
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    await first.ask({ executor: "Bash", args: { command: "rm -rf /" }, context });
    await second.ask({ executor: "Read", args: { file_path: "/srv/site/x" }, context: { cwd: "/srv/site" } });
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const rows = page.locator(".day-row");
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.nth(0).innerText()).toMatch(/first\s+\/srv\/shop\s+4 calls · 1 asked · 1 denied · 2 files/);
    await rows.nth(0).getByRole("button").click();
    await rows.nth(0).getByText("2 allowed by itself, 1 you approved, 0 you denied, 1 denied").waitFor();
    await rows.nth(0).getByText("a.ts, b.ts").waitFor();
    await rows.nth(0).getByRole("button", { name: "Show these calls" }).click();
    await expect.poll(() => page.locator(".decision").count()).toBe(4);
    expect(await page.getByLabel("Agent", { exact: true }).inputValue()).toBe("first");
    expect(await seriousProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("what was done before a restart is found by its words, and opens to what is kept of it", async () => {
    const before = await startGate();
    const agent = await before.agent("tester", "Full");
    await agent.ask({ executor: "Bash", args: { command: "git push --force origin main" } });
    await agent.ask({ executor: "time_now" });
    await before.close();
    const gate = await startGate({ home: before.home });
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const rows = page.locator(".decision");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("Search calls").fill("push force");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toMatch(/git\s+push --force/);
    await rows.getByRole("button").click();
    await rows.getByText("What each stage said is kept for the last thousand decisions only.").waitFor();
  });

  it("no list is said to be whole that isn't: why calls may be missing is below it", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    await agent.ask({ executor: "time_now" });
    const killed = { from: Date.now() / 1000 - 60, until: Date.now() / 1000 - 30, why: "killed", calls: null };
    const { api } = partialOperator(gate.operator, {
      "activity.list": async (params: OperatorParams<"activity.list">) => ({
        ...(await gate.operator.call("activity.list", params)),
        gaps: [killed],
      }),
    });
    const { page } = await openPage(api, { at: "activity", browser: browser() });
    const said = page.getByText(/Not complete until .*: the gate ended unexpectedly/);
    await expect.poll(() => said.count()).toBe(1);
  });
});
