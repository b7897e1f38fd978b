import { Option } from "commander";
import { ownCommand } from "../ipc/base/own-command.ts";
import { visible, visibleJson } from "../ipc/base/visible-text.ts";
import { FAILURE_CODES, GateError } from "../ipc/contract/gate-error.ts";
import { fileError } from "../main/base/files/file-errors.ts";
import { GATE_EXIT } from "../main/core/restart.ts";
import { type Column, tableLines } from "./table.ts";

/** stdout carries data, one JSON object per line; stderr carries words for the user. */

/** What the command's exit code says (docs/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  not_running: 3,
  refused: 4,
  problemFound: 5,
  ...GATE_EXIT,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Of a command that prints data. */
export interface DataOptions {
  /** As when piped, on a terminal too. */
  json?: boolean;
}

/** The option of every command that has words or a table for a terminal. */
export function jsonOption(): Option {
  return new Option("--json", "JSON lines on a terminal, too");
}

/** A listing: a table on a terminal; else, or with `--json`, a JSON line each. @returns whether it was a table */
export function list<T>(rows: readonly T[], columns: readonly Column<T>[], { json }: DataOptions = {}): boolean {
  if (process.stdout.isTTY !== true || json === true) {
    for (const row of rows) printLine(row);
    return false;
  }
  const lines = tableLines(columns, rows, process.stdout.columns || 80, isColoured(process.stdout));
  if (rows.length > 0) for (const line of lines) printWord(line);
  return true;
}

/** Colours are for a terminal, unless the user wants none, or where the user wants them all the same. */
export function isColoured(stream: NodeJS.WriteStream): boolean {
  return !process.env.NO_COLOR && (stream.isTTY === true || process.env.FORCE_COLOR !== undefined);
}

export function printLine(value: unknown): void {
  process.stdout.write(`${visibleJson(value)}\n`);
}

/** Data and the same in words: on a terminal, where both would be shown one after the other, the words alone. */
export function tell(value: unknown, ...words: string[]): void {
  tellAs({}, value, ...words);
}

/** The same; with `--json` a terminal gets the data alone. Each text is one line, whatever names are in it. */
export function tellAs({ json }: DataOptions, value: unknown, ...words: string[]): void {
  const isTogether = isSeenTogether();
  if (!isTogether || json === true) printLine(value);
  if (!isTogether || json !== true) for (const text of words) say(visible(text));
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
  process.stderr.write(`${visible(text, { keepNewlines: true })}\n`);
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
    case "not_answering":
    case "connection_lost":
      return EXIT.not_running;
    case "usage":
    case "invalid_params":
    case "invalid_input":
      return EXIT.usage;
    default:
      return error instanceof GateError && !isFailure(error) ? EXIT.refused : EXIT.failed;
  }
}

function isFailure({ code }: GateError): boolean {
  return FAILURE_CODES.some((failure) => failure === code);
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
