import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_BROWSER } from "../../support/browser.ts";
import { card } from "../../support/card-page.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("what a session has seen", () => {
  it("is said on the card, by calls that it opens; its agent's page lists it, and clears it", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator);
    const agent = await gate.agent("claude-code", "Full");
    const keys = join(gate.home.home, ".config/app/keys.json");
    mkdirSync(join(gate.home.home, ".config/app"), { recursive: true });
    writeFileSync(keys, "{}");
    const fetched = { executor: "WebFetch", args: { url: "https://docs.example.net/", prompt: "x" } };
    expect((await agent.ask({ executor: "Read", args: { file_path: keys } })).decision.outcome).toBe("allowed");
    expect((await agent.ask(fetched)).decision.outcome).toBe("allowed");
    const posted = { executor: "Bash", args: { command: "curl -d x=1 https://api.example.org/u" } };
    expect((await agent.ask(posted)).decision.outcome).toBe("approval_required");

    const asking = card(page, "May I run?");
    await asking
      .getByText(/^This session read ~\/\.config\/app\/keys\.json \(\d\d:\d\d\) and took in docs\.example\.net/)
      .waitFor();
    await asking.getByRole("link", { name: "~/.config/app/keys.json" }).click();
    await page.locator(".decision.open").first().waitFor();
    expect(await page.locator(".decision.open").getByRole("img", { name: "read something private" }).count()).toBe(1);

    await page.goto(`${page.url().split("#")[0]}#/agents/claude-code`);
    const sessions = page.getByRole("region", { name: "What its sessions have seen" });
    await sessions.getByText("docs.example.net").waitFor();
    await sessions.getByRole("button", { name: "Clear" }).first().click();
    await sessions.waitFor({ state: "detached" });
    expect(await gate.operator.call("sessions.list", {})).toEqual([]);
    expect(problems).toEqual([]);
  });
});
