import { optionsIn } from "./options.ts";

/**
 * `metnos-gate mcp`, by itself: a client starts one for each of its servers, and waits for it. Loads no native module.
 * @param argv the whole command's words
 */
export async function main(argv: readonly string[]): Promise<number> {
  const words = argv.slice(1);
  if (words.length === 0 || words[0] === "--help" || words[0] === "-h")
    return await (await import("../main.ts")).main(argv);
  let options: ReturnType<typeof optionsIn>;
  try {
    options = optionsIn(words);
  } catch (error) {
    process.stderr.write(
      `metnos-gate mcp: ${error instanceof Error ? error.message : "the words aren't understood"}\n`,
    );
    return 2;
  }
  const { runMcp } = await import("./run.ts");
  return await runMcp(options);
}
