import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, setPriority } from "node:os";
import { type Checked, checkCase, checkFault, nameOf } from "./check.ts";
import type { DamageCase } from "./damage-case.ts";
import { FAULT_CASES, faultNameOf } from "./fault-case.ts";
import { FILES, type GateFile, otherFiles } from "./files.ts";
import { KINDS } from "./kinds.ts";
import { withMatrix } from "./matrix.ts";
import { MOMENTS } from "./outcomes.ts";
import { PreparedHomes } from "./prepared-homes.ts";

/**
 * `npm run damage [-- WORD...]`: each file x each kind of damage x both moments, and each file x each way in which a disk fails while a gate
 * runs; with words, the cases that hold all of them.
 */

const DOCUMENT = new URL("../../docs/reliability.md", import.meta.url);

const SIGN: Readonly<Record<Checked["verdict"], string>> = { right: "ok   ", wrong: "WRONG", skipped: "-    " };

function casesFor(files: readonly GateFile[], words: readonly string[]): DamageCase[] {
  return files
    .flatMap((file) => KINDS.flatMap((kind) => MOMENTS.map((moment) => ({ file, kind, moment }))))
    .filter((damage) => words.every((word) => nameOf(damage).includes(word)));
}

function print({ name, verdict, seen, expected, details }: Checked): void {
  console.log(`  ${SIGN[verdict]}  ${name}: ${seen}${verdict === "wrong" ? `, expected ${expected}` : ""}`);
  for (const detail of details) console.log(`           ${detail}`);
}

async function main(words: readonly string[]): Promise<number> {
  setPriority(10);
  const homes = await PreparedHomes.prepare();
  const done: Checked[] = [];
  try {
    const cases = casesFor([...FILES, ...otherFiles(homes.used)], words);
    const faults = FAULT_CASES.filter((fault) => words.every((word) => faultNameOf(fault).includes(word)));
    const checks = [
      ...faults.map((fault) => () => checkFault(fault, homes)),
      ...cases.map((damage) => () => checkCase(damage, homes)),
    ];
    console.log(`${checks.length} cases`);
    const worker = async () => {
      for (let next = checks.shift(); next !== undefined; next = checks.shift()) {
        const checked = await next();
        done.push(checked);
        print(checked);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() + 2 }, worker));
  } finally {
    homes.remove();
  }
  const withVerdict = (verdict: Checked["verdict"]) => done.filter((checked) => checked.verdict === verdict);
  const wrong = withVerdict("wrong");
  console.log(`${withVerdict("right").length} right, ${wrong.length} wrong, ${withVerdict("skipped").length} skipped`);
  for (const { name, seen, expected } of wrong) console.log(`  ${name}: ${seen}, expected ${expected}`);
  writeFileSync(DOCUMENT, withMatrix(readFileSync(DOCUMENT, "utf8")));
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
