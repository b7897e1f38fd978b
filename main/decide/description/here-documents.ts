import type { Span } from "@metnos-gate/shell-reading";
import { STARTS_SHELL } from "@metnos-gate/shell-reading/programs";
import type { Hazard } from "../../../ipc/contract/description.ts";
import type { CommandLine } from "../executors/command-lines.ts";

/** A hazard of a command that is fed with text of its own is marked in that text, where it is. */

export function markedWithin(hazard: Hazard, lines: readonly CommandLine[]): Hazard {
  const { span } = hazard;
  const line = span === null ? undefined : lines.find(({ arg }) => arg === span.arg);
  // What a name in the line stands for isn't in the text that the line brings along.
  if (span === null || line === undefined || hazard.file !== undefined) return hazard;
  for (const { start, end, command } of line.reading.hereDocs) {
    if (command === null || span.start < command.start || span.start > command.end || span.start >= start) continue;
    const found = placeIn(line.text.slice(start, end), hazard);
    if (found !== null)
      return { ...hazard, span: { arg: span.arg, start: start + found.start, end: start + found.end } };
  }
  return hazard;
}

/** The line of the text that names what the sentence names, else the one that starts something. */
function placeIn(body: string, { host, path }: Hazard): Span | null {
  const named = [host, path].filter((one) => one !== undefined && one.length > 3);
  let at = 0;
  let first: Span | null = null;
  for (const line of body.split("\n")) {
    const text = line.trim();
    const start = at + line.indexOf(text);
    const span = { start, end: start + text.length };
    if (text !== "" && named.some((one) => text.includes(one ?? ""))) return span;
    if (first === null && STARTS_SHELL.test(text)) first = span;
    at += line.length + 1;
  }
  return first;
}
