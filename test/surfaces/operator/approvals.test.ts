import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { startGate } from "../../support/running-gate.ts";

const WRITE = (path: string) => ({ executor: "fs_write", args: { path, content: "x" } });

it("a card's deadline is extended while the user is at it, up to a bound, and every surface gets it", async () => {
  let now = Date.now();
  const gate = await startGate({ now: () => now });
  const agent = await gate.agent();
  const token = tokenOf((await agent.ask(WRITE("/srv/a"))).decision);
  const before = Date.parse((await gate.request(token)).expires_at);
  const deadline = async () => Date.parse((await gate.operator.call("approvals.hold", { token })).expires_at);
  const received = gate.event(({ type }) => type === "approval.held");
  const first = await deadline();
  expect(first - before).toBe(5000);
  expect(await received).toEqual({
    type: "approval.held",
    data: { token, expires_at: new Date(first).toISOString().replace(".000", "") },
  });
  now += 4000;
  expect((await deadline()) - first).toBe(4000);
  now += 60_000; // inactive for a minute: only the last seconds count
  expect((await deadline()) - first).toBe(14_000);
  for (let seen = 0; seen < 400; seen++) {
    now += 9000;
    await deadline().catch(() => undefined);
  }
  const end = Date.parse((await gate.request(token)).expires_at);
  expect(end - before).toBeLessThanOrEqual(3 * 600_000);
  expect((await gate.request(token)).status).toBe("expired");
});

it("holding is refused for an unknown and for an ended card", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const token = tokenOf((await agent.ask(WRITE("/srv/a"))).decision);
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  await expect(gate.operator.call("approvals.hold", { token })).rejects.toMatchObject({ code: "already_resolved" });
  await expect(gate.operator.call("approvals.hold", { token: "0".repeat(16) })).rejects.toMatchObject({
    code: "unknown_token",
  });
});

it("says how many of the agent's last requests a target would have covered", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  let token = "";
  for (const path of ["/srv/a/1", "/srv/a/2", "/srv/a/b/3", "/opt/4"])
    token = tokenOf((await agent.ask(WRITE(path))).decision);
  await agent.ask({ executor: "fs_read", args: { path: "/srv/a/1" } });
  const coverage = (target: string) => gate.operator.call("approvals.coverage", { token, target });
  expect(await coverage("/srv/a/*")).toEqual({ covered: 2, of: 4 });
  expect(await coverage("/srv/a/**")).toEqual({ covered: 3, of: 4 });
  await expect(coverage("/**")).rejects.toMatchObject({ code: "invalid_target" });
});

it("lists what ended, the last answered first, by agent, capability and end", async () => {
  const gate = await startGate();
  const one = await gate.agent("one");
  const two = await gate.agent("two");
  const first = tokenOf((await one.ask(WRITE("/srv/a"))).decision);
  const second = tokenOf((await two.ask({ executor: "fs_read", args: { path: "/srv/b" } })).decision);
  const third = tokenOf((await two.ask(WRITE("/srv/c"))).decision);
  await gate.operator.call("approvals.resolve", { token: first, decision: "rejected" });
  await gate.operator.call("approvals.resolve", { token: second, decision: "approved" });
  const tokens = async (query: object) => {
    const page = await gate.operator.call("approvals.history", query);
    return [page.total, ...page.approvals.map(({ token }) => token)];
  };
  expect(await tokens({})).toEqual([2, second, first]);
  expect(await tokens({ agent: "one" })).toEqual([1, first]);
  expect(await tokens({ capability: "fs:read" })).toEqual([1, second]);
  expect(await tokens({ status: "rejected" })).toEqual([1, first]);
  expect(await tokens({ limit: 1, offset: 1 })).toEqual([2, first]);
  expect(await gate.waiting()).toEqual([third]);
});

it("a card says which subagent asks, in visible characters", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const token = tokenOf((await agent.ask({ ...WRITE("/srv/a"), context: { subagent: "plan\u202ener" } })).decision);
  expect((await gate.request(token)).subagent).toBe("plan\\u{202e}ner");
});

it("a card of Claude Code's in plan mode says that it may ask once more, until it has ended; no other card does", async () => {
  const gate = await startGate();
  const asked = async (name: string, mode: string) => {
    const agent = await gate.agent(name);
    const call = { ...WRITE(`/srv/${name}-${mode}`), context: { mode, session: mode } };
    return await gate.request(tokenOf((await agent.ask(call)).decision));
  };
  const hint = "Claude Code is in plan mode: it may ask you once more";
  const { token, hints, card } = await asked("claude-code", "plan");
  expect([hints, card.lines]).toEqual([[hint], expect.arrayContaining([hint])]);
  expect((await asked("claude-code", "default")).hints).toEqual([]);
  expect((await asked("codex", "plan")).hints).toEqual([]);
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  expect((await gate.request(token)).hints).toEqual([]);
});

it("lists waiting requests newest first, or soonest deadline first", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const tokens: string[] = [];
  for (const path of ["/srv/1", "/srv/2", "/srv/3"]) tokens.push(tokenOf((await agent.ask(WRITE(path))).decision));
  const [first, second, third] = tokens;
  await gate.operator.call("approvals.hold", { token: first ?? "" });
  const listed = async (query: object) => (await gate.operator.call("approvals.list", query)).map(({ token }) => token);
  expect(await listed({})).toEqual([third, second, first]);
  expect(await listed({ order: "deadline" })).toEqual([second, third, first]);
  expect(await listed({ order: "deadline", limit: 1 })).toEqual([second]);
});

it("says of each request that ended what it was, as Activity keeps it: no two commands alike", async () => {
  const gate = await startGate();
  const agent = await gate.agent("one");
  const commands = ["npm test", "git push --force"];
  for (const command of commands) {
    const token = tokenOf((await agent.ask({ executor: "Bash", args: { command } })).decision);
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  }
  const lines = async () => (await gate.operator.call("approvals.history", {})).approvals.map(({ line }) => line);
  expect(await lines()).toEqual(["git push --force", "npm test"]);
  await gate.operator.call("activity.forget", { all: true });
  expect(await lines()).toEqual([null, null]);
});
