import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AcpSeat } from "../../support/acp-seat.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

/** The messages of codex-acp 0.16.0, and of the later 2.6.0, as they were recorded. */

let gate: GateUnderTest;
let project: string;
let seat: AcpSeat;
beforeEach(async () => {
  gate = await startGate();
  await gate.operator.call("agents.pair", { name: "codex-acp", level: "Supervised" });
  project = join(gate.home.home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "old.txt"), "one\ntwo\nthree\n");
  seat = new AcpSeat(gate, { name: "codex-acp" });
  await seat.open(project);
});

const parsedCmd = [{ type: "unknown", cmd: "touch p1" }];

/** The question's input. */
const asked = (more: object = {}) => ({
  call_id: "call_0_0",
  turn_id: "01a21a0f",
  started_at_ms: 1_795_733_569_852,
  command: ["/bin/bash", "-lc", "touch p1"],
  cwd: project,
  reason: "need it",
  proposed_execpolicy_amendment: ["touch", "p1"],
  available_decisions: ["approved", { approved_execpolicy_amendment: {} }, "abort"],
  parsed_cmd: parsedCmd,
  ...more,
});

/** What it says of the same call as it runs. */
const begun = (more: object = {}) => ({
  call_id: "call_0_0",
  process_id: "92634",
  turn_id: "01a21a0f",
  started_at_ms: 1_795_733_569_895,
  command: ["/bin/bash", "-lc", "touch p1"],
  cwd: project,
  parsed_cmd: parsedCmd,
  source: "unified_exec_startup",
  ...more,
});

const ask = (rawInput: object, more: object = {}) =>
  seat.permission({ toolCallId: "call_0_0", kind: "execute", status: "pending", title: "touch p1", rawInput, ...more });

function say(update: object): void {
  seat.agent.send({
    method: "session/update",
    params: { sessionId: "s1", update: { toolCallId: "call_0_0", ...update } },
  });
}

async function runs(rawInput: object): Promise<void> {
  say({ sessionUpdate: "tool_call", title: "touch p1", kind: "execute", status: "in_progress", rawInput });
  say({ sessionUpdate: "tool_call_update", status: "completed", rawOutput: rawInput });
  await seat.editor.get(({ params }) => params?.update?.status === "completed");
}

const alarms = async () => (await gate.operator.call("status", {})).alarms.map(({ code }) => code);

describe("a command of codex-acp", () => {
  it("is asked about as the line that its shell gets, in its folder, with the model's own words", async () => {
    const answered = seat.answerNext("approved");
    expect(await ask(asked({ cwd: join(project, "sub") }))).toMatchObject({ optionId: "once" });
    expect((await answered).request).toMatchObject({
      executor: "shell_exec",
      args: { command: "touch p1" },
      target_summary: "touch p1  (in ~/project/sub)",
      intent: "need it",
    });
  });

  it("that runs as it was allowed raises no alarm, whatever else is said of it", async () => {
    const answered = seat.answerNext("approved");
    await ask(asked());
    await answered;
    await runs(begun());
    expect(await seat.permission({ toolCallId: "b", title: "x", rawInput: { command: "echo one" } })).toBeDefined();
    expect([await alarms(), seat.said]).toEqual([[], []]);
  });

  it.each([
    ["another line", { command: ["/bin/bash", "-lc", "rm -rf x"] }],
    ["another folder", { cwd: "/" }],
    ["another shell", { command: ["./bash", "-lc", "touch p1"] }],
  ])("that runs with %s raises one", async (_, more) => {
    const answered = seat.answerNext("approved");
    await ask(asked());
    await answered;
    await runs(begun(more));
    await expect.poll(alarms).toEqual(["ran_other_than_allowed"]);
  });

  it.each([
    ["a shell that lies in the project", { command: ["./bash", "-lc", "touch p1"] }],
    ["a shell that lies somewhere", { command: ["/home/x/bash", "-lc", "touch p1"] }],
    ["another program", { command: ["/usr/bin/python3", "-c", "print(1)"] }],
    ["another option", { command: ["/bin/bash", "-ic", "touch p1"] }],
    ["words behind the line", { command: ["/bin/bash", "-lc", "touch p1", "x"] }],
    ["a host that it asks for", { network_approval_context: { host: "a.example", protocol: "https" } }],
    ["what is typed into it", { interaction_input: "y\n" }],
    ["another machine", { environment_id: "remote" }],
  ])("with %s is code that nobody can read", async (_, more) => {
    const answered = seat.answerNext("rejected");
    await ask(asked(more));
    expect((await answered).request).toMatchObject({ executor: "unknown_tool", capability_class: "code_exec" });
  });

  it("is denied by what its line reads", async () => {
    expect(await ask(asked({ command: ["/bin/bash", "-lc", "cat ~/.ssh/id_rsa"] }))).toMatchObject({ optionId: "no" });
    expect(seat.said.join()).toContain("forbidden path");
  });
});

describe("a patch of codex-acp", () => {
  const update = (unifiedDiff: string, movePath: string | null = null) => ({
    type: "update",
    unified_diff: unifiedDiff,
    move_path: movePath,
  });
  const hunk = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
  const patch = (changes: object, more: object = {}) => ({
    title: "Edit",
    kind: "edit",
    rawInput: { call_id: "call_0_0", turn_id: "01a21a0f", started_at_ms: 1, changes },
    ...more,
  });
  /** Answers each card. @returns what was asked about */
  async function cards(said: object, count: number): Promise<[string, Record<string, unknown>][]> {
    const found: [string, Record<string, unknown>][] = [];
    const answer = seat.permission({ toolCallId: "call_0_0", ...said });
    for (let index = 0; index < count; index++) {
      const { request } = await seat.answerNext("approved");
      found.push([request.executor, request.args as Record<string, unknown>]);
    }
    expect(await answer).toMatchObject({ optionId: "once" });
    return found;
  }

  it("is asked about file by file: what is added, changed, deleted and moved", async () => {
    const path = (name: string) => join(project, name);
    const changes = {
      [path("old.txt")]: update(hunk, path("moved.txt")),
      [path("gone.txt")]: { type: "delete", content: "x\n" },
      [path("new.txt")]: { type: "add", content: "hello\n" },
    };
    const shown = [{ type: "diff", path: path("moved.txt"), oldText: "one\n", newText: "other\n" }];
    const locations = [{ path: path("moved.txt") }, { path: path("gone.txt") }];
    expect(await cards(patch(changes, { content: shown, locations }), 4)).toEqual([
      ["fs_delete", { path: path("gone.txt") }],
      ["Write", { file_path: path("new.txt"), content: "hello\n" }],
      ["fs_delete", { path: path("old.txt") }],
      ["Edit", { file_path: path("moved.txt"), old_string: "one\ntwo\nthree\n", new_string: "one\nTWO\nthree\n" }],
    ]);
  });

  it("that is applied as it was allowed raises no alarm, in whichever order its files are named", async () => {
    const files = [
      [join(project, "old.txt"), update(hunk)],
      [join(project, "new.txt"), { type: "add", content: "hello\n" }],
    ] as const;
    say({ sessionUpdate: "tool_call", status: "in_progress", ...patch(Object.fromEntries(files)) });
    await cards(patch(Object.fromEntries(files.toReversed())), 2);
    const done = { auto_approved: false, changes: Object.fromEntries(files) };
    say({ sessionUpdate: "tool_call_update", status: "completed", rawInput: done });
    await seat.editor.get(({ params }) => params?.update?.status === "completed");
    expect(await seat.permission({ toolCallId: "b", title: "x", rawInput: { command: "echo one" } })).toBeDefined();
    expect([await alarms(), seat.said]).toEqual([[], []]);
  });

  it("with a change that can't be read is code that nobody can read", async () => {
    const answered = seat.answerNext("rejected");
    const path = join(project, "old.txt");
    await seat.permission({
      toolCallId: "c",
      ...patch({ [path]: { type: "copy", to: "/x" } }, { locations: [{ path }] }),
    });
    expect((await answered).request.executor).toBe("unknown_tool");
  });

  it("of codex-acp 2 names a file that it deletes, and of a patch of its own form no text that isn't the file's", async () => {
    const diff = (name: string, oldText: string | null, kind: string) => ({
      type: "diff",
      path: join(project, name),
      oldText,
      newText: "",
      _meta: { kind },
    });
    const content = [diff("gone.txt", "x\n", "delete"), diff("old.txt", null, "update")];
    expect(await cards({ title: "Edit files", kind: "edit", content }, 2)).toEqual([
      ["fs_delete", { path: join(project, "gone.txt") }],
      ["fs_write", { path: join(project, "old.txt") }],
    ]);
  });
});

describe("what another tool is called with in the form of Codex's own events", () => {
  const line = ["/bin/bash", "-lc", "ls"];
  const asks = async (said: object) => {
    const answered = seat.answerNext("rejected");
    await seat.permission({ toolCallId: "t", title: "run it", ...said });
    const { executor, args } = (await answered).request;
    return [executor, args];
  };

  it.each([
    ["changes", { changes: {}, source: "drop table", reason: "x" }],
    ["a command", { command: line, source: "drop table", call_id: "t" }],
  ])("is shown as a whole, of a server's tool with %s", async (_, rawInput) => {
    const _meta = { claudeCode: { toolName: "mcp__db__run" } };
    for (const kind of ["other", "execute", "edit"])
      expect(await asks({ kind, rawInput, _meta })).toEqual(["mcp__db__run", rawInput]);
  });

  it.each([
    ["of no certain kind", { kind: "other", rawInput: { command: line, source: "drop table", call_id: "t" } }],
    ["without the call's id", { kind: "execute", rawInput: { command: line, source: "drop table" } }],
    ["that changes nothing", { kind: "other", rawInput: { changes: {}, source: "drop table" } }],
  ])("is code that nobody can read, of a tool %s", async (_, said) => {
    expect(await asks(said)).toEqual(["unknown_tool", expect.objectContaining({ input: said.rawInput })]);
  });

  it("isn't what is written, beside another file's name and text", async () => {
    const path = join(project, "old.txt");
    const changes = { [path]: { type: "add", content: "harmless" } };
    const rawInput = { file_path: path, content: "hostile", changes };
    const content = [{ type: "diff", path, oldText: "one\ntwo\nthree\n", newText: "hostile" }];
    const [executor, args] = await asks({ kind: "edit", rawInput, content });
    expect([executor, args]).toEqual([
      "unknown_tool",
      expect.objectContaining({ changes: [expect.objectContaining({ new_text: "hostile" })] }),
    ]);
  });
});
