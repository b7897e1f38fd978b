import type { Requirement, ShellReading } from "../../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../../ipc/contract/wire.ts";
import { workingDirectoryOf } from "../../../shell-reading/clear/call-environment.ts";
import { type LineNeeds, needsOfLine } from "../../../shell-reading/clear/line-needs.ts";
import { programSearchOf } from "../../../shell-reading/clear/program-search.ts";
import type { SimpleCommand } from "../../../shell-reading/shell/reading.ts";
import { requirementOf } from "../../../shell-reading/targets/target.ts";
import { type CommandLine, CommandLines } from "../../executors/command-lines.ts";
import { lineOf } from "../../executors/needs.ts";
import type { GateFiles } from "../gate-files.ts";
import { dangerousCommand } from "../patterns.ts";
import { findingIn, findingText, maskedTexts } from "./guard-shell.ts";

/** How each command line of a call was read, for whoever asks why (`explain`). Holds the values: nothing of it is stored. */
export function explainReadings(
  call: ProposedCall,
  home: string,
  gate_files: GateFiles | undefined,
  lines = new CommandLines(call, home),
  has_comments = false,
): ShellReading[] {
  const cwd = workingDirectoryOf(call, home) ?? "";
  return lines.all.map((line) => {
    const text = lineOf(call.args[line.arg]) ?? line.text;
    const cleared = needsOfLine(text, home, cwd, has_comments, programSearchOf(call, home));
    return explainLine(line, cleared, home, cwd, gate_files);
  });
}

function explainLine(
  { arg, text, reading }: CommandLine,
  cleared: LineNeeds,
  home: string,
  cwd: string,
  gate_files: GateFiles | undefined,
): ShellReading {
  const found = findingIn(reading, { cwd, home, gate: gate_files?.protected_paths });
  const pattern = found === null ? dangerousCommand(maskedTexts(reading).for_commands) : undefined;
  const seen =
    found === null
      ? pattern === undefined
        ? null
        : {
            rule: "guard.irrecoverable-command" as const,
            description: `irrecoverable command: pattern '${pattern}'`,
            instead: "name exactly what should change",
            start: 0,
            end: text.length,
          }
      : { rule: found.rule, description: findingText(found, reading), instead: found.instead, ...found.span };
  return {
    arg,
    text,
    unread: reading.unread,
    unclear: cleared.unclear,
    commands: partsOf({ reading }, cleared).map(({ command, ...part }) => ({
      ...part,
      words: [
        ...command.argv.map((word) => word.text),
        ...command.redirects.flatMap(({ operator, target }) => [operator, target.text]),
      ],
      is_resolved: command.argv.every((word) => word.is_resolved),
      via: [...command.via],
      cwd: command.cwd,
    })),
    guard: seen,
  };
}

/** A command of a line with what it touches, by the needs that the line was found to have. */
export interface LinePart {
  command: SimpleCommand;
  start: number;
  end: number;
  needs: Requirement[];
  /** Why it may do more than its needs say, or null. */
  unclear: string | null;
}

/** The commands of a line, as the reading has them. */
export function partsOf({ reading }: Pick<CommandLine, "reading">, cleared: LineNeeds): LinePart[] {
  return reading.commands.map((command): LinePart => {
    const inside = cleared.commands.filter(({ start, end }) => start >= command.start && end <= command.end);
    // A loop's command is there once for each value.
    const own =
      inside.length > 0
        ? inside
        : cleared.commands.filter(({ start, end }) => start <= command.start && end >= command.end);
    return {
      command,
      start: command.start,
      end: command.end,
      needs: own.flatMap(({ needs }) => needs.map(requirementOf)),
      unclear: own.length === 0 ? cleared.unclear : (own.find(({ unclear }) => unclear !== null)?.unclear ?? null),
    };
  });
}
