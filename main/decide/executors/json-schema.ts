/** Short forms for the arguments' JSON Schemas in the built-in manifests. Plain data: imports nothing. */

export type JsonSchema = Record<string, unknown>;

export const text: JsonSchema = { type: "string" };
export const named: JsonSchema = { type: "string", minLength: 1 };
export const flag: JsonSchema = { type: "boolean" };
export const count: JsonSchema = { type: "number" };
export const anything: JsonSchema = {};
export const textOrList: JsonSchema = { anyOf: [named, { type: "array", items: named, minItems: 1 }] };

/** An object with these arguments; `required` must be there, others that it doesn't know may be. */
export function object(required: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: true,
  };
}
