import type { Command } from "commander";
import { gatePaths } from "../../ipc/paths.ts";
import { ADAPTER_NAMES } from "../agents/adapters.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withRunningGate } from "../operator.ts";
import { say, usageError } from "../output.ts";
import { adapterNamed, launchEnvironment, programOf, readRunWords } from "../run/run-agent.ts";
import { runInPlace } from "../running-program.ts";

/** `run AGENT`: starts a client with what makes the gate hold, and changes no file of the user's. */
export function runCommand(program: Command, done: (code: number) => void): void {
  program
    .command("run")
    .usage("<agent> [--client <file>] [--] [its arguments...]")
    .argument("<agent>", `one of: ${ADAPTER_NAMES.join(", ")}`)
    .argument("[args...]", "options of this command, then the agent's own arguments; -- ends the first")
    .description("starts an agent with the gate in front of it, and changes none of its files")
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (name: string, words: string[]) => {
      const adapter = await adapterNamed(name);
      const { box, client, args } = readRunWords(words);
      if (box) throw usageError("--box isn't there yet");
      const { loadConfig, longestAnswerSeconds } = await import("../../main/config.ts");
      const config = loadConfig(gatePaths(process.env).config_file, process.env);
      await withRunningGate((api) => pairAgent(api, adapter.name, config.agents.default_level));
      const answer_seconds = longestAnswerSeconds(config);
      const launch = await adapter.launch({ answer_seconds, cwd: process.cwd(), env: process.env, args });
      for (const note of launch.notes ?? []) say(note);
      const env = launchEnvironment(launch, process.env);
      done(await runInPlace([programOf(launch, client), ...launch.args], {}, env));
    });
}
