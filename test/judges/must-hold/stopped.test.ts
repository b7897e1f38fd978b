import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { AgentConnection } from "../../support/agent-connection.ts";
import { type JudgedGate, judgedGate, type Proposed, processesWith } from "../../support/judged-gate.ts";
import { type ModelServer, modelServer } from "../../support/model-server.ts";

/** A second, and what a machine that is busy with something else adds to it. In milliseconds. */
const A_SECOND = { timeout: 3000, interval: 50 };

interface Working {
  gate: JudgedGate;
  agent: AgentConnection;
  server: ModelServer;
  /** Named by the command lines of whatever the `command` judge agent started. */
  mark: string;
  proposed: Proposed[];
}

/**
 * Three calls of one agent that are being looked at: by the model as judge, by a judge agent's model, and by a judge agent's program that
 * has started two more, one of them in a session of its own.
 */
async function working(): Promise<Working> {
  const server = await modelServer({ fault: "hang-before-headers" });
  const mark = `86400.${randomUUID().replaceAll(/\D/g, "").slice(0, 12)}`;
  onTestFinished(() => {
    for (const pid of processesWith(mark)) process.kill(pid, "SIGKILL");
  });
  const config = `[judge]
kind = "llm-v1"
model = "m"
when = { executors = ["fs_write"] }
${server.toml("m", "anthropic", "timeout_seconds = 120")}
${server.toml("v", "openai", "timeout_seconds = 120")}
[judge_agents.thinks]
kind = "model"
model = "v"
prompt = "look at the call"
[judge_agents.runs]
kind = "command"
command = ["/bin/sh", "-c", "setsid sleep ${mark} & sleep ${mark} & wait"]
[[validators]]
type = "semantic"
judge_agent = "thinks"
criteria = "be careful"
when = { executors = ["fs_delete"] }
[[validators]]
type = "semantic"
judge_agent = "runs"
criteria = "be careful"
when = { executors = ["http_post"] }
`;
  const gate = await judgedGate(config);
  const agent = await gate.agent();
  const calls = [
    gate.write(),
    { executor: "fs_delete", args: { path: `${gate.folder}/old` } },
    { executor: "http_post", args: { url: "https://example.org/", body: "x" } },
  ];
  const proposed = calls.map((call) => gate.propose(agent, call));
  await server.received(2);
  await expect.poll(() => processesWith(`sleep\0${mark}`).length).toBe(2);
  expect((await gate.operator.call("reviews.list", {})).running.map(({ name }) => name).toSorted()).toEqual([
    "m",
    "runs",
    "thinks",
  ]);
  return { gate, agent, server, mark, proposed };
}

async function expectEnded({ server, mark }: Working): Promise<void> {
  await expect.poll(() => server.aborted, A_SECOND).toBe(2);
  await expect.poll(() => processesWith(mark), A_SECOND).toEqual([]);
}

const decisionsOf = ({ proposed }: Working): Promise<Decision[]> =>
  Promise.all(proposed.map(({ decision }) => decision));

async function expectDenied(atWork: Working, rule: string): Promise<void> {
  for (const decision of await decisionsOf(atWork)) {
    expect(decision).toMatchObject({ outcome: "denied", explain: { rule } });
    expect(decision.pending).toBeUndefined();
    expect(atWork.gate.line(decision)).toMatchObject({ outcome: "denied" });
  }
  await expectEnded(atWork);
  expect((await atWork.gate.operator.call("reviews.list", {})).running).toEqual([]);
  expect(await atWork.gate.operator.call("approvals.list", {})).toEqual([]);
}

describe("while judges work, their requests and processes end, and the calls are denied, by", () => {
  it("a pause of the gate", async () => {
    const atWork = await working();
    await atWork.gate.operator.call("safety.pause", { reason: "lunch" });
    await expectDenied(atWork, "approval.withdrawn-pause");
  });

  it("a pause of the agent", async () => {
    const atWork = await working();
    await atWork.gate.operator.call("agents.pause", { name: "worker" });
    await expectDenied(atWork, "approval.withdrawn-pause");
  });

  it("another level", async () => {
    const atWork = await working();
    await atWork.gate.operator.call("agents.level", { name: "worker", level: "Supervised" });
    await expectDenied(atWork, "approval.withdrawn-level");
  });

  it("its agent's tool.cancel, by the call's id", async () => {
    const atWork = await working();
    const { agent, proposed } = atWork;
    for (const { id } of proposed) agent.send("tool.cancel", { id: `cancel-${id}`, call: id, reason: "not needed" });
    await expectDenied(atWork, "approval.withdrawn");
  });
});

it("a revoked pairing ends what its judges do, and the agent's connection", async () => {
  const atWork = await working();
  await atWork.gate.operator.call("agents.revoke", { name: "worker" });
  await atWork.agent.closed;
  await expectEnded(atWork);
  const denied = atWork.gate.trail().filter((line) => line.event === "decision" && line.outcome === "denied");
  expect(denied).toHaveLength(3);
});

it("an agent that disconnects ends what its judges do", async () => {
  const atWork = await working();
  await atWork.agent.close();
  await expectEnded(atWork);
  await expect.poll(async () => (await atWork.gate.operator.call("reviews.list", {})).running).toEqual([]);
});

it("the gate's stop ends what its judges do, and allows nothing", async () => {
  const atWork = await working();
  expect(await atWork.gate.serve.end("SIGTERM")).toBe(0);
  await expectEnded(atWork);
  const results = await Promise.allSettled(atWork.proposed.map(({ decision }) => decision));
  for (const result of results) if (result.status === "fulfilled") expect(result.value.outcome).toBe("denied");
  expect(atWork.gate.trail().filter(({ outcome }) => outcome === "allowed")).toEqual([]);
});

it("kill -9 of the gate leaves no request and no process of a judge, and allows nothing", async () => {
  const atWork = await working();
  await atWork.gate.serve.end("SIGKILL");
  await expectEnded(atWork);
  expect(
    (await Promise.allSettled(atWork.proposed.map(({ decision }) => decision))).map(({ status }) => status),
  ).toEqual(["rejected", "rejected", "rejected"]);
  expect(atWork.gate.trail().filter(({ outcome }) => outcome === "allowed")).toEqual([]);
});
