import { join } from "node:path";
import { expect, test } from "vitest";
import { sampled, seedOfDay } from "../../../mutation/selection.ts";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { GIT_SUBCOMMANDS } from "../../../packages/shell-reading/programs/git.ts";
import { PROGRAMS, programCalled } from "../../../packages/shell-reading/programs/table.ts";
import { missing } from "../../shells/run.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";
import { differencesOf } from "./boxed.ts";
import { isClearable, TableRun } from "./table-run.ts";
import { isEndless } from "./traced.ts";

/** What looks runs in a box as it does outside: the same exit code, the same output. */

const TRIED = IS_WHOLE_RUN ? 2500 : 250;

/** Where the box shows: nothing can be written there. */
const KNOWN = [/^(?:test|\[) -w /, /^find\b.* -writable\b/, /^sort\b.* (?:--random-sort\b|--sort=random\b|-\w*R)/];

test("a line that only looks does the same in a box, unless its program tells about the machine", {
  timeout: 600_000,
}, () => {
  const reason = missing();
  if (reason !== undefined) return console.log(`looking lines can't be run in a box here: ${reason}`);
  const folder = tempFolder();
  const run = new TableRun(folder);
  const { clear } = run.clearLines(PROGRAMS.filter(isClearable), GIT_SUBCOMMANDS.filter(isClearable), needsOfLine);
  const absent = run.absent(clear);
  const looking = clear.filter(
    ({ line, needs }) =>
      !isEndless(line) &&
      !absent.includes(programOf(line)) &&
      needs.every(({ capability }) => capability === "fs:read"),
  );
  // Each program's first lines: what it does as it is.
  const first = [...Map.groupBy(looking, ({ line }) => programOf(line)).values()].flatMap((lines) => lines.slice(0, 6));
  const tried = new Set([...first, ...sampled(looking, TRIED, seedOfDay(new Date()))].map(({ line }) => line));
  const differing = differencesOf([...tried], run.world, join(folder, "compare"));
  const [aboutMachine, others] = [differing.filter(tells), differing.filter((one) => !tells(one))];
  console.log(`${tried.size} looking lines; about the machine: ${aboutMachine.map(({ line }) => line).join(", ")}`);
  expect(others.filter(({ line }) => !KNOWN.some((known) => known.test(line)))).toEqual([]);
});

const programOf = (line: string): string => line.split(" ")[0] ?? "";

const tells = ({ line }: { line: string }): boolean => programCalled(programOf(line))?.about_machine === true;
