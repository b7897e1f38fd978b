import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

/** The real clients that the gate is tested with, by version, and where they are kept: outside of the project, never part of it. */

export const CLAUDE_CODE_VERSIONS = ["2.1.330", "2.1.197"] as const;

/** Those that are tried: the newest alone, and in a whole run, which `npm run test:clients` is, each of them. */
export const TRIED_VERSIONS = IS_WHOLE_RUN ? CLAUDE_CODE_VERSIONS : CLAUDE_CODE_VERSIONS.slice(0, 1);

const SCOPE = "node_modules/@anthropic-ai";

/** The folder of all clients: METNOS_CLIENTS_DIR, or one in the user's cache. `home` is the user's own, not a test's. */
export function clientsFolder(env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  return env.METNOS_CLIENTS_DIR || join(env.XDG_CACHE_HOME || join(home, ".cache"), "metnos-gate-clients");
}

export function clientFolder(folder: string, version: string): string {
  return join(folder, `claude-code-${version}`);
}

/** The client's binary, or undefined if this version isn't installed. */
export function claudeCodeIn(folder: string, version: string): string | undefined {
  const scope = join(clientFolder(folder, version), SCOPE);
  if (!existsSync(scope)) return undefined;
  return readdirSync(scope)
    .filter((name) => name.startsWith(`claude-code-${process.platform}-`))
    .map((name) => join(scope, name, "claude"))
    .find((file) => existsSync(file));
}
