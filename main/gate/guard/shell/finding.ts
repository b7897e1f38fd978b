import type { SimpleCommand, Span } from "../../shell/reading.ts";

/** What the guard saw in a command line. */
export interface Finding {
  /** `irrecoverable command`, `forbidden path` or `the gate itself`. */
  group:
    | "irrecoverable command"
    | "forbidden path violated"
    | "the gate's own files are not for agents"
    | "the gate itself";
  /** What was seen, in words of the guard's own: never a value from the command. */
  description: string;
  /** What would be acceptable. */
  instead: string;
  command: SimpleCommand | null;
  /** Where in the original text. */
  span: Span;
}

export function finding(
  group: Finding["group"],
  description: string,
  instead: string,
  command: SimpleCommand,
  span: Span = command,
): Finding {
  return { group, description, instead, command, span: { start: span.start, end: span.end } };
}
