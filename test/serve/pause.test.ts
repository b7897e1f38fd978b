import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { GateClient } from "../../ipc/client.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startServe } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { goal } from "../support/safety.ts";
import { operatorOf, pairedAgent } from "../support/served-agent.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };
const TIME = { executor: "time_now" };
const CRITICAL = goal({ goal_type: "exfiltrate_data" });

describe("while the gate is paused", () => {
  it("every call is denied at stage safety with the reason, also one that a grant covers, and decided as before afterwards", async () => {
    const gate = await startGate();
    const agent = await gate.agent("worker", "Full");
    await gate.operator.call("safety.pause", { reason: "lunch" });
    for (const call of [TIME, READ]) {
      expect((await agent.ask(call)).decision).toMatchObject({
        outcome: "denied",
        stage: "safety",
        reason: "the gate is paused: lunch",
      });
    }
    expect((await gate.operator.call("status", {})).paused).toBe(true);
    await gate.operator.call("safety.resume", {});
    expect((await agent.ask(TIME)).decision.outcome).toBe("allowed");
  });

  it("every agent is informed of the pause, also one that connects later, and of its end", async () => {
    const gate = await startGate();
    const early = await gate.agent("early");
    await gate.operator.call("safety.pause", { reason: "lunch", for_seconds: 3600 });
    const pause = { reason: "lunch", since: expect.any(String), until: expect.any(String) };
    expect((await early.next("safety.paused")).data).toEqual(pause);
    const late = await gate.agent("late");
    expect((await late.next("safety.paused")).data).toEqual(pause);
    await gate.operator.call("safety.resume", {});
    await early.next("safety.resumed");
    await late.next("safety.resumed");
  });

  it("waiting requests are withdrawn with the reason, and no answer to them counts any more", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const asked = await agent.ask(READ);
    const token = tokenOf(asked.decision);
    await gate.operator.call("safety.pause", { reason: "lunch" });
    expect(await asked.final()).toMatchObject({ outcome: "denied", status: "cancelled" });
    expect((await gate.request(token)).message).toContain("lunch");
    await expect(
      gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "permanent" }),
    ).rejects.toMatchObject({ code: "already_resolved" });
  });

  it("an answer that an agent has not taken is void", async () => {
    const gate = await startGate();
    const agent = await gate.agent("worker", "Supervised", { session: "s" });
    const token = tokenOf((await agent.ask(READ)).decision);
    await gate.close();
    const again = await startGate({ home: gate.home });
    await again.operator.call("approvals.resolve", { token, decision: "approved" });
    await again.operator.call("safety.pause", {});
    const back = await again.agent("worker", "Supervised", { session: "s" });
    expect((await back.ask(READ)).decision).toMatchObject({ outcome: "denied", stage: "safety" });
  });

  it("of 1,000 calls in flight none is allowed after the pause's moment", async () => {
    const home = temporaryHome();
    await startServe(home);
    const operator = await operatorOf(home);
    const agent = await pairedAgent(home, operator, "worker", "Full");
    const call = (id: string) => agent.send("tool.call", { id, intent: "", executor: "time_now", args: {} });
    const outcomes: unknown[] = [];
    const receive = async () => outcomes.push((await agent.next("tool.decision")).data.outcome);
    let pause: Promise<unknown> | undefined;
    for (let sent = 0; sent < 1000; sent++) {
      call(`c-${sent}`);
      if (sent === 400) {
        // The gate has begun to decide: a busy machine could have it read the pause first.
        await receive();
        pause = operator.call("safety.pause", { reason: "stop" });
      }
      if (sent % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    }
    await pause;
    call("after");
    while (outcomes.length < 1001) await receive();
    const pausedAt = outcomes.indexOf("denied");
    expect(pausedAt).toBeGreaterThan(0);
    expect(pausedAt).toBeLessThan(1000);
    expect(outcomes.slice(pausedAt)).not.toContain("allowed");
  });
});

describe("a CRITICAL violation", () => {
  it("pauses at once, informs the operator and every agent, and is in the trail without the goal's words", async () => {
    const gate = await startGate();
    const bad = await gate.agent("bad");
    const other = await gate.agent("other", "Full");
    const violated = gate.event(({ type }) => type === "safety.violation");
    bad.send("goal.check", { id: "g", goal: { ...CRITICAL, description: "SECRET-4711" } });
    expect((await bad.next("safety.verdict")).data).toMatchObject({
      id: "g",
      allowed: false,
      is_paused: true,
      violations: [{ rule_id: "SR-007", severity: "CRITICAL" }],
    });
    await other.next("safety.paused");
    expect((await violated).data).toMatchObject({ rule_id: "SR-007", agent_name: "bad" });
    expect((await other.ask(TIME)).decision.outcome).toBe("denied");
    const lines = await gate.operator.call("audit.tail", { lines: 50 });
    expect(lines.map(({ event }) => event)).toContain("paused");
    expect(JSON.stringify(lines)).not.toContain("SECRET-4711");
  });

  it("kill -9 right after it: the next start is paused and knows why", async () => {
    const home = temporaryHome();
    const serve = await startServe(home);
    const agent = await pairedAgent(home, await operatorOf(home), "bad", "Full");
    agent.send("goal.check", { id: "g", goal: CRITICAL });
    await agent.next("safety.verdict");
    serve.child.kill("SIGKILL");
    await serve.exited;
    const gate = await startGate({ home });
    const status = await gate.operator.call("safety.status", {});
    expect(status.pause).toMatchObject({ is_paused: true, by: "safety" });
    expect(status.pause.reason).toContain("SR-007");
    expect(await gate.operator.call("safety.violations", {})).toMatchObject([{ rule_id: "SR-007", agent_name: "bad" }]);
    expect((await (await gate.agent("bad")).ask(TIME)).decision).toMatchObject({ outcome: "denied", stage: "safety" });
  });
});

describe("an agent", () => {
  it("can't resume, acknowledge, unregister or loosen anything: there are no such messages", async () => {
    const gate = await startGate();
    const agent = await gate.agent("bad");
    await gate.operator.call("safety.pause", {});
    for (const type of [
      "safety.resume",
      "safety.acknowledge",
      "safety.pause",
      "safety.rules.remove",
      "safety.resumed",
      "call",
      "operator.hello",
    ]) {
      agent.send(type, { id: type, method: "safety.resume", params: {}, ids: "all" });
      expect((await agent.next("error")).data, type).toMatchObject({ code: "unknown_type" });
    }
    expect((await gate.operator.call("safety.status", {})).pause.is_paused).toBe(true);
  });

  it.each([
    ["goal.check", { goal: { ...goal(), priority: "root" } }],
    ["goal.check", { goal: { ...goal(), allow_critical: "yes" } }],
    ["goal.check", { goal: { ...goal(), description: "x".repeat(65_537) } }],
    ["goal.check", {}],
    ["subtask.check", { subtask: { subtask_id: "t", required_caps: "exec:arbitrary" } }],
    ["graph.check", { graph: { root_goal_id: "g", subtasks: [] } }],
  ])("gets an error for a %s that doesn't fit", async (type, data) => {
    const gate = await startGate();
    const agent = await gate.agent();
    agent.send(type, { id: "x", ...data });
    expect((await agent.next("error")).data).toMatchObject({ id: "x", code: "invalid_message" });
  });

  it("asks through the Node client, which is informed of the pause", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "planner", level: "Supervised" });
    const client = new GateClient({ name: "planner", token: gate.token("planner"), socket: gate.paths.agent_socket });
    onTestFinished(() => client.close());
    expect(await client.checkGoal(goal())).toMatchObject({ allowed: true });
    expect(await client.checkSubtask({ subtask_id: "t", required_caps: ["exec:arbitrary"] })).toMatchObject({
      allowed: false,
    });
    expect(await client.checkGraph({ root_goal_id: "g", subtasks: {} })).toMatchObject({ allowed: true });
    const paused = once(client, "paused");
    expect(await client.checkGoal(CRITICAL)).toMatchObject({ allowed: false, is_paused: true });
    expect((await paused)[0].reason).toContain("SR-007");
  });
});
