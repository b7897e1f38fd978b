import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { launchBrowser, NO_BROWSER } from "../../support/browser.ts";
import { card, cards, press } from "../../support/card-page.ts";
import { openPage } from "../../support/page-home.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

/** Nine reads below ~/project and three requests to a host. */
async function twelve(gate: GateUnderTest, agent: AgentConnection) {
  const calls = Array.from({ length: 12 }, (_, index) =>
    index % 4 === 3
      ? { executor: "http_get", args: { url: `https://example.org/${index}` } }
      : {
          executor: "Read",
          args: { file_path: `${gate.home.home}/project/${index % 2 ? "src" : "test"}/${index}.ts` },
        },
  );
  return Promise.all(calls.map((call) => agent.ask(call)));
}

describe.skipIf(NO_BROWSER !== null)("many cards at once", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("of one agent become one, which says what they are; deny all denies all", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const asked = await twelve(gate, await gate.agent("busy"));
    const bundle = card(page, "busy asks 12 things");
    await bundle.getByText("9 reading below ~/project, 3 requests to example.org", { exact: true }).waitFor();
    expect(await cards(page).count()).toBe(1);
    await press(bundle.getByRole("button", { name: "Deny all" }));
    for (const one of asked) expect((await one.final()).status).toBe("rejected");
    await page.getByText("You denied: 12 requests").waitFor();
  });

  it("approve all waits until the whole list was on the screen, and leaves out what it can't show whole", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent("busy");
    const asked = await twelve(gate, agent);
    await agent.ask({
      executor: "Write",
      args: { file_path: `${gate.home.home}/long.txt`, content: "line\n".repeat(50) },
    });
    const bundle = card(page, "busy asks 13 things");
    const approve = bundle.getByRole("button", { name: "Approve 12 once" });
    await bundle.getByText("1 is longer than this list shows").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await press(bundle.getByRole("button", { name: "+ 8 more" }));
    const list = bundle.getByRole("figure");
    await list.focus();
    await page.keyboard.press("End");
    await approve.and(page.locator(":enabled")).waitFor();
    await press(approve);
    for (const one of asked) expect((await one.final()).outcome).toBe("allowed");
    // What is left is too little for a bundle.
    await card(page, "May I write?").waitFor();
    expect(await gate.waiting()).toHaveLength(1);
  });

  it("on a card and in a bundle's list it is said where a name of the call leads", async () => {
    const gate = await startGate();
    const { home } = gate.home;
    symlinkSync("notes.txt", join(home, "profile.sh"));
    const { page } = await openPage(gate.operator, { browser });
    const agent = await gate.agent("busy");
    const said = "~/profile.sh leads to ~/notes.txt";
    await agent.ask({ executor: "Bash", args: { command: "echo x | tee -a profile.sh" }, context: { cwd: home } });
    await card(page, "May I run?").getByText(said, { exact: true }).waitFor();
    for (const name of ["a", "b", "c", "d", "e"])
      await agent.ask({ executor: "Read", args: { file_path: `${home}/${name}` } });
    const bundle = card(page, "busy asks 6 things");
    await bundle.getByRole("button", { name: "+ 1 more" }).click();
    const list = bundle.getByRole("figure");
    await list.getByText(said, { exact: true }).waitFor();
    expect(await list.getByText("leads to").count()).toBe(1);
  });

  it("on a card and in a bundle's list it is said that the agent may ask once more itself", async () => {
    const gate = await startGate();
    const { home } = gate.home;
    const { page } = await openPage(gate.operator, { browser });
    const agent = await gate.agent("claude-code");
    const said = "Claude Code is in plan mode: it may ask you once more";
    const write = (name: string) =>
      agent.ask({
        executor: "Write",
        args: { file_path: join(home, name), content: "text\n" },
        context: { mode: "plan" },
      });
    await write("a.txt");
    await card(page, "May I write?").getByText(said, { exact: true }).waitFor();
    for (const name of ["b.txt", "c.txt", "d.txt", "e.txt", "f.txt"]) await write(name);
    const bundle = card(page, "claude-code asks 6 things");
    await bundle.getByRole("button", { name: "+ 1 more" }).click();
    await expect.poll(() => bundle.getByRole("figure").getByText(said, { exact: true }).count()).toBe(6);
  });

  it("another one in the bundle must be shown, too", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent("busy");
    await twelve(gate, agent);
    await press(page.getByRole("button", { name: "+ 7 more" }));
    await page.getByRole("figure").focus();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "Approve 12 once" }).and(page.locator(":enabled")).waitFor();
    await page
      .getByRole("figure")
      .evaluate("this.scrollTop = 0")
      .catch(() => undefined);
    await page.keyboard.press("Home");
    await agent.ask({ executor: "Bash", args: { command: "make all\n#\n#\n#\n#" } });
    const approve = page.getByRole("button", { name: "Approve 13 once" });
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
  });

  it("one in the bundle whose script is another one by now must be shown again", async () => {
    const gate = await startGate();
    const { home } = gate.home;
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    const agent = await gate.agent("busy");
    for (let index = 0; index < 12; index++) {
      writeFileSync(join(home, `${index}.sh`), "true\n");
      await agent.ask({ executor: "Bash", args: { command: `sh ${index}.sh` }, context: { cwd: home } });
    }
    await press(page.getByRole("button", { name: "+ 7 more" }));
    await page.getByRole("figure").focus();
    await page.keyboard.press("End");
    const approve = page.getByRole("button", { name: "Approve 12 once" });
    await approve.and(page.locator(":enabled")).waitFor();
    const scrolledTo = async () => {
      await page.getByRole("figure").press("Home");
      return page.evaluate("document.querySelector('.bundle-list').scrollTop");
    };
    await expect.poll(scrolledTo).toBe(0);
    writeFileSync(join(home, "11.sh"), "false\n");
    const waiting = await gate.operator.call("approvals.list", {});
    const changed = waiting.find(({ description }) => description?.stands_for[0]?.file.endsWith("/11.sh"));
    const answer = { token: changed?.token ?? "", decision: "approved" } as const;
    await expect(gate.operator.call("approvals.resolve", answer)).rejects.toMatchObject({ code: "script_changed" });
    await page.getByText("false", { exact: true }).waitFor({ state: "attached" });
    expect(await approve.isDisabled()).toBe(true);
  });

  it("can be shown one by one", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser, standsStill: true });
    await twelve(gate, await gate.agent("busy"));
    await press(page.getByRole("button", { name: "Look at each" }));
    await card(page, "May I read?").first().waitFor();
    await cards(page).nth(11).waitFor();
    expect(await page.getByRole("button", { name: "Look at each" }).count()).toBe(0);
  });

  it("of many agents open with a handful on the page; more come as one scrolls", async () => {
    const gate = await startGate();
    const agents = await Promise.all(Array.from({ length: 40 }, (_, number) => gate.agent(`agent-${number}`)));
    for (const agent of agents) {
      for (const name of ["a", "b", "c"]) {
        await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/${agent.agent_id}/${name}` } });
      }
    }
    const { page } = await openPage(gate.operator, { browser });
    await card(page, "May I read?").first().waitFor();
    const atFirst = await cards(page).count();
    expect(atFirst).toBeLessThan(40);
    await cards(page).last().scrollIntoViewIfNeeded();
    await cards(page).nth(atFirst).waitFor();
  });
});
