import { type AgentPaths, agentTokenFile } from "../../ipc/paths.ts";
import { readRegularFile } from "../../ipc/regular-file.ts";

/** The token by which the gate knows the agent; undefined where it isn't paired yet, and the gate asks the user. */
export function agentToken(paths: AgentPaths, agent: string): string | undefined {
  if (process.env.METNOS_AGENT_TOKEN !== undefined) return process.env.METNOS_AGENT_TOKEN;
  try {
    return readRegularFile(agentTokenFile(paths, agent)).trim();
  } catch {
    return undefined; // no file, or none that can be read
  }
}
