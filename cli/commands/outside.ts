import type { Command } from "commander";
import { usageError } from "../output.ts";

/** `outside`: its help, and what is said where there is nothing to run; else `main` has run it already. */
export function outsideCommand(program: Command): void {
  program
    .command("outside")
    .usage("[--reason <text>] -- <command...>")
    .argument("[command...]", "a program with its words; a line for a shell: sh -c 'LINE'")
    .description("runs a command outside the box: what an agent sends instead of one that the box doesn't let through")
    .option("--reason <text>", "why it has to: the user reads it before the command is run")
    .action(() => {
      throw usageError("nothing to run", "give the command: outside -- npm install");
    });
}
