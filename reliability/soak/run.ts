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
const warm_up_seconds = Math.min(120, Math.max(20, seconds / 10));
const sample_seconds = 5;
const samples_per_line = Math.max(1, Math.round(seconds / sample_seconds / LINES));
console.log(`${minutes} minutes after ${warm_up_seconds} s that don't count`);
console.log("     time   calls   median      p99  longest     memory  files      log   (ms, MiB)");
let line: number[] = [];
let number = 0;
const { trends, counts, failures, trail_problems } = await soak({
  seconds,
  warm_up_seconds,
  agents: 50,
  calls_per_second: Number(values.calls),
  sample_seconds,
  limit: LIMIT,
  launcher: values.launcher,
  progress(at, { gate_ms, resident_mib, open_files, wal_mib }, { answered }) {
    line.push(...gate_ms);
    if (++number % samples_per_line !== 0) return;
    const ms = [0.5, 0.99, 1].map((share) => quantile(line, share).toFixed(2).padStart(8));
    console.log(
      `${`${at} s`.padStart(9)} ${String(answered).padStart(7)} ${ms.join(" ")} ${resident_mib.toFixed(1).padStart(10)} ${String(open_files).padStart(6)} ${wal_mib.toFixed(2).padStart(8)}`,
    );
    line = [];
  },
});
console.log(
  `\n${counts.answered} of ${counts.sent} messages answered, ${counts.operator_answers} requests answered by the operator, ${counts.withdrawn} withdrawn, ${counts.grants_changed} grants given, ${counts.restarts} agents restarted`,
);
console.log("last third against the first (latency without what a bare echo lost in the same time):");
for (const { name, unit, first, last, ratio, ok } of trends)
  console.log(
    `  ${ok ? "  " : "!!"} ${name.padEnd(16)} ${first.toFixed(2).padStart(8)} -> ${last.toFixed(2).padStart(8)} ${unit.padEnd(4)} ${ratio.toFixed(3)}x   limit ${LIMIT}x`,
  );
for (const failure of failures.slice(0, 20)) console.log(`!! ${failure}`);
if (trail_problems > 0) console.log(`!! the trail has ${trail_problems} problems`);
const is_ok = failures.length === 0 && trail_problems === 0 && trends.every(({ ok }) => ok);
process.exitCode = is_ok ? 0 : 1;
