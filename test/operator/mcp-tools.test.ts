import { describe, expect, it } from "vitest";
import { announce, GET_ISSUE, proxyCall } from "../support/mcp-agent.ts";
import { startGate } from "../support/running-gate.ts";

describe("a server's tool that nobody said anything of", () => {
  it("is new, needs code:exec and is asked about each time", async () => {
    const gate = await startGate();
    const proxy = await gate.agent("tester", "Full");
    expect(await announce(proxy, [GET_ISSUE])).toEqual({ get_issue: "new" });
    const asked = await proxyCall(proxy, "get_issue", { number: 7 });
    expect(asked.decision).toMatchObject({ outcome: "approval_required", capabilities: [{ capability: "code:exec" }] });
  });
});
