import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RULE_WORDS } from "../../../ipc/words/rule-words.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

describe.skipIf(NO_BROWSER !== null)("activity", () => {
  it("decisions appear as they are made, and the picture counts them", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.getByText("Nothing was decided since the gate started.").waitFor();
    await agent.ask({ executor: "Read", args: { file_path: "/srv/a.txt" } });
    await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/.ssh/id_rsa` } });
    await agent.ask({ executor: "Bash", args: { command: "make" } });
    const rows = page.locator(".decision > button");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.nth(0).textContent()).toContain("asked");
    expect(await rows.nth(1).textContent()).toContain("denied");
    expect(await rows.nth(2).textContent()).toContain("allowed");
    await page.getByRole("img", { name: "1 allowed, 1 asked and 1 denied in the last hour" }).waitFor();
    await page.getByText("The same as a table").click();
    const cells = page.locator(".counts tbody td");
    const counted = async () => {
      const numbers = (await cells.allTextContents()).map(Number);
      return [0, 1, 2].map((column) => numbers.filter((_, at) => at % 3 === column).reduce((sum, one) => sum + one, 0));
    };
    await expect.poll(counted).toEqual([1, 1, 1]);
    await page.getByText("Week", { exact: true }).click();
    await page.getByRole("img", { name: "1 allowed, 1 asked and 1 denied in the last week" }).waitFor();
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
    await page.getByText("No decision matches.").waitFor();
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

  it("a burst is drawn whole, up to what is kept", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    await page.getByText("Nothing was decided since the gate started.").waitFor();
    for (let index = 0; index < 300; index++)
      await agent.ask({ executor: "Read", args: { file_path: `/srv/${index}` } });
    await expect.poll(() => page.locator(".decision").count()).toBe(300);
    expect(await page.locator(".decision").first().textContent()).toContain("/srv/299");
    expect(problems).toEqual([]);
  });
});
