import { z } from "zod";
import { capabilitySchema, levelSchema, outcomeSchema } from "./decision.ts";

/** A cell of the policy table that policy_overrides.toml makes stricter for a profile. */
export const policyOverrideSchema = z.object({
  /** Whom it is for, as the file says: `agent codex-work`, `agent kind claude-code`, `principal local:anna`. */
  profile: z.string(),
  level: levelSchema,
  capability: capabilitySchema,
  /** Of the table. */
  before: outcomeSchema,
  outcome: outcomeSchema,
  /** Of the file, from 1. */
  line: z.number().int(),
});
export type PolicyOverride = z.infer<typeof policyOverrideSchema>;
