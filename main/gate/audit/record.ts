import type { Decision } from "../../../ipc/decision.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import { stringsIn } from "../guard/strings.ts";
import { JUDGE_KIND } from "../judge/rule-based.ts";

/** One line of the audit trail before it is chained. Key names, never values (seed 000). */
export type AuditRecord = { event: string; ts: number } & Record<string, unknown>;

const MAX_KEYS = 64;
const MAX_KEY_LENGTH = 64;
const MAX_INTENT = 500;
/** Beyond this much to compare with, the intent is left out: no call may cost the gate more than a moment. */
const MAX_COMPARED_STRINGS = 2000;
const MAX_COMPARED_LENGTH = 65_536;

/** The seed's fields of a judged call, and what this gate decided. */
export function decisionRecord(call: ProposedCall, decision: Decision, agent: string, event = "decision"): AuditRecord {
  const { verdict } = decision;
  return {
    event,
    approved: verdict?.approved ?? false,
    reason: verdict === null || verdict.approved ? decision.reason : verdict.reason,
    ts: verdict?.ts ?? Date.now() / 1000,
    judge_kind: verdict?.judge_kind ?? JUDGE_KIND,
    score: verdict?.score ?? 0,
    blocked_by: verdict?.blocked_by ?? null,
    intent: withoutValues(call.intent, call.args),
    executor: call.executor,
    args_keys: keyNames(call.args),
    context_keys: keyNames(call.context ?? {}),
    decision_id: decision.decision_id,
    agent,
    outcome: decision.outcome,
    stage: decision.stage,
    capabilities: [...new Set(decision.capabilities.map(({ capability }) => capability))],
  };
}

function keyNames(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object).slice(0, MAX_KEYS);
  return keys.map((key) => (key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key));
}

/**
 * The intent without what the arguments say: whole values, and words from them that are more than a plain word
 * (paths, hosts, numbers, keys). The agent writes the intent; it must not carry a value into the log.
 */
export function withoutValues(intent: string, args: Record<string, unknown>): string {
  let text = intent.slice(0, MAX_INTENT);
  if (text === "") return text;
  const strings = scalarsIn(args);
  let length = 0;
  for (const { value } of strings) length += value.length;
  if (strings.length > MAX_COMPARED_STRINGS || length > MAX_COMPARED_LENGTH) return "<left out: large arguments>";
  for (const { key, value } of strings) {
    const whole = value.trim();
    if (whole.length >= 3 && text.includes(whole)) text = text.replaceAll(whole, `<${key.slice(0, MAX_KEY_LENGTH)}>`);
  }
  return text.replace(/[^\s"'`,;()<>]+/g, (word) => {
    const plain = /^\p{L}+[.:!?]*$/u.test(word) && word.length < 24;
    if (plain || word.length < 3) return word;
    const bare = word.replace(/[.:!?]+$/, "");
    return strings.some(({ value }) => value.includes(bare)) ? "<args>" : word;
  });
}

function scalarsIn(args: Record<string, unknown>): { key: string; value: string }[] {
  const found = stringsIn(args);
  for (const key in args) {
    const value = args[key];
    if (typeof value === "number") found.push({ key, value: String(value) });
  }
  return found;
}
