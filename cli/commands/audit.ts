import type { Command } from "commander";
import type { AuditReport } from "../../ipc/audit.ts";
import { AUDIT_COLUMNS } from "../listings.ts";
import { withOperator, withRunningGate } from "../operator.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, list, printLine, say, usageError } from "../output.ts";

/** `audit ...`: the trail of what was decided. */
export function auditCommands(program: Command, done: (code: ExitCode) => void): void {
  const audit = program.command("audit").description("the trail of what was decided");

  audit
    .command("tail")
    .description("the last lines, oldest first")
    .option("-n, --lines <count>", "how many", "20")
    .option("-f, --follow", "and those that come, until interrupted")
    .addOption(jsonOption())
    .action(async (options: { lines: string; follow?: boolean } & DataOptions) => {
      const lines = Number(options.lines);
      if (!Number.isInteger(lines) || lines < 1) throw usageError("-n needs a whole number above 0");
      if (!options.follow) {
        return withOperator(async (api) => {
          list(await api.call("audit.tail", { lines }), AUDIT_COLUMNS, options);
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
    .description(`finds whatever isn't as the gate wrote it; exits with ${EXIT.problem_found} if there is anything`)
    .action(() =>
      withOperator(async (api) => {
        const report = await api.call("audit.verify", {});
        const { problems: _, ...summary } = report;
        showProblems(report, summary);
        done(summary.ok ? EXIT.ok : EXIT.problem_found);
      }),
    );

  audit
    .command("accept")
    .description("accepts the problems that verify finds: the trail records which, and why")
    .requiredOption("--reason <text>", "why")
    .action((options: { reason: string }) =>
      withOperator(async (api) => {
        const report = await api.call("audit.accept", { reason: options.reason });
        const { problems: _, ...summary } = report;
        showProblems(report, summary);
        done(summary.ok ? EXIT.ok : EXIT.problem_found);
      }),
    );
}

/** A line for each problem, then the summary. */
function showProblems({ ok, lines, problems }: AuditReport, summary: object): void {
  for (const problem of problems) printLine(problem);
  printLine(summary);
  const accepted = problems.filter((problem) => problem.accepted !== null).length;
  const open = problems.length - accepted;
  if (!ok) return say(`${count(open, "problem")} found${accepted === 0 ? "" : `, and ${accepted} accepted before`}`);
  say(
    `${count(lines, "line")}, ${accepted === 0 ? "each as it was written" : `with ${count(accepted, "accepted problem")} and no other`}`,
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
