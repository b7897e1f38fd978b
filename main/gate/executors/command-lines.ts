import type { ProposedCall } from "../../../ipc/wire.ts";
import { readArgv, readCommand } from "../shell/read-command.ts";
import type { Reading } from "../shell/reading.ts";
import { expandHome } from "../targets/path.ts";

/** The command lines among a call's arguments, read once a call. */

/** Arguments that are command lines wherever an executor runs any: which of them it runs is not ours to guess. */
export const COMMAND_ARGS = ["command", "cmd"] as const;

export interface CommandLine {
  arg: string;
  /** As the raw patterns see it: a list is joined with spaces. */
  text: string;
  is_list: boolean;
  reading: Reading;
}

const known = new WeakMap<ProposedCall, { key: string; lines: CommandLine[] }>();

/** All of them. The call must not change afterwards. */
export function commandLinesOf(call: ProposedCall, home: string, user?: string): CommandLine[] {
  const cwd = call.context?.cwd === undefined ? "" : expandHome(call.context.cwd, home);
  const key = `${home}\n${cwd}\n${JSON.stringify(COMMAND_ARGS.map((name) => call.args[name]))}`;
  const before = known.get(call);
  if (before?.key === key) return before.lines;
  const context = { cwd, home, user: user ?? home.slice(home.lastIndexOf("/") + 1) };
  const lines = COMMAND_ARGS.flatMap((arg): CommandLine[] => {
    const value = call.args[arg];
    if (typeof value === "string") return [{ arg, text: value, is_list: false, reading: readCommand(value, context) }];
    if (!Array.isArray(value)) return [];
    const words = value.filter((word) => typeof word === "string");
    const text = words.join(" ");
    // A list of one text with blanks in it is a command line all the same.
    const is_line = words.length === 1 && /\s/.test(text);
    return [{ arg, text, is_list: !is_line, reading: is_line ? readCommand(text, context) : readArgv(words, context) }];
  });
  known.set(call, { key, lines });
  return lines;
}
