import { performance } from "node:perf_hooks";
import { guardShell } from "../main/decide/guard/shell/guard-shell.ts";
import { CODING_COMMANDS } from "../test/support/coding-commands.ts";
import { type Figure, figure, quantile } from "./figure.ts";

/** The guard on ordinary command lines, and on those that are made to slow it down. */

const ROUNDS = 60;
const MAX_P99_MS = 1;
const MAX_PATHOLOGICAL_MS = 50;
const SETTINGS = { home: "/home/ada", cwd: "/home/ada/project", user: "ada" };

const PATHOLOGICAL: Readonly<Record<string, string>> = {
  "rm -rf / and $(": `rm -rf / ${"$(".repeat(10_000)}`,
  backquotes: "`".repeat(60_000),
  brackets: "(".repeat(60_000),
  braces: "{a,b}".repeat(12_000),
  "here-documents": "<<a ".repeat(15_000),
  commands: "a;".repeat(30_000),
  patterns: `rm -rf ${"/*".repeat(30_000)}`,
  "doubling variables": `x=a;${"x=$x$x;".repeat(9_000)}rm $x`,
};

/** A command line's time is the median of its rounds: other load of the machine is not the guard's. */
function medianTimes(commands: readonly string[], rounds: number): number[] {
  const times = commands.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, command] of commands.entries()) {
      const started = performance.now();
      guardShell(command, SETTINGS);
      // The first rounds are the compiler's.
      if (round >= rounds / 3) times[index]?.push(performance.now() - started);
    }
  }
  return times.map((all) => quantile(all, 0.5));
}

export async function guard(): Promise<Figure[]> {
  const ordinary = medianTimes(CODING_COMMANDS, ROUNDS);
  const [p50, p99] = [quantile(ordinary, 0.5), quantile(ordinary, 0.99)];
  const worst = medianTimes(Object.values(PATHOLOGICAL), 9);
  const us = (ms: number) => `${(ms * 1000).toFixed(0)} us`;
  return [
    figure("guard p50", p50, "ms", null, `${CODING_COMMANDS.length} ordinary commands, ${us(p50)}`),
    figure("guard p99", p99, "ms", MAX_P99_MS, us(p99)),
    ...Object.keys(PATHOLOGICAL).map((name, index) =>
      figure(`guard, ${name}`, worst[index] ?? Number.NaN, "ms", MAX_PATHOLOGICAL_MS, ""),
    ),
  ];
}
