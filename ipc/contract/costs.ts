import { z } from "zod";

/** What calls cost, in the currency of gate.toml (`costs.currency`). */

export const priceSchema = z.object({
  amount: z.number().nonnegative(),
  currency: z.string(),
  /** True where it was estimated from the arguments' length. */
  is_estimated: z.boolean(),
});
export type Price = z.infer<typeof priceSchema>;

/** Since midnight, local time, by agent: what the gate allowed. */
export const spentSchema = z.object({
  agent_id: z.string(),
  agent_name: z.string(),
  amount: z.number(),
  currency: z.string(),
  calls: z.number().int(),
});
export type SpentToday = z.infer<typeof spentSchema>;
