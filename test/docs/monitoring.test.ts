import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelServer } from "../support/model-server.ts";
import { ask, linkTo } from "../support/page-visitor.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";

const TEXT = readFileSync(new URL("../../docs/monitoring.md", import.meta.url), "utf8");
const ALERTS = /```yaml alerts\n([\s\S]*?)\n```/.exec(TEXT)?.[1] ?? "";
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test("the document lists every metric with its labels, and no other", async () => {
  const server = await modelServer();
  const config = `[judge]\nkind = "llm-v1"\nmodel = "small"\n${server.toml("small")}`;
  const { text } = await (await startGate({ config })).operator.call("metrics", {});
  const found = new Map<string, Set<string>>();
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) found.set(name, new Set());
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/gm)) {
    const owner = found.get(name) ?? found.get(`${name}_count`);
    for (const [, label = ""] of labels.matchAll(/([a-z_]+)="/g)) if (label !== "le") owner?.add(label);
  }
  const rows = TEXT.slice(TEXT.indexOf("| metric |")).split("\n\n")[0]?.split("\n").slice(2) ?? [];
  const documented = rows.map((row) => {
    const [, name = "", labels = ""] = row.split("|").map((cell) => cell.replaceAll("`", "").trim());
    return [name, labels];
  });
  expect(documented.sort()).toEqual([...found].map(([name, labels]) => [name, [...labels].join(", ")]).sort());
});

test("every metric in an alert exists", async () => {
  const { text } = await (await startGate()).operator.call("metrics", {});
  const used = [...ALERTS.matchAll(/\b((?:asi|metnos)_[a-z_]+)/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThanOrEqual(3);
  for (const name of used) expect(text).toContain(`# TYPE ${name} `);
});

if (!hasPromtool) console.warn("skipped: promtool is not installed (Debian's package prometheus)");
test.skipIf(!hasPromtool && process.env.CI !== "true")("promtool accepts the alerts", () => {
  const file = join(tempFolder(), "alerts.yml");
  writeFileSync(file, `${ALERTS}\n`);
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain("4 rules found");
});

test.skipIf(!hasPromtool && process.env.CI !== "true")("promtool accepts the figures", async () => {
  const { text } = await (await startGate()).operator.call("metrics", {});
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { encoding: "utf8", input: text });
  expect(status, stdout + stderr).toBe(0);
});

test.skipIf(!hasPromtool && process.env.CI !== "true")("promtool accepts the scrape configuration", () => {
  const file = join(tempFolder(), "prometheus.yml");
  writeFileSync(file, `${/```yaml scrape\n([\s\S]*?)\n```/.exec(TEXT)?.[1]}\n`);
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "config", file], { encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
});

test("with the example configuration the figures are where the scrape requests them", async () => {
  const config = /```toml gate.toml\n([\s\S]*?)\n```/.exec(TEXT)?.[1] ?? "";
  expect(TEXT).toContain(`targets: ["127.0.0.1:${/port = (\d+)/.exec(config)?.[1]}"]`);
  const gate = await startGate({ web: true, config: config.replace(/port = \d+/, "port = 0") });
  const { port } = await linkTo(gate);
  expect((await ask(port, "/metrics")).status).toBe(200);
});
