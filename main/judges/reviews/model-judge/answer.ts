import { visible } from "../../../../ipc/base/visible-text.ts";
import { keysWritten } from "../keys-written.ts";
import { withoutThoughts } from "../thoughts.ts";

/**
 * What a model answers, read strictly: one object with a score, or no answer at all.
 *
 * | answer | state |
 * |---|---|
 * | `{"score": 0.8, "reason": "..."}`, alone, in a code fence or with prose around it | read |
 * | without a reason, or with one that is no text | read, without a reason |
 * | further keys; the same object twice; objects without a score beside it | read |
 * | thoughts before it, `<think>...</think>` | read: they aren't looked at |
 * | thoughts that don't end | parse fail |
 * | a score that is no number (`"0.9"`, `null`, `true`), or not in [0, 1] (`2`, `-0.1`, `1e400`); `NaN`, which is no JSON | parse fail |
 * | no score; one only within another object; a score named twice | parse fail |
 * | two objects that say different things | parse fail |
 * | an object that doesn't end; no object; an empty text; more than 64 KiB | parse fail |
 */
export interface JudgeAnswer {
  /** In [0, 1]. */
  score: number;
  /** Safe to display, at most 25 words; empty where the model gave none. */
  reason: string;
}

/** JSON Schema of the answer. What not every provider enforces, the reader checks. */
export const JUDGE_ANSWER_SCHEMA = {
  type: "object",
  properties: { score: { type: "number" }, reason: { type: "string" } },
  required: ["score", "reason"],
  additionalProperties: false,
} as const;

const MAX_ANSWER = 65_536;
const MAX_WORDS = 25;
/** Characters of a reason: words may be of any length. */
const MAX_REASON = 300;

/** Null where the answer can't be read: parse fail. Never throws. */
export function readJudgeAnswer(text: string): JudgeAnswer | null {
  if (text.length > MAX_ANSWER) return null;
  const answer = withoutThoughts(text);
  const objects = answer === null ? null : objectsIn(answer);
  if (objects === null) return null;
  const answers = objects.filter(({ keys }) => keys.includes("score"));
  const [first] = answers;
  if (first === undefined || answers.some(({ keys }) => keys.indexOf("score") !== keys.lastIndexOf("score")))
    return null;
  const { score, reason } = first.value;
  const isSame = ({ value }: FoundObject) => value.score === score && value.reason === reason;
  if (typeof score !== "number" || !(score >= 0 && score <= 1) || !answers.every(isSame)) return null;
  return { score: Math.abs(score), reason: typeof reason === "string" ? shortReason(reason) : "" };
}

/** Whether the first, short question was answered with a clear yes. Anything else isn't one. */
export function isClearYes(text: string): boolean {
  return text.length < 1000 && /^[\s"'`*]*allow[\s"'`*.!]*$/i.test(withoutThoughts(text) ?? "");
}

/** A model's words, safe to display and short. */
function shortReason(text: string): string {
  const words = text.slice(0, MAX_ANSWER).split(/\s+/).filter(Boolean);
  const short = words.slice(0, MAX_WORDS).join(" ");
  const isCut = words.length > MAX_WORDS || short.length > MAX_REASON;
  return visible(short.slice(0, MAX_REASON)) + (isCut ? "…" : "");
}

interface FoundObject {
  value: Record<string, unknown>;
  /** Its own keys as they are written, each as often as it is. */
  keys: string[];
}

/** The JSON objects of a text that aren't within another one; null where one doesn't end. */
function objectsIn(text: string): FoundObject[] | null {
  const found: FoundObject[] = [];
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at)) {
    const end = endOfBraces(text, at);
    if (end === null) return null;
    const json = text.slice(at, end);
    const value = parsed(json);
    if (value !== null) found.push({ value, keys: keysWritten(json) });
    at = end;
  }
  return found;
}

/** Null where they don't end. */
function endOfBraces(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth === 0) return at + 1;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (end === null) return null;
      at = end - 1;
    }
  }
  return null;
}

function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null; // braces of prose
  }
}
