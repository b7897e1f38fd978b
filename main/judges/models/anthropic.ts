import { z } from "zod";
import { ModelError } from "../reviews/judge-ports.ts";
import type { Dialect } from "./dialect.ts";

/** Anthropic's Messages API. */

const VERSION = "2023-06-01";

const tokens = z.number().int().min(0).nullish();

const answerSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_creation_input_tokens: tokens,
      cache_read_input_tokens: tokens,
    })
    .nullish(),
});

/** Keywords of a JSON Schema that its structured outputs refuse. */
const REFUSED_KEYWORDS = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
]);

export const anthropic: Dialect = {
  path: "/messages",
  headers: (key) => ({ "anthropic-version": VERSION, ...(key === undefined ? {} : { "x-api-key": key }) }),
  body: ({ system, messages, schema, max_tokens }, model, withSchema) => ({
    model,
    max_tokens,
    system,
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    ...(schema !== undefined && withSchema
      ? { output_config: { format: { type: "json_schema", schema: withoutRefused(schema) } } }
      : {}),
  }),
  read(json) {
    const parsed = answerSchema.safeParse(json);
    if (!parsed.success) throw new ModelError("malformed", "its answer has another form than the Messages API's");
    const { content, stop_reason, usage } = parsed.data;
    if (stop_reason === "refusal") throw new ModelError("refused", "the model refused to answer");
    const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage ?? {};
    return {
      text: content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join(""),
      input_tokens:
        typeof input_tokens === "number"
          ? input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
          : null,
      output_tokens: output_tokens ?? null,
    };
  },
};

function withoutRefused(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRefused);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      REFUSED_KEYWORDS.has(key) && typeof value === "number" ? [] : [[key, withoutRefused(value)]],
    ),
  );
}
