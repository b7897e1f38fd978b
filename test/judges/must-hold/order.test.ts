import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { runGate } from "../../support/gate-process.ts";
import { judgedGate } from "../../support/judged-gate.ts";
import { HARMLESS_ANSWER, modelServer } from "../../support/model-server.ts";

const JUDGE = '[judge]\nkind = "llm-v1"\nmodel = "m"\n';
const PASSES = '{"score": 1, "confidence": 1, "reasoning": "fine", "signals": [], "metadata": {}}';
const REJECTS = '{"score": 0.1, "confidence": 1, "reasoning": "no", "signals": [], "metadata": {}}';

const modelAgent = (name: string, model: string) =>
  `[judge_agents.${name}]\nkind = "model"\nmodel = "${model}"\nprompt = "look at the call"\n`;
const validator = (judgeAgent: string) =>
  `[[validators]]\ntype = "semantic"\njudge_agent = "${judgeAgent}"\ncriteria = "be careful"\n`;

it("the first of two validators rejects: the second never starts", async () => {
  const [first, second] = [await modelServer(REJECTS), await modelServer(PASSES)];
  const config = [
    first.toml("one"),
    second.toml("two"),
    modelAgent("a", "one"),
    modelAgent("b", "two"),
    validator("a"),
    validator("b"),
  ];
  const gate = await judgedGate(config.join("\n"));
  const agent = await gate.agent();
  const rejected = await gate.propose(agent, gate.write()).decision;
  expect(rejected).toMatchObject({
    outcome: "denied",
    stage: "validators",
    explain: { rule: "validators.rejected" },
    reviews: [{ stage: "validators", name: "a", outcome: "rejected", score: 0.1 }],
  });
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  first.always(PASSES);
  const passed = await gate.propose(agent, gate.write()).decision;
  expect(passed.outcome).toBe("allowed");
  expect(passed.reviews?.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["a", "passed"],
    ["b", "passed"],
  ]);
  expect(second.requests).toHaveLength(1);
});

it("nobody is asked about what guard, policy, a pause or a refusal for the session denies", async () => {
  const server = await modelServer();
  const gate = await judgedGate(JUDGE + server.toml("m"));
  const [agent, reader, asked] = [
    await gate.agent(),
    await gate.agent("reader", "ReadOnly"),
    await gate.agent("asked", "Supervised"),
  ];
  const key = join(gate.home.home, ".ssh/id_ed25519");
  mkdirSync(join(gate.home.home, ".ssh"));
  const guarded = gate.propose(agent, { executor: "fs_write", args: { path: key, content: "x" } });
  expect(await guarded.decision).toMatchObject({ outcome: "denied", stage: "guard" });
  expect(await gate.propose(reader, gate.write()).decision).toMatchObject({ outcome: "denied", stage: "policy" });
  expect(server.requests).toEqual([]);

  const call = gate.write();
  const proposed = gate.propose(asked, call);
  const token = tokenOf(await proposed.decision);
  expect(server.requests).toHaveLength(1);
  await gate.operator.call("approvals.resolve", { token, decision: "rejected", refuse: "call" });
  expect((await proposed.final()).status).toBe("rejected");
  expect(await gate.propose(asked, { ...call }).decision).toMatchObject({ outcome: "denied" });

  await gate.operator.call("safety.pause", { reason: "lunch" });
  expect(await gate.propose(agent, gate.write()).decision).toMatchObject({ outcome: "denied", stage: "safety" });
  expect(server.requests).toHaveLength(1);
});

it("the card appears once the judges have passed the call, and the user's answer asks no judge again", async () => {
  let answer: (text: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const server = await modelServer(() => answered);
  const gate = await judgedGate(JUDGE + server.toml("m"));
  const agent = await gate.agent("asked", "Supervised");
  const proposed = gate.propose(agent, gate.write());
  await server.received(1);
  expect(await gate.operator.call("approvals.list", {})).toEqual([]);
  expect((await gate.operator.call("reviews.list", {})).running).toMatchObject([
    { agent_name: "asked", executor: "fs_write", stage: "judge", name: "m" },
  ]);
  expect(proposed.isDecided()).toBe(false);
  answer(HARMLESS_ANSWER);
  const token = tokenOf(await proposed.decision);
  expect(await gate.card(token)).toMatchObject({
    judge: { score: 0.9 },
    reviews: [{ stage: "judge", name: "m", outcome: "passed", score: 0.9, sentence: "fits the intent" }],
  });
  expect((await gate.operator.call("reviews.list", {})).running).toEqual([]);
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  expect(await proposed.final()).toMatchObject({ outcome: "allowed", status: "approved" });
  expect(server.requests).toHaveLength(1);
});

it("plans, explain and what isn't critical ask nobody", async () => {
  const server = await modelServer();
  const gate = await judgedGate(JUDGE + server.toml("m"));
  const agent = await gate.agent();
  const call = gate.write();
  agent.send("tool.plan", { id: "plan", intent: "", calls: [{ executor: call.executor, args: call.args }] });
  const plan = await agent.next("tool.plan.decisions");
  expect(plan.data.decisions).toMatchObject([
    { reviews: [{ stage: "judge", name: "m", outcome: "not_run", sentence: "" }] },
  ]);
  const explained = await runGate(gate.home, ["explain", "--json", JSON.stringify({ ...call, level: "Full" })]);
  expect(explained.lines[0]).toMatchObject({ outcome: "allowed", reviews: [{ name: "m", outcome: "not_run" }] });
  const read = gate.propose(agent, { executor: "fs_read", args: { path: join(gate.folder, "a.txt") } });
  expect((await read.decision).outcome).toBe("allowed");
  expect(server.requests).toEqual([]);
});

it("a tool that gate.toml says needs no judge is asked about by none; others of its server are", async () => {
  const server = await modelServer();
  const skipped = '[[mcp_tools]]\nserver = "notes"\ntool = "search"\nchanges_nothing = true\nskip_judge = true\n';
  const gate = await judgedGate(JUDGE + server.toml("m") + skipped);
  const agent = await gate.agent();
  const search = await gate.propose(agent, { executor: "mcp__notes__search", args: { query: "x" } }).decision;
  expect(search.reviews).toBeUndefined();
  expect(server.requests).toEqual([]);
  const remove = await gate.propose(agent, { executor: "mcp__notes__remove", args: { id: 7 } }).decision;
  expect(remove.reviews).toMatchObject([{ stage: "judge", outcome: "passed" }]);
  expect(server.requests).toHaveLength(1);
});
