import { z } from "zod";
import { capabilitySchema, levelSchema, outcomeSchema } from "./decision.ts";

/** A cell of the policy table that is made stricter: by policy_overrides.toml for a profile, or by hand on a surface. */
export const policyOverrideSchema = z.object({
  /** Whom it is for, as the file says: `agent codex-work`, `agent kind claude-code`, `principal local:anna`; by hand also `all agents`. */
  profile: z.string(),
  level: levelSchema,
  capability: capabilitySchema,
  /** Of the table. */
  before: outcomeSchema,
  outcome: outcomeSchema,
  /** Of the file, from 1; null where it was made stricter by hand. */
  line: z.number().int().nullable(),
  /** Only where it was made stricter by hand: what takes it back, and since when. */
  by_hand: z.object({ id: z.number().int(), set_at: z.string() }).optional(),
});
export type PolicyOverride = z.infer<typeof policyOverrideSchema>;
