import { z } from "zod";
import { capabilitySchema } from "./decision.ts";

/** What is left of an agent's calls of a capability. */
export const budgetSchema = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  capability: capabilitySchema,
  /** Calls at once, and calls a minute that come back. */
  capacity: z.number(),
  per_minute: z.number(),
  left: z.number(),
});
export type Budget = z.infer<typeof budgetSchema>;

/** The same call again and again: how often within so many seconds. */
export const repeatedCallSchema = z.object({ count: z.number().int(), seconds: z.number().int() });
export type RepeatedCall = z.infer<typeof repeatedCallSchema>;
