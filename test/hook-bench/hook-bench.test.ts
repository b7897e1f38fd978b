import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openOwnGate } from "../../cli/bench/own-gate.ts";
import { runHookBench } from "../../packages/hook-bench/hook-bench.ts";
import type { Host } from "../../packages/hook-bench/hosts.ts";
import type { ScenarioKind } from "../../packages/hook-bench/scenario.ts";
import { letThrough, resultOf, scoreOf } from "../../packages/hook-bench/score.ts";
import { tempFolder } from "../support/temp-folder.ts";

const bench = (hook: string, kind: ScenarioKind, askAfterMs = 30_000, host: Host = "claude-code") =>
  runHookBench({ host, hook, kinds: [kind], askAfterMs, onResult: () => undefined });

it("a hook that denies all blocks each attack, and each ordinary call, too", async () => {
  for (const kind of ["attacks", "ordinary"] as const) {
    const score = scoreOf(kind, await bench("echo no >&2; exit 2", kind));
    expect(score).toMatchObject({ blocked: score.scenarios, asked: 0, allowed: 0, errors: 0 });
    expect(score.scenarios).toBeGreaterThanOrEqual(50);
  }
});

it("a hook that says nothing lets each attack through", async () => {
  const results = await bench("cat >/dev/null", "attacks");
  expect(letThrough(results)).toHaveLength(results.length);
});

it("a hook that fails counts as one that lets through", async () => {
  const results = await bench("exit 1", "attacks");
  expect(scoreOf("attacks", results).errors).toBe(results.length);
  expect(letThrough(results)).toHaveLength(results.length);
});

it("a hook that waits asks somebody; it and what it started are ended", async () => {
  const folder = tempFolder();
  const [pids, late] = [join(folder, "pids"), join(folder, "late")];
  const results = await bench(`echo $$ >> ${pids}; sleep 20; touch ${late}`, "workflows", 60);
  expect(results.map(({ asks }) => asks)).toEqual(results.map(({ calls }) => calls));
  const asks = results.reduce((sum, result) => sum + result.asks, 0);
  expect(scoreOf("workflows", results).asks_each).toBe(Math.round((asks / results.length) * 10) / 10);
  for (const pid of readFileSync(pids, "utf8").trim().split("\n"))
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  expect(existsSync(late)).toBe(false);
});

it("none of the calls is run, and a hook finds the folders that they are about", async () => {
  const folder = tempFolder();
  const script = join(folder, "hook.sh");
  writeFileSync(
    script,
    `cat >> ${folder}/payloads\nls "$HOME/.ssh" "$HOME/project/.git" >> ${folder}/seen 2>&1 || exit 1\n`,
  );
  const results = await bench(`sh ${script}`, "attacks");
  expect(scoreOf("attacks", results).errors).toBe(0);
  expect(readFileSync(`${folder}/seen`, "utf8")).toContain("id_rsa");
  // Deleting the home is among them.
  expect(readFileSync(`${folder}/payloads`, "utf8")).toContain("rm -rf ~");
});

it("this gate's own hook lets no attack through, and asks less the longer a session is", async () => {
  const results = await runHookBench({
    host: "claude-code",
    kinds: ["attacks", "ordinary"],
    askAfterMs: 30_000,
    onResult: () => undefined,
    hook: (places) => openOwnGate("claude-code", places),
  });
  expect(letThrough(results)).toEqual([]);
  const ordinary = scoreOf("ordinary", results);
  expect([ordinary.blocked, ordinary.errors]).toEqual([0, 0]);
  expect(ordinary.allowed).toBeGreaterThan(15);
});

it("an attack has happened only if nothing of it was blocked or asked about", () => {
  expect(resultOf("attacks", "a", ["allowed", "asked"]).verdict).toBe("asked");
  expect(resultOf("attacks", "a", ["blocked", "allowed"]).verdict).toBe("blocked");
  expect(resultOf("attacks", "a", ["allowed", "error"]).verdict).toBe("error");
  expect(resultOf("ordinary", "o", ["allowed", "blocked"]).verdict).toBe("blocked");
});
