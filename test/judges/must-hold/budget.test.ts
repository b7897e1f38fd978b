import { expect, it } from "vitest";
import { agentTokenFile } from "../../../ipc/base/paths.ts";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { AgentConnection as Connection } from "../../support/agent-connection.ts";
import { type JudgedGate, judgedGate } from "../../support/judged-gate.ts";
import { modelServer } from "../../support/model-server.ts";
import { readToken } from "../../support/running-gate.ts";

async function again(gate: JudgedGate): Promise<AgentConnection> {
  const agent = await Connection.open(gate.home.paths.agent_socket);
  await agent.hello("worker", { token: readToken(agentTokenFile(gate.home.paths, "worker")) });
  return agent;
}

const overBudget = async (gate: JudgedGate) =>
  (await gate.operator.call("status", {})).alarms.filter(({ code }) => code === "judge_over_budget").length;

it("beyond calls_per_day the rules judge until midnight, with one alarm, also after a restart and after kill -9", async () => {
  const server = await modelServer();
  const config = `[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m", "openai", "calls_per_day = 2")}`;
  const gate = await judgedGate(config);
  const agent = await gate.agent();
  const kindOf = async (gate: JudgedGate, agent: AgentConnection) =>
    (await gate.propose(agent, gate.write()).decision).verdict?.judge_kind;
  expect([await kindOf(gate, agent), await kindOf(gate, agent), await overBudget(gate)]).toEqual([
    "llm-v1",
    "llm-v1",
    1,
  ]);
  const decision = await gate.propose(agent, gate.write()).decision;
  expect(decision).toMatchObject({ outcome: "allowed", verdict: { judge_kind: "rule-based-v1" } });
  expect(decision.verdict?.degraded).toBeUndefined();
  expect(gate.line(decision)).toMatchObject({ judge_kind: "rule-based-v1" });
  expect(await kindOf(gate, agent)).toBe("rule-based-v1");
  expect(await overBudget(gate)).toBe(1);
  expect(await gate.operator.call("judge.status", {})).toMatchObject({
    kind: "llm-v1",
    kind_now: "rule-based-v1",
    models: [{ name: "m", problem: "over-budget", calls_today: 2, calls_per_day: 2 }],
  });
  expect(await gate.serve.end("SIGTERM")).toBe(0);

  const restarted = await judgedGate(config, { home: gate.home });
  expect(await kindOf(restarted, await again(restarted))).toBe("rule-based-v1");
  expect(await overBudget(restarted)).toBe(1);
  await restarted.serve.end("SIGKILL");

  const killed = await judgedGate(config, { home: gate.home });
  expect(await kindOf(killed, await again(killed))).toBe("rule-based-v1");
  expect(await overBudget(killed)).toBe(1);
  expect(server.requests).toHaveLength(2);
});

it("a question is counted before it is asked: kill -9 while a model thinks gives none back", async () => {
  const server = await modelServer({ fault: "hang-before-headers" });
  const config = `[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m", "openai", "calls_per_day = 1")}`;
  const gate = await judgedGate(config);
  gate.propose(await gate.agent(), gate.write());
  await server.received(1);
  await gate.serve.end("SIGKILL");
  const killed = await judgedGate(config, { home: gate.home });
  const decision = await killed.propose(await again(killed), killed.write()).decision;
  expect(decision.verdict?.judge_kind).toBe("rule-based-v1");
  expect(server.requests).toHaveLength(1);
});

it("a validator whose model is over its budget rejects", async () => {
  const server = await modelServer('{"score": 1, "confidence": 1, "reasoning": "fine", "signals": [], "metadata": {}}');
  const config = `${server.toml("m", "anthropic", "calls_per_day = 1")}
[judge_agents.a]
kind = "model"
model = "m"
prompt = "look at the call"
[[validators]]
type = "semantic"
judge_agent = "a"
criteria = "be careful"
`;
  const gate = await judgedGate(config);
  const agent = await gate.agent();
  expect((await gate.propose(agent, gate.write()).decision).outcome).toBe("allowed");
  expect(await gate.propose(agent, gate.write()).decision).toMatchObject({
    outcome: "denied",
    stage: "validators",
    explain: { rule: "validators.failed" },
  });
  expect(server.requests).toHaveLength(1);
});
