import { describe, expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { card, cards } from "../support/card-page.ts";
import { openPage } from "../support/page-home.ts";
import { serveOperator } from "../support/page-socket.ts";
import { startGate } from "../support/running-gate.ts";

describe.skipIf(NO_BROWSER !== null)("in a browser tab, over the page's own WebSocket", () => {
  it("the page asks, gets events, and shows the gate's refusals", async () => {
    const gate = await startGate();
    const { origin, secret } = await serveOperator(gate.operator);
    const { page, problems } = await openPage(gate.operator, { origin, secret });
    const agent = await gate.agent();
    const asked = await agent.ask({ executor: "Write", args: { file_path: `${gate.home.home}/a.txt`, content: "x" } });
    await card(page, "May I write?").waitFor();
    await page.getByRole("button", { name: "Allow more …" }).click();
    await page.getByRole("textbox", { name: "Target" }).fill("/**");
    await page.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    await page.getByText("Approved elsewhere").waitFor();
    expect(problems).toEqual([]);
  });

  it("a missing gate is shown at once; when one answers again, so are the requests that wait by then", async () => {
    const gate = await startGate();
    const served = await serveOperator(gate.operator);
    const { page } = await openPage(gate.operator, { origin: served.origin, secret: served.secret });
    const agent = await gate.agent();
    const first = await agent.ask({ executor: "Read", args: { file_path: `${gate.home.home}/a.txt` } });
    await card(page, "May I read?").waitFor();
    served.leave();
    await page.getByRole("alert").filter({ hasText: "The gate isn't answering" }).waitFor();
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "approved" });
    await agent.ask({ executor: "Write", args: { file_path: `${gate.home.home}/b.txt`, content: "x" } });
    served.comeBack();
    await card(page, "May I write?").waitFor();
    await page.getByText("No longer asked").waitFor();
    expect(await cards(page).count()).toBe(1);
    expect(await page.getByText("The gate isn't answering").count()).toBe(0);
  });
});
