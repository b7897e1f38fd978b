import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Env, gatePaths, homeFolder, PLACE_VARIABLES } from "../../ipc/base/paths.ts";
import { shellQuoted } from "../../ipc/base/shell-quoted.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { nodesIn, programFiles, replace } from "../hook/launcher.ts";
import { ownProgramFound } from "../hook/launcher-text.ts";
import { GIVEN_NODE_OPTIONS } from "./environment.ts";

/** The script that clients start in a server's place, in a folder of the gate: agents can't reach it, and it outlives checkouts and Nodes. */

export const LAUNCHER_NAME = "metnos-gate-mcp";

export function mcpLauncherFile(env: Env): string {
  return join(gatePaths(env).state_dir, "mcp", LAUNCHER_NAME);
}

/** Writes it, and a copy of the program. @throws GateError `hook_unusable` if it isn't built, or doesn't run here */
export function writeMcpLauncher(env: Env): string {
  const file = mcpLauncherFile(env);
  const folder = join(gatePaths(env).state_dir, "mcp");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const installed = env.METNOS_GATE_LAUNCHER;
  const program = installed
    ? installedProgram(installed)
    : ownProgram(nodesIn(env), programFiles("mcp", "mcp.cjs", join(folder, "program")));
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
  return `${ownProgramFound(nodes, scripts, (why) => `fails '${why}; ${AGAIN}'`)}
set -- "$node" "$script" "$@"`;
}
