import { runBounded } from "./bounded-process.ts";
import type { TestPlace } from "./test-place.ts";

const TIMEOUT_MS = 20_000;

/** The version that a client's program says it has, started in a home of its own; empty where it says none. Never rejects. */
export async function programVersion(program: string, { home: cwd, env }: TestPlace): Promise<string> {
  const { output } = await runBounded({ argv: [program, "--version"], cwd, env, timeoutMs: TIMEOUT_MS });
  return /\d+\.\d+\.\d+[\w.-]*/.exec(output)?.[0] ?? "";
}
