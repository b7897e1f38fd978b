import type { Command } from "commander";
import { withOperator, withRunningGate } from "../operator.ts";
import { EXIT, type ExitCode, printLine, say, usageError } from "../output.ts";

/** `audit ...`: the trail of what was decided. */
export function auditCommands(program: Command, done: (code: ExitCode) => void): void {
  const audit = program.command("audit").description("the trail of what was decided");

  audit
    .command("tail")
    .description("the last lines, oldest first")
    .option("-n, --lines <count>", "how many", "20")
    .option("-f, --follow", "and those that come, until interrupted")
    .action(async (options: { lines: string; follow?: boolean }) => {
      const lines = Number(options.lines);
      if (!Number.isInteger(lines) || lines < 1) throw usageError("-n needs a whole number above 0");
      if (!options.follow) {
        return withOperator(async (api) => {
          for (const line of await api.call("audit.tail", { lines })) printLine(line);
        });
      }
      await withRunningGate(async (api) => {
        api.subscribe(({ data }) => printLine(data), ["audit.line"]);
        for (const line of await api.call("audit.tail", { lines })) printLine(line);
        await api.closed;
      });
    });

  audit
    .command("verify")
    .description(`finds changed, removed and reordered lines; exits with ${EXIT.problem_found} if there are any`)
    .action(() =>
      withOperator(async (api) => {
        const { problems, ...summary } = await api.call("audit.verify", {});
        for (const problem of problems) printLine(problem);
        printLine(summary);
        say(
          summary.ok ? `${summary.lines} lines, each follows from the one before` : `${problems.length} problems found`,
        );
        done(summary.ok ? EXIT.ok : EXIT.problem_found);
      }),
    );
}
