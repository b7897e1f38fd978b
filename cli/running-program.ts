import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { outsideWords } from "@metnos-gate/shell-reading/gate-command";
import type { Env } from "../ipc/base/paths.ts";
import { visible } from "../ipc/base/visible-text.ts";

/** Running a program in this one's place: its input and output are this one's, and it ends as that one ends. */

/** What a shell says of a program that isn't there, and of one that can't be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/** Sent to this process alone. */
const PASSED_ON = ["SIGTERM", "SIGHUP", "SIGUSR2"] as const;
/** A terminal sends these to every process of the command by itself. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;

/**
 * Runs `argv`, and gives its exit code; where a signal ended it, this process ends by the same one.
 * @param argv at least the program, by its path or its name on PATH
 * @param further file descriptors from 3 on that it gets
 * @param env its environment; left out, this process's
 */
export async function runInPlace(
  argv: readonly string[],
  further: Readonly<Record<number, number>> = {},
  env: Env = process.env,
): Promise<number> {
  const [program = "", ...words] = argv;
  const fds = Object.keys(further).map(Number);
  const extra = Array.from(
    { length: Math.max(2, ...fds) - 2 },
    (_, index) => further[index + 3] ?? ("ignore" as const),
  );
  const isTerminal = isatty(0) || isatty(1) || isatty(2);
  let child: ChildProcess | undefined;
  const passOn = (signal: NodeJS.Signals) => child?.kill(signal);
  const stay = () => undefined;
  for (const signal of PASSED_ON) process.on(signal, passOn);
  for (const signal of FROM_TERMINAL) process.on(signal, isTerminal ? stay : passOn);
  try {
    // Listened to before the program is there: a signal in between would end this process alone, and leave the program.
    const started = spawn(program, words, { env, stdio: ["inherit", "inherit", "inherit", ...extra] });
    child = started;
    const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (resolve, reject) => {
        started.once("error", reject);
        started.once("exit", (code, signal) => resolve({ code, signal }));
      },
    );
    if (signal === null) return code ?? NOT_RUNNABLE;
    for (const one of [...PASSED_ON, ...FROM_TERMINAL]) process.removeAllListeners(one);
    process.kill(process.pid, signal);
    // A signal that ends nothing here ended it all the same.
    return 128 + constants.signals[signal];
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    process.stderr.write(`metnos-gate: ${failureText(program, error as Error, isMissing)}\n`);
    return isMissing ? NOT_FOUND : NOT_RUNNABLE;
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
    for (const signal of FROM_TERMINAL) process.off(signal, isTerminal ? stay : passOn);
  }
}

function failureText(program: string, error: Error, isMissing: boolean): string {
  if (!isMissing) return `${visible(program)} can't be run: ${visible(error.message)}`;
  const hint = /\s/.test(program) ? "\n  for a line that a shell reads, give it to one: -- sh -c 'LINE'" : "";
  return `there is no program ${JSON.stringify(visible(program))}${hint}`;
}

/**
 * `metnos-gate outside [--reason TEXT] -- CMD...`: runs CMD as if it were alone. Its words are for the gate, which reads them before
 * it is run. Loads next to nothing: an agent's command is not to wait for it.
 * @param argv the words behind `outside`
 * @returns the command's exit code; undefined where there is no command, or the words aren't understood
 */
export async function runOutside(argv: readonly string[]): Promise<number | undefined> {
  const words = outsideWords(argv);
  const command = words === null ? [] : argv.slice(words.commandAt);
  return command.length === 0 ? undefined : await runInPlace(command);
}
