import { expect, it } from "vitest";
import type { Proposal } from "../../ipc/contract/operator-api.ts";
import { type AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

type Call = Parameters<AgentConnection["ask"]>[0];

/** Approves each call once. */
async function approved(gate: GateUnderTest, agent: AgentConnection, ...calls: Call[]): Promise<void> {
  for (const call of calls) {
    const asked = await agent.ask(call);
    await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
    await asked.final();
  }
}

/** What is proposed with this call; it is denied then. */
async function proposed(gate: GateUnderTest, agent: AgentConnection, call: Call): Promise<Proposal | null> {
  const token = tokenOf((await agent.ask(call)).decision);
  const [view] = await gate.operator.call("approvals.list", {});
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  return view?.proposal ?? null;
}

const write = (path: string) => ({ executor: "fs_write", args: { path, content: "x" } });
const get = (url: string) => ({ executor: "http_get", args: { url } });

it("after three approvals of its like proposes the narrowest answer that would have covered them, until tonight", async () => {
  const gate = await startGate();
  const agent = await gate.agent("one");
  await approved(gate, agent, write("/srv/p/a"), write("/srv/p/b"));
  expect(await proposed(gate, agent, write("/srv/p/c"))).toBeNull();
  await approved(gate, agent, write("/srv/p/a"));
  const proposal = await proposed(gate, agent, write("/srv/p/c"));
  expect(proposal).toMatchObject({ scope: "permanent", reach: "folder", approved_times: 3 });
  const end = new Date(proposal?.expires_at ?? "");
  expect([end.getHours(), end.getMinutes(), end.getSeconds()]).toEqual([23, 59, 59]);
  expect(end.toDateString()).toBe(new Date().toDateString());
  // Another agent was approved for nothing.
  expect(await proposed(gate, await gate.agent("two"), write("/srv/p/c"))).toBeNull();
});

it("one file over and over: that file; one host: that host; as it is proposed it can be answered", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const call = write("/srv/p/a");
  await approved(gate, agent, call, call, call);
  expect(await proposed(gate, agent, call)).toMatchObject({ reach: "file" });
  await approved(gate, agent, ...["/a", "/b", "/c"].map((path) => get(`https://rates.example.net${path}`)));
  const token = tokenOf((await agent.ask(get("https://rates.example.net/d"))).decision);
  const [view] = await gate.operator.call("approvals.list", {});
  expect(view?.proposal).toMatchObject({ reach: "host" });
  const { approved_times: _, ...answer } = view?.proposal ?? { approved_times: 0 };
  await gate.operator.call("approvals.resolve", { token, decision: "approved", ...answer });
  const expiresAt = view?.proposal?.expires_at;
  expect(await gate.operator.call("grants.list", {})).toMatchObject([
    { target: "rates.example.net", expires_at: expiresAt },
  ]);
});

it("proposes nothing for what can only be approved once, however often that was", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const make = { executor: "shell_exec", args: { command: "make" } };
  await approved(gate, agent, make, make, make, make);
  expect(await proposed(gate, agent, make)).toBeNull();
});
