import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AcpSeat, type AcpSeatOptions, type Message, OPTIONS } from "../../support/acp-seat.ts";
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

async function seatWith(options: AcpSeatOptions = {}, opened: object = {}): Promise<AcpSeat> {
  const seat = new AcpSeat(gate, options);
  await seat.open(project, "s1", opened);
  return seat;
}

/** What has reached the editor once everything before has. */
async function methodsAtEditor(seat: AcpSeat): Promise<unknown[]> {
  seat.agent.send({ id: "last", method: "_last", params: {} });
  await seat.editor.request("_last");
  return seat.editor.received.map(({ method }: Message) => method).filter((method) => method !== undefined);
}

describe("while its question waits an agent", () => {
  const diff = (path: string, oldText: string, newText: string) => [{ type: "diff", path, oldText, newText }];

  it("changes what it asked about: that is denied, and what it changed it to isn't written", async () => {
    const seat = await seatWith();
    const [path, other] = [join(project, "a.txt"), join(gate.home.home, ".profile")];
    writeFileSync(path, "old\n");
    const waits = gate.event(({ type }) => type === "approval.waiting");
    const answer = seat.permission({
      toolCallId: "c",
      title: "x",
      kind: "edit",
      content: diff(path, "old\n", "new\n"),
    });
    await waits;
    const update = { sessionUpdate: "tool_call_update", toolCallId: "c", content: diff(other, "", "evil\n") };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    await seat.editor.get(({ method }) => method === "session/update");
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await answer).toEqual({ outcome: "selected", optionId: "no" });
    const write = { sessionId: "s1", path: other, content: "evil\n" };
    // Where it isn't denied by itself, the user says no.
    seat.answerNext("rejected").catch(() => undefined);
    seat.agent.send({ id: 9, method: "fs/write_text_file", params: write });
    expect((await seat.agent.answer(9)).error).toBeDefined();
    expect(await methodsAtEditor(seat)).not.toContain("fs/write_text_file");
  });

  it("doesn't change what the editor's own question shows", async () => {
    const seat = await seatWith({ askIn: "both" });
    seat.agent.send({
      id: 1,
      method: "session/request_permission",
      params: {
        sessionId: "s1",
        toolCall: { toolCallId: "c", title: "make all", kind: "execute", rawInput: { command: "make all" } },
        options: OPTIONS,
      },
    });
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      rawInput: { command: "echo one" },
      title: "echo",
    };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    const { id, params } = await seat.editor.request("session/request_permission");
    expect(params.toolCall).toMatchObject({ title: "make all", rawInput: { command: "make all" } });
    seat.editor.send({ id, result: { outcome: { outcome: "selected", optionId: "once" } } });
    expect((await seat.agent.answer(1)).result.outcome).toEqual({ outcome: "selected", optionId: "no" });
  });
});

describe("what some editors would act on, and others not, reaches none", () => {
  const write = (path: string) => ({ sessionId: "s1", path, content: "x" });

  it("a request without an id, in other letters, behind another key, or within a line that some end at a carriage return", async () => {
    const seat = await seatWith();
    const params = write(join(project, "a.txt"));
    const text = JSON.stringify(params);
    for (const method of [
      "fs/write_text_file",
      "terminal/create",
      "session/request_permission",
      "fs/delete",
      "FS/Write_Text_File",
    ])
      seat.agent.send({ method, params });
    seat.agent.write(`{"method":"_x","Method":"fs/write_text_file","id":1,"params":${text}}\n`);
    seat.agent.write(`{"method":"_x","params":\r{"id":2,"method":"fs/write_text_file","params":${text}}\r}\n`);
    for (const [id, method] of [
      "Fs/Write_Text_File",
      "fs/write_text_file\0",
      "fs/delete_file",
      "terminal/write",
    ].entries()) {
      seat.agent.send({ id: 10 + id, method, params });
      expect((await seat.agent.answer(10 + id)).error.message, method).toContain("nobody knows what it does");
    }
    seat.agent.send({ id: 20, method: "fs/write_text_file", params: { ...params, Path: "/etc/passwd" } });
    expect((await seat.agent.answer(20)).error.message).toContain("one of its keys");
    // The word that something was denied is the gate's own.
    expect(await methodsAtEditor(seat)).toEqual(["session/update", "_last"]);
    expect(await gate.waiting()).toEqual([]);
  });

  it("what belongs to a terminal that was allowed passes", async () => {
    const seat = await seatWith();
    const methods = ["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"];
    for (const method of methods) seat.agent.send({ id: method, method, params: { sessionId: "s1", terminalId: "t" } });
    expect(await methodsAtEditor(seat)).toEqual([...methods, "_last"]);
  });
});

it("no agent gets a choice of its mode without an id, in other letters, or with a second key for the mode", async () => {
  const seat = await seatWith();
  const params = { sessionId: "s1", modeId: "yolo" };
  seat.editor.send({ method: "session/set_mode", params });
  seat.editor.send({ id: 1, method: "Session/Set_Mode", params });
  seat.editor.send({ id: 2, method: "session/set_mode\0", params });
  seat.editor.send({ id: 3, method: "session/set_mode", params: { sessionId: "s1", modeId: "plan", ModeId: "yolo" } });
  for (const id of [1, 2, 3]) expect((await seat.editor.answer(id)).error.message).toContain("was not passed on");
  seat.editor.send({ id: 4, method: "session/set_mode", params: { sessionId: "s1", modeId: "plan" } });
  await seat.agent.get(({ id }) => id === 4);
  expect(seat.agent.received.filter(({ method }) => /set_mode/i.test(method)).map(({ id }) => id)).toEqual([4]);
});

it.each([
  [
    "a mode whose name says that it asks nobody",
    { modes: { currentModeId: "m1", availableModes: [{ id: "m1", name: "Bypass permissions" }] } },
  ],
  [
    "a setting, whatever its mode is called",
    {
      modes: { currentModeId: "default", availableModes: [{ id: "default", name: "Default" }] },
      configOptions: [{ id: "approval", type: "select", currentValue: "never-ask", options: [{ value: "never-ask" }] }],
    },
  ],
])("a session isn't opened that starts without asking, by %s, and can't be changed", async (_, opened) => {
  const seat = await seatWith({}, opened);
  expect((await seat.editor.answer("open-s1")).error.message).toContain("asks nobody");
});

it("a tool of an MCP server that takes a command isn't the shell's, and what sends something isn't a reading of its address", async () => {
  const seat = await seatWith();
  await gate.operator.call("grants.add", { capability: "network:http", target: "a.example" });
  for (const said of [
    { name: "mcp__remote__run", kind: "execute", rawInput: { command: "echo one" } },
    { kind: "fetch", rawInput: { url: "https://a.example/", method: "POST", body: "x" } },
  ]) {
    const answered = seat.answerNext("rejected");
    await seat.permission({ toolCallId: JSON.stringify(said), title: "x", ...said });
    expect((await answered).request.capability_class).toBe("code_exec");
  }
});

it("a command's folder is where the system would be: behind a link, `..` is beside what the link leads to", async () => {
  const seat = await seatWith();
  const elsewhere = join(gate.home.home, "elsewhere");
  mkdirSync(join(elsewhere, "sub"), { recursive: true });
  writeFileSync(join(elsewhere, "notes.txt"), "");
  writeFileSync(join(project, "notes.txt"), "");
  symlinkSync(join(elsewhere, "sub"), join(project, "link"));
  const terminal = (id: number, cwd: string) =>
    seat.agent.send({ id, method: "terminal/create", params: { sessionId: "s1", command: "cat notes.txt", cwd } });
  terminal(1, project);
  await seat.editor.get(({ id }) => id === 1);
  for (const [id, cwd] of [`${project}/link/..`, "link/..", `${project}/${"./".repeat(3000)}../elsewhere`].entries()) {
    const answered = seat.answerNext("rejected");
    terminal(2 + id, cwd);
    expect((await seat.agent.answer(2 + id)).error, cwd.slice(0, 80)).toBeDefined();
    await answered;
  }
});
