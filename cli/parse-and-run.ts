import type { Command } from "commander";
import { EXIT, reportFailure } from "./output.ts";
import { Printed } from "./usage-errors.ts";

/**
 * Parses the words, and runs the command that they say. Gives the exit code.
 * @param make makes the commands; `done` gets the exit code of one that has its own
 */
export async function parseAndRun(
  argv: readonly string[],
  make: (done: (code: number) => void) => Command,
): Promise<number> {
  let code: number = EXIT.ok;
  // A reader that closed the pipe (`| head`) is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
  });
  const program = make((given) => {
    code = given;
  });
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof Printed) return EXIT.ok;
    return reportFailure(error);
  }
}
