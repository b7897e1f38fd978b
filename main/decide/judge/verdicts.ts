import type { Verdict } from "../../../ipc/contract/decision.ts";
import type { JudgeNote } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import { guardWithNames } from "../description/named-danger.ts";
import type { Executor } from "../executors/catalog.ts";
import type { GuardBlock, GuardSettings } from "../guard/guard.ts";
import { stringsIn } from "../places/patterns.ts";

/** Guard, then judge (docs/decisions/requirements-vaglio.md). The judge never scores what the guard blocks. */

export interface VerdictSettings extends GuardSettings, JudgeSettings {}

export interface JudgeSettings {
  /** Below this score the judge denies. */
  judge_threshold: number;
  /** Milliseconds. */
  now: () => number;
}

/** Both of them on one call, for `vaglio check`. In the pipeline they are separate stages. */
export function guardThenJudge(
  call: ProposedCall,
  executor: Executor,
  needs: readonly ResolvedRequirement[],
  critical: boolean | undefined,
  settings: VerdictSettings,
): Verdict {
  const block = guardWithNames(call, executor, needs, settings);
  return block === null ? judgeVerdict(call, executor, critical, settings) : guardVerdict(block, settings);
}

/** The verdict on a call that the guard blocks: its score is 0, the judge is not evaluated. */
export function guardVerdict(block: GuardBlock, { now }: Pick<JudgeSettings, "now">): Verdict {
  return {
    approved: false,
    reason: block.reason,
    ts: now() / 1000,
    judge_kind: JUDGE_KIND,
    score: 0,
    blocked_by: "guard",
  };
}

/**
 * The verdict on a call that the guard lets pass.
 * @param critical for the judge's bonus; see `judgeScore`
 */
export function judgeVerdict(
  call: ProposedCall,
  executor: Executor,
  critical: boolean | undefined,
  { judge_threshold, now }: JudgeSettings,
): Verdict {
  const { score, notes } = judgeScore(call, executor, critical);
  const rationale = notes.map((note) => NOTE_TEXT[note]).join(", ");
  const verdict = scoreVerdict(score, { threshold: judge_threshold, rationale, now, judge_kind: JUDGE_KIND });
  return { ...verdict, notes };
}

/** The verdict of a judge that gave this score, in [0, 1]. @param rationale why, in words; empty: nothing is said */
export function scoreVerdict(
  score: number,
  {
    threshold,
    rationale,
    now,
    judge_kind,
  }: { threshold: number; rationale: string; judge_kind: string } & Pick<JudgeSettings, "now">,
): Verdict {
  const approved = score >= threshold;
  const outcome = approved
    ? `approved: score ${score.toFixed(2)}`
    : `judge: score ${score.toFixed(2)} < threshold ${threshold.toFixed(2)}`;
  const reason = rationale === "" ? outcome : `${outcome} (${rationale})`;
  return { approved, reason, ts: now() / 1000, judge_kind, score, blocked_by: approved ? null : "judge" };
}

// The graded judge, version 1: exactly the required signals, no model (docs/decisions/requirements-vaglio.md, "Judge").

export const JUDGE_KIND = "rule-based-v1";

const BASE = 0.7;
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

interface Score {
  /** In [0, 1]. */
  score: number;
  /** What raised or lowered the score; empty where nothing did. */
  notes: JudgeNote[];
}

/** As agents and the trail read them. */
const NOTE_TEXT: Readonly<Record<JudgeNote, string>> = {
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

const knownNames = new Map<string, readonly string[]>();
const MAX_KNOWN = 1000;

/** The texts by which an intent may refer to an executor: its name, and the parts of it that are long enough to be meaningful. */
function segmentsOf(executor: string): readonly string[] {
  let names = knownNames.get(executor);
  if (names === undefined) {
    const name = executor.toLowerCase();
    names = [name, ...name.split(/[^a-z0-9]+/).filter((part) => part.length >= 3)];
    if (knownNames.size >= MAX_KNOWN) knownNames.clear();
    knownNames.set(executor, names);
  }
  return names;
}
