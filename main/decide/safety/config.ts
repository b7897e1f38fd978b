import { z } from "zod";
import { safetyLimitsSchema } from "./limits.ts";
import { ownRuleSchema } from "./own-rules.ts";

/** `[safety]` of gate.toml. */
export const safetyConfigSchema = safetyLimitsSchema.extend({
  /** What ends the pause that a CRITICAL violation began. */
  pause_clears: z.enum(["by_human", "after_all_acknowledged", "after_seconds"]).default("by_human"),
  /** With `after_seconds`. */
  pause_seconds: z.number().int().min(60).max(31_536_000).default(3600),
  /** How many violations are kept; CRITICAL ones always until they are acknowledged. */
  max_violations: z.number().int().min(100).max(1_000_000).default(10_000),
  /** How long one rule may take; a slower one is skipped and counted. */
  rule_timeout_ms: z.number().int().min(1).max(10_000).default(100),
  rules: z.array(ownRuleSchema).max(256).default([]),
});
export type SafetyConfig = z.output<typeof safetyConfigSchema>;
