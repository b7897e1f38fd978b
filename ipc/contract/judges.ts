import { z } from "zod";
import { judgeNotesSchema, requirementSchema, ruleSchema, stageSchema } from "./decision.ts";
import { descriptionSchema } from "./description.ts";
import { REVIEW_STAGES, reviewSchema } from "./review.ts";

/** The judges as the user sees them: which there are, what they look at now, and what they refused. Dates are ISO-8601 UTC. */

/** Who gives the score: the rules, or a model. */
export const JUDGE_KINDS = ["rule-based-v1", "llm-v1"] as const;
export type JudgeKind = (typeof JUDGE_KINDS)[number];

/** A call that a judge looks at now. */
export const runningReviewSchema = z.object({
  id: z.string(),
  agent_name: z.string(),
  executor: z.string(),
  /** What it is about, in a line, as a card would say it. */
  summary: z.string(),
  stage: z.enum(REVIEW_STAGES),
  /** The judge that looks at it now. */
  name: z.string(),
  /** Since when the call is looked at, by all judges together. */
  since: z.string(),
});
export type RunningReview = z.infer<typeof runningReviewSchema>;

/** A call that a judge or a stage refused and that a person can do something about: kept in memory for a while, so that the user sees it. */
export const refusedCallSchema = z.object({
  /** The decision's; of a call that was refused again, the first one's. */
  id: z.string(),
  agent_name: z.string(),
  executor: z.string(),
  /** What it was about, in a line, as a card would say it. */
  summary: z.string(),
  cwd: z.string().nullable(),
  refused_at: z.string(),
  /** Who refused it, by which rule, and the gate's sentence about it. */
  stage: stageSchema,
  rule: ruleSchema,
  reason: z.string(),
  /** Of the rules as judge: what lowered the score. */
  notes: judgeNotesSchema.optional(),
  /** Of a judge that was asked, with its sentence; null where a stage refused it. */
  review: reviewSchema.nullable(),
  /** What the agent got to know that it can do instead. */
  instead: z.string(),
  /** What the call is and does; null where a stage refused it: nobody can allow that here. */
  description: descriptionSchema.nullable(),
  /** What it needs, as a card would say it; nothing where `description` is null. */
  capabilities: z.array(requirementSchema),
  /** The whole call: nobody allows once what they can't see. Null where `description` is. */
  args: z.record(z.string(), z.unknown()).nullable(),
  /** True while `reviews.override` can allow it once. */
  can_override: z.boolean(),
  /** When the user allowed it once in spite of the judge; null where they didn't. */
  overridden_at: z.string().nullable(),
});
export type RefusedCall = z.infer<typeof refusedCallSchema>;

/** Why a model can't be asked at the moment. */
export const MODEL_PROBLEMS = [
  "no-model",
  "key-missing",
  "unreachable",
  "not-answering",
  "refused",
  "malformed",
  "breaker-open",
  "over-budget",
] as const;
export type ModelProblem = (typeof MODEL_PROBLEMS)[number];

/** How good a model was found to be as judge, by `npm run judge-eval`. */
const measurementSchema = z.object({
  /** What it was measured on, such as `ours`. */
  data: z.string(),
  /** Calls that it was asked about. */
  calls: z.number().int(),
  /** Calls of the data that a judge can be asked about. */
  of: z.number().int(),
  /** Questions without a usable answer. */
  fallbacks: z.number().int(),
  measured_at: z.string(),
  /** In [0, 1]; null where nothing was refused. */
  precision: z.number().nullable(),
  /** In [0, 1]; null where nothing was to be refused. */
  recall: z.number().nullable(),
});
export type Measurement = z.infer<typeof measurementSchema>;

const modelStatusSchema = z.object({
  name: z.string(),
  dialect: z.enum(["anthropic", "openai"]),
  /** The model's name at its provider. */
  model: z.string(),
  /** Host and port. */
  host: z.string(),
  is_online: z.boolean(),
  /** Null where it answered last, or wasn't asked yet. */
  problem: z.enum(MODEL_PROBLEMS).nullable(),
  calls_today: z.number().int(),
  /** In the currency of the configured prices. */
  cost_today: z.number(),
  calls_per_day: z.number().int().nullable(),
  cost_per_day: z.number().nullable(),
  /** As it is configured now; null: not measured. */
  measured: measurementSchema.nullable(),
});
export type ModelStatus = z.infer<typeof modelStatusSchema>;

export const judgeStatusSchema = z.object({
  /** As configured. */
  kind: z.enum(JUDGE_KINDS),
  /** As calls are judged now: the model's budget may be used up. */
  kind_now: z.enum(JUDGE_KINDS),
  threshold: z.number(),
  llm_threshold: z.number(),
  /** The judge's model; null where none is configured. */
  model: z.string().nullable(),
  models: z.array(modelStatusSchema),
  validators: z.array(
    z.object({ judge_agent: z.string(), criteria: z.string(), min_score: z.number(), min_confidence: z.number() }),
  ),
  judge_agents: z.array(
    z.object({ name: z.string(), kind: z.enum(["model", "command"]), model: z.string().nullable() }),
  ),
  /** Whether a refusal by a judge can be overridden once (`judge.override`). */
  can_override: z.boolean(),
});
export type JudgeStatus = z.infer<typeof judgeStatusSchema>;

/** How one question to a model went. */
export const judgeTestSchema = z.object({
  name: z.string(),
  ok: z.boolean(),
  problem: z.enum(MODEL_PROBLEMS).nullable(),
  /** One sentence: the model's reason, or what went wrong. */
  sentence: z.string(),
  score: z.number().nullable(),
  ms: z.number().int(),
  cost: z.number(),
  input_tokens: z.number().int().nullable(),
  output_tokens: z.number().int().nullable(),
});
export type JudgeTest = z.infer<typeof judgeTestSchema>;
