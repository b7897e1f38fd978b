import { execFileSync, spawn } from "node:child_process";
import { onTestFinished } from "vitest";

const LAUNCHER = new URL("../../bin/metnos-gate.js", import.meta.url).pathname;

interface HookAnswer {
  permission: string;
  reason: string;
  code: number | null;
  output: string;
}

export interface HookRun {
  answer: Promise<HookAnswer>;
  /** What it printed, whatever it is. */
  ended: Promise<{ code: number | null; output: string }>;
}

export interface HookOptions {
  args?: string[];
  node?: string;
}

/** A PreToolUse payload as Claude Code writes it. */
export function payload(
  toolName: string,
  toolInput: Record<string, unknown>,
  more: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    session_id: "session-1",
    transcript_path: "/nowhere.jsonl",
    cwd: "/srv/project",
    prompt_id: "prompt-1",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: toolName,
    tool_input: toolInput,
    tool_use_id: "use-1",
    ...more,
  });
}

/** `metnos-gate hook claude-code` as a child process, ended with the test. */
export function runHook(
  input: string | Buffer,
  env: NodeJS.ProcessEnv,
  { args = [], node = process.execPath }: HookOptions = {},
): HookRun {
  const child = spawn(node, [LAUNCHER, "hook", "claude-code", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdin.on("error", () => child.stdin.destroy()); // it may have answered before it read everything
  child.stdin.end(input);
  const ended = new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
  const answer = answerOf(ended);
  answer.catch(() => undefined); // a test that waits for `ended` alone expects no answer
  return { ended, answer };
}

async function answerOf(ended: HookRun["ended"]): Promise<HookAnswer> {
  const { code, output } = await ended;
  const { hookSpecificOutput: said } = JSON.parse(output);
  return { permission: said.permissionDecision, reason: said.permissionDecisionReason, code, output };
}

/** Node 20 or newer that isn't the one the tests run on, if the machine has one on its own PATH. */
export function otherNode(): string | undefined {
  const folders = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  for (const folder of folders) {
    try {
      const found = execFileSync(`${folder}/node`, ["-p", "process.versions.node"], {
        encoding: "utf8",
        stdio: "pipe",
      });
      if (Number(found.split(".")[0]) >= 20 && found.trim() !== process.versions.node) return `${folder}/node`;
    } catch {
      // no node in this folder
    }
  }
  return undefined;
}
