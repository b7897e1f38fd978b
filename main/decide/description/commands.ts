import type { DescribedCommand } from "../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { partsOf } from "../guard/shell/explain.ts";
import type { CallPlace } from "./call-place.ts";
import { clearedLine } from "./cleared-line.ts";
import { tokensOf, tokensOfWords } from "./tokens.ts";

/** More parts than a card can list; the line itself is shown whole. */
const MAX_PARTS = 100;

/** A command line as it is shown: its words by kind, and its parts with what each touches. */
export function describedCommand(line: CommandLine, call: ProposedCall, place: CallPlace): DescribedCommand {
  const { arg, text, is_list, reading } = line;
  const cleared = clearedLine(line, call, place);
  const seen = new Set<string>();
  const parts = partsOf(line, cleared)
    .filter(({ start, end }) => {
      const key = `${start} ${end}`;
      const is_new = start < end && end <= text.length && !seen.has(key);
      seen.add(key);
      return is_new;
    })
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .slice(0, MAX_PARTS)
    .map(({ start, end, needs, unclear }) => ({ start, end, needs, unclear }));
  return { arg, text, tokens: is_list ? tokensOfWords(wordsOf(call.args[arg]), text) : tokensOf(reading), parts };
}

/** Where each word of a list is in the text of them all. */
function wordsOf(value: unknown): { start: number; end: number }[] {
  let start = 0;
  return (Array.isArray(value) ? value : [])
    .filter((word) => typeof word === "string")
    .map((word) => {
      const span = { start, end: start + word.length };
      start = span.end + 1;
      return span;
    });
}
