import { z } from "zod";

/** What one judge (a model, or a configured judge agent) found about a call before it was allowed. */

/** The stages that may ask somebody else than the user. */
export const REVIEW_STAGES = ["judge", "validators"] as const;
export type ReviewStage = (typeof REVIEW_STAGES)[number];

/**
 * `fallback`: the judge could not answer, so that its score says nothing. `overridden`: the user allowed this call once in spite of the
 * judges, which were not asked. `not_run`: it would be asked (previews and `explain`).
 */
export const REVIEW_OUTCOMES = ["passed", "rejected", "fallback", "overridden", "not_run"] as const;

export const reviewSchema = z.object({
  stage: z.enum(REVIEW_STAGES),
  /** The model's or judge agent's name in gate.toml. */
  name: z.string(),
  outcome: z.enum(REVIEW_OUTCOMES),
  /** In [0, 1]; null where there is none. */
  score: z.number().nullable(),
  /** Of a validator, in [0, 1], as its judge agent says of itself. */
  confidence: z.number().nullable(),
  /** The judge's own sentence, or why there is none. Text of a model: shown as text only. */
  sentence: z.string(),
  /** How long it took. */
  ms: z.number().int(),
  /** True where the call was sent to another machine: counts as `llm:online`. */
  is_online: z.boolean(),
});
export type Review = z.infer<typeof reviewSchema>;
