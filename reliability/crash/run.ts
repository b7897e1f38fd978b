import { parseArgs } from "node:util";
import { median } from "../../bench/figure.ts";
import { type CrashReport, crash } from "./crash.ts";

/** `npm run crash [-- ROUNDS [SEED]] [--launcher FILE]`: kills gates under load and checks that nothing acknowledged is lost. */

const { positionals, values } = parseArgs({ allowPositionals: true, options: { launcher: { type: "string" } } });
const [rounds = "2000", givenSeed = String(Date.now() % 0x7fff_ffff)] = positionals;
const seed = Number(givenSeed);
const PROGRESS_ROUNDS = 100;
const MAX_PRINTED = 100;

console.log(`${rounds} rounds, seed ${seed}`);
let printed = 0;
const printViolations = ({ violations }: CrashReport) => {
  for (const { kind, what, round } of violations.slice(printed, MAX_PRINTED))
    console.log(`!! round ${round}: ${kind}: ${what}`);
  printed = violations.length;
};
const report = await crash({
  rounds: Number(rounds),
  seed,
  launcher: values.launcher,
  progress(round, soFar) {
    printViolations(soFar);
    if (round % PROGRESS_ROUNDS === 0) console.log(`  ${round}`);
  },
});
printViolations(report);
console.log(summary(report));
process.exitCode = report.violations.length === 0 ? 0 : 1;

function summary({ moments, acknowledged, checked, violations, startsMs, ...totals }: CrashReport): string {
  const acts = [...acknowledged.values()].reduce((sum, number) => sum + number, 0);
  return [
    `${totals.rounds} rounds (${list(moments)}), seed ${totals.seed}: ${violations.length} violations`,
    `  ${acts} acts acknowledged (${list(acknowledged)})`,
    `  ${totals.decisionsReceived} decisions received, ${totals.requests} requests`,
    ...[...checked].map(([rule, number]) => `  ${String(number).padStart(7)} x ${rule}`),
    `  ${totals.receipts} receipts; killed with ${steps(totals.receiptSteps)}`,
    `  ${totals.checkpointsCompared} comparisons with checkpoints that were kept`,
    `  a start took ${median(startsMs).toFixed(0)} ms (median), ${Math.max(...startsMs).toFixed(0)} ms at the most`,
  ].join("\n");
}

function list(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([key, number]) => `${key} ${number}`).join(", ");
}

/** In how many kills receipts had come how far, and how many. */
function steps(all: CrashReport["receiptSteps"]): string {
  const kinds = ["due", "written", "torn"] as const;
  return kinds
    .map((kind) => {
      const some = all.map((one) => one[kind]).filter((number) => number > 0);
      return `${kind} ${some.reduce((sum, number) => sum + number, 0)} (${some.length} kills)`;
    })
    .join(", ");
}
