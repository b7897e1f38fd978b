import { existsSync } from "node:fs";
import { agentTokenFile, gatePaths } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import type { AgentView, OperatorApi } from "../../ipc/contract/operator-api.ts";
import { say } from "../output.ts";

/** Pairs the agent, or keeps its pairing; one whose token file is missing is paired anew at its level. */
export async function pairAgent(api: OperatorApi, name: string, level: Level): Promise<AgentView> {
  const { agents } = await api.call("agents.list", {});
  const known = agents.find((agent) => agent.name === name && agent.revoked_at === null);
  if (known !== undefined && existsSync(agentTokenFile(gatePaths(process.env), name))) return known;
  if (known !== undefined) {
    say("its token is missing: pairing it anew");
    await api.call("agents.revoke", { name });
  }
  // The hook finds its token in the file. Another program may wait under this name, and the user has not checked it.
  return await api.call("agents.pair", { name, level: known?.level ?? level, admit: false });
}
