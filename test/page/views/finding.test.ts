import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const write = (file: string) => ({
  executor: "Write",
  args: { file_path: file, content: "" },
  context: { cwd: "/srv" },
});

describe.skipIf(NO_BROWSER !== null)("what was decided is found again", () => {
  it("in Activity: by words, by what the user answered, by a stretch of the picture", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester");
    const asked = await agent.ask(write("/srv/needle.txt"));
    await agent.ask(write("/srv/other.txt"));
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "rejected" });
    await asked.final();
    const { page, problems } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const rows = page.locator(".decision > button");
    await expect.poll(() => rows.count()).toBe(2);
    await page.keyboard.press("/");
    await page.keyboard.type("NEEDLE");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Search calls").fill("");
    await page.getByText("Days, your answers, export").click();
    await page.getByLabel("Only what I answered").check();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain("you denied");
    await page.getByLabel("Only what I answered").uncheck();
    const picker = page.getByRole("slider");
    await picker.focus();
    expect(await picker.getAttribute("aria-valuetext")).toContain("asked you and 0 denied at ");
    await picker.press("Home");
    await picker.press("Enter");
    await page.getByText("No call matches.").waitFor();
    await page.getByRole("button", { name: "Show all times" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await seriousProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("in the history: by words and days; opened it leads to the decision; saved as CSV it runs no formula", async () => {
    const gate = await startGate({ web: true });
    const agent = await gate.agent("tester");
    for (const file of ["/srv/needle.txt", "/srv/other.txt"]) {
      const { decision } = await agent.ask(write(file));
      const message = "=HYPERLINK(1)";
      await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected", message });
    }
    // The gate's own page: only a browser saves files.
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    page.setDefaultTimeout(30_000);
    await page.goto((await gate.operator.call("web.link", {})).url);
    await page.getByText("History").click();
    const rows = page.locator(".history tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByText("Days, your answers, export").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    const saved = await textOf(await download.createReadStream());
    expect(saved.split("\r\n")).toHaveLength(4);
    expect(saved).toContain(`"'=HYPERLINK(1)"`);
    await page.getByLabel("From").fill("2099-01-01");
    await page.getByText("Nothing ended like this").waitFor();
    await page.getByLabel("From").fill("");
    await page.getByLabel("Search requests").fill("needle");
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole("button").click();
    await page.getByText("What each stage said").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "See the decision in Activity" }).click();
    await page.locator(".decision.open .facts").waitFor();
  });

  it("an agent's name leads to its own view: its grants, its decisions, and its pause", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester");
    await gate.agent("other");
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/**", agent: "tester" });
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/opt/**", agent: "other" });
    await agent.ask({ executor: "Read", args: { file_path: "/srv/a.txt" } });
    const { page, problems } = await openPage(gate.operator, { at: "agents", browser: browser() });
    await page.getByRole("link", { name: "tester" }).click();
    await page.getByRole("heading", { level: 1, name: "tester" }).waitFor();
    await page.getByText("/srv/**").waitFor();
    expect(await page.getByText("/opt/**").count()).toBe(0);
    await page.locator(".decision").waitFor();
    await page.getByRole("group", { name: "Pause tester for" }).getByRole("button", { name: "1 hour" }).click();
    await page.getByRole("button", { name: "Resume tester" }).waitFor();
    const paused = async () =>
      (await gate.operator.call("agents.list", {})).agents.filter((one) => one.paused !== null).map(({ name }) => name);
    expect(await paused()).toEqual(["tester"]);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Resume tester" }).click();
    await page.getByRole("group", { name: "Pause tester for" }).waitFor();
    expect(await paused()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("the first steps are ticked as they are done", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser: browser() });
    const done = page.locator(".step.done");
    await page.getByText("connect claude-code").first().waitFor();
    expect(await done.count()).toBe(1);
    const agent = await gate.agent("tester");
    await expect.poll(() => done.count()).toBe(2);
    const { decision } = await agent.ask(write("/srv/a.txt"));
    await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
    await page.getByText("Nothing is waiting").waitFor();
    await expect.poll(() => page.locator(".step").count()).toBe(0);
  });
});
