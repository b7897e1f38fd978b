import { runProxy } from "./program.ts";

/** The launcher's short way. @param argv the whole command's words */
export async function main(argv: readonly string[]): Promise<number> {
  const words = argv.slice(1);
  const isHelp = words.length === 0 || words[0] === "--help" || words[0] === "-h";
  return isHelp ? await (await import("../main.ts")).main(argv) : await runProxy(words);
}
