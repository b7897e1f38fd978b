import { expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

it("a session that the gate named ends with it, however it ends: no grant of it counts afterwards, and none is left active", async () => {
  const home = temporaryHome();
  const serve = await startServe(home);
  const operator = await operatorOf(home);
  const agent = await pairedAgent(home, operator, "worker", "Supervised");
  const token = tokenOf((await agent.ask(WRITE)).decision);
  await operator.call("approvals.resolve", { token, decision: "approved", scope: "session" });
  expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
  const [grant] = await operator.call("grants.list", {});
  serve.child.kill("SIGKILL");
  await serve.exited;
  const gate = await startGate({ home });
  expect(await gate.operator.call("grants.list", {})).toEqual([]);
  expect(await gate.operator.call("grants.list", { include_revoked: true })).toMatchObject([
    { id: grant?.id, revoked_reason: "the session ended" },
  ]);
  const again = await gate.agent("worker", "Supervised", { session: grant?.session });
  expect((await again.ask(WRITE)).decision.outcome).toBe("approval_required");
});

it("an agent can't name a session that the gate named for another connection, at its greeting or in a call", async () => {
  const gate = await startGate();
  const one = await gate.agent("worker");
  const token = tokenOf((await one.ask(WRITE)).decision);
  await gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "session" });
  expect((await one.ask(WRITE)).decision.outcome).toBe("allowed");
  const other = await gate.agent("worker", "Supervised", { session: one.session });
  expect(other.session).not.toBe(one.session);
  for (const context of [undefined, { session: one.session }]) {
    const { decision } = await other.ask({ ...WRITE, ...(context && { context }) });
    expect(decision.outcome).toBe("approval_required");
  }
  expect((await one.ask({ ...WRITE, context: { session: one.session } })).decision.outcome).toBe("allowed");
});

it("a session of the agent's own name outlives the gate", async () => {
  const gate = await startGate();
  const agent = await gate.agent("worker", "Supervised", { session: "monday" });
  const token = tokenOf((await agent.ask(WRITE)).decision);
  await gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "session" });
  await gate.close();
  const again = await startGate({ home: gate.home });
  const back = await again.agent("worker", "Supervised", { session: "monday" });
  expect((await back.ask(WRITE)).decision.outcome).toBe("allowed");
});
