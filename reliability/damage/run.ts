import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, setPriority } from "node:os";
import { type CaseResult, type DamageCase, runCase } from "./damage-case.ts";
import { expectedFor } from "./expected.ts";
import { FILES, type GateFile, otherFiles } from "./files.ts";
import { KINDS } from "./kinds.ts";
import { withMatrix } from "./matrix.ts";
import { type AllowedOutcome, MOMENTS } from "./outcomes.ts";
import { PreparedHomes } from "./prepared-homes.ts";

/** `npm run damage [-- WORD...]`: each file x each kind of damage x both moments; with words, the cases that hold all of them. */

const DOCUMENT = new URL("../../docs/reliability.md", import.meta.url);

interface Done {
  name: string;
  result: CaseResult | { failed: string };
  is_right: boolean;
  expected: string;
}

function casesFor(files: readonly GateFile[], words: readonly string[]): DamageCase[] {
  return files
    .flatMap((file) => KINDS.flatMap((kind) => MOMENTS.map((moment) => ({ file, kind, moment }))))
    .filter((damage) => words.every((word) => nameOf(damage).includes(word)));
}

function nameOf({ file, kind, moment }: DamageCase): string {
  return `${file.name}, ${kind}, ${moment}`;
}

async function perform(damage: DamageCase, homes: PreparedHomes): Promise<Done> {
  const { file, kind, moment } = damage;
  const expected = expectedFor(file.column, kind, moment);
  const result = await runCase(damage, homes).catch((error: unknown) => ({ failed: String(error) }));
  if ("failed" in result) return { name: nameOf(damage), result, is_right: false, expected: expected.join(" or ") };
  const is_right = "skipped" in result || expected.includes(result.outcome as AllowedOutcome);
  return { name: nameOf(damage), result, is_right, expected: expected.join(" or ") };
}

function print({ name, result, is_right, expected }: Done): void {
  if ("skipped" in result) return console.log(`  -      ${name}: ${result.skipped}`);
  if (is_right) return console.log(`  ok     ${name}: ${result.outcome}`);
  if ("failed" in result) return console.log(`  WRONG  ${name}: ${result.failed}`);
  console.log(`  WRONG  ${name}: ${result.outcome}, expected ${expected}`);
  const { lives, written_elsewhere, lost } = result.observation;
  for (const life of lives) {
    const { state, end, output, said, raw, verify_problems, missing } = life;
    const details = { state, end, said, raw, verify_problems: verify_problems.slice(0, 3), missing };
    console.log(`           ${JSON.stringify(details).slice(0, 1000)}`);
    console.log(`           printed: ${JSON.stringify(output.slice(-600))}`);
  }
  if (written_elsewhere.length + lost.length > 0)
    console.log(`           ${JSON.stringify({ written_elsewhere, lost })}`);
}

async function main(words: readonly string[]): Promise<number> {
  setPriority(10);
  const homes = await PreparedHomes.prepare();
  const done: Done[] = [];
  try {
    const cases = casesFor([...FILES, ...otherFiles(homes.used)], words);
    console.log(`${cases.length} cases`);
    const worker = async () => {
      for (let next = cases.shift(); next !== undefined; next = cases.shift()) {
        const result = await perform(next, homes);
        done.push(result);
        print(result);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() + 2 }, worker));
  } finally {
    homes.remove();
  }
  const wrong = done.filter(({ is_right }) => !is_right);
  const skipped = done.filter(({ result }) => "skipped" in result).length;
  console.log(`${done.length - skipped} cases, ${wrong.length} wrong; ${skipped} can't be`);
  for (const { name, result, expected } of wrong)
    console.log(`  ${name}: ${"outcome" in result ? result.outcome : ""}, expected ${expected}`);
  writeFileSync(DOCUMENT, withMatrix(readFileSync(DOCUMENT, "utf8")));
  return wrong.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
