import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MessagesApi } from "../../cli/agents/pretended-model/messages-api.ts";
import { ResponsesApi } from "../../cli/agents/pretended-model/responses-api.ts";
import type { ClientName } from "../../test/clients/clients.ts";

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
  start(place: BenchPlace): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** Puts `nothing` before its tools. */
  hookNothing(place: BenchPlace): void;
}

export interface BenchPlace {
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
      files.map((file_path) => ({ name: "Read", input: { file_path } })),
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

export const BENCH_CLIENTS: readonly BenchClient[] = [CLAUDE_CODE, CODEX];

function written(file: string, settings: object): void {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
}
