import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ChatCompletionsApi, FIRST_WORDS } from "../../cli/agents/pretended-model/chat-completions-api.ts";
import { GenerateContentApi } from "../../cli/agents/pretended-model/generate-content-api.ts";
import { MessagesApi } from "../../cli/agents/pretended-model/messages-api.ts";
import { ResponsesApi } from "../../cli/agents/pretended-model/responses-api.ts";
import { CLIENTS, type ClientName } from "../../test/clients/clients.ts";

/** How each real client is started to read files one after the other, each in a turn of its own. */

/** What is called before a tool: nothing, a program that does nothing, or the gate. */
export type Hooked = "no hook" | "nothing" | "gate";

export interface BenchClient {
  /** As it is connected. */
  readonly agent: string;
  readonly installed: ClientName;
  /** What takes the hook's place that does nothing. */
  readonly nothing: string;
  /** Its model's API; `onTurn` is called as each of its requests arrives. */
  api(files: readonly string[], onTurn: () => void): Promise<{ url: string; close(): void }>;
  /** What must be in its place before it is connected. */
  prepare?(place: BenchPlace): void;
  start(place: BenchPlace): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** Puts `nothing` before its tools. */
  hookNothing(place: BenchPlace): void;
}

interface BenchPlace {
  url: string;
  home: string;
  project: string;
}

const CLAUDE_CODE: BenchClient = {
  agent: "claude-code",
  installed: "claude-code",
  nothing: "`true`",
  api: (files, onTurn) =>
    MessagesApi.start(
      files.map((filePath) => ({ name: "Read", input: { file_path: filePath } })),
      onTurn,
    ),
  start: ({ url, home }) => ({
    args: ["-p", "go", "--allowedTools", "Read"],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-ant-test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_TMPDIR: home,
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    },
  }),
  hookNothing: ({ home }) =>
    written(join(home, ".claude/settings.json"), {
      hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] },
    }),
};

const CODEX: BenchClient = {
  agent: "codex",
  installed: "codex",
  nothing: "`true`",
  // Codex has no tool that reads a text.
  api: (files, onTurn) =>
    ResponsesApi.start({
      script: files.map((file) => [{ name: "exec_command", input: { cmd: `cat ${file}` } }]),
      beforeTurn: onTurn,
    }),
  start: ({ url }) => ({
    args: [
      ...["-c", `model="gpt-5.5"`, "-c", `model_provider="pretended"`, "-c", `sandbox_mode="danger-full-access"`],
      ...[
        "-c",
        `model_providers.pretended={name="pretended", base_url="${url}", wire_api="responses", env_key="PRETENDED_KEY"}`,
      ],
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"],
    ],
    env: { PRETENDED_KEY: "none" },
  }),
  hookNothing: ({ home }) =>
    written(join(home, ".codex/hooks.json"), {
      hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] },
    }),
};

const GEMINI_SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  model: { name: "gemini-2.5-pro" },
  general: { enableAutoUpdate: false },
};
const geminiFile = (home: string) => join(home, ".gemini/settings.json");

const GEMINI: BenchClient = {
  agent: "gemini",
  installed: "gemini",
  nothing: "`true`",
  api: (files, onTurn) =>
    GenerateContentApi.start({
      turns: files.map((filePath) => ({ name: "read_file", input: { file_path: filePath } })),
      beforeTurn: onTurn,
    }),
  prepare: ({ home }) => written(geminiFile(home), GEMINI_SETTINGS),
  start: ({ url }) => ({
    args: ["--approval-mode", "yolo", "-p", "go"],
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url, NO_COLOR: "1" },
  }),
  hookNothing: ({ home }) =>
    written(geminiFile(home), {
      ...GEMINI_SETTINGS,
      hooks: { BeforeTool: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] },
    }),
};

const OPENCODE: BenchClient = {
  agent: "opencode",
  installed: "opencode",
  nothing: "an empty plugin",
  api: (files, onTurn) =>
    ChatCompletionsApi.start({
      turns: files.map((filePath) => ({ name: "read", input: { filePath } })),
      beforeTurn: onTurn,
    }),
  prepare: ({ url, home }) => {
    const folder = join(home, ".config/opencode");
    // OpenCode would install what plugins in TypeScript import, from npm, at its first start.
    const { version } = CLIENTS.opencode;
    const dependencies = { "@opencode-ai/plugin": version };
    written(join(folder, "package.json"), { dependencies });
    written(join(folder, "package-lock.json"), {
      lockfileVersion: 3,
      requires: true,
      packages: { "": { dependencies } },
    });
    written(join(folder, "node_modules/@opencode-ai/plugin/package.json"), { name: "@opencode-ai/plugin", version });
    const models = { m1: { name: "M1", tool_call: true, limit: { context: 200_000, output: 8000 } } };
    written(join(folder, "opencode.json"), {
      model: "fake/m1",
      small_model: "fake/m1",
      enabled_providers: ["fake"],
      provider: { fake: { npm: "@ai-sdk/openai-compatible", options: { baseURL: url, apiKey: "x" }, models } },
    });
  },
  start: () => ({
    args: ["run", "--auto", FIRST_WORDS],
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
  }),
  hookNothing: ({ home }) =>
    written(
      join(home, ".config/opencode/plugin/nothing.js"),
      'export const Nothing = async () => ({ "tool.execute.before": async () => {} });\n',
    ),
};

export const BENCH_CLIENTS: readonly BenchClient[] = [CLAUDE_CODE, CODEX, GEMINI, OPENCODE];

function written(file: string, content: object | string): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}
