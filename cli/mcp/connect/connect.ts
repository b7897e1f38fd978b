import { basename } from "node:path";
import { MCP_SERVER_NAME } from "../../../ipc/contract/mcp-names.ts";
import type { AdapterName } from "../../agents/adapter.ts";
import { LAUNCHER_NAME, mcpLauncherFile, writeMcpLauncher } from "../launcher.ts";
import { nameFromWords } from "../server-name.ts";
import { type Changed, editServers } from "./json-settings.ts";
import { placeOf, type ServerEntry } from "./places.ts";

/** `connect CLIENT --mcp`: puts the proxy in front of the servers that the client starts. */

interface OwnWords {
  launcher: string;
  agent: string;
  /** As the client calls it. */
  server: string;
  /** How long the client waits for a tool, in seconds; undefined where its settings don't say. */
  timeout_seconds: number | undefined;
}

/** The client must be answered before it gives up. */
const SHARE = 0.8;

/** True of words that start the proxy, wherever it was. */
function areOurs(words: readonly string[]): boolean {
  return basename(words[0] ?? "") === LAUNCHER_NAME && words.includes("--");
}

/** The words as the user had them. */
function originalOf(words: readonly string[]): readonly string[] {
  return areOurs(words) ? words.slice(words.indexOf("--") + 1) : words;
}

/** The words with the proxy before them. */
function withProxy(words: readonly string[], { launcher, agent, server, timeout_seconds }: OwnWords): string[] {
  const original = originalOf(words);
  const name = MCP_SERVER_NAME.test(server) ? server : nameFromWords([server]);
  const wait =
    timeout_seconds === undefined ? [] : ["--wait", String(Math.max(1, Math.floor(timeout_seconds * SHARE)))];
  return [launcher, "--name", name, "--agent", agent, ...wait, "--", ...original];
}

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
  isRemoval: boolean,
): Promise<Changed> {
  const place = placeOf(agent, project, env, cwd);
  if (place !== undefined) return editServers({ place, wordsFor, isRemoval });
  const { editCodexServers } = await import("./codex-settings.ts");
  return await editCodexServers({ env, client, wordsFor, isRemoval });
}
