import type { Command, CommanderError } from "commander";
import { ownCommand } from "../ipc/base/own-command.ts";
import type { GateError } from "../ipc/contract/gate-error.ts";
import { usageError } from "./output.ts";

/** Errors of the command line in the form of all others: what, and what to do, with the help of the very command. */

/** Help and version were printed, and nothing is wrong. */
export class Printed extends Error {}

/** For a program whose commands are all there. */
export function reportAsOthers(command: Command, words: readonly string[] = []): void {
  command.configureOutput({ outputError: () => undefined });
  command.exitOverride((error) => {
    throw translated(error, words);
  });
  for (const below of command.commands) reportAsOthers(below, [...words, below.name()]);
}

function translated({ code, exitCode, message }: CommanderError, words: readonly string[]): GateError | Printed {
  if (exitCode === 0) return new Printed(code);
  const help = `see: ${ownCommand([...words, "--help"].join(" "))}`;
  if (code === "commander.help") return usageError("a command is missing", help);
  const [what = "", ...more] = message.replace(/^error: /, "").split("\n");
  const meant = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(more.join(" "))?.[1];
  return usageError(what, meant === undefined ? help : `did you mean ${meant}? ${help}`);
}
