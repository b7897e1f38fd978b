import { z } from "zod";
import { activityEntrySchema, activityGapSchema } from "./activity.ts";
import { outcomeSchema } from "./decision.ts";

/** What a policy that isn't in force yet would have made of the calls that are kept (docs/policy-try.md). */

/** What would have become of a call: `asked` and `denied` are stricter than it was. */
export const TRY_CHANGES = ["looser", "denied", "asked", "unknown"] as const;
export type TryChange = (typeof TRY_CHANGES)[number];

/**
 * Why that isn't known. `no_facts`: its line was kept before facts were. `confinement`: whether it would run confined depends on what it
 * may read. `judges`: they denied it, and may have been asked otherwise. `earlier_calls`: it was denied or asked about for what calls
 * before it did, which would have ended otherwise. `other`: the gate denied it for something else once the policy had let it pass, or its
 * policy changed at that moment.
 */
export const TRY_UNKNOWNS = ["no_facts", "confinement", "judges", "earlier_calls", "other"] as const;
export type TryUnknown = (typeof TRY_UNKNOWNS)[number];

const triedCallSchema = activityEntrySchema.extend({
  change: z.enum(TRY_CHANGES),
  /** The gate's own outcome, before anybody answered; null where no fact of it is kept. */
  was: outcomeSchema.nullable(),
  /** Null where that isn't known. */
  would_be: outcomeSchema.nullable(),
  unknown: z.enum(TRY_UNKNOWNS).optional(),
});
export type TriedCall = z.infer<typeof triedCallSchema>;

export const policyTrySchema = z.object({
  /** All that are kept, of the agent and time that were asked for. */
  calls: z.number().int(),
  same: z.number().int(),
  asked: z.number().int(),
  denied: z.number().int(),
  looser: z.number().int(),
  unknown: z.number().int(),
  /** Of the unknown ones those that may be let through more: where there are any, nobody can say that nothing is looser. */
  may_be_looser: z.number().int(),
  why_unknown: z.partialRecord(z.enum(TRY_UNKNOWNS), z.number().int()),
  /** Of the oldest that is kept; null where there is none. Unix seconds. */
  since: z.number().nullable(),
  gaps: z.array(activityGapSchema),
  /** The newest of those that were asked for. */
  entries: z.array(triedCallSchema),
});
export type PolicyTry = z.infer<typeof policyTrySchema>;
