import type { Command } from "commander";
import type { Env } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { Adapter, Launch } from "../agents/adapter.ts";
import { ADAPTER_NAMES, adapterOf, allAdapters } from "../agents/adapters.ts";
import { pairAgent } from "../agents/pairing.ts";
import { withRunningGate } from "../operator.ts";
import { say, usageError } from "../output.ts";
import { type BoxedRunOptions, boxedRun } from "../run/boxed-run.ts";
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
      const { loadChosenConfig, longestAnswerSeconds } = await import("../../main/config/index.ts");
      const config = loadChosenConfig(process.env);
      await withRunningGate((api) => pairAgent(api, adapter.name, config.agents.default_level));
      const answerSeconds = longestAnswerSeconds(config);
      const context = { cwd: process.cwd(), env: process.env };
      const named = client === undefined ? {} : { client };
      const made = await adapter.launch({ ...context, answerSeconds, args, ...named, isBoxed: box });
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

// Starting a client so that the gate is asked before each of its tools, without a change to any file of the user's.

/** The adapter by its own name, or by its program's. @throws a usage error where there is none */
async function adapterNamed(name: string): Promise<Adapter> {
  const found = (await adapterOf(name)) ?? (await allAdapters()).find(({ program }) => program === name);
  if (found !== undefined) return found;
  throw usageError(`there is no adapter for ${JSON.stringify(name)}`, `one of: ${ADAPTER_NAMES.join(", ")}`);
}

interface RunWords {
  box: boolean;
  /** Hosts that it may reach from its box, beside its model's. */
  hosts: readonly string[];
  /** The agent's program; left out, the one on PATH. */
  client: string | undefined;
  /** The agent's own. */
  args: readonly string[];
}

/**
 * What follows the agent's name: options of ours, as far as they come first, and the agent's own words. `--` ends ours.
 * @throws a usage error where a value is missing
 */
export function readRunWords(words: readonly string[]): RunWords {
  let box = false;
  let client: string | undefined;
  const hosts: string[] = [];
  let at = 0;
  const following = (option: string): string => {
    const value = words[++at];
    if (value === undefined) throw usageError(`${option} needs a value`);
    return value;
  };
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--box") box = true;
    else if (word === "--host") hosts.push(following(word));
    else if (word === "--client") client = following(word);
    else break;
  }
  if (words[at] === "--") at++;
  if (!box && hosts.length > 0) throw usageError("--host is for --box: without a box an agent reaches every host");
  return { box, hosts, client, args: words.slice(at) };
}

/** The environment of a launch. */
function launchEnvironment({ env }: Pick<Launch, "env">, own: Env): Env {
  const merged = { ...own, ...env };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

/** @throws GateError `notConnected` where the agent is revoked or unknown to the gate */
function programOf(launch: Launch, client: string | undefined): string {
  if (client === undefined) return launch.program;
  if (client.startsWith("/")) return client;
  throw new GateError("invalid_input", "--client needs an absolute path", "such as: --client /usr/local/bin/claude");
}
