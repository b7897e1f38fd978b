import { describe, expect, it } from "vitest";
import { MAX_WAITING_CHARACTERS, MAX_WAITING_PER_AGENT } from "../../main/calls/approvals/waiting-quota.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

describe("many connections", () => {
  it("1,000 at once are all greeted and answered", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "crowd", level: "Supervised" });
    const token = gate.token("crowd");
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const agent = await gate.connect();
        await agent.hello("crowd", { token });
        return (await agent.ask({ executor: "time_now" })).decision.outcome;
      }),
    );
    expect(outcomes).toHaveLength(1000);
    expect(new Set(outcomes)).toEqual(new Set(["allowed"]));
    expect((await gate.operator.call("status", {})).connections).toBe(1000);
  });

  it("beyond the limit are refused with a logged reason, and those that are there continue", async () => {
    const gate = await startGate({ config: "[socket]\nmax_connections = 3\n" });
    const agents = [await gate.agent("one"), await gate.agent("two"), await gate.agent("three")];
    const fourth = await gate.connect();
    await fourth.closed;
    await gate.logged(/dropped a client: more than 3 connections/);
    for (const agent of agents) await agent.ping();
    expect(fourth.unread).toEqual([]);
    expect((await gate.operator.call("status", {})).agents_connected.toSorted()).toEqual(["one", "three", "two"]);
  });
});

describe("one agent's connections", () => {
  it("are half of all at the most: the others still find room, and it does once it has closed one", async () => {
    const gate = await startGate({ config: "[socket]\nmax_connections = 4\n" });
    await gate.operator.call("agents.pair", { name: "crowd", level: "Supervised" });
    const token = gate.token("crowd");
    const greeted = async () => {
      const agent = await gate.connect();
      return { agent, answer: await agent.hello("crowd", { token }) };
    };
    const first = await greeted();
    const second = await greeted();
    expect([first.answer.type, second.answer.type]).toEqual(["hello.ok", "hello.ok"]);
    const third = await greeted();
    expect(third.answer.data.code).toBe("too_many_connections");
    await third.agent.closed;
    await (await gate.agent("other")).ping();
    first.agent.socket.destroy();
    await expect.poll(async () => (await greeted()).answer.type).toBe("hello.ok");
  });
});

describe("an agent that never reads its answers", () => {
  it("isn't read from until it reads: then every answer is there, in order, and others are served meanwhile", async () => {
    const gate = await startGate();
    const bystander = await gate.agent("bystander");
    const agent = await gate.agent("deaf");
    agent.socket.pause();
    const CALLS = 25_000;
    const call = (id: number) => ({
      type: "tool.call",
      data: { id: `${id}`, intent: "", executor: "time_now", args: {} },
    });
    let decided = 0;
    const unsubscribe = gate.operator.subscribe(() => decided++, ["decision"]);
    agent.sendText(Array.from({ length: CALLS }, (_, id) => `${JSON.stringify(call(id))}\n`).join(""));
    for (let before = -1; before !== decided; await new Promise((resolve) => setTimeout(resolve, 200)))
      before = decided;
    unsubscribe();
    expect(decided).toBeGreaterThan(100);
    expect(decided).toBeLessThan(CALLS / 4);
    // The rest is still on this side: the gate doesn't take what it can't answer.
    expect(agent.socket.writableLength).toBeGreaterThan(0);
    expect((await bystander.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    agent.socket.resume();
    const ids: string[] = [];
    while (ids.length < CALLS) ids.push(String((await agent.next("tool.decision")).data.id));
    expect(ids).toEqual(Array.from({ length: CALLS }, (_, id) => `${id}`));
    expect((await gate.operator.call("status", {})).slow_clients_dropped).toBe(0);
  });

  it("does not hold up the gate's end", async () => {
    const gate = await startGate();
    const agent = await gate.agent("deaf");
    agent.socket.pause();
    const plan = {
      id: "p",
      intent: "",
      calls: Array.from({ length: 200 }, () => ({ executor: "time_now", args: {} })),
    };
    const line = `${JSON.stringify({ type: "tool.plan", data: plan })}\n`;
    const bystander = await gate.agent("bystander");
    for (let count = 0; count < 20; count++) agent.sendText(line);
    await bystander.ping();
    const started = performance.now();
    await gate.close();
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("an agent that asks and asks", () => {
  it(`has at most ${MAX_WAITING_PER_AGENT} calls waiting, those that share a card counted too`, async () => {
    const gate = await startGate();
    const agent = await gate.agent("eager");
    const call = { executor: "fs_write", args: { path: "/tmp/same.txt", content: "" } };
    const first = await agent.ask(call);
    for (let count = 1; count < MAX_WAITING_PER_AGENT; count++) await agent.ask(call);
    expect(await gate.waiting()).toHaveLength(1);
    const { decision } = await agent.ask(call);
    expect(decision).toMatchObject({ outcome: "denied", reason: expect.stringContaining("wait already") });
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    const other = await gate.agent("other");
    expect((await other.ask(call)).decision.outcome).toBe("approval_required");
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "approved" });
    expect(await first.final()).toMatchObject({ outcome: "allowed" });
    expect((await agent.ask(call)).decision.outcome).toBe("approval_required");
  });

  it("can't fill the memory with the arguments of waiting calls, and the operator can still list them", async () => {
    const gate = await startGate();
    const agent = await gate.agent("eager");
    const content = "x".repeat(900_000);
    const ask = (number: number) => agent.ask({ executor: "fs_write", args: { path: `/tmp/${number}.txt`, content } });
    const fitting = Math.floor(MAX_WAITING_CHARACTERS / 900_100);
    for (let number = 0; number < fitting; number++) {
      expect((await ask(number)).decision.outcome).toBe("approval_required");
    }
    expect((await ask(fitting)).decision).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("too long"),
    });
    const listed = await (await gate.operatorClient()).call("approvals.list", {});
    expect(listed.map(({ args }) => String(args?.content).length)).toEqual(
      Array.from({ length: fitting }, () => 900_000),
    );
  });

  it("is shown whole to the operator also when it is nested as deep as a message may be", async () => {
    const gate = await startGate();
    const agent = await gate.agent("deep");
    let value: unknown = "end";
    for (let depth = 0; depth < 61; depth++) value = [value];
    const { decision } = await agent.ask({ executor: "unheard-of", args: { value } });
    expect(decision.outcome).toBe("approval_required");
    const [listed] = await (await gate.operatorClient()).call("approvals.list", {});
    expect(listed?.args).toEqual({ value });
  });
});

it("a client's connection is refused cleanly when nothing listens", async () => {
  const gate = await startGate();
  await gate.close();
  await expect(AgentConnection.open(gate.paths.agent_socket)).rejects.toMatchObject({ code: "ENOENT" });
});
