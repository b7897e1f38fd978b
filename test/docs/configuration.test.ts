import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema, loadConfig } from "../../main/config/config.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../main/decide/executors/catalog.ts";
import { manifestSchema, targetSourceSchema } from "../../main/decide/executors/manifest.ts";
import {
  judgeAgentConfigSchema,
  judgeToolSchema,
  mcpToolConfigSchema,
  modelConfigSchema,
  validatorConfigSchema,
} from "../../main/decide/reviews/config.ts";
import { ownRuleSchema } from "../../main/decide/safety/own-rules.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const ROOT = new URL("../../", import.meta.url);
const TEXT = readFileSync(new URL("docs/configuration.md", ROOT), "utf8");

function example(name: string): string {
  const found = new RegExp(`\`\`\`toml ${name}\n([\\s\\S]*?)\`\`\``).exec(TEXT)?.[1];
  if (found === undefined) throw new Error(`no example ${name}`);
  return found;
}

/** The rows of the table whose head is `head`, as lists of cells. */
function table(head: string): string[][] {
  const rows =
    TEXT.slice(TEXT.indexOf(head))
      .split(/\n(?!\|)/, 1)[0]
      ?.split("\n")
      .slice(2) ?? [];
  return rows.map((row) => row.split("|").slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

function namesIn(cell: string | undefined): string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

const itemSchema = z.object({ type: z.string().optional(), anyOf: z.array(z.unknown()).optional() });
const keySchema = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array", "object"]),
  enum: z.array(z.string()).optional(),
  const: z.union([z.string(), z.boolean()]).optional(),
  items: itemSchema.optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
});
type Key = z.infer<typeof keySchema>;
const tableSchema = z.object({
  type: z.literal("object"),
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

/** The key, type and default of every key of a table as the document writes them, those of tables in it among them. */
function rowsOf(schema: z.ZodType): string[][] {
  return rowsIn(z.toJSONSchema(schema, { io: "input" }));
}

function rowsIn(schema: unknown, prefix = ""): string[][] {
  const { properties, required } = tableSchema.parse(schema);
  return Object.entries(properties).flatMap(([name, found]) =>
    tableSchema.safeParse(found).success
      ? rowsIn(found, `${prefix}${name}.`)
      : [rowOf(`${prefix}${name}`, keySchema.parse(found), required.includes(name))],
  );
}

/** Of a table of several kinds: the key that tells them apart has each kind's name; the others are there once. */
function rowsOfKinds(schemas: readonly z.ZodType[], kind: string): string[][] {
  const rows = new Map<string, string[]>();
  for (const row of schemas.flatMap(rowsOf)) {
    const [key = "", type = ""] = row;
    const before = rows.get(key);
    if (before === undefined) rows.set(key, row);
    else if (key === `\`${kind}\``) before[1] = `${before[1]}, ${type}`;
    else expect(row).toEqual(before);
  }
  return [...rows.values()].map(([key = "", type = "", value = ""]) => [key, listed(type), value]);
}

function rowOf(key: string, schema: Key, isRequired: boolean): string[] {
  const value = schema.default === undefined ? (isRequired ? "required" : "not set") : inCode(schema.default);
  return [`\`${key}\``, typeOf(schema), value];
}

function typeOf(schema: Key): string {
  const { type, items } = schema;
  if (type === "array")
    return items?.type === "string" || items?.anyOf !== undefined ? "list of texts" : "list of tables";
  const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (choices.length > 0) return listed(choices.map(inCode).join(", "));
  if (type === "string") return "text";
  if (type === "object") return "tables by name";
  if (type === "boolean") return "`true` or `false`";
  return `${type === "integer" ? "whole number" : "number"}${rangeOf(schema)}`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER }: Key): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  return maximum === Number.MAX_SAFE_INTEGER ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}

function inCode(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function listed(choices: string): string {
  return /^`"/.test(choices) ? choices.replace(/, ([^,]*)$/, " or $1") : choices;
}

test.each([
  ["| key | type | default | means |", () => rowsOf(configSchema)],
  ["| key of `[models.NAME]` | type | default | means |", () => rowsOf(modelConfigSchema)],
  ["| key of `[[validators]]` | type | default | means |", () => rowsOf(validatorConfigSchema)],
  [
    "| key of `[judge_agents.NAME]` | type | default | means |",
    () => rowsOfKinds(judgeAgentConfigSchema.options, "kind"),
  ],
  ["| key of a tool | type | default | means |", () => rowsOfKinds(judgeToolSchema.options, "name")],
  ["| key of `[[mcp_tools]]` | type | default | means |", () => rowsOf(mcpToolConfigSchema)],
])("the document lists every key with its type and default, and no other: %s", (head, rows) => {
  expect(TEXT).toContain(head);
  const documented = table(head).map((cells) => cells.slice(0, 3));
  expect(documented.sort()).toEqual(rows().sort());
});

test("the example of judges loads: a model as judge, a validator by a model with tools and one by a program", () => {
  const { paths } = temporaryHome(example("judges"));
  const { judge, models, validators, judge_agents, mcp_tools } = loadConfig(paths.configFile, {});
  expect(judge).toMatchObject({ kind: "llm-v1", model: "local" });
  expect(Object.keys(models)).toEqual(["local", "claude"]);
  expect(validators.map(({ judge_agent }) => judge_agent)).toEqual(["careful", "own"]);
  // An agent's hook waits a limited time.
  for (const { timeout_seconds } of validators) expect(timeout_seconds).toBe(20);
  expect(Object.values(judge_agents).map(({ kind }) => kind)).toEqual(["model", "command"]);
  expect(mcp_tools).toHaveLength(1);
});

test("the example of own safety rules loads, and every field and operator is in the document", () => {
  const { paths } = temporaryHome(example("safety.rules"));
  expect(loadConfig(paths.configFile, {}).safety.rules.map(({ id }) => id)).toEqual(["NO-TRADING", "FEW-CAPS"]);
  const found = JSON.stringify(z.toJSONSchema(ownRuleSchema));
  const words = [...found.matchAll(/"(?:const|enum)":("[^"]+"|\[[^\]]+\])/g)].flatMap(
    ({ 1: names = "" }) => names.match(/[A-Za-z_]+/g) ?? [],
  );
  expect(words.length).toBeGreaterThan(20);
  for (const word of new Set(words)) expect(TEXT).toContain(`\`${word}\``);
});

test("the example file is the defaults", () => {
  const { paths } = temporaryHome(example("gate.toml"));
  expect(loadConfig(paths.configFile, {})).toEqual(configSchema.parse({}));
});

/** The gate's own, and those by which the agents' clients move their settings. */
const VARIABLES =
  /\b(?:METNOS_[A-Z_]+|XDG_[A-Z_]+|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_CLI_[A-Z_]+|OPENCODE_(?:CONFIG[A-Z_]*|PURE))\b/g;

test("the document lists every variable that the code reads, and no other", () => {
  const read = new Set<string>();
  for (const room of ["ipc", "main", "packages", "cli"]) {
    for (const name of readdirSync(new URL(room, ROOT), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(new URL(`${room}/${name}`, ROOT), "utf8");
      for (const [found] of text.matchAll(VARIABLES)) read.add(found);
    }
  }
  const documented = table("| variable | read by | means |").flatMap(([cell]) => namesIn(cell));
  expect(documented.sort()).toEqual([...read].sort());
});

test("the document lists every key of a manifest and every kind of target, and no other", () => {
  const keys = table("| key | default | means |").flatMap(([cell]) => namesIn(cell));
  expect(keys.sort()).toEqual(Object.keys(manifestSchema.shape).sort());
  const kinds = table("| `target.from` | with | is |").map(([cell, given]) => [cell, ...namesIn(given)].join(" "));
  const known = targetSourceSchema.options.map(({ shape: { from, ...rest } }) =>
    [`\`${from.value}\``, ...Object.keys(rest)].join(" "),
  );
  expect(kinds.sort()).toEqual(known.sort());
});

test("the example executor is loaded, and its calls are decided by it", async () => {
  const home = temporaryHome();
  const file = join(home.paths.executorsDir, "notes_search.toml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, example("executors/notes_search.toml"));
  const catalog = new ExecutorCatalog(loadOwnExecutors(home.paths.executorsDir));
  expect(catalog.find("mcp__notes__search", "generic").is_described).toBe(true);
  const gate = await startGate({ home });
  const agent = await gate.agent("tester", "Full");
  const search = (executor: string, args: Record<string, unknown>) => agent.ask({ executor, args });
  expect((await search("mcp__notes__search", { folder: "/srv/notes/2026", query: "x" })).decision).toMatchObject({
    outcome: "allowed",
    capabilities: [{ capability: "fs:read", target: "/srv/notes/2026/**" }],
  });
  expect((await search("notes_search", { folder: "/srv", query: "x" })).decision).toMatchObject({
    outcome: "denied",
    stage: "scope",
  });
  expect((await search("notes_search", { folder: "/srv/notes" })).decision).toMatchObject({
    outcome: "denied",
    stage: "validation",
  });
});
