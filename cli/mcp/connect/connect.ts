import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Env, gatePaths, homeFolder, PLACE_VARIABLES } from "../../../ipc/base/paths.ts";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { MCP_SERVER_NAME } from "../../../ipc/contract/mcp-names.ts";
import type { AdapterName } from "../../agents/adapter.ts";
import { nodesIn, programFiles, replace } from "../../hook/launcher.ts";
import { GIVEN_NODE_OPTIONS } from "../environment.ts";
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

/** The script that clients start in a server's place, in a folder of the gate: agents can't reach it, and it outlives checkouts and Nodes. */

const LAUNCHER_NAME = "metnos-gate-mcp";
const BUILT = fileURLToPath(new URL("../../dist/mcp", import.meta.url));

export function mcpLauncherFile(env: Env): string {
  return join(gatePaths(env).state_dir, "mcp", LAUNCHER_NAME);
}

/** Writes it, and a copy of the program. @throws GateError `hook_unusable` if it isn't built, or doesn't run here */
function writeMcpLauncher(env: Env): string {
  const file = mcpLauncherFile(env);
  const folder = join(gatePaths(env).state_dir, "mcp");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const installed = env.METNOS_GATE_LAUNCHER;
  const program = installed
    ? installedProgram(installed)
    : ownProgram(nodesIn(env), programFiles(BUILT, "mcp.cjs", join(folder, "program")));
  replace(file, launcherText(placesOf(env), program), 0o700);
  const { status, stderr } = spawnSync(file, ["--wait"], { encoding: "utf8", timeout: 20_000 });
  if (status !== 2 || !stderr.includes("--wait needs a value"))
    throw new GateError("hook_unusable", `${file} does not run`, "it needs /usr/bin/env -S and a POSIX /bin/sh");
  return file;
}

/** Where the gate is that was connected: whatever a project sets for its client, no other one is asked. */
function placesOf(env: Env): Record<string, string | null> {
  return Object.fromEntries([["HOME", homeFolder(env)], ...PLACE_VARIABLES.map((name) => [name, env[name] || null])]);
}

/**
 * A script for any POSIX shell. What Node and the shell would take from the environment, and so from a project, is out of it before
 * they start; the server behind the proxy gets it.
 */
function launcherText(places: Record<string, string | null>, program: string): string {
  return `#!/usr/bin/env -S -u NODE_OPTIONS -u NODE_PATH -u BASH_ENV -u ENV ${GIVEN_NODE_OPTIONS}=\${NODE_OPTIONS} /bin/sh
# Written by metnos-gate connect --mcp, which also replaces it.
fails() {
  echo "Metnos Gate: $1" >&2
  exit 1
}
set -- --places ${shellQuoted(JSON.stringify(places))} "$@"
${program}
exec "$@"
`;
}

const AGAIN = "tell the user to connect it again from where Metnos Gate is now";

function installedProgram(command: string): string {
  const quoted = shellQuoted(command);
  return `[ -x ${quoted} ] || fails 'the installed metnos-gate is missing; ${AGAIN}'
set -- ${quoted} mcp "$@"`;
}

function ownProgram(nodes: readonly string[], scripts: readonly string[]): string {
  return `node=
for found in ${nodes.map(shellQuoted).join(" ")}; do
  if [ -x "$found" ]; then node=$found; break; fi
done
[ -n "$node" ] || node=$(command -v node) || fails 'no Node is left of those that were there; ${AGAIN}'
script=
for found in ${scripts.map(shellQuoted).join(" ")}; do
  if [ -f "$found" ]; then script=$found; break; fi
done
[ -n "$script" ] || fails 'its program is missing; ${AGAIN}'
set -- "$node" "$script" "$@"`;
}
