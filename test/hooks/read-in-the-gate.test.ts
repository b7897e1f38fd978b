import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { triedMore } from "../../main/hooks/after-call.ts";
import { mayHaveRuleAbout as claudeMayHaveRule } from "../../main/hooks/claude-code/dialect.ts";
import { chosenShell, mayHaveRuleAbout as codexMayHaveRule, hasOtherShell } from "../../main/hooks/codex/dialect.ts";
import { LeftToProgram } from "../../main/hooks/dialect.ts";
import { readCall as readGeminiCall } from "../../main/hooks/gemini/payload.ts";
import { canConfine } from "../../main/hooks/rewriting.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** What a project, a model or a command may write: the gate reads it among all its other work. */

/** Milliseconds of this thread's own. */
function took(work: () => unknown): number {
  const spent = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  const start = spent();
  try {
    work();
  } catch (error) {
    if (!(error instanceof LeftToProgram)) throw error;
  }
  return (spent() - start) / 1000;
}

const LIMIT_MS = 50;

function withClaudeSettings(settings: object, line: string) {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".claude"));
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  return () => claudeMayHaveRule({ line, cwd, pid: process.pid, env: { HOME: cwd }, isGate: true });
}

/** A session of Codex that is free of its own sandbox and questions. */
function codexAsks({ line = "ls", rules = 0, cwd = tempFolder() }) {
  const folder = join(cwd.slice(0, 200), ".codex/rules");
  if (rules > 0) mkdirSync(folder, { recursive: true });
  for (let at = 0; at < rules; at++) writeFileSync(join(folder, `r${at}`), "");
  const file = join(mkdtempSync(join(tempFolder(), "t-")), "rollout.jsonl");
  const context = { turn_id: "t1", sandbox_policy: { type: "danger-full-access" }, approval_policy: "never" };
  writeFileSync(file, `${JSON.stringify({ type: "turn_context", payload: context })}\n`);
  const call = { input: {}, line, cwd, transcript: { file, turn: "t1" } };
  return () => codexMayHaveRule(call, { env: { HOME: "/nowhere" }, isGate: true });
}

function codexRecord(args: unknown) {
  const file = join(tempFolder(), "rollout.jsonl");
  const payload = { type: "function_call", arguments: args, call_id: "c" };
  writeFileSync(file, `${JSON.stringify({ type: "response_item", payload })}\n`);
  return () => chosenShell(file, "c");
}

const nested = (depth: number) => `${"[0,".repeat(depth)}${JSON.stringify("x".repeat(400_000))}${"]".repeat(depth)}`;

function geminiReads(toolName: string, toolInput: object, cwd = "/srv") {
  const text = JSON.stringify({
    session_id: "s",
    cwd,
    hook_event_name: "BeforeTool",
    tool_name: toolName,
    tool_input: toolInput,
  });
  return () => readGeminiCall(text, {});
}

const LONG_WAY = `/${"x".repeat(100_000)}${"/a/..".repeat(40_000)}`;

describe("what projects, models and commands write", () => {
  it.each<[string, () => () => unknown]>([
    [
      "a rule of brackets in a project's settings",
      () => withClaudeSettings({ permissions: { deny: ["(".repeat(60_000)] } }, "ls"),
    ],
    [
      "a rule of many words, and a line in which each is found late",
      () =>
        withClaudeSettings({ permissions: { deny: [`Bash(${"zz ".repeat(20_000)})`] } }, `${"a".repeat(800_000)}zz`),
    ],
    ["a line of Codex that says rm again and again", () => codexAsks({ line: "rm ".repeat(20_000) })],
    ["a folder of rules with very many files", () => codexAsks({ rules: 40_000 })],
    ["what the model says of a shell to Codex", () => codexRecord(`{"shell":${nested(3000)}}`)],
    ["arguments in Codex's record that are no text", () => codexRecord(JSON.parse(nested(3000)))],
    ["a PATH of very many folders", () => () => hasOtherShell(":/a".repeat(5400), "/")],
    ["a long path", () => geminiReads("read_file", { file_path: LONG_WAY })],
    ["a long folder of a command", () => geminiReads("run_shell_command", { command: "ls", dir_path: LONG_WAY })],
    ["a long folder of a session", () => geminiReads("run_shell_command", { command: "ls", dir_path: "b" }, LONG_WAY)],
    [
      "an opening quote, printed again and again",
      () => () => triedMore(`cat: ${"«".repeat(60_000)}: No such file or directory`, "/", { isGate: true }),
    ],
  ])(
    "%s keeps the gate from nobody",
    (_what, made) => {
      expect(took(made())).toBeLessThan(LIMIT_MS);
    },
    240_000,
  );

  it("a folder of very many names: no call in it is rewritten", () => {
    const asked = { agent: "codex", reader: process.pid, state_dir: "/nowhere" };
    const call = { input: {}, line: "ls", cwd: "/a".repeat(2000) };
    const looked: string[] = [];
    expect(took(() => canConfine({ ...asked, call }, () => looked.push("looked") === 0))).toBeLessThan(LIMIT_MS);
    expect(looked).toEqual([]);
  });
});

describe("a folder of a PATH that isn't absolute", () => {
  it("is one of the client's, not of the gate's", () => {
    const cwd = tempFolder();
    expect(hasOtherShell("bin", cwd)).toBe(false);
    mkdirSync(join(cwd, "bin"));
    writeFileSync(join(cwd, "bin/pwsh"), "");
    expect(hasOtherShell("bin", cwd)).toBe(true);
  });
});
