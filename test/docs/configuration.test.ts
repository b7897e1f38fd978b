import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema, loadConfig } from "../../main/config.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../main/gate/executors/catalog.ts";
import { manifestSchema, targetSourceSchema } from "../../main/gate/executors/manifest.ts";
import { ownRuleSchema } from "../../main/gate/safety/own-rules.ts";
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

const keySchema = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array"]),
  enum: z.array(z.string()).optional(),
  const: z.union([z.string(), z.boolean()]).optional(),
  items: z.object({ type: z.string().optional() }).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.unknown().optional(),
});
const tableSchema = z.object({ type: z.literal("object"), properties: z.record(z.string(), keySchema) });

/** Key, type and default as the document writes them, for every key that the schema has. */
function rowsOfSchema(): string[][] {
  const { properties = {} } = z.toJSONSchema(configSchema, { io: "input" });
  return Object.entries(properties).flatMap(([key, schema]) => {
    const inner = tableSchema.safeParse(schema);
    if (!inner.success) return [rowOf(key, keySchema.parse(schema))];
    return Object.entries(inner.data.properties).map(([name, found]) => rowOf(`${key}.${name}`, found));
  });
}

function rowOf(key: string, schema: z.infer<typeof keySchema>): string[] {
  const value = schema.default === undefined ? "not set" : `\`${JSON.stringify(schema.default)}\``;
  return [`\`${key}\``, typeOf(schema), value];
}

function typeOf({ type, minimum, maximum, items, ...schema }: z.infer<typeof keySchema>): string {
  if (type === "array") return items?.type === "string" ? "list of texts" : "list of tables";
  const choices = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).map(
    (value) => `\`${JSON.stringify(value)}\``,
  );
  if (choices.length > 0) return choices.join(", ").replace(/, ([^,]*)$/, " or $1");
  if (type === "string") return "text";
  if (type === "boolean") return "`true` or `false`";
  return `${type === "integer" ? "whole number" : "number"}, ${minimum} to ${maximum}`;
}

test("the document lists every key with its type and default, and no other", () => {
  const documented = table("| key | type | default | means |").map((cells) => cells.slice(0, 3));
  expect(documented.sort()).toEqual(rowsOfSchema().sort());
});

test("the example of own safety rules loads, and every field and operator is in the document", () => {
  const { paths } = temporaryHome(example("safety.rules"));
  expect(loadConfig(paths.config_file, {}).safety.rules.map(({ id }) => id)).toEqual(["NO-TRADING", "FEW-CAPS"]);
  const found = JSON.stringify(z.toJSONSchema(ownRuleSchema));
  const words = [...found.matchAll(/"(?:const|enum)":("[^"]+"|\[[^\]]+\])/g)].flatMap(
    ({ 1: names = "" }) => names.match(/[A-Za-z_]+/g) ?? [],
  );
  expect(words.length).toBeGreaterThan(20);
  for (const word of new Set(words)) expect(TEXT).toContain(`\`${word}\``);
});

test("the example file is the defaults", () => {
  const { paths } = temporaryHome(example("gate.toml"));
  expect(loadConfig(paths.config_file, {})).toEqual(configSchema.parse({}));
});

test("the document lists every variable that the code reads, and no other", () => {
  const read = new Set<string>();
  for (const room of ["ipc", "main", "cli"]) {
    for (const name of readdirSync(new URL(room, ROOT), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(new URL(`${room}/${name}`, ROOT), "utf8");
      for (const [found] of text.matchAll(/\b(METNOS_[A-Z_]+|XDG_[A-Z_]+|CLAUDE_CONFIG_DIR)\b/g)) read.add(found);
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
  const file = join(home.paths.executors_dir, "notes_search.toml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, example("executors/notes_search.toml"));
  const catalog = new ExecutorCatalog(loadOwnExecutors(home.paths.executors_dir));
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
