import { type Command, Option } from "commander";
import { agentNameSchema } from "../../ipc/contract/wire.ts";
import { agentNameOf } from "../acp/agent-name.ts";
import { ASK_IN, type AskIn } from "../acp/decide.ts";
import { usageError } from "../output.ts";

interface Options {
  agent?: string;
  askIn: AskIn;
  strict?: boolean;
  box?: boolean;
  host: string[];
}

/** `acp -- COMMAND`: the gate between an editor and an agent that it starts. */
export function acpCommand(program: Command, done: (code: number) => void): void {
  program
    .command("acp")
    .argument("<command...>", "the agent's own command, behind --")
    .description(
      "what an editor starts in an agent's place (Agent Client Protocol): the agent, with the gate in between",
    )
    .option("--agent <name>", "the agent's name at the gate; left out, made from its command")
    .addOption(
      new Option("--ask-in <place>", "where you are asked: in the gate, in the editor, or in both")
        .choices([...ASK_IN])
        .default("gate"),
    )
    .option("--strict", "cancels the turn where the agent runs what it had to ask about without asking")
    .option("--box", "runs all of it confined to the project of this folder (docs/box.md)")
    .option(
      "--host <host>",
      "a host that it reaches from its box, beside its model's; as often as needed",
      (host, hosts: string[]) => [...hosts, host],
      [],
    )
    .action(async (words: string[], options: Options) => {
      const name = options.agent ?? agentNameOf(words);
      if (!agentNameSchema.safeParse(name).success) throw usageError(`${JSON.stringify(name)} is no name of an agent`);
      const { box, host: hosts } = options;
      if (!box && hosts.length > 0) throw usageError("--host is for --box: without a box an agent reaches every host");
      const { runAcp } = await import("../acp/run.ts");
      const given = { name, askIn: options.askIn, isStrict: options.strict === true, words };
      done(await runAcp({ ...given, ...(box ? { box: { hosts } } : {}) }));
    });
}
