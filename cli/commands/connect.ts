import type { Command } from "commander";
import { ownCommand } from "../../ipc/own-command.ts";
import { agentTokenFile, gatePaths } from "../../ipc/paths.ts";
import { EDITORS, isEditor } from "../acp/editors/editors.ts";
import { ADAPTER_NAMES, adapterOf } from "../agents/adapters.ts";
import { installedAgents, installedColumns } from "../agents/installed.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withOperator } from "../operator.ts";
import { list, say, tell, usageError } from "../output.ts";
import { levelOf } from "./policy.ts";

interface Options {
  project?: boolean;
  remove?: boolean;
  client?: string;
  level?: string;
}

/** `connect AGENT`: puts what calls the gate into the client's settings, and pairs the agent. `connect`: what there is to connect. */
export function connectCommand(program: Command): void {
  program
    .command("connect [agent] [started]")
    .description(
      `puts the gate in front of an agent (${ADAPTER_NAMES.join(", ")}): writes its hook and pairs it; without a name, lists them`,
    )
    .option("--project", "only for the project in this folder")
    .option("--level <level>", "ReadOnly, Supervised or Full; only when it is paired for the first time")
    .option("--client <file>", "the agent's program, which is tested; left out, the one on PATH")
    .option("--remove", "takes the hook out again; the pairing stays, see agents revoke")
    .addHelpText(
      "after",
      `\nconnect EDITOR AGENT (${EDITORS.join(", ")}): the entry by which an editor starts it, see docs/acp.md`,
    )
    .action(async (agent: string | undefined, started: string | undefined, options: Options) => {
      if (agent !== undefined && isEditor(agent)) {
        const { connectInEditor } = await import("../acp/editors/connect.ts");
        return await connectInEditor(agent, started, options);
      }
      if (started !== undefined)
        throw usageError(`${JSON.stringify(agent)} is no editor`, `one of: ${EDITORS.join(", ")}`);
      if (agent === undefined) return await listAgents(options);
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
      const paired = await withOperator((api) =>
        pairAgent(api, agent, levelOf(options.level ?? config.agents.default_level)),
      );
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

async function listAgents(options: Options): Promise<void> {
  if (Object.keys(options).length > 0) throw usageError("which agent?", `one of: ${ADAPTER_NAMES.join(", ")}`);
  const { loadConfig, longestAnswerSeconds } = await import("../../main/config.ts");
  const answer_seconds = longestAnswerSeconds(loadConfig(gatePaths(process.env).config_file, process.env));
  const { agents } = await withOperator((api) => api.call("agents.list", {}));
  const found = await installedAgents({ cwd: process.cwd(), env: process.env, answer_seconds, agents });
  list(found, installedColumns());
  const next = found.find(({ program, is_connected }) => program !== null && !is_connected);
  if (next !== undefined) say(`connect one with: ${ownCommand(`connect ${next.agent}`)}`);
}
