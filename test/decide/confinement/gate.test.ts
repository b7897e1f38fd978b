import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { OperatorEvent } from "../../../ipc/contract/operator-api.ts";
import { gateMessages } from "../../../ipc/contract/wire.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { makeReadingProject } from "../../support/reading-project.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { standInFor } from "../../support/stand-in-box.ts";

/** Confined calls through a whole gate: over the agents' socket, with the operator's answers. */

async function startedGate() {
  const gate = await startGate();
  const box = standInFor(gate.gate.core.box);
  const project = join(gate.home.home, "project");
  mkdirSync(project);
  makeReadingProject(project);
  const agent = await gate.agent("tester", "Supervised", { supports: ["confine", "something-newer"], session: "s1" });
  const run = (command: string, more: Record<string, unknown> = {}) =>
    agent.ask({ executor: "shell_exec", args: { command }, context: { cwd: project, ...more } });
  const answer = (decision: Decision, how: Record<string, unknown> = {}) =>
    gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "approved", ...how });
  return { gate, box, project, agent, run, answer };
}

const trailOf = ({ paths }: GateUnderTest) => linesIn(paths.auditDir).map((line) => JSON.parse(line));
const allowedWith = (argv: readonly string[]) => ({ outcome: "allowed", confine: { argv } });
const ARGV = (number: number) => ["/state/box/metnos-gate-box", "run", `secret-run-${number}`];

describe("a confined call", () => {
  it("is asked about with what its box lets through, and allowed only as run by the words that come with the answer", async () => {
    const { box, project, run, answer } = await startedGate();
    const { decision, final } = await run("npm test", { call_id: "toolu_1" });
    expect(decision).toMatchObject({
      outcome: "approval_required",
      confined: { project, network: false },
      capabilities: [
        { capability: "fs:read", target: `${project}/**` },
        { capability: "fs:write", target: `${project}/**` },
      ],
      explain: { rule: "policy.level-asks" },
    });
    expect(decision.confine).toBeUndefined();
    expect(box.prepared).toEqual([]);
    await answer(decision);
    expect(await final()).toMatchObject({ ...allowedWith(ARGV(1)), confined: { project, network: false } });
    expect(box.prepared).toEqual([
      {
        declaration: { project, cwd: project, reads: [], writes: [], network: false },
        line: "npm test",
        agent_id: expect.any(String),
        agent_name: "tester",
        session: "s1",
        call_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        call_id: "toolu_1",
        decision_id: decision.decision_id,
      },
    ]);
  });

  it("offers the project first, which covers whatever else runs confined in it", async () => {
    const { gate, project, run, answer } = await startedGate();
    const { decision, final } = await run("npm test");
    const [view] = await gate.operator.call("approvals.list", {});
    expect(view?.confined).toEqual({ project, network: false });
    expect(view?.choices.map(({ scope, reach, grants }) => [scope, reach, grants.map(({ target }) => target)])).toEqual(
      [
        ["none", null, []],
        ["session", "project", [`${project}/**`, `${project}/**`]],
        ["permanent", "project", [`${project}/**`, `${project}/**`]],
      ],
    );
    await answer(decision, { scope: "session" });
    expect(await final()).toMatchObject(allowedWith(ARGV(1)));
    const { decision: next } = await run("python3 -c 'print(1)'");
    expect(next).toMatchObject({ ...allowedWith(ARGV(2)), explain: { rule: "policy.grant-allows" } });
    // What can't be confined is asked about as before, and no grant answers for it.
    const { decision: outside } = await run("metnos-gate outside --reason 'the key' -- npm test");
    expect(outside).toMatchObject({ outcome: "approval_required" });
    expect(outside.confined).toBeUndefined();
    expect(outside.capabilities.map(({ capability }) => capability)).toContain("code:exec");
  });

  it("a grant answers for the calls that wait in the same project", async () => {
    const { run, answer } = await startedGate();
    const first = await run("npm test");
    const second = await run("make");
    await answer(first.decision, { scope: "session" });
    expect(await first.final()).toMatchObject({ outcome: "allowed", confine: {} });
    expect(await second.final()).toMatchObject({
      outcome: "allowed",
      confine: {},
      explain: { rule: "approval.covered-by-grant" },
    });
  });

  it("is allowed at once at Full, and denied by the guard all the same", async () => {
    const { gate, box, project } = await startedGate();
    const agent = await gate.agent("other", "Full", { supports: ["confine"] });
    const ask = (command: string) =>
      agent.ask({ executor: "shell_exec", args: { command }, context: { cwd: project } });
    expect((await ask("npm test")).decision).toMatchObject(allowedWith(ARGV(1)));
    for (const command of ["npm test; cat ~/.ssh/id_rsa", "node x.js; rm -rf /"]) {
      const { decision } = await ask(command);
      expect(decision).toMatchObject({ outcome: "denied", stage: "guard" });
      expect([decision.confined, decision.confine]).toEqual([undefined, undefined]);
    }
    expect(box.prepared).toHaveLength(1);
  });

  it("of an agent that didn't say that it can run one is asked about as code:exec", async () => {
    const { gate, project } = await startedGate();
    const agent = await gate.agent("old");
    const { decision } = await agent.ask({
      executor: "shell_exec",
      args: { command: "make" },
      context: { cwd: project },
    });
    expect(decision).toMatchObject({ outcome: "approval_required", capabilities: [{ capability: "code:exec" }] });
    expect(decision.confined).toBeUndefined();
  });
});

describe("the words that run it", () => {
  it("are in the agent's answer alone: in no preview, event, activity, trail, log or database", async () => {
    const { gate, project, agent, run, answer } = await startedGate();
    const events: OperatorEvent[] = [];
    gate.operator.subscribe((event) => events.push(event));
    const { decision, final } = await run("npm test");
    await answer(decision, { scope: "permanent" });
    expect(JSON.stringify(await final())).toContain("secret-run-1");
    expect(JSON.stringify((await run("make")).decision)).toContain("secret-run-2");
    agent.send("tool.plan", {
      id: "plan",
      intent: "",
      calls: [{ executor: "shell_exec", args: { command: "make" }, context: { cwd: project } }],
    });
    const plan = gateMessages["tool.plan.decisions"].parse((await agent.next("tool.plan.decisions")).data);
    expect(plan.decisions).toMatchObject([{ outcome: "allowed", confined: { project } }]);
    const entries = (await gate.operator.call("activity.list", {})).entries;
    expect(entries.map(({ is_confined }) => is_confined)).toContain(true);
    const opened = await gate.operator.call("activity.open", { decision_id: entries[0]?.decision_id });
    expect(opened.decision.confined).toEqual({ project, network: false });
    const trail = trailOf(gate);
    const requests = await gate.operator.call("approvals.list", { include_resolved: true });
    const databases = [gate.paths.approvals_db, gate.paths.grants_db, gate.paths.activity_db].map((file) =>
      readFileSync(file, "latin1"),
    );
    for (const shown of [plan, events, entries, opened, trail, requests, gate.log, ...databases])
      expect(JSON.stringify(shown)).not.toContain("secret-run");
    const decided = trail.filter(({ event }) => event === "decision" || event === "plan");
    expect(decided.length).toBe(4);
    expect(decided.every(({ confined }) => confined === true)).toBe(true);
  });

  it("can't be prepared: the call is denied, and says so in its trace", async () => {
    const { gate, box, run, answer } = await startedGate();
    const { decision, final } = await run("npm test");
    box.failure = new Error("no room left");
    await answer(decision, { scope: "session" });
    const denied = { outcome: "denied", stage: "policy", explain: { rule: "policy.box-unavailable" } };
    expect(await final()).toMatchObject(denied);
    const { decision: next } = await run("make");
    expect(next).toMatchObject(denied);
    expect(next.confine).toBeUndefined();
    const [entry] = (await gate.operator.call("activity.list", {})).entries;
    const opened = await gate.operator.call("activity.open", { decision_id: entry?.decision_id });
    expect(opened.decision.trace?.find(({ stage }) => stage === "policy")).toMatchObject({
      outcome: "denied",
      rule: "policy.box-unavailable",
    });
    expect(gate.log.join("\n")).toContain("preparing a confined run");
    expect(gate.log.join("\n")).not.toContain("no room left");
  });
});

describe("what was asked about in one way is not allowed in another", () => {
  const changed = { outcome: "denied", explain: { rule: "approval.changed-while-waiting" } };

  it("a confined call whose box is gone meanwhile is denied", async () => {
    const { box, run, answer } = await startedGate();
    const { decision, final } = await run("npm test");
    box.is_available = false;
    await answer(decision);
    expect(await final()).toMatchObject({ ...changed, stage: "approval" });
    expect(box.prepared).toEqual([]);
  });

  it("a call that was asked about without a box isn't confined by its answer", async () => {
    const { box, run, answer } = await startedGate();
    box.is_available = false;
    const { decision, final } = await run("npm test");
    expect(decision.confined).toBeUndefined();
    box.is_available = true;
    await answer(decision);
    const allowed = await final();
    expect(allowed).toMatchObject(changed);
    expect(allowed.confine).toBeUndefined();
  });

  it("nor with more than it was asked about: a network, another file to read", async () => {
    const { gate, box, run, answer } = await startedGate();
    const notes = join(gate.home.home, "notes.txt");
    const { decision, final } = await run("cat ~/notes.txt | node x.js");
    writeFileSync(notes, "there now");
    await answer(decision);
    expect(await final()).toMatchObject(changed);
    expect(box.prepared).toEqual([]);
  });
});

describe("a no for the session", () => {
  it("is for the command line, confined or not, and not for the project", async () => {
    const { gate, box, run, answer } = await startedGate();
    const { decision, final } = await run("npm run deploy");
    const [view] = await gate.operator.call("approvals.list", {});
    expect(view?.refusals).toEqual([
      { refuse: "call", targets: [] },
      { refuse: "target", targets: [{ capability: "code:exec", target: "npm run deploy" }] },
    ]);
    await answer(decision, { decision: "rejected", refuse: "target" });
    expect(await final()).toMatchObject({ outcome: "denied" });
    const refused = { outcome: "denied", explain: { rule: "approval.refused-for-session" } };
    expect((await run("npm run deploy")).decision).toMatchObject(refused);
    expect((await run("npm test")).decision).toMatchObject({ outcome: "approval_required", confined: {} });
    box.is_available = false;
    expect((await run("npm run deploy")).decision).toMatchObject(refused);
  });

  it("to one file in the project is kept by asking about what runs, as without a box", async () => {
    const { project, agent, run, answer } = await startedGate();
    const write = { executor: "fs_write", args: { path: join(project, "src/cli.ts"), content: "x" } };
    const { decision } = await agent.ask(write);
    await answer(decision, { decision: "rejected", refuse: "target" });
    const { decision: asked } = await run("npm test");
    expect(asked).toMatchObject({ outcome: "approval_required", capabilities: [{ capability: "code:exec" }] });
    expect(asked.confined).toBeUndefined();
  });
});

it("what is asked again and again in a project is proposed for the whole of it", async () => {
  const { gate, project, run, answer } = await startedGate();
  for (const command of ["npm test", "make", "npx vitest"]) await answer((await run(command)).decision);
  const { decision } = await run("node x.js");
  expect(decision.pending?.card.form).toBe("medium");
  const [view] = await gate.operator.call("approvals.list", {});
  expect(view).toMatchObject({
    capability_class: "fs_read:~/project/**, fs_write:~/project/**",
    recurrence_count: 3,
    proposal: { scope: "permanent", reach: "project", approved_times: 3 },
  });
  expect(project).toContain("project");
});

it("tool.ran is answered with what the call of that agent ran as", async () => {
  const { gate, project, agent } = await startedGate();
  const asked: unknown[] = [];
  Object.defineProperty(gate.gate.core.box, "ran", {
    value: (agentId: string, callId: string) => {
      asked.push([agentId, callId]);
      return { confined: callId === "toolu_1" ? { project, network: false } : null };
    },
  });
  for (const [callId, confined] of [
    ["toolu_1", { project, network: false }],
    ["toolu_2", null],
  ] as const) {
    agent.send("tool.ran", { id: callId, call_id: callId });
    const answer = gateMessages["tool.ran.ok"].parse((await agent.next("tool.ran.ok")).data);
    expect(answer).toEqual({ id: callId, confined });
  }
  expect(asked).toEqual([
    [agent.agent_id, "toolu_1"],
    [agent.agent_id, "toolu_2"],
  ]);
});
