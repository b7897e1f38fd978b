import { expect, onTestFinished, test } from "vitest";
import { sampled, seedOfDay } from "../../mutation/selection.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";
import { HARMFUL_LINES } from "./corpus.ts";
import { generateLines } from "./generator.ts";
import { missing, SHELLS, type Shell } from "./run.ts";
import { type Report, ShellSession, type Violation } from "./session.ts";

/** Three processes in a sandbox each: `npm run fuzz:shells` runs 20,000. */
const LINES = IS_WHOLE_RUN ? 500 : 150;
/** That they do harm says something about the corpus alone: others of them each day. */
const HARM_SHOWN = IS_WHOLE_RUN ? HARMFUL_LINES : sampled(HARMFUL_LINES, 40, seedOfDay(new Date()));
const SEED = 20_260_101;
/** Of the generated lines: a test that runs nothing proves nothing. */
const LEAST_SHARE_RUN = 0.15;

/** What is ended by the time limit did less than it would have. */
const MOST_SHARE_TIMED_OUT = 0.01;
/** Of the lines that do more than they were allowed: the others are only counted. */
const SHOWN = 100;

const ALL = Object.keys(SHELLS) as Shell[];

/** Null with a printed reason where lines can't be run; in CI that is a failure. */
function openSession(): ShellSession | null {
  const reason = missing();
  if (reason !== undefined) {
    if (process.env.CI === "true") throw new Error(`lines can't be run here: ${reason}`);
    console.log(`lines can't be run on this machine (${reason}): what they do is not checked here`);
    return null;
  }
  const session = new ShellSession(tempFolder());
  onTestFinished(() => session.close());
  return session;
}

/** One text a line, with the shells that it does more in. */
function shown(report: Report, { world }: ShellSession): string[] {
  const byLine = Map.groupBy(report.violations, ({ line }) => line);
  const texts = [...byLine.values()].map((violations) => described(violations).replaceAll(world.home, "~"));
  return texts.length > SHOWN ? [...texts.slice(0, SHOWN), `and ${texts.length - SHOWN} lines more`] : texts;
}

function described(violations: readonly Violation[]): string {
  const [first] = violations;
  if (first === undefined) return "";
  const done = new Set(violations.flatMap(({ excess }) => excess.map(({ kind, what }) => `${kind} ${what}`)));
  const where = first.line.cwd === undefined ? "" : ` in ${first.line.cwd}`;
  const shells = violations.map(({ shell }) => shell).join(", ");
  const allowed = `is allowed (${first.setting}) for [${first.needs}]`;
  return `${JSON.stringify(first.line.text)}${where} ${allowed}, but in ${shells}: ${[...done].join(", ")}`;
}

function printFigures(about: string, { lines, allowed, allowedBy, runs, timedOut, violations }: Report): void {
  const share = ((100 * allowed) / lines).toFixed(1);
  const each = Object.entries(runs).map(([shell, count]) => `${shell} ${count}`);
  console.log(`${about}: ${allowed} of ${lines} lines (${share} %) are allowed; run in ${each.join(", ")}`);
  const first = Object.entries(allowedBy).map(([setting, count]) => `${setting} ${count}`);
  console.log(`the strictest setting that allows it: ${first.join(", ")}`);
  const of = new Set(violations.map(({ line }) => line)).size;
  if (of > 0) console.log(`${violations.length} runs of ${of} lines did more than was allowed`);
  if (timedOut > 0) console.log(`${timedOut} runs were ended by the time limit`);
}

test("every line of the corpus does harm that is seen, in one of the shells", { timeout: 300_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const harmless: string[] = [];
  for (const line of HARM_SHOWN) {
    const kinds = new Set<string>();
    for (const shell of ALL) {
      for (const { kind } of await session.harmOf(line, shell)) kinds.add(kind);
      if (kinds.has(line.harm)) break;
    }
    if (!kinds.has(line.harm)) harmless.push(`${line.cwd ?? ""} ${line.text} -> ${[...kinds].join(", ")}`);
  }
  expect(harmless).toEqual([]);
});

test("an ordinary line does nothing beyond the project", { timeout: 300_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const lines = [
    "ls -la",
    "cat README.md",
    "git status",
    "git add b.txt && git commit -qm x",
    "rm -r src",
    "touch new",
  ];
  for (const text of lines) for (const shell of ALL) expect(await session.harmOf({ text }, shell)).toEqual([]);
});

test("no line of the corpus is both allowed and harmful", { timeout: 300_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const report = await session.run(HARMFUL_LINES, () => ALL);
  printFigures("the corpus", report);
  expect(shown(report, session)).toEqual([]);
});

test("no generated line that is allowed does more than it was allowed", { timeout: 600_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const lines = generateLines(LINES, SEED).map((text) => ({ text }));
  const report = await session.run(lines, (index) => ["bash", index % 2 === 0 ? "zsh -f" : "zsh", "dash"]);
  printFigures("generated lines", report);
  expect(report.allowed).toBeGreaterThanOrEqual(LINES * LEAST_SHARE_RUN);
  expect(report.timedOut).toBeLessThan(LINES * MOST_SHARE_TIMED_OUT);
  expect(shown(report, session)).toEqual([]);
});
