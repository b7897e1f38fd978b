import { optionsIn } from "./options.ts";

/**
 * `metnos-gate mcp`, as clients start it: one for each of their servers. Loads no native module and runs on Node >= 20.
 * @param words behind `mcp`
 * @returns the exit code: the server's own; 2 where the words aren't understood
 */
export async function runProxy(words: readonly string[]): Promise<number> {
  let options: ReturnType<typeof optionsIn>;
  try {
    options = optionsIn(words);
  } catch (error) {
    process.stderr.write(`metnos-gate mcp: ${error instanceof Error ? error.message : "unknown words"}\n`);
    return 2;
  }
  const { runMcp } = await import("./run.ts");
  return await runMcp(options);
}
