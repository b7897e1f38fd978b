import type { TomlError } from "smol-toml";
import { z } from "zod";
import { shortened } from "../../ipc/base/visible-text.ts";
import { lineOf } from "./toml-line.ts";

/** What is wrong with gate.toml or policy_overrides.toml: one sentence with file, line and key, and what has to be there. No value is quoted: it may be a key. */

/** Letters that may differ between what was written and what was meant. */
const MAX_TYPOS = 2;

/** What stands for a key in a text that isn't TOML may be of any length. */
const MAX_NAMED = 60;

/** Of a text that isn't TOML. */
export function syntaxErrorText(file: string, text: string, error: TomlError): string {
  const line = text.split("\n")[error.line - 1] ?? "";
  const [key = "", value] = line.split("=", 2).map((part) => part.trim());
  const named = key === "" ? "" : ` (${shortened(key, MAX_NAMED)})`;
  return `${file}, line ${error.line}${named}: ${whatSyntax(key, value, error)}`;
}

function whatSyntax(key: string, value: string | undefined, { message }: TomlError): string {
  if (/redefine|already defined/.test(message))
    return `not valid TOML: ${key.startsWith("[") ? "this section" : "this key"} is there twice`;
  if (/^[\w-]+:[\w-]+$/.test(key)) return `not valid TOML: a name with a colon is in quotes: "${key}"`;
  if (value !== undefined && /^[A-Za-z~/]/.test(value))
    return "not valid TOML: a text has to be in quotes, and yes and no are true and false";
  return "not valid TOML";
}

/** Of a text whose values don't fit `schema`. @param table the text, parsed */
export function invalidText(file: string, text: string, error: z.ZodError, table: unknown, schema: z.ZodType): string {
  // A key that is misspelt is missing too: what it was called helps more.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  if (issue === undefined) return `${file}: not valid`;
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") path.push(issue.keys[0] ?? "");
  if (issue.code === "invalid_union" && issue.discriminator !== undefined && path.at(-1) !== issue.discriminator)
    path.push(issue.discriminator);
  return `${file}, line ${lineOf(text, path)}: ${path.join(".")}: ${whatIsWrong(issue, table, schema)}`;
}

function whatIsWrong(issue: z.core.$ZodIssue, table: unknown, schema: z.ZodType): string {
  if (issue.code === "unrecognized_keys") return `there is no such key${unknownKeyHint(issue, table, schema)}`;
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  const value = valueAt(table, issue.path);
  return issue.code !== "custom" && value === undefined ? "is missing" : expectation(issue, value);
}

/** How zod's own sentences begin. */
const ZODS_OWN = /^(?:Invalid|Too (?:big|small)|Unrecognized)/;

/** What has to be there, in words. A sentence of the schema itself is left as it is. */
function expectation(issue: z.core.$ZodIssue, value: unknown): string {
  if (!ZODS_OWN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return expectedType(issue.expected, value, issue.path);
    case "invalid_value":
      return oneOf(issue.values.map((one) => JSON.stringify(one)));
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? oneOf(issue.options.map((one) => JSON.stringify(one)))
        : issue.message;
    case "too_big":
      return `expected at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return `expected ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text in quotes",
  boolean: "true or false, without quotes",
  number: "a number, without quotes",
  int: "a whole number, without quotes",
  array: "a list in [ ]",
  tuple: "a list in [ ]",
  object: "a table",
  record: "a table",
};

function expectedType(expected: string, value: unknown, path: readonly PropertyKey[]): string {
  const type = TYPES[expected] ?? expected;
  const name = path.map(String).join(".");
  if (expected === "array" && isTable(value)) return `expected a list of tables: write [[${name}]]`;
  if (expected === "record" && Array.isArray(value)) return `expected a table for each name: write [${name}.NAME]`;
  return `expected ${type}`;
}

function oneOf(values: readonly string[]): string {
  if (values.length === 1) return `expected ${values[0]}`;
  return `expected one of ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " in the list" : "";
}

/** What was meant, as far as that can be said. */
function unknownKeyHint(issue: z.core.$ZodIssueUnrecognizedKeys, table: unknown, schema: z.ZodType): string {
  const { path, keys } = issue;
  const [key = ""] = keys;
  const [section, name] = path.map(String);
  const isNamed = (section === "models" || section === "judge_agents") && name !== undefined && path.length === 2;
  // `[models.qwen3.1]` is a table in a table.
  if (isNamed && typeof valueAt(table, [...path, key]) === "object" && !Array.isArray(valueAt(table, [...path, key])))
    return `; a name with a dot is quoted: [${section}."${name}.${key}"]`;
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const known = knownKeys(json, path);
  if (section === "models" && known.includes("key_file") && /^(api_?)?(key|token)$/i.test(key))
    return "; a key isn't written here, but in a file (key_file) or an environment variable (key_env)";
  const meant = nearest(key, known);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return known.length === 0 || path.length === 0 ? "" : `; there are ${known.join(", ")}`;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The keys that a table at `path` can have. */
function knownKeys(schema: JsonSchema, path: readonly PropertyKey[]): string[] {
  let places = alternatives(schema);
  for (const step of path) places = places.flatMap((place) => alternatives(below(place, step)));
  return [...new Set(places.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

function below({ properties, additionalProperties, items }: JsonSchema, step: PropertyKey): unknown {
  if (typeof step === "number") return items;
  const own =
    properties !== undefined && Object.hasOwn(properties, String(step)) ? properties[String(step)] : undefined;
  return own ?? additionalProperties;
}

function alternatives(schema: unknown): JsonSchema[] {
  if (!isTable(schema)) return [];
  const one: JsonSchema = schema;
  return [one, ...(one.oneOf ?? []), ...(one.anyOf ?? [])].filter(isTable);
}

function nearest(key: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, typos: typosBetween(key.toLowerCase(), name) }))
    .filter(({ name, typos }) => typos <= Math.min(MAX_TYPOS, name.length / 2))
    .sort((a, b) => a.typos - b.typos);
  return near[0]?.name;
}

/** Letters to add, leave out, replace or exchange with the next one. */
function typosBetween(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[to.length] ?? 0;
}

function valueAt(table: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    table,
  );
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
