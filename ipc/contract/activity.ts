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
  /** It changed files that run later, or instruct agents, in a session that had taken in something untrusted; its line doesn't name them. */
  changed_later: z.literal(true).optional(),
});
export type Reported = z.infer<typeof reportedSchema>;

/**
 * How a call came out, each in one of these alone, so that their numbers add up. `allowed`: by the level, a grant or a box, without a
 * question of its own. `approved`, `rejected`: by the user. `denied`: by the gate. `unanswered`: asked, and nobody said yes or no. `waiting`:
 * it is asked about now.
 */
export const CALL_RESULTS = ["allowed", "approved", "rejected", "denied", "unanswered", "waiting"] as const;
export const callResultSchema = z.enum(CALL_RESULTS);
export type CallResult = z.infer<typeof callResultSchema>;

/** A call's result, by its decision. */
export function resultOf({ outcome, status, rule }: Pick<ActivityEntry, "outcome" | "status" | "rule">): CallResult {
  if (outcome === "approval_required") return "waiting";
  if (outcome === "allowed")
    return status === "approved" && rule !== "approval.covered-by-grant" ? "approved" : "allowed";
  if (status === "rejected" && rule !== "approval.refused-for-session") return "rejected";
  return status === "expired" || status === "cancelled" ? "unanswered" : "denied";
}

export const activityEntrySchema = z.object({
  /** Of the line, in the order in which they were asked for: where a listing continues. */
  number: z.number().int(),
  decision_id: z.string(),
  ts: z.number(),
  agent_name: z.string(),
  executor: z.string(),
  /** What it was, without the values of its arguments: `git push --force`, `Edit src/a.ts`. */
  line: z.string(),
  /** The repository that it works in, or its working directory outside of one; null where that isn't known. */
  project: z.string().nullable(),
  outcome: outcomeSchema,
  result: callResultSchema,
  /** Null where the decision isn't among the last ones any more. */
  stage: stageSchema.nullable(),
  /** "" where the decision isn't among the last ones any more. */
  reason: z.string(),
  /** Of one that isn't among the last ones any more without their targets (""). */
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

/** A time in which calls may be missing, and why. Unix seconds. */
export const activityGapSchema = z.object({
  from: z.number(),
  until: z.number(),
  /**
   * `killed`: the gate ended without writing its last lines. `unwritten`: the database couldn't be written. `bounded`: the oldest went, as
   * there were too many. `forgotten`: by the user. `not_kept`: by the configuration.
   */
  why: z.enum(["killed", "unwritten", "bounded", "forgotten", "not_kept"]),
  /** How many are missing; null where that isn't known. */
  calls: z.number().int().nullable(),
});
export type ActivityGap = z.infer<typeof activityGapSchema>;

/** A page of the calls that are kept, newest first. */
export const activityPageSchema = z.object({
  entries: z.array(activityEntrySchema),
  /** Of the oldest call that is kept; null where there is none. Unix seconds. */
  since: z.number().nullable(),
  /** Where calls of the listed time may be missing, the newest first. */
  gaps: z.array(activityGapSchema),
  /** What is kept of a call, and for how many days; `nothing`: in memory, until the gate ends. */
  keep: z.enum(["line", "whole", "nothing"]),
  days: z.number().int(),
});
export type ActivityPage = z.infer<typeof activityPageSchema>;

const resultCountsSchema = z.record(callResultSchema, z.number().int());
export type ResultCounts = z.infer<typeof resultCountsSchema>;

/** What an agent did in a project since midnight, local time. */
const dayRowSchema = z.object({
  agent_name: z.string(),
  project: z.string().nullable(),
  calls: resultCountsSchema,
  /** All of them. */
  total: z.number().int(),
  /** Of these the user was asked about so many. */
  asked: z.number().int(),
  /** Files below a project that allowed calls named as what they change: how many, and some of them. What a command changes beside is not known. */
  files: z.object({ count: z.number().int(), some: z.array(z.string()) }),
  /** The same of hosts that allowed calls named. */
  hosts: z.object({ count: z.number().int(), some: z.array(z.string()) }),
  /** What the allowed ones cost, by currency, where a price is known. */
  costs: z.array(z.object({ currency: z.string(), amount: z.number() })),
});
export type DayRow = z.infer<typeof dayRowSchema>;

export const activityTodaySchema = z.object({
  /** Midnight, or where a part of the day isn't kept, since when it is. Unix seconds. */
  since: z.number(),
  /** The busiest first. */
  rows: z.array(dayRowSchema),
  /** Of today. */
  gaps: z.array(activityGapSchema),
  keep: activityPageSchema.shape.keep,
});
export type ActivityToday = z.infer<typeof activityTodaySchema>;

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
