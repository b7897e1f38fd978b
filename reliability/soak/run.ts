import { parseArgs } from "node:util";
import { quantile } from "../../bench/figure.ts";
import { soak } from "./soak.ts";

/**
 * `npm run soak [-- MINUTES] [--calls N] [--launcher FILE]`: 50 agents at 200 (N) calls a second; the last third against the first.
 * With more calls a second, what grows with each call is seen sooner.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { launcher: { type: "string" }, calls: { type: "string", default: "200" } },
});
const minutes = Number(positionals[0] ?? 30);
const LINES = 30;
const LIMIT = 1.1;

const seconds = minutes * 60;
const warmUpSeconds = Math.min(120, Math.max(20, seconds / 10));
const sampleSeconds = 5;
const samplesPerLine = Math.max(1, Math.round(seconds / sampleSeconds / LINES));
console.log(`${minutes} minutes after ${warmUpSeconds} s that don't count`);
console.log("     time   calls   median      p99  longest     memory  files      log   (ms, MiB)");
let line: number[] = [];
let number = 0;
const { trends, counts, failures, trailProblems } = await soak({
  seconds,
  warmUpSeconds,
  agents: 50,
  callsPerSecond: Number(values.calls),
  sampleSeconds,
  limit: LIMIT,
  launcher: values.launcher,
  progress(at, { gate_ms, residentMib, open_files, walMib }, { answered }) {
    line.push(...gate_ms);
    if (++number % samplesPerLine !== 0) return;
    const ms = [0.5, 0.99, 1].map((share) => quantile(line, share).toFixed(2).padStart(8));
    console.log(
      `${`${at} s`.padStart(9)} ${String(answered).padStart(7)} ${ms.join(" ")} ${residentMib.toFixed(1).padStart(10)} ${String(open_files).padStart(6)} ${walMib.toFixed(2).padStart(8)}`,
    );
    line = [];
  },
});
console.log(
  `\n${counts.answered} of ${counts.sent} messages answered, ${counts.operatorAnswers} requests answered by the operator, ${counts.withdrawn} withdrawn, ${counts.grantsChanged} grants given, ${counts.restarts} agents restarted`,
);
console.log("last third against the first (latency without what a bare echo lost in the same time):");
for (const { name, unit, first, last, ratio, ok } of trends)
  console.log(
    `  ${ok ? "  " : "!!"} ${name.padEnd(16)} ${first.toFixed(2).padStart(8)} -> ${last.toFixed(2).padStart(8)} ${unit.padEnd(4)} ${ratio.toFixed(3)}x   limit ${LIMIT}x`,
  );
for (const failure of failures.slice(0, 20)) console.log(`!! ${failure}`);
if (trailProblems > 0) console.log(`!! the trail has ${trailProblems} problems`);
const isOk = failures.length === 0 && trailProblems === 0 && trends.every(({ ok }) => ok);
process.exitCode = isOk ? 0 : 1;
