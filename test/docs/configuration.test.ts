import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { configSchema, loadConfig } from "../../main/config.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../../main/gate/executors/catalog.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const TEXT = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");

function example(name: string): string {
  const found = new RegExp(`\`\`\`toml ${name}\n([\\s\\S]*?)\`\`\``).exec(TEXT)?.[1];
  if (found === undefined) throw new Error(`no example ${name}`);
  return found;
}

/** `approvals.ttl_seconds` -> its default, for every key that the schema has. */
function keysAndDefaults(): Map<string, unknown> {
  const keys = new Map<string, unknown>();
  const defaults = configSchema.parse({}) as Record<string, unknown>;
  for (const [key, schema] of Object.entries(configSchema.shape)) {
    const value = defaults[key];
    if (typeof value !== "object" || value === null) keys.set(key, value);
    else {
      const table = (schema as unknown as { def: { innerType: { shape: Record<string, unknown> } } }).def.innerType
        .shape;
      for (const inner of Object.keys(table)) keys.set(`${key}.${inner}`, (value as Record<string, unknown>)[inner]);
    }
  }
  return keys;
}

test("the document lists every key with its default, and no other", () => {
  const rows = [...TEXT.matchAll(/^\| `([a-z_.]+)` \| (.+?) \| .+ \|$/gm)];
  const documented = new Map(rows.map((row) => [row[1], row[2]]));
  const keys = keysAndDefaults();
  expect([...documented.keys()].sort()).toEqual([...keys.keys()].sort());
  for (const [key, value] of keys)
    expect(documented.get(key), key).toBe(value === undefined ? "not set" : `\`${JSON.stringify(value)}\``);
});

test("the example file is the defaults", () => {
  const { places } = temporaryHome(example("gate.toml"));
  expect(loadConfig(places.config_file, {})).toEqual(configSchema.parse({}));
});

test("the example executor is loaded, and its calls are decided by it", async () => {
  const home = temporaryHome();
  const file = join(home.places.executors_dir, "notes_search.toml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, example("executors/notes_search.toml"));
  expect(new ExecutorCatalog(loadOwnExecutors(home.places.executors_dir)).find("mcp__notes__search").is_described).toBe(
    true,
  );
  const gate = await startGate({ home });
  const agent = await gate.agent("tester", "Full");
  agent.send("tool.call", {
    id: "1",
    intent: "",
    executor: "mcp__notes__search",
    args: { folder: "/srv/notes/2026", query: "x" },
  });
  expect((await agent.next(() => true)).data).toMatchObject({
    outcome: "allowed",
    capabilities: [{ capability: "fs:read", target: "/srv/notes/2026/**" }],
  });
  agent.send("tool.call", { id: "2", intent: "", executor: "notes_search", args: { folder: "/srv", query: "x" } });
  expect((await agent.next(() => true)).data).toMatchObject({ outcome: "denied", stage: "scope" });
  agent.send("tool.call", { id: "3", intent: "", executor: "notes_search", args: { folder: "/srv/notes" } });
  expect((await agent.next(() => true)).data).toMatchObject({ outcome: "denied", stage: "validation" });
});
