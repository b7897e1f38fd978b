import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";
import { HARMFUL_LINES } from "./corpus.ts";
import { generateLines } from "./generator.ts";
import { missing, SHELLS, type Shell } from "./run.ts";
import { type Report, ShellSession, type Violation } from "./session.ts";

const LINES = 1500;
const SEED = 20_260_101;
/** Of the generated lines: a test that runs nothing proves nothing. */
const LEAST_SHARE_RUN = 0.15;

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

function shown(violations: readonly Violation[]): string[] {
  return violations.map(({ line, shell, setting, needs, excess }) => {
    const done = excess.map(({ kind, what }) => `${kind} ${what}`).join(", ");
    const where = line.cwd === undefined ? "" : ` in ${line.cwd}`;
    return `${shell}${where}: ${JSON.stringify(line.text)} is allowed (${setting}) for [${needs}], but: ${done}`;
  });
}

function printFigures(about: string, { lines, allowed, runs, timed_out }: Report): void {
  const share = ((100 * allowed) / lines).toFixed(1);
  const each = Object.entries(runs).map(([shell, count]) => `${shell} ${count}`);
  console.log(`${about}: ${allowed} of ${lines} lines (${share} %) are allowed; run in ${each.join(", ")}`);
  if (timed_out > 0) console.log(`${timed_out} runs were ended by the time limit`);
}

test("every line of the corpus does harm that is seen, in one of the shells", { timeout: 300_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const harmless: string[] = [];
  for (const line of HARMFUL_LINES) {
    const kinds = new Set<string>();
    for (const shell of ALL) {
      for (const { kind } of await session.harmOf(line, shell)) kinds.add(kind);
      if (kinds.has(line.harm)) break;
    }
    if (!kinds.has(line.harm)) harmless.push(`${line.cwd ?? ""} ${line.text} -> ${[...kinds].join(", ")}`);
  }
  expect(harmless).toEqual([]);
});

test("an ordinary line does nothing beyond the project", { timeout: 60_000 }, async () => {
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
  expect(shown(report.violations)).toEqual([]);
});

test("no generated line that is allowed does more than it was allowed", { timeout: 600_000 }, async () => {
  const session = openSession();
  if (session === null) return;
  const lines = generateLines(LINES, SEED).map((text) => ({ text }));
  const report = await session.run(lines, (index) => ["bash", index % 2 === 0 ? "zsh -f" : "zsh", "dash"]);
  printFigures("generated lines", report);
  expect(report.allowed).toBeGreaterThanOrEqual(LINES * LEAST_SHARE_RUN);
  expect(shown(report.violations)).toEqual([]);
});
