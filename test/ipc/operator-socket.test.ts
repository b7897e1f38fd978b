import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type OperatorEvent, operatorMethods } from "../../ipc/contract/operator-api.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

async function stranger(gate: GateUnderTest): Promise<AgentConnection> {
  return AgentConnection.open(gate.paths.operator_socket);
}

async function operator(gate: GateUnderTest): Promise<AgentConnection> {
  const connection = await stranger(gate);
  connection.send("operator.hello", { token: readFileSync(gate.paths.operatorToken, "utf8").trim() });
  await connection.next("operator.ok");
  return connection;
}

describe("the operator's socket", () => {
  it("is with the agents' one in a 0700 folder, both 0600, and so is the token", async () => {
    const { paths } = await startGate();
    for (const path of [paths.agent_socket, paths.operator_socket]) {
      expect(statSync(path).isSocket()).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    }
    expect(statSync(paths.operatorToken).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(paths.operatorToken)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["a call without a greeting", "call", { id: 1, method: "approvals.list", params: {} }],
    ["a subscription without a greeting", "subscribe", {}],
    ["no token", "operator.hello", {}],
    ["an empty token", "operator.hello", { token: "" }],
    ["a wrong token", "operator.hello", { token: "0".repeat(64) }],
    ["a token that is no text", "operator.hello", { token: { length: 64 } }],
    ["an agent's hello", "hello", { id: "1", protocol: 1, agent: { name: "tester" } }],
    ["an agent's call", "tool.call", { id: "1", intent: "", ...WRITE }],
  ])("refuses %s, and hangs up", async (_what, type, data) => {
    const gate = await startGate();
    const connection = await stranger(gate);
    connection.send(type, data);
    expect((await connection.next("failure")).data).toMatchObject({ code: "not_authorised" });
    await connection.closed;
    expect(connection.unread).toEqual([]);
  });

  it("refuses an agent's token", async () => {
    const gate = await startGate();
    await gate.agent("tester", "Full");
    const connection = await stranger(gate);
    connection.send("operator.hello", { token: gate.token("tester") });
    expect((await connection.next("failure")).data).toMatchObject({ code: "not_authorised" });
    await connection.closed;
  });

  it("takes nothing more from a connection it has refused, the right token included", async () => {
    const gate = await startGate();
    const token = readFileSync(gate.paths.operatorToken, "utf8").trim();
    const connection = await stranger(gate);
    const pair = { id: 1, method: "agents.pair", params: { name: "sneaky", level: "Full" } };
    connection.socket.allowHalfOpen = true;
    connection.send("operator.hello", { token: "wrong" });
    connection.send("operator.hello", { token });
    connection.send("call", pair);
    await connection.next("failure");
    connection.send("operator.hello", { token });
    connection.send("call", pair);
    await (await gate.operatorClient()).call("status", {});
    await connection.close();
    expect((await gate.operator.call("agents.list", {})).agents).toEqual([]);
  });

  it("refuses a method that isn't one, by its own name only", async () => {
    const gate = await startGate();
    const connection = await operator(gate);
    for (const method of ["agents.become_root", "constructor", "toString", "__proto__", ""]) {
      connection.send("call", { id: 7, method, params: {} });
      expect((await connection.next("failure")).data).toMatchObject({ id: 7, code: "unknown_method" });
    }
  });

  it("refuses parameters that don't fit, naming the one, for every method that takes some", async () => {
    const gate = await startGate();
    const client = await gate.operatorClient();
    const wrong = {
      level: "Root",
      capability: "everything",
      limit: -1,
      id: "x".repeat(65),
      model: 5,
      token: 5,
      data: 5,
      ids: "some",
      key: "everything",
      order: 5,
      since: 5,
      decision_id: 5,
      range: "year",
      for_seconds: -1,
      status: "asleep",
      name: "../x",
      agent: "../x",
      against: 5,
      channel: "post",
      is_fresh: "yes",
      is_lost: "yes",
      project: 5,
      choices: 5,
      lines: 0,
    };
    for (const method of Object.keys(operatorMethods) as (keyof typeof operatorMethods)[]) {
      if (Object.keys(operatorMethods[method].params.shape).length === 0) continue;
      const refused = client.call(method, wrong as never);
      await expect(refused, method).rejects.toMatchObject({ name: "GateError", code: "invalid_params" });
    }
    expect((await client.call("status", {})).pid).toBe(process.pid);
  });

  it.each([
    ["a frame that isn't JSON", "nonsense\n", "bad_frame"],
    ["a message of an unknown type", '{"type":"tool.call","data":{}}\n', "unknown_type"],
    ["a call without an id", '{"type":"call","data":{"method":"status"}}\n', "invalid_message"],
  ])("hangs up on %s, with a reason", async (_what, text, code) => {
    const gate = await startGate();
    const connection = await operator(gate);
    connection.sendText(text);
    expect((await connection.next("failure")).data).toMatchObject({ code });
    await connection.closed;
  });

  it("sends every surface each event: a card appears, is decided, is removed", async () => {
    const gate = await startGate();
    const surfaces = [await gate.operatorClient(), await gate.operatorClient()];
    const received = surfaces.map((surface) => {
      const events: OperatorEvent[] = [];
      return new Promise<OperatorEvent[]>((resolve) => {
        surface.subscribe((event) => {
          events.push(event);
          if (event.type === "approval.closed") resolve(events);
        });
      });
    });
    for (const surface of surfaces) await surface.call("status", {});
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    await surfaces[0]?.call("approvals.resolve", { token: tokenOf(decision), decision: "approved" });
    await final();
    for (const events of await Promise.all(received)) {
      const types = events.map(({ type }) => type).filter((type) => type !== "audit.line");
      expect(types).toEqual(["agents.changed", "approval.waiting", "decision", "decision", "approval.closed"]);
      const waiting = events.find(({ type }) => type === "approval.waiting");
      expect(waiting?.data).toMatchObject({ token: tokenOf(decision), args: WRITE.args, status: "pending" });
      const closed = events.find(({ type }) => type === "approval.closed");
      expect(closed?.data).toMatchObject({ token: tokenOf(decision), args: null, status: "approved" });
    }
  });

  it("sends a surface that unsubscribed nothing more", async () => {
    const gate = await startGate();
    const client = await gate.operatorClient();
    const events: OperatorEvent[] = [];
    const unsubscribe = client.subscribe((event) => events.push(event));
    await client.call("status", {});
    unsubscribe();
    await gate.operator.call("agents.pair", { name: "late", level: "ReadOnly" });
    await client.call("status", {});
    expect(events).toEqual([]);
  });
});

describe("the operator's client", () => {
  it("says not_running where no gate listens, and not_authorised where the token isn't the gate's", async () => {
    const gate = await startGate();
    const { operator_socket, agent_socket, operatorToken } = gate.paths;
    const agentToken = (await gate.operator.call("agents.pair", { name: "tester", level: "Full" })).token_file;
    await expect(OperatorClient.connect(operator_socket, agentToken)).rejects.toMatchObject({
      code: "not_authorised",
    });
    await expect(OperatorClient.connect(operator_socket, "/nowhere")).rejects.toMatchObject({ code: "not_running" });
    await expect(OperatorClient.connect("/nowhere", operatorToken)).rejects.toMatchObject({ code: "not_running" });
    expect(agent_socket).not.toBe(operator_socket);
  });

  it("fails waiting calls when the gate disconnects, and reports it", async () => {
    const gate = await startGate();
    const client = await gate.operatorClient();
    const closing = gate.close();
    await expect(client.call("status", {})).rejects.toMatchObject({ code: "connection_lost" });
    await closing;
    await client.closed;
    await expect(client.call("status", {})).rejects.toMatchObject({ code: "connection_lost" });
  });
});
