import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ChatCompletionsApi } from "../../cli/agents/pretended-model/chat-completions-api.ts";
import { GenerateContentApi } from "../../cli/agents/pretended-model/generate-content-api.ts";
import { MessagesApi, type ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";
import { ResponsesApi } from "../../cli/agents/pretended-model/responses-api.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { AcpRun } from "./acp-run.ts";
import { command } from "./codex-run.ts";
import { installedClient } from "./installed-client.ts";

/** Real agents behind the real command `acp` and a real gate; the editor is scripted, the models are pretended ones. */

let gate: GateUnderTest;
let project: string;
let key: string;
beforeEach(async () => {
  gate = await startGate();
  project = join(gate.home.home, "project");
  key = join(gate.home.home, ".ssh/id_rsa");
  mkdirSync(project);
  mkdirSync(join(gate.home.home, ".ssh"));
  writeFileSync(key, "the key\n");
});

interface Asked {
  executor: string;
  summary: string;
}

/** Answers every card from now on. @returns what was asked about, as it is asked */
function answering(answers: readonly ("approved" | "rejected")[]): Asked[] {
  const asked: Asked[] = [];
  const seen = new Set<string>();
  const unsubscribe = gate.operator.subscribe(({ type }) => {
    if (type !== "approval.waiting") return;
    answerWaiting().catch((error: unknown) => asked.push({ executor: "none", summary: String(error) }));
  });
  onTestFinished(unsubscribe);
  const answerWaiting = async () => {
    for (const token of await gate.waiting()) {
      if (seen.has(token)) continue;
      seen.add(token);
      const { executor, target_summary } = await gate.request(token);
      const decision = answers[asked.length] ?? "rejected";
      asked.push({ executor, summary: target_summary });
      await gate.operator.call("approvals.resolve", { token, decision });
    }
  };
  return asked;
}

const pair = (name: string) => gate.operator.call("agents.pair", { name, level: "Supervised" });

describe("opencode acp", () => {
  const program = installedClient("opencode");
  if (program === undefined) return;

  it("runs what the gate allows or the user approves, and nothing that is denied or rejected", async () => {
    await pair("opencode-acp");
    const bash = (command: string): ToolUse => ({ name: "bash", input: { command, description: "a test" } });
    const write = { name: "write", input: { filePath: join(project, "a.txt"), content: "text\n" } };
    const api = await ChatCompletionsApi.start({
      turns: [bash("echo one"), bash("sh -c 'echo two > made.txt'"), write, bash(`cat ${key}`)],
    });
    onTestFinished(() => api.close());
    const options = { baseURL: api.url, apiKey: "x" };
    const models = { m1: { name: "M1", tool_call: true, limit: { context: 200_000, output: 8000 } } };
    const config = {
      model: "fake/m1",
      small_model: "fake/m1",
      enabled_providers: ["fake"],
      provider: { fake: { npm: "@ai-sdk/openai-compatible", options, models } },
      permission: { bash: "ask", edit: "ask" },
    };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_MODELS_FETCH: "1" };
    const run = new AcpRun({ gate, words: [program, "acp"], env, project });
    await run.open(project);
    run.serveFiles();
    const asked = answering(["approved", "approved"]);
    await run.prompt("go");
    expect(asked.map(({ executor }) => executor)).toEqual(["shell_exec", "Edit"]);
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("two\n");
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("text\n");
    expect(run.calls.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "failed"]);
    await expect.poll(() => run.log).toContain("forbidden path");
    expect(run.log).not.toContain("ran ");
    expect(JSON.stringify(run.editor.received)).not.toContain("the key");
    await run.end();
  });
});

describe("gemini --acp", () => {
  const program = installedClient("gemini");
  if (program === undefined) return;

  it("is gated where its hooks don't run: commands by their titles, files by its requests to the editor, yolo not at all", async () => {
    await pair("gemini-acp");
    const shell = (command: string): ToolUse => ({ name: "run_shell_command", input: { command } });
    const write = { name: "write_file", input: { file_path: join(project, "a.txt"), content: "text\n" } };
    const again = { file_path: write.input.file_path, instruction: "x", old_string: "text", new_string: "texts" };
    const replace = { name: "replace", input: again };
    const api = await GenerateContentApi.start({
      turns: [shell("touch made.txt"), write, replace, shell(`cat ${key}`), shell("touch not.txt")],
    });
    onTestFinished(() => api.close());
    mkdirSync(join(gate.home.home, ".gemini"));
    writeFileSync(write.input.file_path, "old\n");
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      model: { name: "gemini-2.5-pro" },
      general: { enableAutoUpdate: false },
    };
    writeFileSync(join(gate.home.home, ".gemini/settings.json"), JSON.stringify(settings));
    const env = { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: api.url, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const run = new AcpRun({
      gate,
      words: [process.execPath, program, "--acp"],
      args: ["--agent", "gemini-acp"],
      env,
      project,
    });
    await run.open(project);
    run.serveFiles();
    const refused = await run.setMode("yolo");
    expect(refused.error.message).toContain("only at level Full");
    const asked = answering(["approved", "approved", "approved", "approved"]);
    await run.prompt("go");
    // It reads a file before it asks; of what it has shown or written itself it asks for the edit alone.
    expect(asked.map(({ executor }) => executor)).toEqual([
      ...["unknown_command", "fs_read", "Edit", "Edit", "unknown_command"],
    ]);
    expect(asked[0]?.summary).toContain("touch made.txt");
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("texts\n");
    expect([existsSync(join(project, "made.txt")), existsSync(join(project, "not.txt"))]).toEqual([true, false]);
    expect(JSON.stringify(run.editor.received)).not.toContain("the key");
    await run.end();
  });
});

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

describe.each(["codex-acp", "codex-acp-earlier"] as const)("%s", (name) => {
  const program = installedClient(name);
  const codex = installedClient("codex");
  if (program === undefined || codex === undefined) return;

  it("runs commands and patches that the user approves, each asked about as what it is, and what is denied not", async () => {
    await pair("codex-acp");
    const escalated = { sandbox_permissions: "require_escalated", justification: "a test" };
    writeFileSync(join(project, "a.txt"), "one\ntwo\n");
    const changes = patch("*** Add File: new.txt", "+new", "*** Update File: a.txt", "@@", " one", "-two", "+2");
    const api = await ResponsesApi.start({
      script: [
        [command("touch made.txt", escalated)],
        [{ name: "apply_patch", input: changes }],
        [command(`cat ${key}`, escalated)],
      ],
    });
    onTestFinished(() => api.close());
    mkdirSync(join(gate.home.home, ".codex"));
    const provider = `[model_providers.pretended]\nname = "pretended"\nbase_url = "${api.url}"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`;
    writeFileSync(
      join(gate.home.home, ".codex/config.toml"),
      `model = "gpt-5.5"\nmodel_provider = "pretended"\n${provider}`,
    );
    const run = new AcpRun({
      gate,
      words: program.endsWith(".js") ? [process.execPath, program] : [program],
      args: ["--agent", "codex-acp"],
      // Codex keeps no programs of its own below the folder for temporary files.
      env: { OPENAI_API_KEY: "none", NO_BROWSER: "1", CODEX_PATH: codex, TMPDIR: project },
      project,
    });
    const opened = await run.open(project);
    expect(opened.result.modes.currentModeId, run.log).toBeDefined();
    const asked = answering(["approved", "approved", "approved"]);
    await run.prompt("go");
    expect(asked.map(({ executor }) => executor).sort()).toEqual(["Edit", "Write", "shell_exec"]);
    expect(asked[0]?.summary).toContain("touch made.txt");
    expect(existsSync(join(project, "made.txt"))).toBe(true);
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("one\n2\n");
    await expect.poll(() => run.log).toContain("forbidden path");
    expect(run.log).not.toContain(" ran ");
    expect((await gate.operator.call("status", {})).alarms).toEqual([]);
    expect([...api.results, JSON.stringify(run.editor.received)].join()).not.toContain("the key");
    await run.end();
  });
});

describe("claude-agent-acp", () => {
  const program = installedClient("claude-agent-acp");
  const claude = installedClient("claude-code");
  if (program === undefined || claude === undefined) return;

  it("is taken out of its mode that asks nobody; then what is denied doesn't run, and the model reads why", async () => {
    await pair("claude-agent-acp");
    const bash = (command: string): ToolUse => ({ name: "Bash", input: { command, description: "a test" } });
    const write = { name: "Write", input: { file_path: join(project, "a.txt"), content: "text\n" } };
    const api = await MessagesApi.start([
      bash("sh -c 'echo one > made.txt'"),
      write,
      { name: "Edit", input: { file_path: write.input.file_path, old_string: "text", new_string: "texts" } },
      bash("touch not.txt"),
      bash(`cat ${key}`),
    ]);
    onTestFinished(() => api.close());
    const env = {
      CLAUDE_CODE_EXECUTABLE: claude,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: "sk-ant-test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_TMPDIR: gate.home.home,
      DISABLE_AUTOUPDATER: "1",
    };
    const run = new AcpRun({
      gate,
      words: [process.execPath, program],
      args: ["--agent", "claude-agent-acp"],
      env,
      project,
    });
    const opened = await run.open(project);
    expect(opened.result.modes.currentModeId).toBe("auto");
    await run.editor.get(({ params }) => params?.update?.currentModeId === "default");
    const asked = answering(["approved", "approved", "approved", "rejected"]);
    await run.prompt("go");
    expect(asked.map(({ executor }) => executor)).toEqual(["shell_exec", "Write", "Edit", "shell_exec"]);
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("one\n");
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("texts\n");
    expect(existsSync(join(project, "not.txt"))).toBe(false);
    expect(run.calls.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "failed", "failed"]);
    expect(run.log).not.toContain(" ran ");
    expect((await gate.operator.call("status", {})).alarms).toEqual([]);
    await run.prompt("and now?", 3);
    expect(api.conversation).toContain("forbidden path");
    expect(api.conversation).not.toContain("the key");
    await run.end();
  });
});
