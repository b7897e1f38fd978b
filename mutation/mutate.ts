import { type Mutant, problemOf } from "./mutants.ts";
import { runTests, type TestResult } from "./test-run.ts";
import { TreeCopy } from "./tree-copy.ts";

/** Tries mutants on copies of a tree, several at a time. */

/** For one mutant's tests, in milliseconds. */
const MUTANT_LIMIT_MS = 120_000;
const BASE_LIMIT_MS = 10 * 60_000;

type Verdict =
  | { verdict: "killed"; by: string }
  | { verdict: "survived" }
  | { verdict: "doesn't apply"; why: string }
  /** Its tests didn't end: whether they notice isn't known. */
  | { verdict: "out of time"; why: string }
  /** It doesn't load: no rule was tried. */
  | { verdict: "broken"; why: string };

export interface Tried {
  mutant: Mutant;
  result: Verdict;
  ms: number;
}

export interface MutateSettings {
  root: string;
  /** How many at a time. */
  jobs: number;
  signal: AbortSignal;
  tried?: (tried: Tried) => void;
}

/** Each mutant's verdict, in the mutants' order. Where `signal` ends it, only of those that were tried. */
export async function mutate(
  mutants: readonly Mutant[],
  { root, jobs, signal, tried = () => undefined }: MutateSettings,
): Promise<Tried[]> {
  const all: (Tried | undefined)[] = mutants.map(() => undefined);
  let next = 0;
  const work = async () => {
    const copy = new TreeCopy(root);
    try {
      while (next < mutants.length && !signal.aborted) {
        const index = next++;
        const mutant = mutants[index] as Mutant;
        const began = performance.now();
        const result = await verdictOn(copy, mutant, signal);
        if (signal.aborted) return;
        const one = { mutant, result, ms: performance.now() - began };
        all[index] = one;
        tried(one);
      }
    } finally {
      copy.remove();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, mutants.length) }, work));
  return all.filter((one) => one !== undefined);
}

async function verdictOn(copy: TreeCopy, mutant: Mutant, signal: AbortSignal): Promise<Verdict> {
  const why = problemOf(copy.root, mutant);
  if (why !== null) return { verdict: "doesn't apply", why };
  const result = await copy.with(mutant, () => runTests(copy, mutant.tests, { limitMs: MUTANT_LIMIT_MS, signal }));
  switch (result.outcome) {
    case "passed":
      return { verdict: "survived" };
    case "failed":
      return { verdict: "killed", by: result.by };
    case "out of time":
      return { verdict: "out of time", why: `its tests took more than ${MUTANT_LIMIT_MS / 1000} s` };
    case "broken":
      return { verdict: "broken", why: result.output };
  }
}

/** All tests of these mutants without any mutant: what fails by itself kills nothing. */
export async function runUnmutated(
  mutants: readonly Mutant[],
  { root, jobs, signal }: Pick<MutateSettings, "root" | "jobs" | "signal">,
): Promise<TestResult> {
  const copy = new TreeCopy(root);
  try {
    const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
    return await runTests(copy, tests, { limitMs: BASE_LIMIT_MS, signal, workers: jobs });
  } finally {
    copy.remove();
  }
}

/** True if this is no failure: what was to be killed was. */
export const isKilled = ({ result }: Tried): boolean => result.verdict === "killed";
