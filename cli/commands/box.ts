import { openSync } from "node:fs";
import { devNull } from "node:os";
import type { Command } from "commander";
import { homeFolder } from "../../ipc/base/paths.ts";
import { shellWord } from "../../ipc/base/shell-quoted.ts";
import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { BoxExplanation, BoxStatus } from "../../ipc/contract/box.ts";
import { boxAgentWords, boxProblemWords, hostsProblemWords, unconfinedText } from "../../ipc/words/box-words.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, jsonOption, tellAs, usageError } from "../output.ts";
import { runInPlace } from "../running-program.ts";
import { momentText } from "../times.ts";

/** Where the command in the box writes the folder that it ended in: nobody here needs it. */
const FOLDER_FD = 9;

interface PlaceOptions {
  cwd?: string;
}

/** `box ...`: confined execution, as the running gate has it. */
export function boxCommands(program: Command, done: (code: number) => void): void {
  const box = program.command("box").description("commands that run confined to their project (docs/box.md)");
  box
    .command("status")
    .description("whether commands can be confined here, of which agents, and what was set aside after them")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        const status = await api.call("box.status", {});
        tellAs(options, status, ...statusLines(status, Date.now()));
      }),
    );
  box
    .command("explain")
    .usage("[options] [--] <command...>")
    .argument("[command...]", "a program with its words, or one word that a shell reads")
    .description("whether a command line would run confined, and with what; runs nothing")
    .option("--cwd <folder>", "as if it ran there (default: this folder)")
    .option("--agent <name>", "as this agent's (default: one that can be confined)")
    .addOption(jsonOption())
    .action((words: string[], { cwd, agent, ...options }: PlaceOptions & { agent?: string } & DataOptions) =>
      withRunningGate(async (api) => {
        const explanation = await api.call("box.explain", {
          command: given(words, "explain 'npm test'"),
          cwd: cwd ?? process.cwd(),
          ...(agent === undefined ? {} : { agent }),
        });
        tellAs(options, explanation, ...explanationLines(explanation));
      }),
    );
  box
    .command("run")
    .usage("[options] -- <command...>")
    .argument("[command...]", "a program with its words, or one word that a shell reads")
    .description("runs a command confined, as an agent's would be, and exits as it exits")
    .option("--cwd <folder>", "runs it there (default: this folder)")
    .action(async (words: string[], { cwd }: PlaceOptions) => {
      const command = given(words, "run -- npm test");
      if (cwd !== undefined) process.chdir(cwd);
      const { argv } = await withRunningGate((api) =>
        api.call("box.prepare", { command, cwd: process.cwd(), path: process.env.PATH }),
      );
      done(await runInPlace(argv, { [FOLDER_FD]: openSync(devNull, "w") }));
    });
}

/** A line for a shell. @throws a usage error where there is none */
function given(words: readonly string[], example: string): string {
  const command = words.length === 1 ? (words[0] ?? "") : words.map(shellWord).join(" ");
  if (command === "") throw usageError("no command is given", `such as: box ${example}`);
  return command;
}

// What the box's commands say on a terminal.

/** `box status` in words. @param now Unix milliseconds */
export function statusLines(status: BoxStatus, now: number): string[] {
  const { is_available, problem, detail, fix, maker, running, agents, set_aside } = status;
  const words = problem === null ? null : boxProblemWords(problem, "en");
  const todo = fix ?? words?.todo ?? null;
  return [
    words === null
      ? `commands can be confined here (${maker}); ${running} ${running === 1 ? "runs" : "run"} confined now`
      : `no command is confined: ${words.what}`,
    ...hostsLines(status),
    ...(detail === "" ? [] : [`  ${detail}`]),
    ...(todo === null ? [] : todo.split("\n").map((line) => `  ${line}`)),
    // Where nothing can be confined there is nothing to say of each agent.
    ...(is_available ? agents.map((agent) => `${agent.name}: ${agentText(agent, now)}`) : []),
    ...(set_aside.length === 0 ? [] : ["set aside after a command, as their content would have run later:"]),
    ...set_aside.map(
      ({ path, kept_at, at, agent_name }) =>
        `  ${shortHome(path)} is now ${shortHome(kept_at)} (${agent_name}, ${momentText(at, now)})`,
    ),
  ];
}

function hostsLines({ hosts_problem }: BoxStatus): string[] {
  if (hosts_problem === null) return [];
  const { what, todo } = hostsProblemWords(hosts_problem, "en");
  return [what, ...(todo === null ? [] : [`  ${todo}`])];
}

function agentText(agent: BoxStatus["agents"][number], now: number): string {
  const { what, todo } = boxAgentWords(agent, "en");
  const tested = agent.tested_at === null ? "" : `, tested ${momentText(agent.tested_at, now)}`;
  const client = agent.client === null ? "" : ` (${agent.client}${tested})`;
  return `${what}${client}${todo === null ? "" : `. ${todo}`}`;
}

/** `box explain` in words. */
export function explanationLines({ reason, about, declaration }: BoxExplanation): string[] {
  if (declaration === null) {
    const why = reason === null ? "" : `: ${unconfinedText(reason, shortHome(about), "en")}`;
    // What is clear is decided on by what it touches.
    const then = reason === "clear" ? [] : ["  it is asked about as running code (code:exec)"];
    return [`would not be confined${why}`, ...then];
  }
  const { kind, project, reads, writes, network } = declaration;
  const whole = kind === undefined ? [project] : [];
  const list = (paths: readonly string[]) => [...new Set(paths.map(shortHome))].join(", ");
  const read = list([...whole, ...writes, ...reads]);
  return [
    kind === "needs"
      ? "would run in a box of its own, held to what it names"
      : `would run confined to ${kind === undefined ? "" : "reading "}${shortHome(project)}`,
    `  reads   ${read === "" ? "" : `${read}, and `}the system's programs`,
    `  writes  ${list([...whole, ...writes]) || "nothing"}`,
    `  network ${network ? "the hosts that you allow" : "none"}`,
  ];
}

function shortHome(path: string): string {
  return shortenHome(path, homeFolder(process.env));
}
