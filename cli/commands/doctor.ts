import type { Command } from "commander";
import type { Check } from "../check.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, tellAs } from "../output.ts";

interface Options extends DataOptions {
  client?: string;
  selfTest?: boolean;
}

/** `doctor`: checks everything the gate needs and says how to fix what is wrong. Changes nothing but the record of tested clients. */
export function doctorCommand(program: Command, done: (code: ExitCode) => void): void {
  program
    .command("doctor")
    .description(
      `checks sockets, permissions, databases, Node and the hook; exits with ${EXIT.problemFound} if something is wrong`,
    )
    .option("--client <file>", "Claude Code's program; left out, the one on PATH")
    .option(
      "--self-test",
      "also has each client that is connected run two calls, in a home of its own with a pretended model",
    )
    .addOption(jsonOption())
    .action(async (options: Options) => {
      let ok = true;
      for await (const check of checksFor(options)) {
        ok &&= check.ok;
        tellAs(
          options,
          check,
          `${check.ok ? "ok  " : "FAIL"}  ${check.check}: ${check.detail}`,
          ...(check.fix ? check.fix.split("\n").map((line) => `      ${line}`) : []),
        );
      }
      done(ok ? EXIT.ok : EXIT.problemFound);
    });
}

async function* checksFor({ client, selfTest }: Options): AsyncGenerator<Check> {
  const { allChecks } = await import("../doctor-checks.ts");
  yield* await allChecks(client);
  const options = { env: process.env, client };
  if (selfTest === true) {
    const { selfTests } = await import("../self-test/self-test.ts");
    yield* selfTests(options);
  } else {
    const { recordedSelfTests } = await import("../self-test/record.ts");
    yield* await recordedSelfTests(options);
  }
}
