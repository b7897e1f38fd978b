import type { JudgeNote } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Executor } from "../executors/catalog.ts";
import { stringsIn } from "../guard/strings.ts";

/** The graded judge, version 1: exactly the required signals, no model (docs/decisions/requirements-vaglio.md, "Judge"). */

export const JUDGE_KIND = "rule-based-v1";

const BASE = 0.7;
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

export interface Score {
  /** In [0, 1]. */
  score: number;
  /** What raised or lowered the score; empty where nothing did. */
  notes: JudgeNote[];
}

/** As agents and the trail read them. */
export const NOTE_TEXT: Readonly<Record<JudgeNote, string>> = {
  "judge.intent-matches": "intent matches executor",
  "judge.path-traversal": "possible path traversal ('..' in path)",
  "judge.unusual-argument": "unusual argument name",
  "judge.not-critical": "non-critical executor",
};

/**
 * How well a call fits its intent.
 * @param critical whether the call changes the world; false gives the read-only bonus, undefined neither
 */
export function judgeScore(call: ProposedCall, executor: Executor, critical: boolean | undefined): Score {
  let score = BASE;
  const notes: JudgeNote[] = [];
  if (mentions(call.intent, call.executor)) {
    score += 0.1;
    notes.push("judge.intent-matches");
  }
  const strings = stringsIn(call.args, executor.manifest.content_args);
  if (strings.some(({ value }) => value.includes("..") && value.includes("/"))) {
    score -= 0.2;
    notes.push("judge.path-traversal");
  }
  if (Object.keys(call.args).some((key) => !IDENTIFIER.test(key))) {
    score -= 0.1;
    notes.push("judge.unusual-argument");
  }
  if (critical === false) {
    score += 0.05;
    notes.push("judge.not-critical");
  }
  const clamped = Math.min(1, Math.max(0, score));
  return { score: Math.round(clamped * 10_000) / 10_000, notes };
}

/** True if the intent holds the executor's name, or one of its parts of at least three letters. */
function mentions(intent: string, executor: string): boolean {
  if (intent === "") return false;
  const text = intent.toLowerCase();
  return segmentsOf(executor).some((name) => text.includes(name));
}

const known_names = new Map<string, readonly string[]>();
const MAX_KNOWN = 1000;

/** The texts by which an intent may refer to an executor: its name, and the parts of it that are long enough to be meaningful. */
function segmentsOf(executor: string): readonly string[] {
  let names = known_names.get(executor);
  if (names === undefined) {
    const name = executor.toLowerCase();
    names = [name, ...name.split(/[^a-z0-9]+/).filter((part) => part.length >= 3)];
    if (known_names.size >= MAX_KNOWN) known_names.clear();
    known_names.set(executor, names);
  }
  return names;
}
