import { type AgentPaths, agentPaths, agentTokenFile, type Env } from "../../ipc/base/paths.ts";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import type { Reporter } from "./report.ts";

/** The token by which the gate knows the agent; undefined where it isn't paired yet, and the gate asks the user. */
export function agentToken(paths: AgentPaths, agent: string, env: Env): string | undefined {
  if (env.METNOS_AGENT_TOKEN !== undefined) return env.METNOS_AGENT_TOKEN;
  try {
    return readRegularFile(agentTokenFile(paths, agent)).trim();
  } catch {
    return undefined; // no file, or none that can be read
  }
}

/** The agent as it is greeted, and where. */
export function agentAt(agentName: string, env: Env): Omit<Reporter, "session"> {
  const paths = agentPaths(env);
  return { socketPath: paths.agent_socket, agent_name: agentName, token: agentToken(paths, agentName, env) };
}
