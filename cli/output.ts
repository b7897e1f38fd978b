import { type ErrorCode, GateError } from "../ipc/gate-error.ts";
import { ownCommand } from "../ipc/own-command.ts";
import { visible, visibleJson } from "../ipc/visible-text.ts";
import { fileError } from "../main/gate/file-errors.ts";
import { GATE_EXIT } from "../main/restart.ts";

/** stdout carries data, one JSON object per line; stderr carries words for the user. */

/** What the command's exit code says (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  not_running: 3,
  refused: 4,
  problem_found: 5,
  ...GATE_EXIT,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Codes for a gate that could not start or continue, or a file of the gate that can't be used: a failure, not a refusal. */
const FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "already_running",
  "invalid_config",
  "invalid_executor",
  "invalid_input",
  "executors_unreadable",
  "database_damaged",
  "database_foreign",
  "database_missing",
  "database_newer",
  "database_older",
  "database_read_only",
  "database_unusable",
  "gate_replaced",
  "lock_taken",
  "lock_unusable",
  "folder_not_private",
  "socket_unusable",
  "page_not_built",
  "port_taken",
  "file_unusable",
  "not_a_file",
  "head_unusable",
]);

export function printLine(value: unknown): void {
  process.stdout.write(`${visibleJson(value)}\n`);
}

/** Data and the same in words: on a terminal, where both would be shown one after the other, the words alone. */
export function tell(value: unknown, ...words: string[]): void {
  if (!isSeenTogether()) printLine(value);
  for (const text of words) say(text);
}

/** stdout and stderr are shown on the same terminal. */
export function isSeenTogether(): boolean {
  return process.stdout.isTTY === true && process.stderr.isTTY === true;
}

/** A bare word, where the requirements have one printed. */
export function printWord(word: string): void {
  process.stdout.write(`${word}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${visible(text, { keep_newlines: true })}\n`);
}

/** Says what went wrong and what to do, and gives the exit code for it. */
export function reportFailure(error: unknown): ExitCode {
  if (!(error instanceof Error)) {
    say("metnos-gate: something failed that gave no reason");
    return EXIT.failed;
  }
  const { code, hint, message } = explained(error);
  say(`metnos-gate: ${message}`);
  if (hint) say(`  ${hint}`);
  switch (code) {
    case "not_running":
    case "connection_lost":
      return EXIT.not_running;
    case "usage":
    case "invalid_params":
      return EXIT.usage;
    default:
      return error instanceof GateError && !FAILURES.has(error.code) ? EXIT.refused : EXIT.failed;
  }
}

/** The system's own errors name a call; the user needs the file and what to do. */
function explained(error: Error): Error & { code?: string; hint?: string } {
  const { path, syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined || path === undefined) return error;
  return fileError(error, "the file", path);
}

export function usageError(message: string, hint = `see: ${ownCommand("--help")}`): GateError {
  return new GateError("usage", message, hint);
}
