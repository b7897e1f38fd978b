import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Env } from "../../ipc/base/paths.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { loadConfig } from "../../main/config/config.ts";
import type { AdapterName } from "../agents/adapter.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withRunningGate } from "../operator.ts";
import { type BoxedClient, boxedClient } from "../run/boxed-clients.ts";
import { boxedCommand } from "../run/boxed-run.ts";
import { agentNameOf } from "./agent-name.ts";

/** An editor's agent that runs in a box as a whole: the proxy stays outside, and asks the gate as ever. */

/** Whose settings, state and model an agent has, by the name that its command gives it. */
const CLIENTS: Readonly<Record<string, AdapterName>> = {
  "claude-agent-acp": "claude-code",
  "claude-code-acp": "claude-code",
  "codex-acp": "codex",
  "gemini-acp": "gemini",
  "opencode-acp": "opencode",
};

/** It gets its program, its project, and the hosts that its user names. */
const UNKNOWN: BoxedClient = {
  state: [],
  settings: [],
  jsonSettings: [],
  env: {},
  variables: [],
  addressVariables: [],
  hosts: [],
};

/** Names the program that an agent starts in its turn. */
const PROGRAM_VARIABLES = ["CLAUDE_CODE_EXECUTABLE", "CODEX_PATH"];

export interface BoxedWordsOptions {
  /** As it is paired; where it isn't yet, it is now. */
  name: string;
  words: readonly string[];
  hosts: readonly string[];
  cwd: string;
  env: Env;
}

/** What starts it in its box, once, and with which environment. @throws GateError where the gate refuses, or nothing of it can be shown */
export async function boxedWords(
  options: BoxedWordsOptions,
): Promise<{ words: readonly string[]; env: Env; project: string; hosts: readonly string[] }> {
  const { name, words, env } = options;
  const ownName = agentNameOf(words);
  const adapter = Object.hasOwn(CLIENTS, ownName) ? CLIENTS[ownName] : undefined;
  const client = adapter === undefined ? UNKNOWN : boxedClient(adapter, env);
  const programs = PROGRAM_VARIABLES.flatMap((variable) => {
    const file = env[variable];
    return file === undefined ? [] : [[variable, file] as const];
  });
  // A script that its program runs, such as Node.
  const script = words.slice(1, 2).filter((word) => isAbsolute(word) && existsSync(word));
  const parts = [...script, ...programs.map(([, file]) => file)].filter(existsSync).map((file) => realpathSync(file));
  const run = boxedCommand({ ...options, client, own: { ...client.env, ...Object.fromEntries(programs) }, parts });
  const level = loadConfig(gatePaths(env).configFile, env).agents.default_level;
  const { argv, project } = await withRunningGate(async (api) => {
    await pairAgent(api, name, level);
    return await api.call("box.prepare_agent", run.request);
  });
  return { words: argv, env: run.env, project, hosts: run.request.hosts };
}
