import { z } from "zod";

/** `[costs]` and `[[prices]]` of gate.toml: what calls cost, and from which price on the user is asked. */

const amount = z.number().min(0).max(1_000_000);

const priceFields = {
  per_call: amount.optional(),
  /** Of what is sent, which is estimated from the arguments' length, and of the answer. */
  per_million_tokens: amount.optional(),
  /** Tokens of the answer that are reckoned with, at the same price. */
  answer_tokens: z.number().int().min(0).max(10_000_000).default(1000),
};

const ONE_OF_THEM = { path: ["per_call"], message: "expected per_call or per_million_tokens, one of them" };

function isOneOfThem({ per_call, per_million_tokens }: { per_call?: unknown; per_million_tokens?: unknown }): boolean {
  return (per_call === undefined) !== (per_million_tokens === undefined);
}

/** In an executor's manifest. */
export const ownPriceSchema = z.strictObject(priceFields).refine(isOneOfThem, ONE_OF_THEM);
export type OwnPrice = z.output<typeof ownPriceSchema>;

const priceConfigSchema = z
  .strictObject({
    /** An executor's name, such as `llm_online` or `mcp__github__search`. */
    executor: z.string().min(1).max(200),
    ...priceFields,
  })
  .refine(isOneOfThem, ONE_OF_THEM);

export const costSections = {
  costs: z
    .strictObject({
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "expected a currency's code such as USD")
        .default("USD"),
      /** A call that costs more is asked about each time, whatever the level allows and whatever was granted. */
      ask_above: z
        .strictObject({ ReadOnly: amount.default(0), Supervised: amount.default(0.05), Full: amount.default(0.05) })
        .prefault({}),
    })
    .prefault({}),
  prices: z
    .array(priceConfigSchema)
    .max(1024)
    .default([])
    .superRefine((prices, context) => {
      const seen = new Set<string>();
      for (const [index, { executor }] of prices.entries()) {
        if (seen.has(executor))
          context.addIssue({ code: "custom", path: [index, "executor"], message: "it has a price already: leave one" });
        seen.add(executor);
      }
    }),
};
const costConfigSchema = z.strictObject(costSections);
export type CostConfig = z.output<typeof costConfigSchema>;
