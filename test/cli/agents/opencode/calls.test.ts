import { expect, test } from "vitest";
import { callOf, type ToolCall } from "../../../../cli/agents/opencode/plugin/calls.ts";
import { hold } from "../../../../cli/agents/opencode/plugin/held-arguments.ts";
import { MetnosGate } from "../../../../cli/agents/opencode/plugin/plugin.ts";
import { Sessions } from "../../../../cli/agents/opencode/plugin/sessions.ts";

const call = (tool: string, args: Record<string, unknown>, servers: string[] = []): ToolCall => ({
  tool,
  session: "ses_1",
  call_id: "call_1",
  args,
  directory: "/srv/p",
  servers,
  turn: undefined,
  subagent: undefined,
});

test("a command's description is its intent, and it runs in the folder that it names", () => {
  expect(callOf(call("bash", { command: "ls", description: "look", workdir: "sub" }))).toEqual({
    intent: "look",
    executor: "bash",
    args: { command: "ls", workdir: "sub" },
    context: { cwd: "/srv/p/sub", path: process.env.PATH, session: "ses_1", call_id: "ses_1.call_1" },
  });
});

test.each([
  ["echo_say", ["echo"], "mcp__echo__say"],
  ["a_b_c", ["a", "a b"], "mcp__a_b__c"],
  // A server's tool, even where one of OpenCode's own is called so.
  ["apply_patch", ["apply"], "mcp__apply__patch"],
  ["apply_patch", ["echo"], "apply_patch"],
  ["echo_", ["echo"], "echo_"],
])("%s of the servers %j is %s", (tool, servers, executor) => {
  expect(callOf(call(tool, {}, servers))).toMatchObject({ executor });
});

test.each([
  ["read", { filePath: "~/.ssh/id_rsa" }],
  ["glob", { pattern: "*", path: "~" }],
  ["bash", { command: "ls", workdir: "~/x" }],
  ["apply_patch", { patchText: "*** Begin Patch\n*** Add File: ~/x\n+a\n*** End Patch" }],
])(
  "a path that begins with ~, which is a name to OpenCode and the home folder to the gate, is refused: %s",
  (tool, args) => {
    expect(callOf(call(tool, args))).toMatchObject({ refused: expect.stringContaining("begins with ~") });
    expect(callOf(call("echo_say", args, ["echo"]))).toMatchObject({ executor: "mcp__echo__say" });
  },
);

test("a subagent's calls belong to the session that the user sees; what it is given is not the user's words", () => {
  const sessions = new Sessions();
  expect(sessions.said("root", "turn-1")).toBe(true);
  sessions.created("child", "root", "general");
  expect(sessions.said("child", "turn-2")).toBe(false);
  expect(sessions.rootOf("child")).toEqual({ id: "root", subagent: "general", turn: "turn-1" });
  expect(sessions.rootOf("root")).toEqual({ id: "root", subagent: undefined, turn: "turn-1" });
});

test("what waits in a session is abandoned once nothing runs in it, and only that", () => {
  const sessions = new Sessions();
  const [one, other] = [sessions.begin("one"), sessions.begin("other")];
  sessions.idle("one");
  expect([one.isAbandoned, other.isAbandoned]).toEqual([true, false]);
});

test("sessions whose parents lead in a circle, and many of them, are no harm", () => {
  const sessions = new Sessions();
  sessions.created("a", "b", undefined);
  sessions.created("b", "a", undefined);
  expect(["a", "b"]).toContain(sessions.rootOf("a").id);
  for (let index = 0; index < 1000; index++) sessions.created(`s${index}`, "a", undefined);
  expect(sessions.rootOf("s0").id).toBe("s0");
  expect(sessions.rootOf("s999").subagent).toBe("subagent");
});

test("what is asked about is frozen before the gate is asked: nothing changes it while the user thinks", async () => {
  const { "tool.execute.before": before } = await MetnosGate({ directory: "/srv/p" });
  const output = { args: { command: "echo one", more: { a: [1] } } };
  const asked = before({ tool: "bash", sessionID: "s", callID: "c" }, output);
  expect([output.args, output.args.more, output.args.more.a].every(Object.isFrozen)).toBe(true);
  // As it is here it knows no gate.
  await expect(asked).rejects.toThrow("nothing is let through");
});

test("held arguments keep their form, and the gate alone gives them another command line", () => {
  const args = { description: "d", command: "one", timeout: 5 };
  const replace = hold(args);
  expect(() => Object.assign(args, { command: "other" })).toThrow();
  expect(JSON.stringify(args)).toBe('{"description":"d","command":"one","timeout":5}');
  replace("two");
  expect({ ...args }).toEqual({ description: "d", command: "two", timeout: 5 });
});
