import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateLines } from "../test/shells/generator.ts";
import { missing } from "../test/shells/run.ts";
import { type Report, ShellSession, type Violation } from "../test/shells/session.ts";

/** `npm run fuzz:shells [-- LINES [SEED]]`: runs what the gate allows, and says what does more than that. */

const [count = "20000", seed = String(Date.now() % 0x7fff_ffff)] = process.argv.slice(2);
const BATCH = 1000;
/** So many are made shorter: each takes a second. */
const SHRUNK = 20;

function print({ line, shell, setting, needs, excess, output }: Violation): void {
  console.log(`\n${shell}: ${JSON.stringify(line.text)}\n  allowed: ${setting} [${needs}]`);
  console.log(`  did: ${excess.map(({ kind, what }) => `${kind} ${what}`).join(", ")}`);
  if (output.trim() !== "") console.log(`  printed: ${JSON.stringify(output.slice(0, 200))}`);
}

async function main(): Promise<number> {
  const reason = missing();
  if (reason !== undefined) {
    console.error(`lines can't be run on this machine: ${reason}`);
    return 1;
  }
  const total: Report = { lines: 0, allowed: 0, allowedBy: {}, runs: {}, timedOut: 0, violations: [] };
  /** Lines with a violation. */
  let found = 0;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "metnos-fuzz-")));
  const session = new ShellSession(root);
  try {
    console.log(`${count} lines, seed ${seed}`);
    for (let done = 0; done < Number(count); done += BATCH) {
      const size = Math.min(BATCH, Number(count) - done);
      const lines = generateLines(size, Number(seed) + done).map((text) => ({ text }));
      const report = await session.run(lines, (index) => ["bash", index % 2 === 0 ? "zsh -f" : "zsh", "dash"]);
      for (const [line, violations] of Map.groupBy(report.violations, (violation) => violation.line)) {
        const [first] = violations;
        if (first === undefined) continue;
        const isShrunk = found++ < SHRUNK;
        print(isShrunk ? await session.shrink(first) : first);
        const shells = violations.map(({ shell }) => shell).join(", ");
        console.log(`  found in ${shells}${isShrunk ? ` as ${JSON.stringify(line.text)}` : ""}`);
        total.violations.push(...violations);
      }
      total.lines += report.lines;
      total.allowed += report.allowed;
      for (const [setting, times] of Object.entries(report.allowedBy)) {
        total.allowedBy[setting] = (total.allowedBy[setting] ?? 0) + times;
      }
      total.timedOut += report.timedOut;
      for (const shell of Object.keys(report.runs) as (keyof typeof report.runs)[]) {
        total.runs[shell] = (total.runs[shell] ?? 0) + (report.runs[shell] ?? 0);
      }
      const share = ((100 * total.allowed) / total.lines).toFixed(1);
      console.log(`  ${total.lines} lines, ${share} % allowed and run, ${found} of them did more than was allowed`);
    }
  } finally {
    session.close();
    rmSync(root, { recursive: true, force: true });
  }
  const runs = Object.entries(total.runs).map(([shell, times]) => `${shell} ${times}`);
  const by = Object.entries(total.allowedBy).map(([setting, times]) => `${setting} ${times}`);
  console.log(`the strictest setting that allows it: ${by.join(", ")}`);
  console.log(`runs: ${runs.join(", ")}; ${total.timedOut} ended by the time limit`);
  console.log(
    total.violations.length === 0 ? "no violation" : `${total.violations.length} runs of ${found} lines did more`,
  );
  return total.violations.length === 0 ? 0 : 1;
}

process.exitCode = await main();
