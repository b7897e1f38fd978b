import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ToolCalls } from "../../../cli/acp/tool-calls.ts";
import { AcpSeat, OPTIONS } from "../../support/acp-seat.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

let gate: GateUnderTest;
let project: string;
let seat: AcpSeat;
beforeEach(async () => {
  gate = await startGate();
  await gate.operator.call("agents.pair", { name: "opencode-acp", level: "Supervised" });
  project = join(gate.home.home, "project");
  mkdirSync(project);
  seat = new AcpSeat(gate);
  await seat.open(project);
});

const say = (update: object, sessionId = "s1") =>
  seat.agent.send({ method: "session/update", params: { sessionId, update: { toolCallId: "call_1", ...update } } });

const command = (line: string) => ({ title: line, kind: "execute", rawInput: { command: line } });

const alarms = async () => (await gate.operator.call("status", {})).alarms.map(({ code }) => code);

/** What was said before has been looked at. */
async function settled(): Promise<void> {
  expect(
    await seat.permission({ toolCallId: "last", title: "x", kind: "execute", rawInput: { command: "echo one" } }),
  ).toMatchObject({ optionId: "once" });
}

async function prompt(id: string): Promise<void> {
  seat.editor.send({ id, method: "session/prompt", params: { sessionId: "s1", prompt: [{ type: "text", text: id }] } });
  await seat.agent.get((message) => message.id === id);
}

async function endTurn(id: string): Promise<void> {
  seat.agent.send({ id, result: { stopReason: "end_turn" } });
  await seat.editor.answer(id);
}

describe("an id that a model gives again", () => {
  const path = () => join(project, "a.txt");
  const asks = async (said: object) => {
    const answered = seat.answerNext("approved");
    const outcome = await seat.permission({ toolCallId: "call_1", ...said });
    return { outcome, request: (await answered).request };
  };

  it("is another call once the one before has ended: nothing that was said of that one counts", async () => {
    await prompt("one");
    say({ sessionUpdate: "tool_call", status: "pending", ...command("cat ~/.ssh/id_rsa") });
    expect(await seat.permission({ toolCallId: "call_1" })).toMatchObject({ optionId: "no" });
    say({ sessionUpdate: "tool_call_update", status: "failed" });
    say({ sessionUpdate: "tool_call", status: "pending", ...command("touch p2") });
    const { outcome, request } = await asks({});
    expect([outcome.optionId, request.executor, request.target_summary]).toEqual([
      "once",
      "shell_exec",
      "touch p2  (in ~/project)",
    ]);
    say({ sessionUpdate: "tool_call_update", status: "completed" });
    // Also where the question is what is said first.
    const edit = [{ type: "diff", path: path(), oldText: "", newText: "x" }];
    expect((await asks({ title: "x", kind: "edit", content: edit })).request.executor).toBe("Edit");
    await settled();
    expect(await alarms()).toEqual([]);
  });

  it("is another call in the next turn, where the one before never ended", async () => {
    await prompt("one");
    say({ sessionUpdate: "tool_call", status: "pending", ...command("cat ~/.ssh/id_rsa") });
    await endTurn("one");
    await prompt("two");
    expect((await asks(command("touch p2"))).request.executor).toBe("shell_exec");
  });

  it("is the same call while it runs, whatever else is said of it, and after its end", async () => {
    await prompt("one");
    await asks(command("touch p1"));
    say({ sessionUpdate: "tool_call", status: "in_progress", ...command("touch p1") });
    say({ sessionUpdate: "tool_call_update", status: "completed" });
    say({ sessionUpdate: "tool_call_update", status: "completed", title: "touched" });
    await asks(command("touch p2"));
    await endTurn("one");
    // It has run in the background.
    say({ sessionUpdate: "tool_call_update", status: "in_progress" });
    say({ sessionUpdate: "tool_call_update", status: "completed" });
    await settled();
    expect([await alarms(), seat.said]).toEqual([[], []]);
  });

  it("as the number of a request of the agent's own says nothing of that request", async () => {
    const other = new AcpSeat(gate, { askIn: "editor" });
    await other.open(project);
    const update = { sessionUpdate: "tool_call", toolCallId: "7", status: "pending", ...command("make all") };
    other.agent.send({ method: "session/update", params: { sessionId: "s1", update } });
    other.agent.send({ id: 7, method: "fs/read_text_file", params: { sessionId: "s1", path: path() } });
    const { params } = await other.editor.request("session/request_permission");
    expect(params.toolCall.toolCallId).not.toBe("7");
    expect(params.toolCall.rawInput).toBeUndefined();
    expect(params.options).toHaveLength(OPTIONS.length / 2);
  });
});

it("what an agent repeats of a session that is loaded hasn't run now", async () => {
  seat.editor.send({ id: "load", method: "session/load", params: { sessionId: "s2", cwd: project, mcpServers: [] } });
  await seat.agent.get(({ id }) => id === "load");
  say({ sessionUpdate: "tool_call", status: "completed", ...command("make all") }, "s2");
  seat.agent.send({ id: "load", result: {} });
  await seat.editor.answer("load");
  await settled();
  expect([await alarms(), seat.said]).toEqual([[], []]);
  say({ sessionUpdate: "tool_call", status: "completed", ...command("make all") }, "s2");
  await expect.poll(alarms).toEqual(["ran_unasked"]);
});

it("nothing is kept of calls whose turn has ended, and of those that never end nothing after the next turn", () => {
  const calls = new ToolCalls();
  const merge = (toolCallId: string, status: string) =>
    calls.merge("s1", { toolCallId, status }, { characters: 10, isBegun: true });
  const isKept = (toolCallId: string) => calls.with("s1", { toolCallId }).status !== "";
  merge("ended", "completed");
  merge("runs", "in_progress");
  calls.endTurn((session) => session === "other");
  expect(["ended", "runs"].map(isKept)).toEqual([true, true]);
  calls.endTurn((session) => session === "s1");
  expect(["ended", "runs"].map(isKept)).toEqual([false, true]);
  calls.endTurn((session) => session === "s1");
  expect(["ended", "runs"].map(isKept)).toEqual([false, false]);
});

describe("an edit of a file that the editor reads for its agent", () => {
  /** @returns whether a card was answered, or the request passed */
  async function request(id: number, method: string, more: object): Promise<string> {
    const asked = gate.event(({ type }) => type === "approval.waiting");
    const params = { sessionId: "s1", path: join(project, "a.txt"), ...more };
    seat.agent.send({ id, method, params });
    const passed = seat.editor.get((message) => message.id === id).then(() => undefined);
    const event = await Promise.race([asked, passed]);
    if (event?.type !== "approval.waiting") return "passed";
    await gate.operator.call("approvals.resolve", { token: event.data.token, decision: "approved" });
    await passed;
    return "asked";
  }

  it("is one card: what the agent reads again, and what it writes, is what it has just shown", async () => {
    const path = join(project, "a.txt");
    writeFileSync(path, "old\n");
    const edit = async (oldText: string, newText: string) => {
      const answered = seat.answerNext("approved");
      const content = [{ type: "diff", path, oldText, newText }];
      await seat.permission({ toolCallId: oldText, title: "x", kind: "edit", content });
      await answered;
    };
    // Before it has shown anything of the file.
    expect(await request(1, "fs/read_text_file", {})).toBe("asked");
    await edit("old\n", "new\n");
    expect(await request(2, "fs/read_text_file", {})).toBe("passed");
    expect(await request(3, "fs/write_text_file", { content: "new\n" })).toBe("passed");
    writeFileSync(path, "new\n");
    expect(await request(4, "fs/read_text_file", {})).toBe("passed");
    await edit("new\n", "newer\n");
    expect(await request(5, "fs/read_text_file", {})).toBe("passed");
    // It has another text since: that would be news.
    writeFileSync(path, "by hand\n");
    expect(await request(6, "fs/read_text_file", {})).toBe("asked");
    expect(await request(7, "fs/read_text_file", { path: join(project, "b.txt") })).toBe("asked");
  });

  it("is nothing that is read while the gate is paused", async () => {
    const path = join(project, "a.txt");
    writeFileSync(path, "old\n");
    const answered = seat.answerNext("approved");
    const content = [{ type: "diff", path, oldText: "old\n", newText: "new\n" }];
    await seat.permission({ toolCallId: "c", title: "x", kind: "edit", content });
    await answered;
    await gate.operator.call("safety.pause", {});
    seat.agent.send({ id: 2, method: "fs/read_text_file", params: { sessionId: "s1", path } });
    expect((await seat.agent.answer(2)).error.message).toContain("paused");
  });
});
