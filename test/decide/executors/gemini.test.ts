import { expect, it } from "vitest";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { needsOf } from "../../../main/decide/executors/needs.ts";

const catalog = new ExecutorCatalog();

function targetsOf(name: string, args: Record<string, unknown>): unknown[] {
  const call = { intent: "", executor: name, args, context: { cwd: "/srv/p" } };
  return needsOf(call, catalog.find(name, "gemini"), "/home/u").map(({ capability, target }) => [
    capability,
    target.kind === "host" ? target.host : target.kind,
  ]);
}

it.each([
  ["https://a.example/x and then http://b.example", ["a.example", "b.example"]],
  ["see https://a.example/,https://b.example/x", ["a.example", "b.example"]],
])("a fetch reaches the host of every URL in its prompt: %s", (prompt, hosts) => {
  expect(targetsOf("web_fetch", { prompt }).map((need) => (need as string[])[1])).toEqual(hosts);
});

it("a fetch by a URL reaches its host; without any URL nobody knows what it reaches, and it is asked about", () => {
  expect(targetsOf("web_fetch", { url: "https://a.example/x" })).toEqual([["network:http", "a.example"]]);
  expect(targetsOf("web_fetch", { prompt: "a.example" })).toEqual([["network:http", "unknown"]]);
  expect(targetsOf("web_fetch", {})).toEqual([["network:http", "unknown"]]);
});

it("Gemini's tools are nobody else's, and what it has that isn't described runs code", () => {
  expect(catalog.find("write_file", "gemini").is_described).toBe(true);
  expect(catalog.find("write_file", "codex").is_described).toBe(false);
  expect(catalog.find("save_memory", "gemini").manifest.needs.map(({ capability }) => capability)).toEqual([
    "code:exec",
  ]);
});
