import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { placeOf, readMutants } from "./mutants.ts";
import { isKilled, mutate, runUnmutated, type Tried } from "./mutate.ts";
import { sampled, seedOfDay, shardOf } from "./selection.ts";

/**
 * `npm run mutate [-- --sample N] [--seed S] [--shard I/N] [--only TEXT] [--jobs N] [--mutants FILE]`: breaks one rule at a time in a
 * copy of the tree and says whether a test notices. Fails if one survives, doesn't apply any more, or breaks more than a rule.
 */

const ROOT = resolve(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    shard: { type: "string", default: "1/1" },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: String(Math.min(4, availableParallelism())) },
    mutants: { type: "string", default: join(ROOT, "test/mutants.json") },
  },
});
const { sample, seed: givenSeed, shard, only, jobs, mutants: file } = values;
const [number = 1, of = 1] = shard.split("/").map(Number);
const seed = Number(givenSeed ?? seedOfDay(new Date()));
if (!(number >= 1 && number <= of) || !Number.isSafeInteger(seed))
  throw new Error("give --shard I/N and --seed NUMBER");

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());

const all = readMutants(file);
const matching = all.filter((mutant) => `${mutant.file} ${mutant.find} ${mutant.why}`.includes(only));
const chosen = shardOf(sample === undefined ? matching : sampled(matching, Number(sample), seed), number, of);
console.log(
  `${chosen.length} of ${all.length} mutants${sample === undefined ? "" : ` (--sample ${sample} --seed ${seed})`}`,
);

const began = performance.now();
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const unmutated = await runUnmutated(chosen, { root: ROOT, jobs: Number(jobs), signal: stop.signal });
if (unmutated.outcome !== "passed") {
  console.log("their tests don't pass without a mutant:", unmutated);
  process.exit(1);
}
console.log(`without a mutant ${unmutated.tests} tests pass (${seconds(performance.now() - began)})`);

const settings = { root: ROOT, jobs: Number(jobs), signal: stop.signal, tried: print };
const tried = await mutate(chosen, settings);
const failed = tried.filter((one) => !isKilled(one));
const isWhole = tried.length === chosen.length;
console.log(
  `\n${tried.length - failed.length} killed, ${failed.length} not${isWhole ? "" : ", stopped"}, ${seconds(performance.now() - began)}`,
);
for (const one of failed) print(one);
process.exitCode = failed.length === 0 && isWhole ? 0 : 1;

function print({ mutant, result, ms }: Tried): void {
  const place = result.verdict === "doesn't apply" ? mutant.file : placeOf(ROOT, mutant);
  const detail =
    "by" in result ? `by: ${result.by}` : "why" in result ? result.why : `tests: ${mutant.tests.join(" ")}`;
  console.log(
    `${result.verdict.padEnd(13)} ${seconds(ms).padStart(7)}  ${place}  ${mutant.why}\n${" ".repeat(24)}${detail}`,
  );
}
