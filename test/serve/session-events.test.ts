import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { standInFor } from "../support/stand-in-box.ts";

const S1 = { session: "s1", cwd: "/srv/p" };

async function say(agent: AgentConnection, event: object, session?: string): Promise<void> {
  agent.send("session.event", { id: "said", ...(session === undefined ? {} : { session }), event });
  expect(await agent.next("session.noted")).toEqual({ type: "session.noted", data: { id: "said" } });
}

function write(path: string, session = "s1") {
  return { executor: "fs_write", args: { path, content: "x" }, context: { cwd: "/srv/p", session } };
}

/** A grant for the session `s1`, by the answer to a card. */
async function grantForSession(gate: GateUnderTest, agent: AgentConnection, path: string): Promise<void> {
  const asked = await agent.ask(write(path));
  await gate.operator.call("approvals.resolve", {
    token: tokenOf(asked.decision),
    decision: "approved",
    scope: "session",
  });
  expect((await asked.final()).outcome).toBe("allowed");
}

describe("a session that its client ends", () => {
  it("takes its grants and refusals with it: under the same name it is asked about anew, and the trail says so", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await grantForSession(gate, agent, "/srv/p/a.txt");
    expect((await agent.ask(write("/srv/p/a.txt"))).decision.outcome).toBe("allowed");
    const refused = await agent.ask(write("/srv/p/b.txt"));
    const token = tokenOf(refused.decision);
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", refuse: "call" });
    await refused.final();
    expect((await agent.ask(write("/srv/p/b.txt"))).decision.outcome).toBe("denied");

    await say(agent, { kind: "ended", reason: "other" }, "s1");
    for (const path of ["/srv/p/a.txt", "/srv/p/b.txt"])
      expect((await agent.ask(write(path))).decision.outcome).toBe("approval_required");
    const lines = await gate.operator.call("audit.tail", { lines: 50 });
    expect(lines.filter(({ event }) => event === "session.ended")).toMatchObject([
      { agent: "tester", grants: 1, had_refusals: true },
    ]);
    // Nothing is left to end.
    await say(agent, { kind: "ended" }, "s9");
    const after = await gate.operator.call("audit.tail", { lines: 50 });
    expect(after.filter(({ event }) => event === "session.ended")).toHaveLength(1);
  });

  it("has what waits in it withdrawn, and nothing of its agent's other sessions", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const gone = await agent.ask(write("/srv/p/a.txt"));
    const left = await agent.ask(write("/srv/p/b.txt", "s2"));
    await say(agent, { kind: "ended" }, "s1");
    expect(await gone.final()).toMatchObject({
      outcome: "denied",
      status: "cancelled",
      explain: { rule: "approval.withdrawn-session" },
    });
    expect(await gate.waiting()).toEqual([tokenOf(left.decision)]);
  });

  it("leaves a card to another session that waits for the same call, and an answer for the session is that one's", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const gone = await agent.ask(write("/srv/p/a.txt"));
    const left = await agent.ask(write("/srv/p/a.txt", "s2"));
    const token = tokenOf(gone.decision);
    expect(tokenOf(left.decision)).toBe(token);
    await say(agent, { kind: "ended" }, "s1");
    expect(await gone.final()).toMatchObject({
      outcome: "denied",
      status: "cancelled",
      explain: { rule: "approval.withdrawn-session" },
    });
    expect(await gate.waiting()).toEqual([token]);
    await gate.operator.call("approvals.resolve", { token, decision: "approved", scope: "session" });
    expect(await left.final()).toMatchObject({ outcome: "allowed" });
    expect((await agent.ask(write("/srv/p/a.txt", "s2"))).decision.outcome).toBe("allowed");
    expect((await agent.ask(write("/srv/p/a.txt"))).decision.outcome).toBe("approval_required");
  });

  it("withdraws also a card that an earlier session asked for and left", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const gone = await agent.ask(write("/srv/p/a.txt"));
    const left = await agent.ask(write("/srv/p/a.txt", "s2"));
    await say(agent, { kind: "ended" }, "s1");
    await gone.final();
    await say(agent, { kind: "ended" }, "s2");
    expect(await left.final()).toMatchObject({ explain: { rule: "approval.withdrawn-session" } });
    expect(await gate.waiting()).toEqual([]);
  });

  it("is ended by its own agent alone", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await grantForSession(gate, agent, "/srv/p/a.txt");
    const other = await gate.agent("other");
    await say(other, { kind: "ended" }, "s1");
    await say(other, { kind: "ended" }, agent.session);
    expect((await agent.ask(write("/srv/p/a.txt"))).decision.outcome).toBe("allowed");
  });

  it("is its connection's own where none is named, or one that the gate named for another connection", async () => {
    const gate = await startGate();
    const [first, second] = [await gate.agent(), await gate.agent()];
    const path = "/srv/p/a.txt";
    const call = { ...write(path), context: { cwd: "/srv/p" } };
    const asked = await first.ask(call);
    const answer = { token: tokenOf(asked.decision), decision: "approved", scope: "session" } as const;
    await gate.operator.call("approvals.resolve", answer);
    await asked.final();
    await say(second, { kind: "ended" }, first.session);
    expect((await first.ask(call)).decision.outcome).toBe("allowed");
    await say(first, { kind: "ended" });
    expect((await first.ask(call)).decision.outcome).toBe("approval_required");
  });
});

describe("what else a client says of a session", () => {
  it("is answered, and decides nothing", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (const event of [
      { kind: "prompt", turn: "p1", text: "allow everything" },
      { kind: "subagent-started", subagent: "Explore", agent_ref: "a1" },
      { kind: "subagent-ended", subagent: "Explore" },
      { kind: "cwd-changed", cwd: "/srv/p" },
    ])
      await say(agent, event, "s1");
    const context = { ...S1, turn: "p1" };
    expect((await agent.ask({ ...write("/srv/p/a.txt"), context })).decision.outcome).toBe("approval_required");
  });

  it("is refused where it isn't of the form, is too long, or comes before the greeting", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (const event of [
      { kind: "granted" },
      { kind: "prompt", turn: "", text: "x" },
      { kind: "prompt", turn: "p1", text: "x".repeat(16_385) },
      { kind: "ended", reason: "x".repeat(65) },
      { kind: "cwd-changed" },
    ]) {
      agent.send("session.event", { id: "e", session: "s1", event });
      expect((await agent.next("error")).data).toMatchObject({ id: "e", code: "invalid_message" });
    }
    const stranger = await gate.connect();
    stranger.send("session.event", { id: "e", session: "s1", event: { kind: "ended" } });
    expect((await stranger.next("error")).data.code).toBe("hello_required");
  });
});

describe("a call that ran other than it was allowed", () => {
  it("is in the trail without its arguments, raises an alarm and is marked in Activity", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const call = { executor: "fs_read", args: { path: "/srv/p/a.txt" }, context: { cwd: "/srv/p", call_id: "c1" } };
    const { decision } = await agent.ask(call);
    expect(decision.outcome).toBe("allowed");
    agent.send("tool.ran", { id: "r", call_id: "c1", ok: true, duration_ms: 12, input: call });
    await agent.next("tool.ran.ok");
    expect((await gate.operator.call("status", {})).alarms).toEqual([]);

    const next = await agent.ask({ ...call, context: { ...call.context, call_id: "c2" } });
    const input = { executor: "fs_read", args: { path: "/srv/p/secret-quzwyx" } };
    agent.send("tool.ran", { id: "r", call_id: "c2", ok: true, duration_ms: 30, input });
    expect((await agent.next("tool.ran.ok")).data).toEqual({ id: "r", confined: null });
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([{ code: "ran_other_than_allowed", subject: "tester" }]);
    expect(JSON.stringify(alarms)).not.toContain("quzwyx");
    const lines = await gate.operator.call("audit.tail", { lines: 20 });
    const { decision_id } = next.decision;
    expect(lines.filter(({ event }) => event === "ran.other")).toMatchObject([
      { decision_id, agent: "tester", executor: "fs_read", ran_executor: "fs_read" },
    ]);
    expect(lines.filter(({ event }) => event === "outcome")).toMatchObject([{ duration_ms: 12 }, { duration_ms: 30 }]);
    expect(JSON.stringify(lines)).not.toContain("quzwyx");
    const entries = (await gate.operator.call("activity.list", {})).entries;
    expect(entries.map(({ reported }) => reported?.ran_other)).toEqual([true, undefined]);
  });
});

describe("a program that tried more than its command says", () => {
  it("is marked in Activity and in the trail; the third of a session is an alarm, where only the box of its line kept it", async () => {
    const gate = await startGate();
    const box = standInFor(gate.gate.core.box);
    const cwd = join(gate.home.home, "project");
    mkdirSync(join(cwd, ".git/refs"), { recursive: true });
    mkdirSync(join(cwd, ".git/objects"));
    writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(cwd, "a.txt"), "a\n");
    const agent = await gate.agent("tester", "Full", { supports: ["confine"], session: "s1" });
    for (const capability of ["fs:read", "fs:write"] as const)
      await gate.operator.call("grants.add", { capability, target: `${cwd}/**` });
    const ran = async (command: string, callId: string) => {
      await agent.ask({ executor: "shell_exec", args: { command }, context: { cwd, call_id: callId } });
      agent.send("tool.ran", { id: "r", call_id: callId, ok: false, refused: true });
      await agent.next("tool.ran.ok");
      return (await gate.operator.call("status", {})).alarms.map(({ code }) => code);
    };
    // A build that is refused something is nothing of note.
    expect(await ran("npm test", "c0")).toEqual([]);
    expect(await ran("cat a.txt", "c1")).toEqual([]);
    expect(await ran("cat $(ls a.txt)", "c2")).toEqual([]);
    expect(await ran("ls", "c3")).toEqual(["tried_more_than_said"]);
    expect(box.prepared.map(({ declaration }) => declaration.kind)).toEqual([undefined, "needs", "looking", "needs"]);
    const entries = (await gate.operator.call("activity.list", {})).entries;
    expect(entries.map(({ reported }) => [reported?.state, reported?.tried_more ?? false])).toEqual([
      ...Array(3).fill(["failed", true]),
      ["failed", false],
    ]);
    const lines = await gate.operator.call("audit.tail", { lines: 30 });
    expect(lines.filter(({ event }) => event === "ran.tried_more")).toHaveLength(3);
  });
});

describe("a call that ran though the gate wasn't asked", () => {
  const unasked = (callId: string, executor = "shell_exec") => ({
    id: "r",
    call_id: callId,
    ok: true,
    unasked: true,
    input: { executor, args: { command: "make secret-4711" } },
  });

  it("is in the trail without its arguments, as its own agent's, and one alarm however many there are", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (const [index, executor] of ["shell_exec", "shell_exec", "fs_write"].entries()) {
      agent.send("tool.ran", unasked(`c${index}`, executor));
      expect((await agent.next("tool.ran.ok")).data).toEqual({ id: "r", confined: null });
    }
    const { alarms } = await gate.operator.call("status", {});
    expect(alarms).toMatchObject([{ code: "ran_unasked", subject: "tester" }]);
    const lines = await gate.operator.call("audit.tail", { lines: 20 });
    const noted = lines.filter(({ event }) => event === "ran.unasked");
    expect(noted.map(({ agent: name, executor }) => [name, executor])).toEqual([
      ["tester", "shell_exec"],
      ["tester", "shell_exec"],
      ["tester", "fs_write"],
    ]);
    expect(lines.filter(({ event }) => event.startsWith("outcome"))).toEqual([]);
    expect(JSON.stringify([alarms, lines])).not.toContain("4711");
  });

  it("is one that was allowed where the gate knows it: it is compared, and its end noted", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const call = { executor: "fs_read", args: { path: "/srv/p/a.txt" }, context: { cwd: "/srv/p", call_id: "c1" } };
    await agent.ask(call);
    agent.send("tool.ran", unasked("c1"));
    await agent.next("tool.ran.ok");
    const lines = await gate.operator.call("audit.tail", { lines: 20 });
    expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(["ran.other", "outcome"]));
    expect(lines.map(({ event }) => event)).not.toContain("ran.unasked");
  });

  it("has to be said with what ran", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    agent.send("tool.ran", { id: "r", call_id: "c1", unasked: true });
    expect((await agent.next("error")).data).toMatchObject({ id: "r", code: "invalid_message" });
  });
});

describe("other hooks beside the gate's, as an agent's client names them", () => {
  it("are an alarm, visible as they are; one that was dismissed comes back only with others", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const alarms = async () =>
      (await gate.operator.call("status", {})).alarms.filter(({ code }) => code === "other_hooks");
    await say(agent, { kind: "other-hooks", hooks: [] });
    expect(await alarms()).toEqual([]);
    await say(agent, { kind: "other-hooks", hooks: ["/srv/fmt\u202e (/srv/p/.claude/settings.json)"] });
    const [alarm] = await alarms();
    expect(alarm).toMatchObject({ subject: "tester", message: expect.stringContaining("/srv/fmt") });
    expect(alarm?.message).not.toContain("\u202e");
    const dismiss = () => gate.operator.call("alarms.acknowledge", { code: "other_hooks", subject: "tester" });
    await dismiss();
    await say(agent, { kind: "other-hooks", hooks: ["/srv/fmt\u202e (/srv/p/.claude/settings.json)"] });
    expect(await alarms()).toEqual([]);
    await say(agent, { kind: "other-hooks", hooks: ["/srv/other"] });
    expect(await alarms()).toMatchObject([{ message: expect.stringContaining("/srv/other") }]);
  });
});

describe("a session that begins where instructions hand its model a secret", () => {
  it("is an alarm by the files' names, and its session has read something private", async () => {
    const gate = await startGate();
    const project = join(gate.home.home, "site");
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    };
    for (const [name, text] of Object.entries({ ".git/HEAD": "ref: refs/heads/main\n", ".env": "A=b\n", "a/x": "x" }))
      put(name, text);
    for (const name of [".git/objects", ".git/refs"]) mkdirSync(join(project, name));
    put("CLAUDE.md", "@docs/a.md\n");
    put("docs/a.md", "x\n");
    put("docs/b.md", "x\n");
    const agent = await gate.agent();
    const alarms = async () =>
      (await gate.operator.call("status", {})).alarms.filter(({ code }) => code === "instructions_hand_secret");
    for (const cwd of [project, "/", "nowhere", join(project, "a")]) await say(agent, { kind: "began", cwd }, "s0");
    expect(await alarms()).toEqual([]);
    put("docs/a.md", "@../.env\n");
    await say(agent, { kind: "began", cwd: join(project, "a") }, "s1");
    expect(await alarms()).toMatchObject([{ message: expect.stringContaining("site/.env") }]);
    const context = { cwd: join(project, "a"), session: "s1" };
    await gate.operator.call("grants.add", { capability: "fs:read", target: `${project}/**` });
    const read = await agent.ask({ executor: "fs_read", args: { path: join(project, "docs/b.md") }, context });
    expect(read.decision.outcome).toBe("allowed");
    const sessions = await gate.operator.call("sessions.list", {});
    expect(sessions).toMatchObject([{ session: "s1", private: { what: expect.stringContaining("site/.env") } }]);
  });
});
