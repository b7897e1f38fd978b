import type { Command } from "commander";
import type { Decision } from "../../ipc/decision.ts";
import { type ExitCode, isColoured, printLine, usageError } from "../output.ts";
import { readingLines } from "../reading-lines.ts";

/** `guard explain`: how a command line is read, and the guard's finding. Needs no gate, logs nothing. */
export function guardCommands(program: Command, _done: (code: ExitCode) => void): void {
  const guard = program
    .command("guard")
    .description("what a shell would make of a command line, and what the guard says");
  guard
    .command("explain [command]")
    .description("prints the simple commands in it, what each needs, and what the guard found; runs nothing")
    .option("--cwd <folder>", "as if it ran there (default: this folder)")
    .option("--json", "the reading as one JSON line")
    .action(async (command: string | undefined, options: { cwd?: string; json?: boolean }) => {
      if (command === undefined || command === "")
        throw usageError("nothing to read", "give the command as one word: guard explain 'ls -la'");
      const decision = await explained(command, options.cwd ?? process.cwd());
      if (options.json) {
        printLine({
          outcome: decision.outcome,
          stage: decision.stage,
          rule: decision.explain.rule,
          reason: decision.reason,
          readings: decision.readings ?? [],
        });
        return;
      }
      process.stdout.write(`${readingLines(decision, isColoured(process.stdout)).join("\n")}\n`);
    });
}

async function explained(command: string, cwd: string): Promise<Decision> {
  const { openOfflineGate } = await import("../../main/offline.ts");
  const gate = openOfflineGate();
  try {
    return gate.explain({ intent: "", executor: "Bash", args: { command }, context: { cwd } });
  } finally {
    gate.close();
  }
}
