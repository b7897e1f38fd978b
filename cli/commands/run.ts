import type { Command } from "commander";
import { gatePaths } from "../../ipc/base/paths.ts";
import { ADAPTER_NAMES } from "../agents/adapters.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withRunningGate } from "../operator.ts";
import { say } from "../output.ts";
import { type BoxedRunOptions, boxedRun } from "../run/boxed-run.ts";
import { adapterNamed, launchEnvironment, programOf, readRunWords } from "../run/run-agent.ts";
import { runInPlace } from "../running-program.ts";

/** `run AGENT`: starts a client with what makes the gate hold, and changes no file of the user's. */
export function runCommand(program: Command, done: (code: number) => void): void {
  program
    .command("run")
    .usage("<agent> [--box [--host <host>]...] [--client <file>] [--] [its arguments...]")
    .argument("<agent>", `one of: ${ADAPTER_NAMES.join(", ")}`)
    .argument("[args...]", "options of this command, then the agent's own arguments; -- ends the first")
    .description("starts an agent with the gate in front of it; --box: all of it confined to the project (docs/box.md)")
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (name: string, words: string[]) => {
      const adapter = await adapterNamed(name);
      const { box, hosts, client, args } = readRunWords(words);
      const { loadConfig, longestAnswerSeconds } = await import("../../main/config/config.ts");
      const config = loadConfig(gatePaths(process.env).config_file, process.env);
      await withRunningGate((api) => pairAgent(api, adapter.name, config.agents.default_level));
      const answer_seconds = longestAnswerSeconds(config);
      const context = { cwd: process.cwd(), env: process.env };
      const named = client === undefined ? {} : { client };
      const made = await adapter.launch({ ...context, answer_seconds, args, ...named, is_boxed: box });
      const launch = { ...made, program: programOf(made, client) };
      for (const note of launch.notes ?? []) say(note);
      if (box) return done(await runBoxed({ ...context, adapter, launch, hosts }));
      done(await runInPlace([launch.program, ...launch.args], {}, launchEnvironment(launch, process.env)));
    });
}

async function runBoxed(options: BoxedRunOptions): Promise<number> {
  const { request, env } = boxedRun(options);
  const { argv, project } = await withRunningGate((api) => api.call("box.prepare_agent", request));
  say(`${options.adapter.title} runs in a box: it writes in ${project}, and reaches ${request.hosts.join(", ")}`);
  return await runInPlace(argv, {}, env);
}
