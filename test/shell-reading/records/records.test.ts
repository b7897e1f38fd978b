import { expect, onTestFinished, test, vi } from "vitest";
import { sampled, seedOfDay } from "../../../mutation/selection.ts";
import type { OptionList, Program } from "../../../packages/shell-reading/programs/program.ts";
import { missing } from "../../shells/run.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";
import { type ClearRecordLine, isClearable, namesOf, TableRun } from "./table-run.ts";
import type { Shell } from "./traced.ts";

/** Records are proven: what the gate clears by them is run, and does no more than the gate said. */

const SEED = seedOfDay(new Date());
/** Others each day; all of them with WHOLE_RUN=true: 4 ms of processor a line. */
const DAILY = IS_WHOLE_RUN ? 9000 : 700;
/** `RECORD=sort` runs all lines of one record, and no others; `RECORD=git` those of each of its subcommands. */
const RECORD = process.env.RECORD;
const IN_OTHER_SHELLS = IS_WHOLE_RUN ? 400 : 100;

/** Null with a printed reason where lines can't be watched; in CI that is a failure. */
function openRun(): TableRun | null {
  const reason = missing(["strace"]);
  if (reason === undefined) return new TableRun(tempFolder());
  if (process.env.CI === "true") throw new Error(`records can't be proven here: ${reason}`);
  console.log(`records can't be proven on this machine (${reason})`);
  return null;
}

type Plant = (records: Program[]) => void;

/** The gate's reading and its table, in modules of their own: what is planted in a record is in no other test's. */
async function freshTable(plant?: Plant) {
  vi.resetModules();
  onTestFinished(() => {
    vi.resetModules();
  });
  const { TEXT_PROGRAMS } = await import("../../../packages/shell-reading/programs/text.ts");
  const { GIT_SUBCOMMANDS } = await import("../../../packages/shell-reading/programs/git.ts");
  plant?.(TEXT_PROGRAMS as Program[]);
  plant?.(GIT_SUBCOMMANDS as Program[]);
  const { PROGRAMS } = await import("../../../packages/shell-reading/programs/table.ts");
  const { needsOfLine } = await import("../../../packages/shell-reading/clear/line-needs.ts");
  return { programs: PROGRAMS, subcommands: GIT_SUBCOMMANDS, needsOfLine };
}

test("no clear use of any record's options does more than the gate says that it needs", {
  timeout: 900_000,
}, async () => {
  const run = openRun();
  if (run === null) return;
  const { programs, subcommands, needsOfLine } = await freshTable();
  const isProven = (isSubcommand: boolean) => (program: Program) =>
    isClearable(program) &&
    (RECORD === undefined || namesOf(program, isSubcommand).some((name) => `${name} `.startsWith(`${RECORD} `)));
  const [own, ofGit] = [programs.filter(isProven(false)), subcommands.filter(isProven(true))];
  const { lines, clear } = run.clearLines(own, ofGit, needsOfLine, SEED);
  const absent = run.absent(clear);
  const there = clear.filter(({ line }) => !absent.includes(line.split(" ")[0] ?? ""));
  console.log(
    `the table's records: ${lines} lines, ${clear.length} are clear; not installed here: ${absent.join(", ")}`,
  );
  expect(there.length).toBeGreaterThan(RECORD === undefined ? 5000 : 0);
  const isAll = RECORD !== undefined || process.env.WHOLE_RUN === "true";
  const excess: string[] = [];
  const prove = async (some: readonly ClearRecordLine[], shell: Shell) => {
    const report = await run.run(some, shell);
    expect(report.ran).toBe(some.length);
    excess.push(...report.excess);
  };
  await prove(isAll ? there : sampled(there, DAILY, SEED), "dash");
  for (const shell of ["bash", "zsh"] as const) await prove(sampled(there, IN_OTHER_SHELLS, SEED), shell);
  expect(excess).toEqual([]);
});

const listed =
  (name: string, options: OptionList): Plant =>
  (records) => {
    const record = records.find(({ names }) => names[0] === name);
    if (record !== undefined) Object.assign(record, { options, unclear: {} });
  };

const SHUF: Program = { names: ["shuf"], operands: ["reads"], options: { flags: "-e -z -o --output", text: "-n" } };

/** Mistakes that a record's author may make; each with what the run must show. */
const MISTAKES: readonly { title: string; name: string; plant: Plant; shows: RegExp }[] = [
  {
    title: "a file that is written, as a flag",
    name: "sort",
    plant: listed("sort", { flags: "-r -o" }),
    shows: /^sort -o fresh\d+ a\.txt .*but: write ~\/proj\/fresh\d+/m,
  },
  {
    title: "a program that git runs, as an optional text",
    name: "git grep",
    plant: listed("grep", { optional: "-O --open-files-in-pager" }),
    shows: /^git grep -O .*but: run \S*\/tac/m,
  },
  {
    title: "a file that is read, as text",
    name: "sort",
    plant: listed("sort", { text: "--files0-from" }),
    shows: /^sort --files0-from=fresh\d+.*but: read ~\/proj\/fresh\d+/m,
  },
  {
    title: "a file that git writes, as text",
    name: "git diff",
    plant: listed("diff", { text: "--output" }),
    shows: /^git diff .*--output=fresh\d+.*but: write ~\/proj\/fresh\d+/m,
  },
  {
    title: "a program that wasn't in the table, and what it writes as a flag",
    name: "shuf",
    plant: (records) => {
      if (records.some(({ names }) => names[0] === "sort")) records.push(SHUF);
    },
    shows: /^shuf -o fresh\d+ a\.txt .*but: write ~\/proj\/fresh\d+/m,
  },
];

test.each(MISTAKES)("a wrong record is found: $title", { timeout: 300_000 }, async ({ name, plant, shows }) => {
  const run = openRun();
  if (run === null) return;
  const { programs, subcommands, needsOfLine } = await freshTable(plant);
  const isPlanted = (isSubcommand: boolean) => (program: Program) => namesOf(program, isSubcommand).includes(name);
  const { clear } = run.clearLines(programs.filter(isPlanted(false)), subcommands.filter(isPlanted(true)), needsOfLine);
  const { excess } = await run.run(clear, "dash");
  expect(excess.join("\n")).toMatch(shows);
});
