import { expect, test } from "vitest";
import { GEMINI } from "../../../main/hooks/gemini/dialect.ts";
import { commandThatRan } from "../../../main/hooks/gemini/payload.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const payload = (toolName: string, toolInput: object, more: object = {}) =>
  JSON.stringify({
    session_id: "s1",
    cwd: "/srv/p",
    hook_event_name: "BeforeTool",
    tool_name: toolName,
    tool_input: toolInput,
    ...more,
  });

test("a command's description is its intent, and it runs in the folder that it names", () => {
  const input = { command: "ls", description: "look", dir_path: "sub" };
  expect(GEMINI.read(payload("run_shell_command", input), process.env)).toMatchObject({
    session_id: "s1",
    call: {
      intent: "look",
      executor: "run_shell_command",
      args: { command: "ls", dir_path: "sub" },
      context: { cwd: "/srv/p/sub", session: "s1" },
    },
    rewritable: { input, line: "ls", cwd: "/srv/p" },
  });
});

test("a command has an id that its report names again, and another one in another session or folder", () => {
  const idOf = (text: string) => {
    const asked = GEMINI.read(text, process.env);
    return "call" in asked ? asked.call.context?.call_id : undefined;
  };
  const input = { command: "ls", description: "look" };
  const id = idOf(payload("run_shell_command", input));
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  const ran = { session_id: "s1", cwd: "/srv/p", tool_name: "run_shell_command", tool_input: input };
  expect(commandThatRan(ran)?.call_id).toBe(id);
  for (const more of [{ session_id: "s2" }, { cwd: "/srv" }])
    expect(idOf(payload("run_shell_command", input, more))).not.toBe(id);
  expect(idOf(payload("read_file", { file_path: "a" }))).toBeUndefined();
});

test("a command that Gemini doesn't wait for is never rewritten: it would be reported before it begins", () => {
  const input = { command: "ls", is_background: true };
  expect(GEMINI.read(payload("run_shell_command", input), process.env)).toMatchObject({ rewritable: undefined });
});

test("a confined command is a plain line, as Gemini refuses those with others in them; the description shows the model's own", () => {
  const asked = GEMINI.read(payload("run_shell_command", { command: "npm test", dir_path: "sub" }), process.env);
  if (!("rewritable" in asked) || asked.rewritable === undefined) throw new Error("it can't be rewritten");
  const updatedInput = GEMINI.rewritten(asked.rewritable, ["/srv/a b/box", "run", "1.2"]);
  // Without `$(`, which Gemini looks for in comments as well.
  const command = expect.stringMatching(/^# [\w ;]+\n'\/srv\/a b\/box' run 1\.2 9>\/dev\/null$/);
  const toolInput = { command, description: "npm test", dir_path: "sub" };
  expect(GEMINI.write({ permission: "allow", reason: "", updatedInput })).toEqual({
    decision: "allow",
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: toolInput },
  });
});

test("a tool of an MCP server is called as in every agent, by the server and the name that it has there", () => {
  const mcpContext = { server_name: "my server", tool_name: "say.it", command: "node" };
  expect(
    GEMINI.read(payload("mcp_my_server_say.it", { a: 1 }, { mcp_context: mcpContext }), process.env),
  ).toMatchObject({
    call: { executor: "mcp__my_server__say_it", args: { a: 1 }, context: { mcp_server: "my server" } },
  });
});

test.each([
  ["file_path: a path that begins with @", "read_file", { file_path: "@a" }],
  ["file_path: a path that begins with ~", "write_file", { file_path: "~/a", content: "" }],
  ["dir_path: Gemini would read its %", "glob", { dir_path: "/srv/%2e%2e", pattern: "*" }],
  ["file_path: a URL", "read_file", { file_path: "file:///etc/passwd" }],
  ["file_path: a path with a NUL", "read_file", { file_path: "a\0b" }],
  ["file_path: it isn't there", "replace", { file_path: "b.txt", old_string: "a", new_string: "b" }],
])("what Gemini reads as another file than its name says is refused: %s", (why, tool, input) => {
  expect(GEMINI.read(payload(tool, input), process.env)).toMatchObject({ refused: expect.stringContaining(why) });
});

test.each([
  ["an option of git's that starts a program", "pattern", { pattern: "-Otouch made; true", include_pattern: "needle" }],
  ["an option that reads another file", "pattern", { pattern: "-f../.env" }],
  ["a file of the folder above", "include_pattern", { pattern: "x", include_pattern: "../.env" }],
  ["all from the repository's top on", "include_pattern", { pattern: "x", include_pattern: ":/" }],
  ["a file by its absolute path", "include_pattern", { pattern: "x", include_pattern: "/srv/project/.env" }],
])("what Gemini would hand to git or grep as more than a search below its folder is refused: %s", (_, why, input) => {
  for (const tool of ["grep_search", "search_file_content"])
    expect(GEMINI.read(payload(tool, { dir_path: "src", ...input }), process.env)).toMatchObject({
      refused: expect.stringContaining(`${why}: `),
    });
});

test("a search for what has dashes, dots and colons in it is asked about as it is", () => {
  for (const input of [
    { pattern: "[-]O", include_pattern: "**/*.ts" },
    { pattern: "a -b", include_pattern: "a..b/{x,y}:z" },
    { pattern: "..:/", include_pattern: "" },
  ])
    expect(GEMINI.read(payload("grep_search", input), process.env)).toMatchObject({ call: {} });
});

test("a name with a % that can't be decoded, and a file that is there, are read as they are", () => {
  const { home } = temporaryHome();
  expect(GEMINI.read(payload("read_file", { file_path: "100%.txt" }), process.env)).toMatchObject({ call: {} });
  const edit = { file_path: `../${home.slice(home.lastIndexOf("/") + 1)}`, old_string: "a", new_string: "b" };
  expect(GEMINI.read(payload("replace", edit, { cwd: home }), process.env)).toMatchObject({ call: {} });
});

test.each(["", "{}", "[]", payload("x", {}, { cwd: 1 }), payload("x", {}, { hook_event_name: "AfterTool" })])(
  "what is no payload is refused: %s",
  (text) => {
    expect(GEMINI.read(text, process.env)).toMatchObject({ refused: expect.any(String) });
  },
);

test("says allow or deny, with a reason, and never asks", () => {
  expect(GEMINI.write({ permission: "allow", reason: "r" })).toEqual({ decision: "allow" });
  for (const permission of ["deny", "ask"] as const)
    expect(GEMINI.write({ permission, reason: "r; do without it", notice: "r" })).toEqual({
      decision: "deny",
      reason: "Metnos Gate: r; do without it",
      systemMessage: "Metnos Gate: r",
    });
});
