import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Mutant, placeOf, problemOf, readMutants } from "../../mutation/mutants.ts";
import { isKilled, mutate } from "../../mutation/mutate.ts";
import { sampled, seedOfDay, shardOf } from "../../mutation/selection.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const MUTANTS = readMutants(join(ROOT, "test/mutants.json"));

describe("the list of mutants", () => {
  it("each of them applies to one place of one file, and its tests are there", () => {
    const problems = MUTANTS.map((mutant) => ({ ...mutant, problem: problemOf(ROOT, mutant) }));
    expect(problems.filter(({ problem }) => problem !== null)).toEqual([]);
  });

  it("holds at least 100, each once, of every part between the tables", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(100);
    const keys = MUTANTS.map(({ file, find, replace }) => `${file} ${find} ${replace}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    const deciding = ["pipeline.ts", "policy/", "stages/", "guard/", "grants/", "safety/"].map(
      (part) => `main/decide/${part}`,
    );
    const reading = ["clear/", "programs/"].map((part) => `packages/shell-reading/${part}`);
    const calls = ["approvals/", "waiting-calls.ts", "life.ts"].map((part) => `main/calls/${part}`);
    for (const part of [...deciding, ...reading, ...calls, "main/records/audit/"])
      expect(
        MUTANTS.some(({ file }) => file.startsWith(part)),
        part,
      ).toBe(true);
  });

  it("each stage of the pipeline has one", () => {
    const stages = ["pairing", "safety", "validation", "scope", "policy", "guard", "judge"];
    const without = stages.filter((stage) => !MUTANTS.some(({ file }) => file === `main/decide/stages/${stage}.ts`));
    expect(without).toEqual([]);
  });
});

describe("the runner", () => {
  const PAIRING = { file: "main/decide/stages/pairing.ts", tests: ["test/decide/stages/pairing.test.ts"] };
  const mutant = (find: string, replace: string): Mutant => ({ ...PAIRING, find, replace, why: "for this test alone" });

  it("fails for a mutant that survives and for one that doesn't apply; the tree stays as it is", () => {
    const file = join(tempFolder(), "mutants.json");
    const before = readFileSync(join(ROOT, PAIRING.file), "utf8");
    const comment = /^\/\*\* .+ \*\/$/m.exec(before)?.[0] ?? "";
    writeFileSync(
      file,
      JSON.stringify([
        mutant(comment, "/** Harmless. */"),
        mutant("agent.revoked_at !== null", "agent.revoked_at === null"),
        mutant("this is nowhere in it", ""),
      ]),
    );
    const { status, stdout } = spawnSync(process.execPath, ["mutation/run.ts", "--mutants", file, "--jobs", "1"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    const verdicts = stdout.match(/^(?:survived|killed|doesn't apply)(?= )/gm)?.slice(0, 3);
    expect([status, verdicts]).toEqual([1, ["survived", "killed", "doesn't apply"]]);
    expect(stdout).toContain("1 killed, 2 not");
    expect(stdout).toMatch(/by: test\/decide\/stages\/pairing\.test\.ts: an agent that is paired passes/);
    expect(readFileSync(join(ROOT, PAIRING.file), "utf8")).toBe(before);
  }, 120_000);

  it("takes the same sample for the same seed, another for another, and all in so many parts", () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    const sample = sampled(items, 20, 20_261_122);
    expect(sample).toEqual(sampled(items, 20, 20_261_122));
    expect(sample).not.toEqual(sampled(items, 20, 20_261_123));
    expect(new Set(sample).size).toBe(20);
    expect(sample).toEqual(sample.toSorted((a, b) => a - b));
    expect(sampled(items, 200, 1)).toEqual(items);
    const shards = [1, 2, 3].map((number) => shardOf(items, number, 3));
    expect(shards.flat().toSorted((a, b) => a - b)).toEqual(items);
    expect(seedOfDay(new Date("2026-11-22T23:59:59Z"))).toBe(20_261_122);
  });
});

describe.runIf(process.env.CI === "true")("a sample", () => {
  it("of 12 mutants, others each day: each is killed", async () => {
    const seed = seedOfDay(new Date());
    console.log(`mutants: --sample 12 --seed ${seed}`);
    const { signal } = new AbortController();
    const tried = await mutate(sampled(MUTANTS, 12, seed), { root: ROOT, jobs: 2, signal });
    const alive = tried.filter((one) => !isKilled(one));
    expect(alive.map((one) => ({ place: placeOf(ROOT, one.mutant), ...one }))).toEqual([]);
    expect(tried).toHaveLength(12);
  }, 300_000);
});
