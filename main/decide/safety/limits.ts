import { z } from "zod";

/** The built-in rules' limits. A configuration can make them tighter, never looser. */

const ALLOWED_PREFIXES = ["local:", "federation:"] as const;
const BLOCKED_PATTERNS = ["network:external", "exec:arbitrary"] as const;
const MAX_DESCRIPTION = 2048;
const MAX_SUBTASKS = 128;

export const safetyLimitsSchema = z.strictObject({
  max_goal_description_len: z
    .number()
    .int()
    .min(1)
    .max(MAX_DESCRIPTION, `SR-001 can only be made tighter: at most ${MAX_DESCRIPTION}`)
    .default(MAX_DESCRIPTION),
  allowed_capability_prefixes: z
    .array(z.string().min(1).max(128))
    .max(64)
    .refine((prefixes) => prefixes.every((prefix) => ALLOWED_PREFIXES.some((known) => prefix.startsWith(known))), {
      error: `SR-004 can only be made tighter: each prefix must begin with one of ${ALLOWED_PREFIXES.join(", ")}`,
    })
    .default([...ALLOWED_PREFIXES]),
  blocked_capability_patterns: z
    .array(z.string().min(1).max(128))
    .max(64)
    .refine((patterns) => BLOCKED_PATTERNS.every((known) => patterns.includes(known)), {
      error: `SR-003 can only be made tighter: the list must hold ${BLOCKED_PATTERNS.join(" and ")}, too`,
    })
    .default([...BLOCKED_PATTERNS]),
  max_subtasks_per_graph: z
    .number()
    .int()
    .min(1)
    .max(MAX_SUBTASKS, `SR-005 can only be made tighter: at most ${MAX_SUBTASKS}`)
    .default(MAX_SUBTASKS),
  pause_on_critical: z.literal(true, { error: "a CRITICAL violation always pauses the gate" }).default(true),
});
export type SafetyLimits = Pick<
  z.output<typeof safetyLimitsSchema>,
  "max_goal_description_len" | "allowed_capability_prefixes" | "blocked_capability_patterns" | "max_subtasks_per_graph"
>;
