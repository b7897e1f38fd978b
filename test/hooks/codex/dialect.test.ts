import { describe, expect, it } from "vitest";
import { CODEX } from "../../../main/hooks/codex/dialect.ts";
import { CODEX_TOOLS_CALLED } from "../../cli/agents/codex/recorded-payloads.ts";

describe("the hook of Codex", () => {
  it.each(CODEX_TOOLS_CALLED)("reads a call of %s", (_tool, payload, call) => {
    expect(CODEX.read(JSON.stringify(payload), process.env)).toEqual({
      session_id: "01a2009b-e011",
      rewritable:
        call.executor === "Bash" ? expect.objectContaining({ line: call.args.command, input: call.args }) : undefined,
      call: {
        intent: "",
        ...call,
        context: {
          cwd: "/srv/p",
          mode: "bypassPermissions",
          path: process.env.PATH,
          session: "01a2009b-e011",
          turn: "01a2009b-e01f",
          ...call.context,
        },
      },
    });
  });

  it.each<[string, string]>([
    ["no JSON", "{"],
    ["another event", '{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'],
    ["no tool", '{"hook_event_name":"PreToolUse","tool_input":{}}'],
    ["no arguments", '{"hook_event_name":"PreToolUse","tool_name":"Bash"}'],
    [
      "a key twice",
      '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm a"}}',
    ],
  ])("refuses %s", (_what, text) => {
    expect(CODEX.read(text, process.env)).toEqual({ refused: expect.stringMatching(/./) });
  });

  it("refuses a picture whose path begins with ~, which is a name to Codex and the home folder to the gate", () => {
    const payload = (path: string) =>
      JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "view_image", tool_input: { path }, cwd: "/srv/p" });
    expect(CODEX.read(payload("~/a.png"), process.env)).toEqual({ refused: expect.stringContaining("absolute path") });
    expect(CODEX.read(payload("a~/b.png"), process.env)).toMatchObject({ call: { args: { path: "a~/b.png" } } });
  });

  it("says nothing to what is allowed, and denies all else with a reason: Codex would run it", () => {
    const answer = { reason: "why" };
    expect(CODEX.write({ ...answer, permission: "allow" })).toEqual({});
    for (const permission of ["deny", "ask"] as const)
      expect(CODEX.write({ ...answer, permission })).toEqual({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "Metnos Gate: why",
        },
      });
  });

  it("gives what it is to run instead as the whole of the tool's input", () => {
    const answer = { permission: "allow", reason: "why" } as const;
    expect(CODEX.write({ ...answer, updatedInput: { command: "other" } })).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "other" },
      },
    });
  });
});
