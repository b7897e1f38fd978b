import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { Level } from "../../ipc/decision.ts";
import type { AgentView } from "../../ipc/operator-api.ts";
import { ownCommand } from "../../ipc/own-command.ts";
import { agentTokenFile, gatePaths } from "../../ipc/paths.ts";
import { ADAPTER_NAMES, adapterOf } from "../agents/adapters.ts";
import { withOperator } from "../operator.ts";
import { say, tell, usageError } from "../output.ts";
import { levelOf } from "./policy.ts";

interface Options {
  project?: boolean;
  remove?: boolean;
  client?: string;
  level?: string;
}

/** `connect AGENT`: puts what calls the gate into the client's settings, and pairs the agent. */
export function connectCommand(program: Command): void {
  program
    .command("connect <agent>")
    .description(`puts the gate in front of an agent (${ADAPTER_NAMES.join(", ")}): writes its hook and pairs it`)
    .option("--project", "only for the project in this folder")
    .option("--level <level>", "ReadOnly, Supervised or Full; only when it is paired for the first time")
    .option("--client <file>", "the agent's program, which is tested; left out, the one on PATH")
    .option("--remove", "takes the hook out again; the pairing stays, see agents revoke")
    .action(async (agent: string, options: Options) => {
      const adapter = await adapterOf(agent);
      if (adapter === undefined)
        throw usageError(
          `there is no adapter for ${JSON.stringify(agent)}`,
          `one of: ${ADAPTER_NAMES.join(", ")}; for others see docs/protocol.md`,
        );
      const { loadConfig, longestAnswerSeconds } = await import("../../main/config.ts");
      const config = loadConfig(gatePaths(process.env).config_file, process.env);
      const settings = {
        project: options.project === true,
        answer_seconds: longestAnswerSeconds(config),
        ...(options.client === undefined ? {} : { client: options.client }),
      };
      if (options.remove) {
        const result = await adapter.disconnect(settings);
        tell(result, result.changed ? `the hook is out of ${result.file}` : `there was no hook in ${result.file}`);
        return;
      }
      const paired = await pair(agent, levelOf(options.level ?? config.agents.default_level));
      const { notes = [], ...result } = await adapter.connect(settings);
      tell(
        { ...result, agent: paired },
        result.changed
          ? `the hook is in ${result.file}${result.backup ? ` (before: ${result.backup})` : ""}`
          : `the hook was in ${result.file} already`,
      );
      say(
        `${agent} is paired at level ${paired.level}; its token is in ${agentTokenFile(gatePaths(process.env), agent)}`,
      );
      for (const note of notes) say(note);
      say(`start the gate, where none runs, with: ${ownCommand("start")}; answer with: ${ownCommand("watch")}`);
    });
}

/** Pairs the agent, or keeps its pairing; one whose token file is missing is paired anew at its level. */
function pair(name: string, level: Level): Promise<AgentView> {
  return withOperator(async (api) => {
    const { agents } = await api.call("agents.list", {});
    const known = agents.find((agent) => agent.name === name && agent.revoked_at === null);
    if (known !== undefined && existsSync(agentTokenFile(gatePaths(process.env), name))) return known;
    if (known !== undefined) {
      say("its token is missing: pairing it anew");
      await api.call("agents.revoke", { name });
    }
    // The hook finds its token in the file. Another program may wait under this name, and the user has not checked it.
    return await api.call("agents.pair", { name, level: known?.level ?? level, admit: false });
  });
}
