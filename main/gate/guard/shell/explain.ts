import type { ShellReading } from "../../../../ipc/decision.ts";
import type { ProposedCall } from "../../../../ipc/wire.ts";
import { type CommandLine, commandLinesOf } from "../../executors/command-lines.ts";
import { needsOfCommand } from "../../executors/programs/needs-of-command.ts";
import { expandHome } from "../../targets/path.ts";
import { requirementOf } from "../../targets/target.ts";
import type { GateFiles } from "../gate-files.ts";
import { dangerousCommand } from "../shell-patterns.ts";
import { floorTexts } from "./data-only.ts";
import { findingIn, findingText } from "./guard-shell.ts";

/** How each command line of a call was read, for whoever asks why (`explain`). Holds the values: nothing of it is stored. */
export function explainReadings(call: ProposedCall, home: string, gate_files: GateFiles | undefined): ShellReading[] {
  const cwd = call.context?.cwd === undefined ? "" : expandHome(call.context.cwd, home);
  return commandLinesOf(call, home).map((line) => explainLine(line, home, cwd, gate_files));
}

function explainLine(
  { arg, text, reading }: CommandLine,
  home: string,
  cwd: string,
  gate_files: GateFiles | undefined,
) {
  const found = findingIn(reading, { cwd, home, gate: gate_files?.places });
  const { by_command } = needsOfCommand(reading, home, cwd);
  const pattern = found === null ? dangerousCommand(floorTexts(reading).for_commands) : undefined;
  const seen =
    found === null
      ? pattern === undefined
        ? null
        : {
            saw: `irrecoverable command: pattern '${pattern}'`,
            instead: "name exactly what should change",
            start: 0,
            end: text.length,
          }
      : { saw: findingText(found, reading), instead: found.instead, ...found.span };
  return {
    arg,
    text,
    unread: reading.unread,
    commands: reading.commands.map((command, index) => ({
      start: command.start,
      end: command.end,
      words: [
        ...command.argv.map((word) => word.text),
        ...command.redirects.flatMap(({ operator, target }) => [operator, target.text]),
      ],
      is_certain: command.argv.every((word) => word.is_certain),
      via: [...command.via],
      cwd: command.cwd,
      needs: (by_command[index]?.needs ?? []).map(requirementOf),
      runs_code: by_command[index]?.runs_code ?? true,
    })),
    guard: seen,
  };
}
