import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { parseSpan } from "../durations.ts";
import { agentColumns } from "../listings.ts";
import { withOperator } from "../operator.ts";
import { type DataOptions, jsonOption, list, say, tell, usageError } from "../output.ts";
import { levelOf } from "./policy.ts";

/** `agents ...`: the paired agents and their levels. */
export function agentsCommands(program: Command): void {
  const agents = program.command("agents").description("the agents that are paired with the gate");

  agents
    .command("list")
    .description("the paired agents, and those that wait to be paired")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const { agents: paired, requests, unreadable } = await api.call("agents.list", {});
        list([...paired, ...requests], agentColumns(Date.now()), options);
        for (const { name } of requests)
          say(`${name} asks to be paired: ${ownCommand(`agents pair ${name} --level Supervised`)} (or ReadOnly, Full)`);
        for (const name of unreadable)
          say(
            `${name} can't be read, and is not let in; set its level again: ${ownCommand(`agents level ${name} ReadOnly`)}, or revoke it and pair it again`,
          );
        if (paired.length + requests.length + unreadable.length === 0)
          say(`no agent is paired yet; to begin: ${ownCommand("connect claude-code")}`);
      }),
    );

  agents
    .command("pair <name>")
    .description("pairs an agent, or lets in one that is waiting")
    .option("--level <level>", "ReadOnly, Supervised or Full; it has no default")
    .action((name: string, options: { level?: string }) => {
      const { level } = options;
      if (level === undefined)
        throw usageError(
          `the level of ${name} is missing`,
          `one of: ${ownCommand(`agents pair ${name} --level Supervised`)} (or ReadOnly, Full)`,
        );
      return withOperator(async (api) => {
        const agent = await api.call("agents.pair", { name, level: levelOf(level) });
        tell(agent, `paired: ${agent.name} at level ${agent.level}; its token is in ${agent.token_file}`);
      });
    });

  agents
    .command("level <name> <level>")
    .description("changes an agent's autonomy level")
    .action((name: string, level: string) =>
      withOperator(async (api) => {
        const agent = await api.call("agents.level", { name, level: levelOf(level) });
        tell(agent, `${agent.name} is at level ${agent.level} now`);
      }),
    );

  pauseCommands(agents);

  agents
    .command("revoke <name>")
    .description("ends a pairing: its token, its grants and its waiting requests end too")
    .action((name: string) =>
      withOperator(async (api) => {
        const agent = await api.call("agents.revoke", { name }).catch(async (error: unknown) => {
          const { rejected } = await api.call("agents.reject", { name });
          if (!rejected) throw error;
          return undefined;
        });
        if (agent === undefined) say(`turned away: ${name}`);
        else tell(agent, `revoked: ${name}; its token, grants and waiting requests ended with it`);
      }),
    );
}

function pauseCommands(agents: Command): void {
  agents
    .command("pause <name>")
    .description("denies all of one agent's calls, and withdraws what waits of it")
    .option("--for <span>", "10m, 2h or 30d; without it, until you resume it")
    .action((name: string, options: { for?: string }) =>
      withOperator(async (api) => {
        const forSeconds = options.for === undefined ? {} : { for_seconds: parseSpan(options.for) };
        const agent = await api.call("agents.pause", { name, ...forSeconds });
        const until = agent.paused?.until ?? null;
        tell(agent, `${name} is paused ${until === null ? "until you resume it" : `until ${until}`}`);
        if (agent.note !== undefined) say(agent.note);
      }),
    );

  agents
    .command("resume <name>")
    .description("ends the pause of one agent")
    .action((name: string) =>
      withOperator(async (api) => {
        const agent = await api.call("agents.resume", { name });
        tell(agent, `${name} is not paused`);
      }),
    );
}
