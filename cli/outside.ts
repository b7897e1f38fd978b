import { outsideWords } from "../main/shell-reading/programs/gate-command.ts";
import { runInPlace } from "./running-program.ts";

/**
 * `metnos-gate outside [--reason TEXT] -- CMD...`: runs CMD as if it were alone. Its words are for the gate, which reads them before
 * it is run. Loads next to nothing: an agent's command is not to wait for it.
 * @param argv the words behind `outside`
 * @returns the command's exit code; undefined where there is no command, or the words aren't understood
 */
export async function runOutside(argv: readonly string[]): Promise<number | undefined> {
  const words = outsideWords(argv);
  const command = words === null ? [] : argv.slice(words.command_at);
  return command.length === 0 ? undefined : await runInPlace(command);
}

/** The launcher's short way. @param argv the whole command's words */
export async function main(argv: readonly string[]): Promise<number> {
  return (await runOutside(argv.slice(1))) ?? (await (await import("./main.ts")).main(argv));
}
