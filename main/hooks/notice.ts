import { RULE_WORDS } from "../../ipc/words/rule-words.ts";
import type { Decided } from "./exchange.ts";

const WORDS: Readonly<Record<string, string>> = RULE_WORDS.en;

/** What the user reads of a denial in the client's own screen: what the model reads names patterns, and what it could do instead. */
export function noticeOf({ reason, rule = "" }: Pick<Decided, "reason" | "rule">): string {
  const words = rule.startsWith("guard.") ? WORDS[rule] : undefined;
  return words === undefined ? reason : `guard: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
