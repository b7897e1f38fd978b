import { join } from "node:path";
import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import type { AdapterName } from "../agents/adapter.ts";

/** What each client needs in a box: its state, the user's settings of it, its model. */

export interface BoxedClient {
  /** Folders in which it keeps its state; absolute. */
  state: readonly string[];
  /** The user's own settings and credentials, read by it alone; absolute. A folder's name ends with a slash. */
  settings: readonly string[];
  /** Those of them that hold JSON also where they hold nothing: an empty file is a broken one to it. */
  jsonSettings: readonly string[];
  /** Set in its box. */
  env: Readonly<Record<string, string>>;
  /** Variables of the user's that it gets: its model's keys, and where the model is. */
  variables: readonly string[];
  /** Variables that name the address of its model. */
  addressVariables: readonly string[];
  /** Its model's, where no variable names another one. */
  hosts: readonly string[];
}

/** @param env the user's own */
export function boxedClient(name: AdapterName, env: Env): BoxedClient {
  const home = homeFolder(env);
  switch (name) {
    case "claude-code":
      return claudeCode(env.CLAUDE_CONFIG_DIR || join(home, ".claude"));
    case "codex":
      return codex(env.CODEX_HOME || join(home, ".codex"));
    case "gemini":
      return gemini(join(home, ".gemini"));
    case "opencode":
      return openCode(home, env);
  }
}

const below = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`);

function claudeCode(folder: string): BoxedClient {
  return {
    state: [folder],
    settings: below(folder, [
      ...["settings.json", "settings.local.json", "CLAUDE.md", ".credentials.json", "keybindings.json"],
      ...["agents/", "commands/", "skills/", "output-styles/", "rules/", "plugins/"],
    ]),
    jsonSettings: [],
    // Else its own state would be in the home itself.
    env: { CLAUDE_CONFIG_DIR: folder, DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    variables: [
      ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"],
      ...["ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_MAX_OUTPUT_TOKENS"],
      ...["MAX_THINKING_TOKENS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "IS_SANDBOX"],
    ],
    addressVariables: ["ANTHROPIC_BASE_URL"],
    hosts: ["api.anthropic.com"],
  };
}

function codex(folder: string): BoxedClient {
  return {
    state: [folder],
    settings: below(folder, [
      ...["config.toml", "hooks.json", "auth.json", "AGENTS.md", "AGENTS.override.md", "prompts/", "rules/", "skills/"],
    ]),
    // An auth.json with an empty object would be somebody who has signed in.
    jsonSettings: below(folder, ["hooks.json"]),
    env: { CODEX_HOME: folder },
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"],
    addressVariables: ["OPENAI_BASE_URL"],
    hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  };
}

function gemini(folder: string): BoxedClient {
  return {
    state: [folder],
    settings: below(folder, [
      ...["settings.json", ".env", "GEMINI.md", "oauth_creds.json", "google_accounts.json", "trustedFolders.json"],
      ...["policies/", "commands/", "extensions/", "skills/", "agents/"],
    ]),
    jsonSettings: below(folder, ["settings.json", "trustedFolders.json"]),
    env: {},
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GEMINI_MODEL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT"],
    addressVariables: ["GOOGLE_GEMINI_BASE_URL"],
    hosts: ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"],
  };
}

function openCode(home: string, env: Env): BoxedClient {
  const config = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const data = join(env.XDG_DATA_HOME || join(home, ".local/share"), "opencode");
  const state = join(env.XDG_STATE_HOME || join(home, ".local/state"), "opencode");
  return {
    state: [config, data, state],
    settings: [
      ...below(config, ["opencode.json", "opencode.jsonc", "config.json", "AGENTS.md"]),
      ...below(config, [
        "plugin/",
        "plugins/",
        "agent/",
        "agents/",
        "command/",
        "commands/",
        "skill/",
        "skills/",
        "tool/",
        "tools/",
      ]),
      // What its plugins import; it would install that otherwise, and from a host that it doesn't reach.
      ...below(config, ["package.json", "package-lock.json", "node_modules/"]),
      `${data}/auth.json`,
    ],
    jsonSettings: below(config, ["opencode.json", "opencode.jsonc", "config.json", "package.json"]),
    env: {},
    variables: [
      ...["OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_PERMISSION"],
      ...["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "GROQ_API_KEY"],
    ],
    addressVariables: [],
    hosts: ["opencode.ai", "api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "models.dev"],
  };
}

/** The hosts that it reaches: its model's, as the user's variables say where that is. @throws nothing: what is no address is left out */
export function modelHosts({ addressVariables, hosts }: BoxedClient, env: Env): string[] {
  const named = addressVariables.flatMap((name) => {
    const url = URL.parse(env[name] ?? "");
    if (url === null) return [];
    return [`${url.hostname}:${url.port || (url.protocol === "http:" ? "80" : "443")}`];
  });
  return named.length > 0 ? named : [...hosts];
}
