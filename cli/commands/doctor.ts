import type { Command } from "commander";
import { type DataOptions, EXIT, type ExitCode, jsonOption, tellAs } from "../output.ts";

/** `doctor`: checks everything the gate needs and says how to fix what is wrong. Changes nothing but the record of tested clients. */
export function doctorCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("doctor")
    .description(
      `checks sockets, permissions, databases, Node and the hook; exits with ${EXIT.problem_found} if something is wrong`,
    )
    .option("--client <file>", "Claude Code's program; left out, the one on PATH")
    .addOption(jsonOption())
    .action(async (options: DataOptions & { client?: string }) => {
      const { allChecks } = await import("../doctor-checks.ts");
      const checks = await allChecks(options.client);
      for (const check of checks) {
        tellAs(
          options,
          check,
          `${check.ok ? "ok  " : "FAIL"}  ${check.check}: ${check.detail}${check.fix ? `\n      ${check.fix}` : ""}`,
        );
      }
      done(checks.every((check) => check.ok) ? EXIT.ok : EXIT.problem_found);
    });
}
