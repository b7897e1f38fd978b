import type { AdapterName } from "../../agents/adapter.ts";
import { mcpLauncherFile, writeMcpLauncher } from "../launcher.ts";
import { areOurs, originalOf, withProxy } from "./entry.ts";
import { type Changed, editServers } from "./json-settings.ts";
import { placeOf, type ServerEntry } from "./places.ts";

/** `connect CLIENT --mcp`: puts the proxy in front of the servers that the client starts. */

export interface McpConnectOptions {
  agent: AdapterName;
  /** Only the servers of the project in this folder. */
  project: boolean;
  /** The client's own program; left out, the one on PATH. */
  client?: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

type Started = ServerEntry & { words: readonly string[] };

/** Running it again changes nothing. @throws GateError that names the file that can't be read, and is left as it is */
export async function connectMcp(options: McpConnectOptions): Promise<Changed> {
  const { agent, env } = options;
  const launcher = mcpLauncherFile(env);
  const wordsFor = ({ words, path, timeout_seconds }: Started) =>
    withProxy(words, { launcher, agent, server: path.at(-1) ?? "", timeout_seconds });
  writeMcpLauncher(env);
  return await edit(options, wordsFor, false);
}

/** Takes it out again, and nothing else. @throws GateError as above */
export function disconnectMcp(options: McpConnectOptions): Promise<Changed> {
  return edit(options, ({ words }) => (areOurs(words) ? originalOf(words) : words), true);
}

async function edit(
  { agent, project, client, env, cwd }: McpConnectOptions,
  wordsFor: (entry: Started) => readonly string[],
  is_removal: boolean,
): Promise<Changed> {
  const place = placeOf(agent, project, env, cwd);
  if (place !== undefined) return editServers({ place, wordsFor, is_removal });
  const { editCodexServers } = await import("./codex-settings.ts");
  return await editCodexServers({ env, client, wordsFor, is_removal });
}
