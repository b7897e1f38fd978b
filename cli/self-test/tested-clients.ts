import type { AdapterName } from "../agents/adapter.ts";
import type { LoopbackApi } from "../agents/pretended-model/loopback-api.ts";
import { programVersion } from "./program-version.ts";
import type { TestPlace } from "./test-place.ts";

/** How each client is started with a pretended model in a home of its own. */

/** A model's API on loopback that has its client run command lines. */
export interface PretendedModel {
  url: string;
  /** What the calls gave back, in their order. */
  results(): string[];
  /** Which of the calls it was given have failed, where its client says that by itself. */
  failed?(): boolean[];
  /** As the client names itself; empty where it didn't. */
  version(): string;
  close(): void;
}

export interface TestedClient {
  /** The model has the client run these command lines, one a turn. */
  model(commands: readonly string[]): Promise<PretendedModel>;
  /** Before it is connected. @param program the client's */
  prepare?(place: TestPlace, program: string): Promise<void> | void;
  /** Why it can't be tested here without what is the user's, or undefined. */
  refusal?(place: TestPlace): Promise<string | undefined>;
  start(modelUrl: string, place: TestPlace): { args: readonly string[]; env: Readonly<Record<string, string>> };
}

export const TESTED_CLIENTS: Readonly<Record<AdapterName, TestedClient>> = {
  "claude-code": {
    async model(commands) {
      const { MessagesApi } = await import("../agents/pretended-model/messages-api.ts");
      const script = commands.map((command) => ({ name: "Bash", input: { command, description: "a test" } }));
      const api = await MessagesApi.start(script);
      const failed = () => api.results.map(({ is_error }) => is_error);
      return { ...modelOf(api, () => api.results.map(({ text }) => text)), failed };
    },
    async refusal(place) {
      const { isRedirected } = await import("../../main/hooks/claude-code/effective-settings.ts");
      return isRedirected(place.project, place.env)
        ? "an administrator's settings say where Claude Code connects to, so it would not be alone with the test"
        : undefined;
    },
    start: (url, { env }) => ({
      args: ["-p", "go"],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "sk-ant-test",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_TMPDIR: env.TMPDIR ?? "",
        DISABLE_AUTOUPDATER: "1",
      },
    }),
  },
  codex: {
    async model(commands) {
      const { ResponsesApi } = await import("../agents/pretended-model/responses-api.ts");
      const api = await ResponsesApi.start({
        script: commands.map((cmd) => [{ name: "exec_command", input: { cmd } }]),
      });
      return modelOf(api, () => api.results);
    },
    prepare: (place) => place.write(".codex/config.toml", ""),
    start(url) {
      const provider = `{name="pretended", base_url=${JSON.stringify(url)}, wire_api="responses", env_key="PRETENDED_KEY"}`;
      const settings = {
        // A model that gets the tools directly.
        model: '"gpt-5.5"',
        model_provider: '"pretended"',
        "model_providers.pretended": provider,
        sandbox_mode: '"danger-full-access"',
        web_search: '"disabled"',
      };
      const flags = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
      return { args: [...flags, "exec", "--skip-git-repo-check", "go"], env: { PRETENDED_KEY: "none" } };
    },
  },
  gemini: {
    async model(commands) {
      const { GenerateContentApi } = await import("../agents/pretended-model/generate-content-api.ts");
      const input = (command: string) => ({ command, description: "a test" });
      const api = await GenerateContentApi.start({
        turns: commands.map((command) => ({ name: "run_shell_command", input: input(command) })),
      });
      const texts = () => api.results.map(({ text }) => text);
      return { ...modelOf(api, texts), failed: () => texts().map((text) => /^Exit Code: [1-9]/m.test(text)) };
    },
    prepare: (place) =>
      place.write(".gemini/settings.json", {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        model: { name: "gemini-2.5-pro" },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    start: (url, { home }) => ({
      args: ["--approval-mode", "yolo", "-p", "go"],
      env: {
        GEMINI_API_KEY: "test",
        GOOGLE_GEMINI_BASE_URL: url,
        // Not there: an administrator's settings could send the test to another model.
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${home}/none.json`,
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: `${home}/none.json`,
      },
    }),
  },
  opencode: {
    async model(commands) {
      const { ChatCompletionsApi } = await import("../agents/pretended-model/chat-completions-api.ts");
      const input = (command: string) => ({ command, description: "a test" });
      const api = await ChatCompletionsApi.start({
        turns: commands.map((command) => ({ name: "bash", input: input(command) })),
      });
      return modelOf(api, () => api.results);
    },
    prepare: installTypes,
    start(url) {
      const models = { m1: { name: "M1", tool_call: true, limit: { context: 200_000, output: 8000 } } };
      const options = { baseURL: url, apiKey: "test" };
      const provider = { pretended: { npm: "@ai-sdk/openai-compatible", options, models } };
      const [model, enabledProviders] = ["pretended/m1", ["pretended"]];
      return {
        args: ["run", "--auto", "go"],
        env: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify({
            model,
            small_model: model,
            enabled_providers: enabledProviders,
            provider,
          }),
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        },
      };
    },
  },
};

const modelOf = (api: LoopbackApi, results: () => string[]): PretendedModel => ({
  url: api.url,
  results,
  version: () => /\/(\d[\w.-]{0,31})/.exec(api.userAgent)?.[1] ?? "",
  close: () => api.close(),
});

/** OpenCode would install what plugins in TypeScript import, from npm, at its first start in a home. */
async function installTypes(place: TestPlace, program: string): Promise<void> {
  const version = await programVersion(program, place);
  if (version === "") return;
  const dependencies = { "@opencode-ai/plugin": version };
  const folder = ".config/opencode";
  place.write(`${folder}/package.json`, { dependencies });
  place.write(`${folder}/package-lock.json`, {
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies } },
  });
  place.write(`${folder}/node_modules/@opencode-ai/plugin/package.json`, { name: "@opencode-ai/plugin", version });
}
