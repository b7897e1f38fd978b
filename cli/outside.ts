import { runOutside } from "./running-program.ts";

/** The launcher's short way. @param argv the whole command's words */
export async function main(argv: readonly string[]): Promise<number> {
  return (await runOutside(argv.slice(1))) ?? (await (await import("./main.ts")).main(argv));
}
