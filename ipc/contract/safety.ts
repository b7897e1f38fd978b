import { z } from "zod";

/** The safety filter and the pause as surfaces see them (docs/decisions/requirements-safety.md). Dates are ISO-8601 UTC (`...Z`). */

export const severitySchema = z.enum(["INFO", "WARN", "BLOCK", "CRITICAL"]);
export type Severity = z.infer<typeof severitySchema>;

export const subjectTypeSchema = z.enum(["goal", "subtask", "graph"]);
export type SubjectType = z.infer<typeof subjectTypeSchema>;

export const violationSchema = z.object({
  id: z.number().int(),
  rule_id: z.string(),
  severity: severitySchema,
  subject_type: subjectTypeSchema,
  /** The agent's name for it; hidden characters are escaped before it is shown. */
  subject_id: z.string(),
  agent_name: z.string(),
  /** The rule, in one sentence by the gate, without the subject's words. */
  detail: z.string(),
  /** What of the subject broke a built-in rule: a type, names, a number. The agent's words, bounded, hidden characters escaped. */
  about: z.string().nullable(),
  /** The last time. */
  detected_at: z.string(),
  /** More than 1 where an agent repeated it and only the count was kept. */
  times: z.number().int(),
  acknowledged_at: z.string().nullable(),
});
export type ViolationView = z.infer<typeof violationSchema>;

/** As much of a violation as its sentence needs (`violationText` in safety-words.ts). */
export const violationCauseSchema = violationSchema.pick({
  rule_id: true,
  subject_type: true,
  agent_name: true,
  detail: true,
  about: true,
});
export type ViolationCause = z.infer<typeof violationCauseSchema>;

/** Who paused the gate, until when, and what ends the pause. */
export const pauseSchema = z.object({
  is_paused: z.boolean(),
  /** `human`: by hand. `safety`: by a CRITICAL violation. Null while it runs. */
  by: z.enum(["human", "safety"]).nullable(),
  reason: z.string().nullable(),
  since: z.string().nullable(),
  /** When it ends by itself; null: only once it is ended. */
  until: z.string().nullable(),
  clears: z.enum(["by_human", "after_all_acknowledged", "after_seconds"]),
  /** The violation that paused it; null where a user did, and where an earlier version wrote the pause. */
  cause: violationCauseSchema.nullable(),
});
export type Pause = z.infer<typeof pauseSchema>;

const safetyRuleSchema = z.object({
  rule_id: z.string(),
  subject_type: subjectTypeSchema,
  severity: severitySchema,
  description: z.string(),
  is_builtin: z.boolean(),
  /** How often it threw or took too long, since the gate started. */
  errors: z.number().int(),
  last_error: z.string().nullable(),
});
export type SafetyRuleView = z.infer<typeof safetyRuleSchema>;

export const safetyStatusSchema = z.object({
  pause: pauseSchema,
  /** What could not be done though the gate is paused. */
  note: z.string().optional(),
  rules: z.array(safetyRuleSchema),
  violations_unacknowledged: z.number().int(),
});
export type SafetyStatus = z.infer<typeof safetyStatusSchema>;
