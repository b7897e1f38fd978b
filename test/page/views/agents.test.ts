import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { NO_BROWSER } from "../../support/browser.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const browser = sharedBrowser(beforeAll, afterAll);

describe.skipIf(NO_BROWSER !== null)("agents", () => {
  it("with none, says how to connect one; one that asks then appears by itself, and is let in at the level that was chosen", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "agents", browser: browser() });
    await page.getByText(/metnos-gate\S* connect claude-code$/).waitFor();
    await page.getByText(/metnos-gate\S* demo$/).waitFor();
    expect(await page.textContent("main")).toContain("programs of your own can ask, too");
    const stranger = await gate.connect();
    stranger.send("hello", { id: "h", protocol: 1, agent: { name: "my-script", version: "0.3.1" } });
    const request = page.getByRole("article");
    await request.waitFor();
    expect(await request.getByRole("radio", { checked: true }).count()).toBe(0);
    await request.getByRole("radio", { name: /Supervised/ }).check();
    // Nothing counts in a card's first half second: pressed until it does.
    await expect
      .poll(async () => {
        await request
          .getByRole("button")
          .last()
          .click({ timeout: 500 })
          .catch(() => undefined);
        return (await gate.operator.call("agents.list", {})).agents.map(({ name, level }) => `${name} ${level}`);
      })
      .toEqual(["my-script Supervised"]);
    await stranger.next((message) => message.type === "hello.ok");
    await page.getByRole("row", { name: /my-script/ }).waitFor();
    await request.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("lists each agent that is installed here, with its command and a button that copies it, then the demo", async () => {
    const [folder, before] = [tempFolder(), process.env.PATH];
    for (const name of ["claude", "codex", "gemini", "opencode"])
      writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
    process.env.PATH = folder;
    onTestFinished(() => {
      process.env.PATH = before;
    });
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { browser: browser() });
    const rows = page.locator(".how-to li");
    await rows.first().waitFor();
    const shown = await Promise.all(
      (await rows.all()).map(async (row) => (await row.locator("code").textContent()) ?? ""),
    );
    expect(shown.map((command) => command.replace(/^\S*metnos-gate\S* /, ""))).toEqual([
      "connect claude-code",
      "connect codex",
      "connect gemini",
      "connect opencode",
      "demo",
    ]);
    expect(await rows.locator("b").allTextContents()).toEqual(["Claude Code", "Codex", "Gemini CLI", "OpenCode"]);
    expect(await rows.getByRole("button", { name: "Copy" }).count()).toBe(5);
  });

  it("shows who is connected and how much each called today", async () => {
    const gate = await startGate();
    const agent = await gate.agent("here", "Full");
    await gate.operator.call("agents.pair", { name: "away", level: "ReadOnly" });
    for (let index = 0; index < 3; index++) await agent.ask({ executor: "Read", args: { file_path: `/srv/${index}` } });
    const { page } = await openPage(gate.operator, { at: "agents", browser: browser() });
    const here = page.getByRole("row", { name: /here/ });
    await here.waitFor();
    expect(await here.locator("th").textContent()).toBe("here connected");
    expect(await here.locator("td.number").textContent()).toMatch(/^3\b/);
    const away = page.getByRole("row", { name: /away/ });
    expect(await away.locator("th").textContent()).toBe("away no connection now");
    expect(await away.textContent()).toContain("never");
  });

  it("a level changes only after a question that says what it means", async () => {
    const gate = await startGate();
    await gate.agent("tester", "Supervised");
    const { page } = await openPage(gate.operator, { at: "agents", browser: browser() });
    const level = page.getByLabel("Level of tester");
    await level.selectOption("Full");
    await page.getByText("Asks only for what can't be undone").waitFor();
    await page.keyboard.press("Escape");
    expect(await level.inputValue()).toBe("Supervised");
    const levelNow = async () => (await gate.operator.call("agents.list", {})).agents[0]?.level;
    expect(await levelNow()).toBe("Supervised");
    await level.selectOption("Full");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await expect.poll(levelNow).toBe("Full");
    await page.getByText("Change tester to Full?").waitFor({ state: "detached" });
    expect(await level.inputValue()).toBe("Full");
  });

  it("a pairing is ended after a question, and the agent is out", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester");
    const { page } = await openPage(gate.operator, { at: "agents", browser: browser() });
    await page.getByRole("button", { name: "Revoke tester" }).click();
    expect((await gate.operator.call("agents.list", {})).agents[0]?.revoked_at).toBeNull();
    await page.getByRole("button", { name: "End the pairing" }).click();
    await agent.closed;
    await page.getByText("1 revoked agent").waitFor();
    expect(await page.getByLabel("Level of tester").count()).toBe(0);
  });
});
