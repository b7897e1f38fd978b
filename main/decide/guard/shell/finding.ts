import type { SimpleCommand, Span } from "@metnos-gate/shell-reading";
import type { Rule } from "../../../../ipc/contract/rules.ts";

/** The guard's rules. */
export type GuardRule = Extract<Rule, `guard.${string}`>;

/** Those of them that a reading of a command line can break. */
export type FindingRule = Exclude<GuardRule, "guard.irrecoverable-change" | "guard.cloud-metadata">;

/** What the guard saw in a command line. */
export interface Finding {
  rule: FindingRule;
  /** What was seen, in words of the guard's own: never a value from the command. */
  description: string;
  /** What would be acceptable. */
  instead: string;
  command: SimpleCommand | null;
  /** Where in the original text. */
  span: Span;
}

export function finding(
  rule: FindingRule,
  description: string,
  instead: string,
  command: SimpleCommand,
  span: Span = command,
): Finding {
  return { rule, description, instead, command, span: { start: span.start, end: span.end } };
}
