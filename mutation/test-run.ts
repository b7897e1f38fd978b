import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import type { TreeCopy } from "./tree-copy.ts";

/** Vitest on some test files of a copy, up to the first failure. */

const reportSchema = z.object({
  success: z.boolean(),
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export type TestResult =
  | { outcome: "passed"; tests: number }
  /** `by`: the test that failed first. */
  | { outcome: "failed"; by: string }
  | { outcome: "out of time" }
  /** No test failed, and yet it isn't well: a file that doesn't load, say. */
  | { outcome: "broken"; output: string };

export interface TestLimits {
  /** Milliseconds. */
  limitMs: number;
  /** Ends it as the time limit does. */
  signal: AbortSignal;
  /** How many test files at a time; left out: one. */
  workers?: number;
}

export async function runTests(
  copy: TreeCopy,
  tests: readonly string[],
  { limitMs, signal, workers = 1 }: TestLimits,
): Promise<TestResult> {
  const reportFile = join(copy.tmp, "report.json");
  rmSync(reportFile, { force: true });
  const vitest = join(copy.root, "node_modules/vitest/vitest.mjs");
  const config = ["run", "--config", "mutation/vitest.config.ts", "--bail", "1", "--maxWorkers", `${workers}`];
  const report = ["--reporter", "json", "--outputFile", reportFile];
  const child = spawn(process.execPath, [vitest, ...config, ...report, ...tests], {
    cwd: copy.root,
    env: {
      ...process.env,
      TMPDIR: copy.tmp,
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: join(copy.tmp, "compiled"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: what the tests have started ends with it.
    detached: true,
  });
  let output = "";
  const keep = (text: string) => {
    output = (output + text).slice(-4000);
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  let isLate = false;
  const end = () => {
    isLate = true;
    if (child.pid !== undefined) endGroup(child.pid);
  };
  const timer = setTimeout(end, limitMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  } finally {
    if (child.pid !== undefined) endGroup(child.pid);
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
  return isLate ? { outcome: "out of time" } : resultIn(reportFile, copy.root, output);
}

function resultIn(reportFile: string, root: string, output: string): TestResult {
  if (!existsSync(reportFile)) return { outcome: "broken", output };
  const { success, numPassedTests, testResults } = reportSchema.parse(JSON.parse(readFileSync(reportFile, "utf8")));
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed !== undefined) return { outcome: "failed", by: `${relative(root, name)}: ${failed.fullName.trim()}` };
  }
  if (!success || numPassedTests === 0) {
    const messages = testResults.map(({ message }) => message).filter((message) => message !== "");
    return { outcome: "broken", output: messages[0] ?? output };
  }
  return { outcome: "passed", tests: numPassedTests };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error; // it had ended by itself
  }
}
