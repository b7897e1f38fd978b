import { describe, expect, it } from "vitest";
import { gateMessages, MAX_ARG_VALUES } from "../../ipc/contract/wire.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

describe("a tool call", () => {
  it("of an executor that nothing describes is asked about as code:exec", async () => {
    const gate = await startGate();
    const agent = await gate.agent("tester", "Full");
    const { decision } = await agent.ask({ executor: "unheard-of", args: { x: 1 } });
    expect(decision).toMatchObject({
      outcome: "approval_required",
      stage: "approval",
      capabilities: [{ capability: "code:exec" }],
    });
    expect(await gate.waiting()).toEqual([tokenOf(decision)]);
  });

  it("whose arguments don't fit is denied as `validation failed`, without asking", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (const args of [{}, { path: 3 }, { path: "" }]) {
      const { decision } = await agent.ask({ executor: "fs_read", args });
      expect(decision).toMatchObject({
        outcome: "denied",
        stage: "validation",
        reason: expect.stringMatching(/^validation failed: path/),
      });
    }
    expect(await gate.waiting()).toEqual([]);
  });

  it("of more values than may be is refused before it takes any time; what ran with as many is noted", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const all = { list: Array.from({ length: MAX_ARG_VALUES - 2 }, () => 1), inner: {} };
    expect((await agent.ask({ executor: "unheard-of", args: all })).decision.outcome).toBe("approval_required");
    const args = { ...all, inner: { one: "more" } };
    agent.send("tool.call", { id: "many", intent: "", executor: "unheard-of", args });
    agent.send("tool.plan", { id: "plan", intent: "", calls: [{ executor: "unheard-of", args }] });
    for (const id of ["many", "plan"]) {
      const { type, data } = await agent.next((message) => message.data.id === id);
      expect([type, data.code]).toEqual(["error", "invalid_message"]);
      expect(data.message).toContain("more than 10000 values");
    }
    agent.send("tool.ran", { id: "ran", call_id: "c", unasked: true, input: { executor: "unheard-of", args } });
    await agent.next("tool.ran.ok");
    expect((await gate.operator.call("status", {})).alarms).toMatchObject([{ code: "ran_unasked" }]);
  });

  it("gets a second decision once the operator has answered", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    expect(decision).toMatchObject({ outcome: "approval_required", pending: { card: { form: "full" } } });
    await gate.operator.call("approvals.resolve", {
      token: tokenOf(decision),
      decision: "rejected",
      message: "not there",
    });
    expect(await final()).toMatchObject({
      outcome: "denied",
      status: "rejected",
      reason: "the user said no: not there",
    });
  });

  it("is one of a plan: previewed, with no card and nothing remembered", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    agent.send("tool.plan", {
      id: "plan",
      intent: "tidy up",
      calls: [WRITE, { executor: "time_now", args: {} }, { executor: "fs_read", args: {} }],
    });
    const { decisions } = gateMessages["tool.plan.decisions"].parse((await agent.next("tool.plan.decisions")).data);
    expect(decisions.map(({ outcome }) => outcome)).toEqual(["approval_required", "allowed", "denied"]);
    expect(decisions.every(({ pending }) => pending === undefined)).toBe(true);
    expect(await gate.operator.call("approvals.list", { include_resolved: true })).toEqual([]);
  });
});

describe("tool.cancel", () => {
  it("withdraws the caller's own request", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { id, decision } = await agent.ask(WRITE);
    const token = tokenOf(decision);
    agent.send("tool.cancel", { id: "cancel", token, reason: "no longer needed" });
    const answers = [await agent.next("tool.decision"), await agent.next("tool.decision")];
    expect(answers.map(({ data }) => data.id).sort()).toEqual([id, "cancel"].sort());
    for (const { data } of answers) expect(data).toMatchObject({ outcome: "denied", status: "cancelled" });
    expect(await gate.request(token)).toMatchObject({ status: "cancelled", message: "no longer needed", args: null });
    expect(await gate.waiting()).toEqual([]);
  });

  it("of a token that is unknown, another agent's, answered or malformed is an error and changes nothing", async () => {
    const gate = await startGate();
    const owner = await gate.agent("owner");
    const other = await gate.agent("other");
    const { decision } = await owner.ask(WRITE);
    const token = tokenOf(decision);
    const answered = tokenOf((await other.ask(WRITE)).decision);
    await gate.operator.call("approvals.resolve", { token: answered, decision: "approved" });
    for (const [given, code] of [
      ["0123456789abcdef", "unknown_token"],
      [token, "unknown_token"],
      [answered, "unknown_token"],
      ["../../etc/passwd", "invalid_message"],
    ]) {
      other.send("tool.cancel", { id: "cancel", token: given, reason: "mischief" });
      expect((await other.next("error")).data).toMatchObject({ id: "cancel", code });
    }
    expect(await gate.request(token)).toMatchObject({ status: "pending", message: null });
    expect(await gate.request(answered)).toMatchObject({ status: "approved", message: null });
  });
});

describe("a request that an earlier gate left", () => {
  it("is withdrawn by its agent's token for it, by no other agent, and not while a connection waits for it", async () => {
    const gate = await startGate();
    const asking = await gate.agent("one");
    const token = tokenOf((await asking.ask(WRITE)).decision);
    await gate.close();
    const restarted = await startGate({ home: gate.home });
    const [one, again, other] = [
      await restarted.agent("one"),
      await restarted.agent("one"),
      await restarted.agent("other"),
    ];
    const cancel = async (agent: typeof one) => {
      agent.send("tool.cancel", { id: "cancel", token, reason: "not needed" });
      return await agent.next(({ data }) => data.id === "cancel");
    };
    expect((await cancel(other)).data.code).toBe("unknown_token");
    const joined = await again.ask(WRITE);
    expect(tokenOf(joined.decision)).toBe(token);
    expect((await cancel(one)).data.code).toBe("unknown_token");
    expect(await restarted.waiting()).toEqual([token]);
    expect((await cancel(again)).data.status).toBe("cancelled");
    expect(await restarted.waiting()).toEqual([]);
    expect((await cancel(one)).data.code).toBe("unknown_token");
  });

  it("and once no connection waits for it, with its card", async () => {
    const gate = await startGate();
    const asking = await gate.agent("one");
    const token = tokenOf((await asking.ask(WRITE)).decision);
    await gate.close();
    const restarted = await startGate({ home: gate.home });
    const agent = await restarted.agent("one");
    agent.send("tool.cancel", { id: "cancel", token, reason: "not needed" });
    expect(await agent.next("tool.decision")).toMatchObject({
      data: { id: "cancel", outcome: "denied", status: "cancelled" },
    });
    expect(await restarted.waiting()).toEqual([]);
    expect(await restarted.request(token)).toMatchObject({ status: "cancelled", args: null });
  });
});

describe("an agent that disconnects", () => {
  it("withdraws all that it waits for, and its cards go away", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const tokens = [
      tokenOf((await agent.ask(WRITE)).decision),
      tokenOf((await agent.ask({ executor: "unheard-of" })).decision),
    ];
    const gone = new Set(tokens);
    const closed = gate.event(
      ({ type, data }) => type === "approval.closed" && gone.delete(data.token) && gone.size === 0,
    );
    await agent.close();
    await closed;
    for (const token of tokens) {
      expect(await gate.request(token)).toMatchObject({ status: "cancelled", message: "the agent disconnected" });
    }
  });

  it("leaves the card to its other connection that waits for the same call", async () => {
    const gate = await startGate();
    const [one, two] = [await gate.agent(), await gate.agent()];
    const token = tokenOf((await one.ask(WRITE)).decision);
    const second = await two.ask(WRITE);
    expect(tokenOf(second.decision)).toBe(token);
    await one.close();
    await two.ping();
    expect(await gate.waiting()).toEqual([token]);
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await second.final()).toMatchObject({ outcome: "allowed", status: "approved" });
  });

  it("withdraws also what it asked for twice under one id", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (let time = 0; time < 2; time++) {
      agent.send("tool.call", { id: "same", intent: "", ...WRITE });
      expect((await agent.next("tool.decision")).data.outcome).toBe("approval_required");
    }
    const closed = gate.event(({ type }) => type === "approval.closed");
    await agent.close();
    await closed;
    expect(await gate.waiting()).toEqual([]);
  });

  it("ends the grants of a session that the gate had named, not those of a session that the agent named", async () => {
    const gate = await startGate();
    for (const [extra, outcome] of [
      [{}, "approval_required"],
      [{ session: "long-lived" }, "allowed"],
    ] as const) {
      const agent = await gate.agent("tester", "Supervised", extra);
      const { decision } = await agent.ask(WRITE);
      await gate.operator.call("approvals.resolve", {
        token: tokenOf(decision),
        decision: "approved",
        scope: "session",
      });
      expect((await agent.ask(WRITE)).decision.outcome).toBe("allowed");
      await agent.close();
      const again = await gate.agent("tester", "Supervised", { session: agent.session });
      expect((await again.ask(WRITE)).decision.outcome).toBe(outcome);
      await again.close();
    }
  });
});
