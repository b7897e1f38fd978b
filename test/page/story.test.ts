import { describe, expect, it } from "vitest";
import { NO_BROWSER } from "../support/browser.ts";
import { card, press } from "../support/card-page.ts";
import { openPage } from "../support/page-home.ts";
import { startGate } from "../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("the story", () => {
  it("an agent asks to write; 'this folder and below, 30 days' lets it, and what comes next; revoked, it is asked again", async () => {
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { standsStill: true });
    const agent = await gate.agent("claude-code");
    const folder = `${gate.home.home}/invoices`;
    const write = (name: string) => ({ executor: "Write", args: { file_path: `${folder}/${name}`, content: "text" } });

    const asked = await agent.ask(write("2026/04.txt"));
    const asking = card(page, "May I write?");
    await press(asking.getByRole("button", { name: "Allow more …" }));
    // The narrowest reach is proposed; each shows what it would store.
    await asking.getByRole("radio", { name: "This folder and below", exact: true }).check();
    await asking.getByText("Writing below ~/invoices/2026, for claude-code, for this session").waitFor();
    await asking.getByRole("radio", { name: "30 days" }).check();
    const target = asking.getByRole("textbox", { name: "Target" });
    expect(await target.inputValue()).toBe("~/invoices/2026/**");
    await target.fill("~/elsewhere/**");
    await page.clock.runFor(200);
    await asking.getByText("Would have covered 0 of the last 1").waitFor();
    await target.fill("~/invoices/**");
    await page.clock.runFor(200);
    await asking.getByText("Would have covered 1 of the last 1").waitFor();
    await asking.getByRole("listitem").filter({ hasText: "writing ~/invoices/**" }).waitFor();
    await asking.getByText("Writing below ~/invoices, for claude-code, until").waitFor();
    await press(asking.getByRole("button", { name: "Approve and remember" }));
    expect((await asked.final()).outcome).toBe("allowed");

    const { grants } = await gate.operator.call("grants.search", {});
    expect(grants.map(({ capability, target }) => [capability, target])).toEqual([["fs:write", `${folder}/**`]]);
    const days = (Date.parse(grants[0]?.expires_at ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    expect((await agent.ask(write("2027/01.txt"))).decision.outcome).toBe("allowed");

    await page.getByRole("link", { name: "Grants" }).click();
    await page.clock.resume();
    await page.getByRole("heading", { name: "Grants" }).and(page.locator("h1")).waitFor();
    await page.getByText("~/invoices/**", { exact: true }).first().waitFor();
    const changed = gate.event(({ type }) => type === "grants.changed");
    await page.getByRole("button", { name: /^Revoke the grant/ }).click();
    await changed;
    expect((await agent.ask(write("2027/02.txt"))).decision.outcome).toBe("approval_required");
    await page.getByRole("link", { name: "Approvals" }).click();
    await card(page, "May I write?").waitFor();
    expect(problems).toEqual([]);
  });

  it("what is asked every time can be approved once, and only once", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { standsStill: true });
    const agent = await gate.agent();
    await agent.ask({ executor: "Bash", args: { command: "make all" } });
    await card(page, "May I run?").waitFor();
    expect(await page.getByRole("button", { name: "Approve once" }).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Allow more …" }).count()).toBe(0);
  });
});
