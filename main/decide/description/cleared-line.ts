import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { needsOfLine } from "../../shell-reading/clear/line-needs.ts";
import { programSearchOf } from "../../shell-reading/clear/program-search.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { lineOf } from "../executors/needs.ts";
import type { CallPlace } from "./call-place.ts";

type ClearedLine = ReturnType<typeof needsOfLine>;

/** A line belongs to one examination of one call. */
const known = new WeakMap<CommandLine, ClearedLine>();

/** What the grammar says of a command line, looked at once for all that is said of it: each of its paths is looked for on the disk. */
export function clearedLine(line: CommandLine, call: ProposedCall, place: CallPlace): ClearedLine {
  const before = known.get(line);
  if (before !== undefined) return before;
  const { home, cwd = "", has_comments } = place;
  const text = lineOf(call.args[line.arg]) ?? line.text;
  const found = needsOfLine(text, home, cwd, has_comments, programSearchOf(call, home));
  known.set(line, found);
  return found;
}
