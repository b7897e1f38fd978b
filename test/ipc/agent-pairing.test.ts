import { existsSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

describe("before hello", () => {
  it.each(["tool.call", "tool.plan", "tool.cancel", "tool.outcome", "goal.check"])("%s is refused", async (type) => {
    const gate = await startGate();
    const agent = await gate.connect();
    const data = {
      "tool.call": { id: "early", intent: "", executor: "time_now", args: {} },
      "tool.plan": { id: "early", intent: "", calls: [{ executor: "time_now", args: {} }] },
      "tool.cancel": { id: "early", token: "0123456789abcdef", reason: "" },
      "tool.outcome": { decision_id: "11111111-1111-4111-8111-111111111111", ok: true },
      "goal.check": {
        id: "early",
        goal: { goal_id: "g", description: "", priority: "normal", goal_type: "task" },
      },
    }[type];
    agent.send(type, data);
    expect((await agent.next("error")).data).toMatchObject({
      code: "hello_required",
      hint: expect.stringContaining("hello"),
    });
    expect((await gate.operator.call("status", {})).decisions).toEqual({ allowed: 0, denied: 0, asked: 0 });
  });

  it("ping is answered", async () => {
    const gate = await startGate();
    const agent = await gate.connect();
    agent.send("ping", { id: "early" });
    expect(await agent.next("pong")).toEqual({ type: "pong", data: { id: "early" } });
    expect(agent.unread).toEqual([]);
  });
});

describe("hello", () => {
  it("with the agent's own token is welcomed, with its level and session", async () => {
    const gate = await startGate();
    const { agent_id } = await gate.operator.call("agents.pair", { name: "mine", level: "ReadOnly" });
    const agent = await gate.connect();
    const answer = await agent.hello("mine", { token: gate.token("mine"), session: "s1" });
    expect(answer).toMatchObject({ type: "hello.ok", data: { agent_id, level: "ReadOnly", session: "s1" } });
    const status = await gate.operator.call("status", {});
    expect(status.agents_connected).toEqual(["mine"]);
  });

  it("of a name that differs from a paired one in its case only can't be paired beside it", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "claude-code", level: "Full" });
    const token = gate.token("claude-code");
    const again = gate.operator.call("agents.pair", { name: "Claude-Code", level: "Full" });
    await expect(again).rejects.toMatchObject({ code: "already_paired" });
    expect(gate.token("claude-code")).toBe(token);
    await gate.operator.call("agents.revoke", { name: "claude-code" });
    await gate.operator.call("agents.pair", { name: "Claude-Code", level: "Full" });
  });

  it("with a wrong token, another agent's token, or none under a paired name is refused", async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "mine", level: "Full" });
    await gate.operator.call("agents.pair", { name: "other", level: "Full" });
    for (const [token, code] of [
      ["0".repeat(64), "bad_token"],
      ["", "bad_token"],
      [gate.token("other"), "bad_token"],
      [undefined, "token_required"],
    ]) {
      const agent = await gate.connect();
      const answer = await agent.hello("mine", token === undefined ? {} : { token });
      expect(answer).toMatchObject({ type: "error", data: { code, hint: expect.stringMatching(/./) } });
      agent.send("tool.call", { id: "1", intent: "", ...WRITE });
      expect((await agent.next("error")).data.code).toBe("hello_required");
    }
    expect((await gate.operator.call("agents.list", {})).requests).toEqual([]);
  });

  it("with a token under a name that isn't paired is refused", async () => {
    const gate = await startGate();
    const answer = await (await gate.connect()).hello("nobody", { token: "f".repeat(64) });
    expect(answer.data.code).toBe("bad_token");
  });

  it("of another protocol, twice, or under a name that isn't one is refused", async () => {
    const gate = await startGate();
    const stranger = await gate.connect();
    expect((await stranger.hello("x", { protocol: 2 })).data.code).toBe("unsupported_protocol");
    expect((await stranger.hello("../x")).data.code).toBe("invalid_message");
    const agent = await gate.agent();
    expect((await agent.hello("tester")).data.code).toBe("already_greeted");
  });
});

describe("an agent that isn't paired yet", () => {
  it("waits for the operator; once paired, it is let in and finds its token (0600)", async () => {
    const gate = await startGate();
    const asked = gate.event(({ type }) => type === "pairing.requested");
    const agent = await gate.connect();
    expect((await agent.hello("newcomer", { agent: { name: "newcomer", version: "2.0" } })).type).toBe("hello.pairing");
    expect((await asked).data).toMatchObject({ name: "newcomer", version: "2.0" });
    await gate.logged(/pairing requested by newcomer/);
    agent.send("tool.call", { id: "early", intent: "", ...WRITE });
    expect((await agent.next("error")).data).toMatchObject({ id: "early", code: "hello_required" });
    expect((await gate.operator.call("agents.list", {})).requests).toMatchObject([{ name: "newcomer" }]);

    const { token_file } = await gate.operator.call("agents.pair", { name: "newcomer", level: "Supervised" });
    expect((await agent.next("hello.ok")).data).toMatchObject({ id: "hello", level: "Supervised" });
    expect(statSync(token_file).mode & 0o777).toBe(0o600);
    expect((await agent.ask({ executor: "time_now" })).decision.outcome).toBe("allowed");
    expect((await gate.operator.call("agents.list", {})).requests).toEqual([]);
  });

  it("is refused when the operator rejects it", async () => {
    const gate = await startGate();
    const agent = await gate.connect();
    await agent.hello("newcomer");
    expect(await gate.operator.call("agents.reject", { name: "newcomer" })).toEqual({ rejected: true });
    expect((await agent.next("error")).data).toMatchObject({ id: "hello", code: "pairing_rejected" });
    await agent.closed;
  });

  it("can't crowd the operator: one request a name, 16 in all", async () => {
    const gate = await startGate();
    for (let number = 0; number < 16; number++) {
      expect((await (await gate.connect()).hello(`name-${number}`)).type).toBe("hello.pairing");
    }
    for (const name of ["name-3", "name-16"]) {
      expect((await (await gate.connect()).hello(name)).data.code).toBe("too_many_pairings");
    }
  });
});

describe("a revoked agent", () => {
  it("loses its connection, its waiting requests, its grants and its token", async () => {
    const gate = await startGate();
    const agent = await gate.agent("fired");
    const first = await agent.ask(WRITE);
    await gate.operator.call("approvals.resolve", {
      token: tokenOf(first.decision),
      decision: "approved",
      scope: "permanent",
    });
    const { decision, final } = await agent.ask({ executor: "unheard-of" });
    const token = gate.token("fired");

    await gate.operator.call("agents.revoke", { name: "fired" });
    expect(await final()).toMatchObject({
      outcome: "denied",
      status: "cancelled",
      reason: expect.stringContaining("revoked"),
    });
    expect((await agent.next("error")).data).toMatchObject({ code: "closing" });
    await agent.closed;
    expect(await gate.request(tokenOf(decision))).toMatchObject({ status: "cancelled" });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    expect(existsSync(agentTokenFile(gate.paths, "fired"))).toBe(false);
    expect((await (await gate.connect()).hello("fired", { token })).data.code).toBe("bad_token");
  });

  it("starts from nothing when it is paired again", async () => {
    const gate = await startGate();
    const before = await gate.agent("fired");
    const { decision } = await before.ask(WRITE);
    await gate.operator.call("approvals.resolve", {
      token: tokenOf(decision),
      decision: "approved",
      scope: "permanent",
    });
    await gate.operator.call("agents.revoke", { name: "fired" });
    const after = await gate.agent("fired");
    expect(after.agent_id).not.toBe(before.agent_id);
    expect((await after.ask(WRITE)).decision.outcome).toBe("approval_required");
  });
});

it("a change of level withdraws what was asked at the old one, and holds from the next call on", async () => {
  const gate = await startGate();
  const agent = await gate.agent("tester", "Supervised");
  const { decision, final } = await agent.ask(WRITE);
  await gate.operator.call("agents.level", { name: "tester", level: "ReadOnly" });
  expect(await final()).toMatchObject({
    outcome: "denied",
    status: "cancelled",
    reason: expect.stringContaining("ReadOnly"),
  });
  expect(await gate.request(tokenOf(decision))).toMatchObject({ status: "cancelled" });
  expect((await agent.ask(WRITE)).decision).toMatchObject({ outcome: "denied", stage: "policy" });
  await gate.operator.call("agents.level", { name: "tester", level: "Full" });
  expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
});
