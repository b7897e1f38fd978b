import { openSync } from "node:fs";
import { devNull } from "node:os";
import type { Command } from "commander";
import { shellWord } from "../../ipc/base/shell-quoted.ts";
import { explanationLines, statusLines } from "../box-lines.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, jsonOption, tellAs, usageError } from "../output.ts";
import { runInPlace } from "../running-program.ts";

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
