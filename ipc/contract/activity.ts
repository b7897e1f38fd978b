import { z } from "zod";
import {
  approvalStatusSchema,
  decisionSchema,
  outcomeSchema,
  requirementSchema,
  ruleSchema,
  stageSchema,
} from "./decision.ts";

/** The gate's latest decisions, as the operator's surfaces get them. `ts` in Unix seconds. */

/** What an agent says became of an allowed call: its own words, which nothing proves. */
export const reportedSchema = z.object({
  state: z.enum(["ok", "failed", "unreported"]),
  /** Milliseconds from the decision to the report. */
  ms: z.number().nullable(),
  /** How long the call itself took, where the agent says so. Milliseconds. */
  duration_ms: z.number().optional(),
  /** What ran isn't what was allowed: another executor, or other arguments. */
  ran_other: z.literal(true).optional(),
  /** It tried more than its line says, and its box kept it from that. */
  tried_more: z.literal(true).optional(),
});
export type Reported = z.infer<typeof reportedSchema>;

export const activityEntrySchema = z.object({
  decision_id: z.string(),
  ts: z.number(),
  agent_name: z.string(),
  executor: z.string(),
  outcome: outcomeSchema,
  stage: stageSchema,
  reason: z.string(),
  capabilities: z.array(requirementSchema),
  /** By which it was decided. */
  rule: ruleSchema,
  /** True where it was decided on as a confined call. */
  is_confined: z.boolean(),
  /** Present once the user was asked and the request ended. */
  status: approvalStatusSchema.optional(),
  /** What its agent said became of it; present where it was allowed. `unreported`: nothing yet. */
  reported: reportedSchema.optional(),
});
export type ActivityEntry = z.infer<typeof activityEntrySchema>;

/** One decision in full: with every stage's trace. */
export const openedDecisionSchema = z.object({
  ts: z.number(),
  agent_name: z.string(),
  executor: z.string(),
  intent: z.string(),
  cwd: z.string().nullable(),
  decision: decisionSchema,
  /** As in the listing. */
  reported: reportedSchema.optional(),
});
export type OpenedDecision = z.infer<typeof openedDecisionSchema>;

export const ACTIVITY_RANGES = ["hour", "day", "week"] as const;
export const activityRangeSchema = z.enum(ACTIVITY_RANGES);
export type ActivityRange = z.infer<typeof activityRangeSchema>;

/** Counts over a range, oldest bucket first; empty buckets are included. */
export const activityCountsSchema = z.object({
  range: activityRangeSchema,
  bucket_seconds: z.number().int(),
  buckets: z.array(
    z.object({
      /** Unix seconds. */
      start: z.number().int(),
      allowed: z.number().int(),
      asked: z.number().int(),
      denied: z.number().int(),
    }),
  ),
});
export type ActivityCounts = z.infer<typeof activityCountsSchema>;
