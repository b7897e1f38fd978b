/** What Codex 0.169.0 has sent, shortened, and the gate's call for it. */

const base = {
  session_id: "01a2009b-e011",
  turn_id: "01a2009b-e01f",
  transcript_path: "/home/ada/.codex/sessions/rollout.jsonl",
  cwd: "/srv/p",
  hook_event_name: "PreToolUse",
  model: "gpt-5.5",
  permission_mode: "bypassPermissions",
};

interface Call {
  executor: string;
  args: Readonly<Record<string, unknown>>;
  context: object;
}

const PATCH = "*** Begin Patch\n*** Add File: a\n+a\n*** End Patch\n";

export const CODEX_TOOLS_CALLED: readonly [string, object, Call][] = [
  [
    "exec_command",
    { ...base, tool_name: "Bash", tool_input: { command: "echo hi" }, tool_use_id: "call_1_0" },
    { executor: "Bash", args: { command: "echo hi" }, context: { call_id: "call_1_0" } },
  ],
  [
    "apply_patch, whose patch is no command line",
    { ...base, tool_name: "apply_patch", tool_input: { command: PATCH }, tool_use_id: "call_3" },
    { executor: "apply_patch", args: { patch: PATCH }, context: { call_id: "call_3" } },
  ],
  [
    "a subagent",
    {
      ...base,
      ...{
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "exec-b1b3",
        agent_id: "01a2",
        agent_type: "default",
      },
    },
    { executor: "Bash", args: { command: "ls" }, context: { call_id: "exec-b1b3", subagent: "default" } },
  ],
  [
    "an MCP server's tool",
    { ...base, tool_name: "mcp__probe__echo", tool_input: { text: "x" }, tool_use_id: "c1" },
    { executor: "mcp__probe__echo", args: { text: "x" }, context: { call_id: "c1", mcp_server: "probe" } },
  ],
];
