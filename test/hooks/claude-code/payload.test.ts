import { expect, it } from "vitest";
import { contextSchema } from "../../../ipc/contract/wire.ts";
import { readCall } from "../../../main/hooks/claude-code/payload.ts";
import { payload } from "../../support/hook-process.ts";

/** The context of the call that the gate is asked about. */
function contextOf(more: Record<string, unknown>) {
  const parsed = readCall(payload("Write", { file_path: "/a", content: "b" }, more), process.env);
  if ("refused" in parsed) throw new Error(parsed.refused);
  return contextSchema.parse(parsed.call.context);
}

it("the user's message that a call belongs to is its turn", () => {
  const promptId = "4a1f9c1e-6d7b-4a63-9a0e-0b1f6f5d2c11";
  expect(contextOf({ prompt_id: promptId })).toMatchObject({ turn: promptId, session: "session-1", call_id: "use-1" });
});

it.each([
  ["an earlier version has none", undefined],
  ["an empty one", ""],
  ["one that is no text", { id: 1 }],
])("without an id of the user's message a call names no turn: %s", (_name, promptId) => {
  expect(contextOf({ prompt_id: promptId })).not.toHaveProperty("turn");
});

it("an id that is too long is cut, so that the gate still takes the call", () => {
  expect(contextOf({ prompt_id: "x".repeat(500) }).turn).toBe("x".repeat(128));
});

it("the PATH of the hook, which is the client's, goes with each call", () => {
  expect(contextOf({})).toMatchObject({ path: process.env.PATH });
});

it("a subagent with a work tree of its own is another tool than one without: git runs for it, and with it the project's hooks", () => {
  const executorOf = (tool: string, input: Record<string, unknown>) => {
    const parsed = readCall(payload(tool, { prompt: "p", ...input }), process.env);
    if ("refused" in parsed) throw new Error(parsed.refused);
    return parsed.call.executor;
  };
  for (const tool of ["Agent", "Task"]) {
    expect(executorOf(tool, { isolation: "worktree" })).toBe("AgentInWorktree");
    for (const input of [{}, { isolation: "" }, { isolation: null }]) expect(executorOf(tool, input)).toBe(tool);
  }
  expect(executorOf("Write", { isolation: "worktree" })).toBe("Write");
});
