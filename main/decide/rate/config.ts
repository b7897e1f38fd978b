import { z } from "zod";
import { type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";

/** `[rate]` of gate.toml: how many calls of a capability each agent has (docs/rate.md). */

const limitSchema = z.strictObject({
  /** Calls that come back in a minute. */
  per_minute: z.number().min(0.01).max(1_000_000),
  /** Calls at once, after a while without any; left out: as many as in a minute. */
  capacity: z.number().int().positive().max(1_000_000).optional(),
});
export interface Limit {
  per_minute: number;
  capacity: number;
}

export const rateConfigSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** By capability; one that isn't named has the documented default. */
  limits: z.partialRecord(capabilitySchema, limitSchema).default({}),
  /** The same call more often than this in a minute is asked about once, although it is allowed. */
  same_call_per_minute: z.number().int().min(2).max(100_000).default(40),
});
export type RateConfig = z.output<typeof rateConfigSchema>;

/**
 * Without a configuration. Generous: a user who works with several sessions of an agent shouldn't notice them, a program that runs in
 * a circle should. What touches nothing outside the gate has none.
 */
export const DEFAULT_LIMITS: Readonly<Partial<Record<Capability, Limit>>> = {
  // A search opens hundreds of files in a burst, by several subagents at once; two a second for hours is no search.
  "fs:read": { per_minute: 120, capacity: 600 },
  // A change across a whole repository comes in a burst, too, but each file is one that was read before.
  "fs:write": { per_minute: 60, capacity: 240 },
  // Builds, tests, version control: each of them takes a while.
  "code:exec": { per_minute: 60, capacity: 240 },
  "network:http": { per_minute: 60, capacity: 240 },
  // It costs nothing but the machine's time.
  "llm:local": { per_minute: 60, capacity: 120 },
  // Each of them costs money.
  "llm:online": { per_minute: 20, capacity: 60 },
  "mail:read": { per_minute: 60, capacity: 120 },
  // A person answers some mails in a row; none of them can be taken back.
  "mail:send": { per_minute: 2, capacity: 10 },
  "channel:in": { per_minute: 60, capacity: 120 },
  "channel:out": { per_minute: 10, capacity: 30 },
  "calendar:read": { per_minute: 60, capacity: 120 },
};

/** The limit of each capability that has one. */
export function limitsOf({ limits }: Pick<RateConfig, "limits">): ReadonlyMap<Capability, Limit> {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const found = new Map<Capability, Limit>();
  for (const name of capabilitySchema.options) {
    const limit = all[name];
    if (limit === undefined) continue;
    const { per_minute, capacity = Math.max(1, Math.ceil(per_minute)) } = limit;
    found.set(name, { per_minute, capacity });
  }
  return found;
}
