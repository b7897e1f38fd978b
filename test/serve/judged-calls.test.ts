import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentTokenFile, localPrincipal } from "../../ipc/base/paths.ts";
import { decisionSchema, type Level, STAGES } from "../../ipc/contract/decision.ts";
import { type AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { HeldJudge, judgedBy } from "../support/judged-calls.ts";
import { startGate } from "../support/running-gate.ts";

/** A gate whose judge answers when the test says so, and one agent. */
async function judgedGate(level: Level = "Full", judge = new HeldJudge()) {
  const gate = await startGate();
  judgedBy(gate.gate.core, judge);
  const agent = await gate.agent("tester", level);
  const folder = join(gate.home.home, "work");
  mkdirSync(folder, { recursive: true });
  return { gate, agent, judge, folder };
}

const SECRET = "hunter2-is-the-word";

function write(agent: AgentConnection, folder: string, id: string): void {
  const args = { path: join(folder, "a.txt"), content: SECRET };
  agent.send("tool.call", { id, intent: "write it down", executor: "fs_write", args });
}

async function decisionFor(agent: AgentConnection, id: string) {
  const { type, data } = await agent.next((message) => message.data.id === id);
  if (type !== "tool.decision") throw new Error(`expected a decision, got ${JSON.stringify(data)}`);
  return decisionSchema.parse(data);
}

/** Everything that this connection was sent for the call has been read by now. */
async function leftFor(agent: AgentConnection, id: string) {
  await agent.ping();
  return agent.unread.filter(({ data }) => data.id === id);
}

it("an agent gets nothing while its call is judged, and gets one decision once it was", async () => {
  const { agent, judge, folder } = await judgedGate();
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  expect(await leftFor(agent, "one")).toEqual([]);
  review.pass();
  const decision = await decisionFor(agent, "one");
  expect(decision).toMatchObject({ outcome: "allowed", reviews: [{ name: "held", outcome: "passed" }] });
  expect(await leftFor(agent, "one")).toEqual([]);
});

it("the user is asked only once the judges have passed a call, and the answer asks no judge again", async () => {
  const { gate, agent, judge, folder } = await judgedGate("Supervised");
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  expect(await gate.waiting()).toEqual([]);
  review.pass("it writes what was asked for");
  const asked = await decisionFor(agent, "one");
  expect(asked).toMatchObject({ outcome: "approval_required", pending: {} });
  const card = await gate.request(tokenOf(asked));
  expect(card.reviews).toMatchObject([{ name: "held", outcome: "passed", sentence: "it writes what was asked for" }]);
  await gate.operator.call("approvals.resolve", { token: card.token, decision: "approved" });
  expect(await decisionFor(agent, "one")).toMatchObject({ outcome: "allowed", status: "approved" });
  expect(judge.asked).toHaveLength(1);
  expect((await gate.request(card.token)).reviews).toMatchObject([{ outcome: "passed", sentence: "" }]);
});

it("a call that is being judged is withdrawn by the id of its message, and its review ends", async () => {
  const { agent, judge, folder } = await judgedGate();
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  agent.send("tool.cancel", { id: "cancel", call: "one", reason: "no longer needed" });
  const expected = { outcome: "denied", status: "cancelled", explain: { rule: "approval.withdrawn" } };
  expect(await decisionFor(agent, "one")).toMatchObject(expected);
  expect(await decisionFor(agent, "cancel")).toMatchObject(expected);
  expect(review.signal.aborted).toBe(true);
  review.pass();
  expect(await leftFor(agent, "one")).toEqual([]);
  agent.send("tool.cancel", { id: "again", call: "one", reason: "no longer needed" });
  expect(await agent.next("error")).toMatchObject({ data: { id: "again", code: "unknown_token" } });
});

it("a withdrawal names a request or a call, not neither and not both", async () => {
  const { agent } = await judgedGate();
  for (const named of [{}, { token: "0123456789abcdef", call: "one" }]) {
    agent.send("tool.cancel", { id: "cancel", reason: "", ...named });
    expect(await agent.next("error")).toMatchObject({ data: { code: "invalid_message" } });
  }
});

it("a review ends with its agent's connection, and the trail says so", async () => {
  const { gate, agent, judge, folder } = await judgedGate();
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  const shown = gate.event(({ type }) => type === "decision");
  await agent.close();
  expect(await shown).toMatchObject({
    data: { decision: { status: "cancelled", explain: { rule: "approval.withdrawn-disconnect" } } },
  });
  expect(review.signal.aborted).toBe(true);
  const lines = await gate.operator.call("audit.tail", { lines: 5 });
  expect(lines.at(-1)).toMatchObject({ event: "decision", outcome: "denied", rule: "approval.withdrawn-disconnect" });
});

it.each([
  ["the gate's pause", "approval.withdrawn-pause", "safety.pause", { reason: "lunch" }],
  ["its agent's pause", "approval.withdrawn-pause", "agents.pause", { name: "tester" }],
  ["another level of its agent", "approval.withdrawn-level", "agents.level", { name: "tester", level: "ReadOnly" }],
  ["a revocation", "approval.withdrawn-pairing", "agents.revoke", { name: "tester" }],
  ["another pairing", "approval.withdrawn-pairing", "agents.pair", { name: "tester", level: "Full" }],
] as const)("%s denies a call that is being judged at once", async (_what, rule, method, params) => {
  const { gate, agent, judge, folder } = await judgedGate();
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  // An agent that has its token isn't paired again.
  if (method === "agents.pair") rmSync(agentTokenFile(gate.paths, "tester"));
  await gate.operator.call(method, params);
  expect(await decisionFor(agent, "one")).toMatchObject({ outcome: "denied", status: "cancelled", explain: { rule } });
  expect(review.signal.aborted).toBe(true);
  expect((await gate.operator.call("reviews.list", {})).running).toEqual([]);
});

it("a gate that stops denies what is being judged, and waits for no judge", async () => {
  const { gate, agent, judge, folder } = await judgedGate();
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  const closed = gate.close();
  expect(await decisionFor(agent, "one")).toMatchObject({ outcome: "denied", status: "cancelled" });
  await closed;
  expect(review.signal.aborted).toBe(true);
});

it("a surface that answers as soon as it is asked: the agent gets the question first, then the answer", async () => {
  const { gate, agent, judge, folder } = await judgedGate("Supervised");
  const { gate: coreGate } = gate.gate.core;
  gate.operator.subscribe((event) => {
    if (event.type === "approval.waiting")
      coreGate.answer({ token: event.data.token, decision: "approved" }, localPrincipal());
  });
  write(agent, folder, "one");
  (await judge.reviewing(1)).pass();
  const outcomes = [await decisionFor(agent, "one"), await decisionFor(agent, "one")].map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["approval_required", "allowed"]);
  expect(await leftFor(agent, "one")).toEqual([]);
});

it("what is being judged is listed, with who looks at it and since when; surfaces are informed that it changed", async () => {
  const { gate, agent, judge, folder } = await judgedGate();
  const changed = gate.event(({ type }) => type === "reviews.changed");
  write(agent, folder, "one");
  const review = await judge.reviewing(1);
  await changed;
  const { running } = await gate.operator.call("reviews.list", {});
  expect(running).toMatchObject([
    {
      agent_name: "tester",
      executor: "fs_write",
      stage: "validators",
      name: "held",
      summary: expect.stringContaining("a.txt"),
    },
  ]);
  review.pass();
  await decisionFor(agent, "one");
  expect((await gate.operator.call("reviews.list", {})).running).toEqual([]);
});

describe("a call that nobody makes", () => {
  const question = { executor: "Bash", args: { command: `make ${SECRET}` }, level: "Full" };

  it("is judged for the user: nothing is decided, nobody is asked, and the trail has no word of it but that it was tried", async () => {
    const { gate, judge } = await judgedGate();
    const tried = gate.operator.call("reviews.run", { question: { ...question, level: "Supervised" } });
    (await judge.reviewing(1)).reject(`it runs ${SECRET}`);
    const decision = await tried;
    expect(decision).toMatchObject({ outcome: "denied", reviews: [{ name: "held", outcome: "rejected" }] });
    expect(decision.trace?.map(({ stage }) => stage)).toEqual([...STAGES]);
    expect(await gate.waiting()).toEqual([]);
    expect((await gate.operator.call("reviews.list", {})).refused).toEqual([]);
    const lines = await gate.operator.call("audit.tail", { lines: 50 });
    expect(lines.at(-1)).toMatchObject({ event: "judge.tried", executor: "Bash", outcome: "denied" });
    expect(lines.filter(({ event }) => event === "decision")).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it("is not judged where a stage denies it, and ends with the gate", async () => {
    const { gate, judge } = await judgedGate();
    const denied = await gate.operator.call("reviews.run", { question: { ...question, level: "ReadOnly" } });
    expect(denied).toMatchObject({ outcome: "denied", stage: "policy" });
    expect(judge.asked).toEqual([]);
    const tried = gate.operator.call("reviews.run", { question });
    const review = await judge.reviewing(1);
    const failed = expect(tried).rejects.toMatchObject({ code: "not_available" });
    await gate.close();
    expect(review.signal.aborted).toBe(true);
    review.crash(review.signal.reason);
    await failed;
  });
});
