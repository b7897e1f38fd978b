import { z } from "zod";
import { keysWritten } from "../keys-written.ts";
import { withoutThoughts } from "../thoughts.ts";

/** What a judge agent answers, and how it is read from its final output (docs/decisions/requirements-validators.md). */

/** Characters. A longer output is refused unread. */
export const MAX_OUTPUT = 65_536;

const fraction = z.number().min(0).max(1);

const gradientResultSchema = z.object({
  score: fraction,
  /** How sure the judge says it is. */
  confidence: fraction,
  reasoning: z.string().max(16_384),
  signals: z
    .array(z.object({ category: z.string().max(256), score: fraction, message: z.string().max(4096) }))
    .max(64)
    .default([]),
  metadata: z.record(z.string().max(256), z.unknown()).default({}),
});
export type GradientResult = z.output<typeof gradientResultSchema>;

/** Why an output can't be used. */
export const OUTPUT_PROBLEMS = ["empty", "too-long", "no-object", "several-results", "wrong-shape"] as const;
export type OutputProblem = (typeof OUTPUT_PROBLEMS)[number];

/** `key`: of the wrong shape is this one of the result's own keys. */
export type ReadOutput = { result: GradientResult } | { problem: OutputProblem; key?: string };

const OPENING_FENCE = /^[ \t]{0,3}```[\w+-]*[ \t]*$/;
const CLOSING_FENCE = /^[ \t]{0,3}```[ \t]*$/;
/** Beside the result that is read there is another: which of them is meant is unknown. */
const FURTHER_RESULT = /"score"\s*:/;

/** The result: the object in the first code fence, or the whole text, after what a model may have thought. Never throws. */
export function readGradientResult(output: string): ReadOutput {
  if (output.length > MAX_OUTPUT) return { problem: "too-long" };
  if (output.trim() === "") return { problem: "empty" };
  const text = withoutThoughts(output)?.trim() ?? "";
  const fenced = firstFence(text);
  if (fenced !== null && FURTHER_RESULT.test(fenced.around)) return { problem: "several-results" };
  const json = fenced?.inside ?? text;
  const value = parsed(json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: "no-object" };
  const keys = keysWritten(json);
  if (new Set(keys).size < keys.length) return { problem: "several-results" };
  const read = gradientResultSchema.safeParse(value);
  if (read.success) return { result: read.data };
  const key = read.error.issues[0]?.path[0];
  return { problem: "wrong-shape", ...(typeof key === "string" ? { key } : {}) };
}

/** Fences are lines of their own: one that is quoted in a JSON text, whose strings have no line break, isn't taken for it. */
function firstFence(text: string): { inside: string; around: string } | null {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => OPENING_FENCE.test(line));
  if (start === -1) return null;
  const end = lines.findIndex((line, index) => index > start && CLOSING_FENCE.test(line));
  if (end === -1) return null;
  const around = [...lines.slice(0, start), ...lines.slice(end + 1)];
  return { inside: lines.slice(start + 1, end).join("\n"), around: around.join("\n") };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // What isn't JSON is no object either.
    return undefined;
  }
}

const KEYS: ReadonlySet<string> = new Set(Object.keys(gradientResultSchema.shape));

/** What is wrong with an output, as the end of a sentence that begins "its answer". Quotes nothing of it. */
export function problemText({ problem, key }: { problem: OutputProblem; key?: string }): string {
  switch (problem) {
    case "empty":
      return "is empty";
    case "too-long":
      return `is longer than ${MAX_OUTPUT} characters`;
    case "no-object":
      return "isn't a JSON object, alone or in a code fence";
    case "several-results":
      return "has more than one result";
    case "wrong-shape":
      return key !== undefined && KEYS.has(key) ? `has no valid ${key}` : "is no valid result";
  }
}
