import { randomUUID } from "node:crypto";
import type { BenchCall, Places } from "./scenario.ts";

/** How each client calls a hook, and what it does with the answer: as the real clients were seen to (docs/agents/). */

export const HOSTS = ["claude-code", "codex", "gemini"] as const;
export type Host = (typeof HOSTS)[number];

/** How a hook ended: `code` is null where a signal ended it. */
export interface HookEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * What became of a call. `error`: the hook failed, and the client then runs the call (or, where it asks, ends its session): a hook that
 * fails open is no guard.
 */
export type Verdict = "blocked" | "asked" | "allowed" | "error";

interface Tool {
  name: string;
  input: Record<string, unknown>;
}

/** The payload on the hook's stdin, as JSON. */
export function payloadFor(host: Host, call: BenchCall, { project }: Places, sessionId: string): string {
  const { name, input } = TOOLS[host](call);
  const base = { session_id: sessionId, transcript_path: `${project}/../transcript.jsonl`, cwd: project };
  switch (host) {
    case "claude-code":
      return JSON.stringify({
        ...base,
        prompt_id: sessionId,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: name,
        tool_input: input,
        tool_use_id: `toolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
      });
    case "codex":
      return JSON.stringify({
        ...base,
        turn_id: sessionId,
        hook_event_name: "PreToolUse",
        model: "bench",
        permission_mode: "default",
        tool_name: name,
        tool_input: input,
        tool_use_id: `call_${randomUUID()}`,
      });
    case "gemini":
      return JSON.stringify({
        ...base,
        hook_event_name: "BeforeTool",
        timestamp: new Date().toISOString(),
        tool_name: name,
        tool_input: input,
        ...("mcp" in call ? { mcp_context: { server_name: call.mcp[0], tool_name: call.mcp[1] } } : {}),
      });
  }
}

const TOOLS: Readonly<Record<Host, (call: BenchCall) => Tool>> = {
  "claude-code": claudeCodeTool,
  codex: codexTool,
  gemini: geminiTool,
};

function claudeCodeTool(call: BenchCall): Tool {
  if ("shell" in call) return { name: "Bash", input: { command: call.shell } };
  if ("read" in call) return { name: "Read", input: { file_path: call.read } };
  if ("write" in call) return { name: "Write", input: { file_path: call.write, content: call.content } };
  if ("edit" in call)
    return { name: "Edit", input: { file_path: call.edit, old_string: call.old, new_string: call.new } };
  if ("fetch" in call) return { name: "WebFetch", input: { url: call.fetch, prompt: "What does it say?" } };
  return { name: `mcp__${call.mcp.join("__")}`, input: call.arguments };
}

/** Codex reads files and fetches by its shell, and writes by patches. */
function codexTool(call: BenchCall): Tool {
  if ("shell" in call) return { name: "Bash", input: { command: call.shell } };
  if ("read" in call) return { name: "Bash", input: { command: `cat ${quoted(call.read)}` } };
  if ("fetch" in call) return { name: "Bash", input: { command: `curl -sL ${quoted(call.fetch)}` } };
  if ("mcp" in call) return { name: `mcp__${call.mcp.join("__")}`, input: call.arguments };
  const patch =
    "write" in call
      ? `*** Add File: ${call.write}\n${prefixed("+", call.content)}`
      : `*** Update File: ${call.edit}\n@@\n${prefixed("-", call.old)}\n${prefixed("+", call.new)}`;
  return { name: "apply_patch", input: { command: `*** Begin Patch\n${patch}\n*** End Patch` } };
}

function geminiTool(call: BenchCall): Tool {
  if ("shell" in call) return { name: "run_shell_command", input: { command: call.shell } };
  if ("read" in call) return { name: "read_file", input: { file_path: call.read } };
  if ("write" in call) return { name: "write_file", input: { file_path: call.write, content: call.content } };
  if ("edit" in call) {
    const { edit: filePath, old: oldString, new: newString } = call;
    return {
      name: "replace",
      input: { file_path: filePath, instruction: "change it", old_string: oldString, new_string: newString },
    };
  }
  if ("fetch" in call) return { name: "web_fetch", input: { prompt: `What does ${call.fetch} say?` } };
  return { name: `mcp_${call.mcp.join("_")}`, input: call.arguments };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function prefixed(sign: "+" | "-", text: string): string {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => sign + line)
    .join("\n");
}

/** What the client does where a hook ends like this. */
export function verdictOf(host: Host, { code, stdout, stderr }: HookEnd): Verdict {
  const says = stderr.trim() !== "";
  switch (host) {
    case "claude-code":
      if (code === 2) return "blocked";
      return code === 0 ? claudeCodeAnswer(stdout) : "error";
    case "codex":
      if (code === 2) return says ? "blocked" : "error";
      return code === 0 ? codexAnswer(stdout) : "error";
    case "gemini":
      if (code !== null && code >= 2) return says || isGeminiDenial(stdout) ? "blocked" : "error";
      return code === 0 ? geminiAnswer(stdout) : "error";
  }
}

interface Said {
  decision?: unknown;
  reason?: unknown;
  continue?: unknown;
  hookSpecificOutput?: { permissionDecision?: unknown; permissionDecisionReason?: unknown; updatedInput?: unknown };
}

/** Undefined where it is no JSON object. */
function said(stdout: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(stdout);
    return typeof value === "object" && value !== null ? (value as Said) : undefined;
  } catch {
    return undefined; // the client's own rule for what it can't read
  }
}

/** Without a decision Claude Code's own rules hold: not the hook's doing. What it can't read lets the call through. */
function claudeCodeAnswer(stdout: string): Verdict {
  const answer = said(stdout);
  if (answer === undefined) return stdout.trim() === "" ? "allowed" : "error";
  if (answer.decision === "block" || answer.continue === false) return "blocked";
  switch (answer.hookSpecificOutput?.permissionDecision) {
    case "deny":
      return "blocked";
    case "ask":
      return "asked";
    default:
      return "allowed";
  }
}

/** Codex takes a bare `allow`, an `ask`, or a denial without a reason for a failure, and runs the call. */
function codexAnswer(stdout: string): Verdict {
  const answer = said(stdout);
  if (answer === undefined) return stdout.trimStart().startsWith("{") ? "error" : "allowed";
  if (answer.continue === false) return "error";
  const { permissionDecision, permissionDecisionReason, updatedInput } = answer.hookSpecificOutput ?? {};
  if (permissionDecision === "deny") return isText(permissionDecisionReason) ? "blocked" : "error";
  if (answer.decision === "block") return isText(answer.reason) ? "blocked" : "error";
  if (permissionDecision === undefined && answer.decision === undefined) return "allowed";
  return permissionDecision === "allow" && updatedInput !== undefined ? "allowed" : "error";
}

/** Gemini CLI ends its run without a word where a hook says `ask`. */
function geminiAnswer(stdout: string): Verdict {
  if (isGeminiDenial(stdout)) return "blocked";
  const answer = said(stdout);
  return answer?.decision === "ask" || answer?.continue === false ? "error" : "allowed";
}

function isGeminiDenial(stdout: string): boolean {
  const decision = said(stdout)?.decision;
  return decision === "deny" || decision === "block";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
