import { describe, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { operatorMethods } from "../../ipc/contract/operator-api.ts";
import { agentMessages, wireErrorSchema } from "../../ipc/contract/wire.ts";
import { MAX_DEPTH, MAX_FRAME_BYTES } from "../../ipc/socket/frames.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { readToken, startGate } from "../support/running-gate.ts";

const BYSTANDER_CALL = { executor: "time_now" };

describe("a bad frame gets an error with a code and a hint, and other agents notice nothing", () => {
  it.each([
    ["that is not JSON", "not JSON at all\n", "not_json"],
    ["that is cut-off JSON", '{"type":"ping","data":{\n', "not_json"],
    ["that is no object", '["ping"]\n', "not_an_object"],
    ["without a type", '{"data":{"id":"1"}}\n', "unknown_type"],
    ["whose type is no text", '{"type":{"a":1},"data":{}}\n', "unknown_type"],
    ["of an unknown type", '{"type":"tool.allow","data":{}}\n', "unknown_type"],
    ["whose type is a name that every object has", '{"type":"constructor","data":{}}\n', "unknown_type"],
    ["without data", '{"type":"tool.call"}\n', "invalid_message"],
    ["with a key __proto__", '{"type":"ping","data":{"__proto__":{"a":1}}}\n', "too_deep"],
    [
      "that is nested too deep",
      `{"type":"ping","data":${"[".repeat(MAX_DEPTH + 1)}${"]".repeat(MAX_DEPTH + 1)}}\n`,
      "too_deep",
    ],
  ])("one %s", async (_what, text, code) => {
    const gate = await startGate();
    const bystander = await gate.agent("bystander");
    const agent = await gate.agent("clumsy");
    agent.sendText(text);
    const error = wireErrorSchema.parse((await agent.next("error")).data);
    expect(error.code).toBe(code);
    expect(error.hint).not.toBe("");
    await agent.ping();
    expect((await bystander.ask(BYSTANDER_CALL)).decision.outcome).toBe("allowed");
    expect(bystander.unread).toEqual([]);
  });

  it("one that is too large: the error comes, then the connection ends, whatever else is sent on it", async () => {
    const gate = await startGate();
    const bystander = await gate.agent("bystander");
    const agent = await gate.agent("clumsy");
    const call = { type: "tool.call", data: { id: "late", intent: "", executor: "unheard-of", args: {} } };
    agent.sendText(`{"type":"ping","data":"${"x".repeat(MAX_FRAME_BYTES)}"}\n${JSON.stringify(call)}\n`);
    const error = wireErrorSchema.parse((await agent.next("error")).data);
    expect(error).toMatchObject({ code: "frame_too_large", hint: expect.stringContaining("closed") });
    await agent.closed;
    expect(await gate.waiting()).toEqual([]);
    expect((await bystander.ask(BYSTANDER_CALL)).decision.outcome).toBe("allowed");
  });

  it("one that is too large ends the connection also of a client that doesn't hang up by itself", async () => {
    const gate = await startGate();
    const agent = await gate.agent("clumsy");
    agent.socket.allowHalfOpen = true;
    agent.sendText("x".repeat(MAX_FRAME_BYTES + 1));
    expect((await agent.next("error")).data.code).toBe("frame_too_large");
    const connections = async () => (await gate.operator.call("status", {})).connections;
    await expect.poll(connections).toBe(0);
  });

  it("one that is never finished: it is given up, the connection stays", async () => {
    const gate = await startGate({ frameTimeoutMs: 60 });
    const bystander = await gate.agent("bystander");
    const agent = await gate.agent("clumsy");
    agent.sendText('{"type":"ping","da');
    const error = wireErrorSchema.parse((await agent.next("error")).data);
    expect(error).toMatchObject({ code: "frame_unfinished", hint: expect.stringContaining("\\n") });
    agent.sendText('ta":{}}\n');
    await agent.ping();
    expect((await bystander.ask(BYSTANDER_CALL)).decision.outcome).toBe("allowed");
  });

  it("one that comes a byte at a time is a good frame", async () => {
    const gate = await startGate();
    const agent = await gate.agent("slow");
    const bytes = Buffer.from(`${JSON.stringify({ type: "ping", data: { id: "€𝄞" } })}\n`);
    for (const byte of bytes) {
      await new Promise<void>((sent) => agent.socket.write(Buffer.of(byte), () => sent()));
    }
    expect(await agent.next("pong")).toEqual({ type: "pong", data: { id: "€𝄞" } });
  });

  it.each([
    ["a number that changes when it is read", '{"account":9007199254740993}', "a number is not the same"],
    ["a number that becomes null", '{"amount":1e400}', "a number is not the same"],
    ["a key twice in one object", '{"path":"/a","path":"/b"}', "the same key twice"],
  ])(
    "%s is refused by the call's id, its value isn't said, and no card shows something else",
    async (_, args, message) => {
      const gate = await startGate();
      const agent = await gate.agent("exact");
      const data = `{"id":"mine","intent":"","executor":"unheard-of","args":${args}}`;
      agent.sendText(`{"type":"tool.call","data":${data}}\n`);
      const error = wireErrorSchema.parse((await agent.next("error")).data);
      expect(error).toMatchObject({ id: "mine", code: "invalid_message", message: expect.stringContaining(message) });
      expect(JSON.stringify(error)).not.toMatch(/9007|1e400|\/a|\/b/);
      expect(await gate.waiting()).toEqual([]);
      await agent.ping();
    },
  );

  it.each([
    ["a byte that begins nothing", [0xff]],
    ["Latin-1", [0xe9]],
    ["a character that is cut off", [0xe2, 0x82]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["an overlong form", [0xc0, 0xaf]],
  ])("%s is not UTF-8: the line is refused by the call's id, and no card shows a repaired name", async (_, bytes) => {
    const gate = await startGate();
    const agent = await gate.agent("exact");
    const [before, after] = [
      '{"type":"tool.call","data":{"id":"mine","intent":"","executor":"x","args":{"p":"a',
      'b"}}}',
    ];
    const line = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(`${after}\n`)]);
    agent.socket.write(line);
    const error = wireErrorSchema.parse((await agent.next("error")).data);
    expect(error).toMatchObject({ id: "mine", code: "invalid_message", message: expect.stringContaining("UTF-8") });
    expect(error.hint).not.toBe("");
    for (const byte of line) await new Promise<void>((sent) => agent.socket.write(Buffer.of(byte), () => sent()));
    expect((await agent.next("error")).data).toMatchObject({ id: "mine", code: "invalid_message" });
    expect(await gate.waiting()).toEqual([]);
    await agent.ping();
  });

  it("a replacement character that was sent as such is a character like others", async () => {
    const gate = await startGate();
    const agent = await gate.agent("exact");
    agent.send("ping", { id: "é\ufffd€𝄞" });
    expect(await agent.next("pong")).toEqual({ type: "pong", data: { id: "é\ufffd€𝄞" } });
  });

  it("an error names the message that it answers, where the message could be read", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    agent.send("tool.call", { id: "mine", intent: 3, executor: "fs_read", args: {} });
    expect((await agent.next("error")).data).toMatchObject({ id: "mine", code: "invalid_message" });
    agent.send("tool.call", { id: "mine", intent: "", executor: "a b", args: {} });
    expect((await agent.next("error")).data).toMatchObject({ id: "mine", code: "invalid_message" });
  });
});

describe("what agents reach", () => {
  it("is no operator method and no frame of the operator's protocol: unknown_type, nothing changed", async () => {
    const gate = await startGate();
    const agent = await gate.agent("hostile");
    const { decision } = await agent.ask({ executor: "fs_write", args: { path: "/tmp/x", content: "" } });
    const token = tokenOf(decision);
    const operatorFrames = ["operator.hello", "call", "subscribe", "event", "result"];
    // What agents announce has the name of what the operator lists: theirs alone, and none of the operator's.
    const methods = Object.keys(operatorMethods).filter((name) => !(name in agentMessages));
    expect(Object.keys(operatorMethods).filter((name) => !methods.includes(name))).toEqual(["mcp.tools"]);
    for (const type of [...methods, ...operatorFrames]) {
      agent.send(type, {
        id: type,
        method: "approvals.resolve",
        token,
        decision: "approved",
        name: "x",
        level: "Full",
      });
      expect((await agent.next("error")).data).toMatchObject({ id: type, code: "unknown_type" });
    }
    expect(await gate.request(token)).toMatchObject({ status: "pending", decision_at: null });
    expect(await gate.operator.call("grants.list", {})).toEqual([]);
    const { agents, requests } = await gate.operator.call("agents.list", {});
    expect(agents.map(({ name, level }) => ({ name, level }))).toEqual([{ name: "hostile", level: "Supervised" }]);
    expect(requests).toEqual([]);
  });

  it("how a call went is answered with nothing, and its text isn't kept", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const { decision } = await agent.ask({ executor: "time_now" });
    agent.send("tool.outcome", { decision_id: decision.decision_id, ok: false, error: "OUTCOME-VALUE-1" });
    await agent.ping();
    expect(agent.unread).toEqual([]);
    const [line] = await gate.operator.call("audit.tail", { lines: 1 });
    expect(line).toMatchObject({ event: "outcome", decision_id: decision.decision_id, ok: false, agent: "tester" });
    expect(JSON.stringify(line)).not.toContain("OUTCOME-VALUE-1");
  });
});

it("a pause that begins in the turn of a greeting comes after its answer", async () => {
  const gate = await startGate();
  await gate.agent("worker");
  const agent = await AgentConnection.open(gate.paths.agent_socket);
  const token = readToken(agentTokenFile(gate.paths, "worker"));
  const goal = { goal_id: "g", description: "x", goal_type: "exfiltrate_data", priority: "normal" };
  const messages = [
    { type: "hello", data: { id: "h", protocol: 1, agent: { name: "worker" }, token } },
    { type: "goal.check", data: { id: "g", goal } },
  ];
  agent.sendText(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const types = [];
  for (let count = 0; count < 3; count++) types.push((await agent.next(() => true)).type);
  await agent.close();
  expect(types[0]).toBe("hello.ok");
  expect(types).toContain("safety.paused");
});
