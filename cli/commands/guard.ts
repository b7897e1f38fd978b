import type { Command } from "commander";
import type { Decision } from "../../ipc/contract/decision.ts";
import type { Description } from "../../ipc/contract/description.ts";
import { type ExitCode, isColoured, printLine, usageError } from "../output.ts";
import { readingLines } from "../reading-lines.ts";

/** `guard explain`: how a command line is read, and the guard's finding. Needs no gate, logs nothing. */
export function guardCommands(program: Command, _done: (code: ExitCode) => void): void {
  const guard = program
    .command("guard")
    .description("what a shell would make of a command line, and what the guard says");
  guard
    .command("explain [command]")
    .description(
      "prints its simple commands, what each needs, what it leaves behind, its hazards, and what the guard found; runs nothing",
    )
    .option("--cwd <folder>", "as if it ran there (default: this folder)")
    .option("--json", "the reading as one JSON line")
    .action(async (command: string | undefined, options: { cwd?: string; json?: boolean }) => {
      if (command === undefined || command === "")
        throw usageError("nothing to read", "give the command as one word: guard explain 'ls -la'");
      const { decision, description } = await explained(command, options.cwd ?? process.cwd());
      if (options.json) {
        printLine({
          outcome: decision.outcome,
          stage: decision.stage,
          rule: decision.explain.rule,
          reason: decision.reason,
          effect: description.effect,
          hazards: description.hazards,
          readings: decision.readings ?? [],
        });
        return;
      }
      process.stdout.write(`${readingLines(decision, description, isColoured(process.stdout)).join("\n")}\n`);
    });
}

interface Explained {
  decision: Decision;
  description: Description;
}

async function explained(command: string, cwd: string): Promise<Explained> {
  const { openOfflineGate } = await import("../../main/core/offline.ts");
  const gate = openOfflineGate();
  try {
    const call = { intent: "", executor: "Bash", args: { command }, context: { cwd } };
    return { decision: gate.explain(call), description: gate.describe(call) };
  } finally {
    gate.close();
  }
}
