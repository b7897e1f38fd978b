import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AcpSeat, type AcpSeatOptions, OPTIONS } from "../../support/acp-seat.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

let gate: GateUnderTest;
let project: string;
beforeEach(async () => {
  gate = await startGate();
  await gate.operator.call("agents.pair", { name: "opencode-acp", level: "Supervised" });
  project = join(gate.home.home, "project");
  mkdirSync(project);
  await gate.operator.call("grants.add", { capability: "fs:read", target: `${project}/**` });
});

async function seatWith(options: AcpSeatOptions = {}): Promise<AcpSeat> {
  const seat = new AcpSeat(gate, options);
  await seat.open(project);
  return seat;
}

const asking = (line: string) => ({
  sessionId: "s1",
  toolCall: { toolCallId: `call ${line}`, title: line, kind: "execute", rawInput: { command: line } },
  options: OPTIONS,
});

describe("what the agent wants of the editor", () => {
  it("reaches it byte for byte where the gate allows it, and so does the answer", async () => {
    const seat = await seatWith();
    const line = `{"id" : 1,\t"jsonrpc":"2.0","method":"fs\\/read_text_file","params":{"sessionId":"s1","path":"${project}/a.txt"}}  \n`;
    seat.agent.write(line);
    await seat.editor.request("fs/read_text_file");
    expect(seat.editor.lines).toContain(line);
    const answer = '{ "jsonrpc":"2.0", "id":1, "result":{"content":"é\\u00e9"} }\n';
    seat.editor.write(answer);
    await seat.agent.answer(1);
    expect(seat.agent.lines).toContain(answer);
  });

  it("doesn't reach it where it is denied, or the user says no: the agent reads the reason", async () => {
    const seat = await seatWith();
    const params = { sessionId: "s1", path: join(gate.home.home, ".ssh/id_rsa") };
    seat.agent.send({ id: 1, method: "fs/read_text_file", params });
    expect((await seat.agent.answer(1)).error.message).toMatch(/^Metnos Gate: guard: forbidden path/);
    const answered = seat.answerNext("rejected");
    seat.agent.send({
      id: 2,
      method: "fs/write_text_file",
      params: { sessionId: "s1", path: `${project}/a.txt`, content: "x" },
    });
    expect((await seat.agent.answer(2)).error.message).toContain("the user said no");
    expect((await answered).request.executor).toBe("fs_write");
    expect(seat.editor.received.map(({ method }) => method)).not.toContain("fs/write_text_file");
  });

  it("is not asked about again where it is the very write that was allowed: whole, once, and as it was shown", async () => {
    const seat = await seatWith();
    writeFileSync(join(project, "a.txt"), "old\n");
    const path = join(project, "a.txt");
    const write = async (id: number, content: string) => {
      const asked = gate.event(({ type }) => type === "approval.waiting");
      seat.agent.send({ id, method: "fs/write_text_file", params: { sessionId: "s1", path, content } });
      const passed = seat.editor.get((message) => message.id === id).then(() => undefined);
      const event = await Promise.race([asked, passed]);
      if (event?.type !== "approval.waiting") return "passed";
      await gate.operator.call("approvals.resolve", { token: event.data.token, decision: "rejected" });
      return "asked";
    };
    const edit = async (oldText: string, newText: string) => {
      const answered = seat.answerNext("approved");
      await seat.permission({
        toolCallId: `call-${oldText}`,
        title: "x",
        kind: "edit",
        content: [{ type: "diff", path, oldText, newText }],
      });
      await answered;
    };
    await edit("old\n", "new\n");
    expect(await write(1, "other\n")).toBe("asked");
    expect(await write(2, "new\n")).toBe("passed");
    expect(await write(3, "new\n")).toBe("asked");
    await edit("o", "part");
    expect(await write(4, "part")).toBe("asked");
  });

  it("is a command where a terminal's words mean the same to every shell, and else code that nobody can read", async () => {
    const seat = await seatWith();
    seat.agent.send({ id: 1, method: "terminal/create", params: { sessionId: "s1", command: "echo", args: ["one"] } });
    await seat.editor.request("terminal/create");
    for (const params of [
      { command: "echo", args: ["one; rm -rf x"] },
      { command: "echo", args: ["one"], env: [{ name: "LD_PRELOAD", value: "x.so" }] },
      { command: "echo", args: "one" },
    ]) {
      const answered = seat.answerNext("rejected");
      seat.agent.send({
        id: JSON.stringify(params),
        method: "terminal/create",
        params: { sessionId: "s1", ...params },
      });
      await seat.agent.answer(JSON.stringify(params));
      expect((await answered).request).toMatchObject({ executor: "unknown_command", capability_class: "code_exec" });
    }
  });
});

describe("where the user is asked", () => {
  it("the editor asks without the answers that hold for longer, and the gate's card is withdrawn", async () => {
    const seat = await seatWith({ askIn: "editor" });
    const closed = gate.event(({ type }) => type === "approval.closed");
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    const { id, params } = await seat.editor.request("session/request_permission");
    expect(params.options).toEqual(OPTIONS.filter(({ kind }) => kind.endsWith("_once")));
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    seat.editor.send({ id, result: { outcome: { outcome: "selected", optionId: "once" } } });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "once" });
    expect(seat.agent.received.filter((message) => message.id === id)).toEqual([]);
  });

  it.each([
    ["an option that wasn't offered to it", { outcome: { outcome: "selected", optionId: "always" } }],
    ["nothing", { outcome: { outcome: "cancelled" } }],
    ["something else", "yes"],
  ])("an editor that answers with %s has not allowed it", async (_, result) => {
    const seat = await seatWith({ askIn: "editor" });
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    const { id } = await seat.editor.request("session/request_permission");
    seat.editor.send({ id, result });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "no" });
  });

  it("what the guard denies the editor isn't asked about", async () => {
    const seat = await seatWith({ askIn: "both" });
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("cat ~/.ssh/id_rsa") });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "no" });
    expect(seat.editor.received.map(({ method }) => method)).not.toContain("session/request_permission");
  });

  it("of both the first answer counts: the gate's withdraws the editor's question", async () => {
    const seat = await seatWith({ askIn: "both" });
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    const { id } = await seat.editor.request("session/request_permission");
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "no" });
    const withdrawn = await seat.editor.get(({ method }) => method === "$/cancel_request");
    expect(withdrawn.params).toEqual({ requestId: id });
    seat.editor.send({ id, result: { outcome: { outcome: "selected", optionId: "once" } } });
    seat.editor.send({ id: 9, method: "ping", params: {} });
    await seat.agent.request("ping");
    expect(seat.agent.received.filter((message) => message.id === 1)).toHaveLength(1);
  });

  it("a call that was allowed in the editor is none of the gate's: its end isn't reported, and another input ran unasked", async () => {
    const seat = await seatWith({ askIn: "editor" });
    for (const [index, more] of [{}, { rawInput: { command: "rm -rf x" } }].entries()) {
      const line = `make ${index}`;
      const params = asking(line);
      seat.agent.send({ id: index, method: "session/request_permission", params });
      const { id } = await seat.editor.get((message) => message.params?.toolCall?.title === line);
      seat.editor.send({ id, result: { outcome: { outcome: "selected", optionId: "once" } } });
      await seat.agent.answer(index);
      const raised = gate.event(({ type }) => type === "alarms.changed");
      const update = { sessionUpdate: "tool_call_update", toolCallId: `call ${line}`, status: "completed", ...more };
      seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
      if (index === 1) await raised;
    }
    expect((await gate.operator.call("status", {})).alarms.map(({ code }) => code)).toEqual(["ran_unasked"]);
    await gate.close();
    const events = linesIn(gate.paths.auditDir).map((line) => String(JSON.parse(line).event));
    expect(events.filter((event) => /^(ran|outcome)/.test(event))).toEqual(["ran.unasked"]);
  });

  it("of both the first answer counts: the editor's withdraws the card", async () => {
    const seat = await seatWith({ askIn: "both" });
    const closed = gate.event(({ type }) => type === "approval.closed");
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    const { id } = await seat.editor.request("session/request_permission");
    seat.editor.send({ id, result: { outcome: { outcome: "selected", optionId: "once" } } });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "once" });
    expect((await closed).data).toMatchObject({ status: "cancelled" });
  });
});

describe("a mode in which the agent asks nobody", () => {
  const modes = (currentModeId: string, ids = ["default", "yolo"]) => ({
    modes: { currentModeId, availableModes: ids.map((id) => ({ id, name: id })) },
  });

  it.each([
    ["session/set_mode", { modeId: "yolo" }],
    ["session/set_mode", { modeId: "bypassPermissions" }],
    ["session/set_mode", { modeId: "autoEdit" }],
    ["session/set_config_option", { configId: "mode", value: "acceptEdits" }],
    ["session/set_config_option", { configId: "skip_permissions", type: "boolean", value: true }],
  ])("%s %j is refused, but for level Full", async (method, params) => {
    const seat = await seatWith();
    seat.editor.send({ id: 1, method, params: { sessionId: "s1", ...params } });
    expect((await seat.editor.answer(1)).error.message).toContain("only at level Full");
    await gate.operator.call("agents.level", { name: "opencode-acp", level: "Full" });
    seat.editor.send({ id: 2, method, params: { sessionId: "s1", ...params } });
    expect((await seat.agent.request(method)).id).toBe(2);
  });

  it("other modes and settings pass, and one that nobody knows is asked about", async () => {
    const seat = await seatWith();
    seat.editor.send({ id: 1, method: "session/set_mode", params: { sessionId: "s1", modeId: "plan" } });
    seat.editor.send({
      id: 2,
      method: "session/set_config_option",
      params: { sessionId: "s1", configId: "model", value: "auto" },
    });
    await seat.agent.get(({ id }) => id === 2);
    const answered = seat.answerNext("approved");
    seat.editor.send({ id: 3, method: "session/set_mode", params: { sessionId: "s1", modeId: "reviewer" } });
    await seat.agent.get(({ id }) => id === 3);
    expect((await answered).request.capability_class).toBe("code_exec");
  });

  it("that a session starts in is left before the editor may use it", async () => {
    const seat = new AcpSeat(gate);
    seat.editor.send({ id: 1, method: "session/new", params: { cwd: project, mcpServers: [] } });
    await seat.agent.request("session/new");
    seat.agent.send({ id: 1, result: { sessionId: "s1", ...modes("yolo") } });
    seat.agent.send({
      method: "session/update",
      params: { sessionId: "s1", update: { sessionUpdate: "available_commands_update" } },
    });
    const { id, params } = await seat.agent.request("session/set_mode");
    expect(params).toEqual({ sessionId: "s1", modeId: "default" });
    expect(seat.editor.received).toEqual([]);
    seat.agent.send({ id, result: {} });
    await seat.editor.get(({ params }) => params?.update?.currentModeId === "default");
    expect(seat.editor.received.slice(0, 2)).toMatchObject([
      { id: 1 },
      { params: { update: { sessionUpdate: "available_commands_update" } } },
    ]);
  });

  it("that a session starts in, and can't leave, is no session for the editor", async () => {
    const seat = new AcpSeat(gate);
    seat.editor.send({ id: 1, method: "session/new", params: { cwd: project, mcpServers: [] } });
    await seat.agent.request("session/new");
    seat.agent.send({ id: 1, result: { sessionId: "s1", ...modes("yolo", ["yolo"]) } });
    expect((await seat.editor.answer(1)).error.message).toContain("it asks nobody");
  });

  it("that the agent changes to by itself is left", async () => {
    const seat = new AcpSeat(gate);
    await seat.open(project, "s1", modes("default"));
    seat.agent.send({
      method: "session/update",
      params: { sessionId: "s1", update: { sessionUpdate: "current_mode_update", currentModeId: "yolo" } },
    });
    expect((await seat.agent.request("session/set_mode")).params.modeId).toBe("default");
  });
});

describe("a hostile side", () => {
  it.each([
    [
      "a method that is there twice",
      '{"jsonrpc":"2.0","id":1,"method":"session/update","method":"fs/write_text_file","params":{}}',
    ],
    [
      "a request that is an answer, too",
      '{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","result":{},"params":{}}',
    ],
    ["several messages in one line", '[{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{}}]'],
    ["a key that would change what others are", '{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{}}}'],
    ["no JSON", "fs/write_text_file"],
    ["an id that is no id", '{"jsonrpc":"2.0","id":{"a":1},"method":"fs/write_text_file","params":{}}'],
    [
      "an id that not every program reads alike",
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"fs/write_text_file","params":{}}',
    ],
    [
      "bytes that are no UTF-8",
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"a":"\xff"}}', "latin1"),
    ],
    [
      "a line that is too long to be looked at",
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"${"x".repeat(5_000_000)}"}}`,
    ],
  ])("says %s: that line is dropped, and the next one is not", async (_, line) => {
    const seat = await seatWith();
    for (const [side, other] of [
      [seat.agent, seat.editor],
      [seat.editor, seat.agent],
    ] as const) {
      const before = other.lines.length;
      side.write(line);
      side.write("\n");
      side.send({ method: "_next", params: {} });
      await other.get(({ method }) => method === "_next");
      expect(other.lines.slice(before)).toEqual(['{"jsonrpc":"2.0","method":"_next","params":{}}\n']);
    }
    expect(seat.said.filter((text) => text.includes("was dropped"))).toHaveLength(2);
  });

  it("answers what it wasn't asked: an editor's answer to a question that the gate keeps reaches no agent", async () => {
    const seat = await seatWith();
    const asked = gate.event(({ type }) => type === "approval.waiting");
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    await asked;
    seat.editor.send({ id: 1, result: { outcome: { outcome: "selected", optionId: "once" } } });
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    await seat.agent.answer(1);
    expect(seat.agent.received.filter(({ id }) => id === 1).map(({ result }) => result.outcome.optionId)).toEqual([
      "no",
    ]);
  });

  it("asks under the id of a question of ours: it is refused", async () => {
    const seat = await seatWith({ askIn: "editor" });
    seat.agent.send({ id: 1, method: "session/request_permission", params: asking("make all") });
    const { id } = await seat.editor.request("session/request_permission");
    seat.agent.send({ id, method: "terminal/output", params: {} });
    expect((await seat.agent.answer(id)).error.message).toContain("none of the agent's");
  });

  it("says that something ran which it asked nobody about: it is noticed, and where it is strict the turn is cancelled", async () => {
    const seat = await seatWith({ isStrict: true });
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "make all",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "make all" },
    };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    const raised = gate.event(
      ({ type, data }) => type === "alarms.changed" && JSON.stringify(data).includes("ran_unasked"),
    );
    const cancelled = await seat.agent.get(({ method }) => method === "session/cancel");
    expect(cancelled.params).toEqual({ sessionId: "s1" });
    expect(seat.said.join()).toContain('"make all" ran without asking');
    await raised;
  });

  it("says that something ran without asking which needs no question: nothing is said", async () => {
    const seat = await seatWith();
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "c",
      title: "a.txt",
      kind: "read",
      status: "completed",
      locations: [{ path: "a.txt" }],
    };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    expect(
      await seat.permission({ toolCallId: "d", title: "x", kind: "execute", rawInput: { command: "echo one" } }),
    ).toMatchObject({ optionId: "once" });
    expect(seat.said).toEqual([]);
  });

  it("runs something other than it was allowed: it is noticed", async () => {
    const seat = await seatWith();
    const raised = gate.event(
      ({ type, data }) => type === "alarms.changed" && JSON.stringify(data).includes("ran_other_than_allowed"),
    );
    const answered = seat.answerNext("approved");
    await seat.permission({ toolCallId: "c", title: "x", kind: "execute", rawInput: { command: "make all" } });
    await answered;
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
      rawInput: { command: "rm -rf x" },
    };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    await raised;
    expect(seat.said.join()).toContain("ran other than it was allowed");
  });
});
