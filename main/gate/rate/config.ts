import { z } from "zod";
import { CAPABILITIES, capabilitySchema } from "../../../ipc/decision.ts";

/** `[rate]` of gate.toml: how many calls of a capability each agent has. */

const limitSchema = z.strictObject({
  /** Calls that come back in a minute. */
  per_minute: z.number().positive().max(1_000_000),
  /** Calls at once, after a while without any; left out: as many as in a minute. */
  capacity: z.number().int().positive().max(1_000_000).optional(),
});
export type Limit = Required<z.output<typeof limitSchema>>;

export const rateConfigSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** By capability; one that isn't named has the documented default. */
  limits: z.partialRecord(capabilitySchema, limitSchema).default({}),
  /** The same call more often than this in a minute is asked about once, although it is allowed. */
  same_call_per_minute: z.number().int().min(2).max(100_000).default(40),
});
export type RateConfig = z.output<typeof rateConfigSchema>;

/** Of each capability, without a configuration. */
export const DEFAULT_PER_MINUTE = Object.fromEntries(CAPABILITIES.map((name) => [name, 120])) as Readonly<
  Record<(typeof CAPABILITIES)[number], number>
>;
