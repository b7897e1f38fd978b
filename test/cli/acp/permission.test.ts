import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AcpSeat, type AcpSeatOptions, OPTIONS } from "../../support/acp-seat.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

let gate: GateUnderTest;
let project: string;
beforeEach(async () => {
  gate = await startGate();
  await gate.operator.call("agents.pair", { name: "opencode-acp", level: "Supervised" });
  project = join(gate.home.home, "project");
  mkdirSync(project);
});

async function seatWith(options: AcpSeatOptions = {}): Promise<AcpSeat> {
  const seat = new AcpSeat(gate, options);
  await seat.open(project);
  return seat;
}

const command = (line: string, more: object = {}) => ({
  toolCallId: "call-1",
  title: line,
  kind: "execute",
  rawInput: { command: line },
  ...more,
});

const NOT_FITTING: readonly [what: string, said: object][] = [
  [
    "a command that is said to read",
    { kind: "read", rawInput: { command: "make all" }, locations: [{ path: "a.txt" }] },
  ],
  ["no input: its title is an unknown text", { kind: "execute", title: "echo one" }],
  ["no input and no kind", { title: "echo one" }],
  ["a command with arguments of another tool", { kind: "execute", rawInput: { command: "echo one", script: "rm x" } }],
  ["two commands", { kind: "execute", rawInput: { command: "echo one", cmd: "echo two" } }],
  ["a command that is no text", { kind: "execute", rawInput: { command: ["echo", "one"] } }],
  ["a thought", { kind: "think", rawInput: { prompt: "hm" } }],
  ["a kind that nobody knows", { kind: "_teleport", rawInput: { path: "a.txt" } }],
  ["a path that is no text", { kind: "read", rawInput: { path: 7 } }],
  ["a name of a tool that touches nothing", { kind: "think", name: "TodoWrite", rawInput: { todos: [] } }],
];

describe("an agent's question for permission", () => {
  it("is answered by the gate: what it allows with an option for this once, and the editor isn't asked", async () => {
    const seat = await seatWith();
    expect(await seat.permission(command("echo one"))).toEqual({ outcome: "selected", optionId: "once" });
    expect(seat.editor.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  it("is denied with an option to reject this once where the guard denies it; the user reads why, and so does the model", async () => {
    const seat = await seatWith();
    expect(await seat.permission(command("cat ~/.ssh/id_rsa"))).toEqual({ outcome: "selected", optionId: "no" });
    const shown = await seat.editor.get(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk");
    expect(shown.params.update.content.text).toContain("forbidden path");
    seat.editor.send({
      id: 7,
      method: "session/prompt",
      params: { sessionId: "s1", prompt: [{ type: "text", text: "and?" }] },
    });
    const { params } = await seat.agent.request("session/prompt");
    expect(params.prompt).toMatchObject([{ text: "and?" }, { text: expect.stringContaining("forbidden path") }]);
    seat.editor.send({ id: 8, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
    expect((await seat.agent.get(({ id }) => id === 8)).params.prompt).toEqual([]);
  });

  it.each([
    ["approved", { outcome: "selected", optionId: "once" }],
    ["rejected", { outcome: "selected", optionId: "no" }],
  ] as const)("waits for the user where the gate asks: %s", async (decision, outcome) => {
    const seat = await seatWith();
    const answered = seat.answerNext(decision);
    expect(await seat.permission(command("make all"))).toEqual(outcome);
    expect((await answered).request).toMatchObject({
      executor: "shell_exec",
      target_summary: "make all  (in ~/project)",
    });
  });

  it.each([
    [
      "no option to allow once",
      OPTIONS.filter(({ kind }) => kind !== "allow_once"),
      { outcome: "selected", optionId: "no" },
    ],
    ["an option that is remembered only", [OPTIONS[0]], { outcome: "cancelled" }],
    ["one id for two options", OPTIONS.map((option) => ({ ...option, optionId: "same" })), { outcome: "cancelled" }],
    ["no options at all", undefined, { outcome: "cancelled" }],
    [
      "an option that would end the asking",
      [{ optionId: "bypassPermissions", name: "Yes", kind: "allow_once" }],
      { outcome: "cancelled" },
    ],
  ])("with %s is never allowed", async (_, options, outcome) => {
    const seat = await seatWith();
    expect(await seat.permission(command("echo one"), { options })).toEqual(outcome);
  });

  it("without an option to reject is cancelled where it is denied", async () => {
    const seat = await seatWith();
    const options = OPTIONS.filter(({ kind }) => !kind.startsWith("reject"));
    expect(await seat.permission(command("cat ~/.ssh/id_rsa"), { options })).toEqual({ outcome: "cancelled" });
  });

  it("is about code that runs, once only, where its input doesn't fit what it is said to be", async () => {
    const seat = await seatWith();
    await gate.operator.call("grants.add", { capability: "fs:read", target: `${project}/**` });
    for (const [what, said] of NOT_FITTING) {
      const answered = seat.answerNext("rejected");
      await seat.permission({ toolCallId: `call-${what}`, ...said });
      expect([what, (await answered).request.capability_class]).toEqual([what, "code_exec"]);
    }
  });

  it.each([
    [
      "of a read",
      { kind: "read", rawInput: { filePath: "a.txt" }, locations: [{ path: "b.txt" }] },
      ["a.txt", "b.txt"],
    ],
    [
      "of a diff for another file than the locations",
      {
        kind: "edit",
        locations: [{ path: "a.txt" }],
        content: [{ type: "diff", path: ".ssh/authorized_keys", oldText: "", newText: "k" }],
      },
      [],
    ],
  ])("every path counts %s, wherever the agent names it", async (_, said, paths) => {
    const seat = await seatWith();
    for (const path of paths.slice(0, 1))
      await gate.operator.call("grants.add", { capability: "fs:read", target: join(project, path) });
    if (paths.length === 0)
      await gate.operator.call("grants.add", { capability: "fs:write", target: `${project}/*.txt` });
    const answered = paths.length === 0 ? undefined : seat.answerNext("rejected");
    expect(await seat.permission({ toolCallId: "call-1", title: "x", ...said })).toEqual({
      outcome: "selected",
      optionId: "no",
    });
    if (answered !== undefined) expect((await answered).request.target_summary).toContain("b.txt");
  });

  it("about another input than the agent has said before is code that runs", async () => {
    const seat = await seatWith();
    const update = {
      sessionUpdate: "tool_call",
      toolCallId: "call-1",
      title: "x",
      kind: "execute",
      status: "pending",
      rawInput: {},
    };
    seat.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    seat.agent.send({
      method: "session/update",
      params: {
        sessionId: "s1",
        update: { ...update, sessionUpdate: "tool_call_update", rawInput: { command: "rm -rf x" } },
      },
    });
    const answered = seat.answerNext("rejected");
    await seat.permission(command("echo one"));
    expect((await answered).request.executor).toBe("unknown_tool");
  });

  it("that has its input in an earlier message is about that one", async () => {
    const seat = await seatWith();
    const update = { sessionUpdate: "tool_call", toolCallId: "call-1", title: "x", kind: "execute", status: "pending" };
    seat.agent.send({
      method: "session/update",
      params: { sessionId: "s1", update: { ...update, rawInput: { command: "cat ~/.ssh/id_rsa" } } },
    });
    expect(await seat.permission({ toolCallId: "call-1", title: "echo one" })).toEqual({
      outcome: "selected",
      optionId: "no",
    });
  });

  it("is withdrawn when the editor cancels the turn, and answered so", async () => {
    const seat = await seatWith();
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const outcome = seat.permission(command("make all"));
    await asked;
    const closed = gate.event(({ type }) => type === "approval.closed");
    seat.editor.send({ method: "session/cancel", params: { sessionId: "s1" } });
    expect(await outcome).toEqual({ outcome: "cancelled" });
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    await seat.agent.get(({ method }) => method === "session/cancel");
  });

  it("under an id that is in use denies both", async () => {
    const seat = await seatWith();
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const params = (line: string) => ({ sessionId: "s1", toolCall: command(line), options: OPTIONS });
    seat.agent.send({ id: 5, method: "session/request_permission", params: params("make all") });
    await asked;
    seat.agent.send({ id: 5, method: "session/request_permission", params: params("echo one") });
    await seat.agent.get(() => seat.agent.received.filter(({ id }) => id === 5).length === 2);
    for (const { result } of seat.agent.received.filter(({ id }) => id === 5))
      expect(result).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("is a no where no gate can be reached", async () => {
    const seat = await seatWith();
    await gate.close();
    expect(await seat.permission(command("echo one"))).toEqual({ outcome: "selected", optionId: "no" });
    expect(seat.said.join()).toContain("the gate can't be reached");
  });
});
