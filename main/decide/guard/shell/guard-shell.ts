import {
  type LineNeeds,
  type MaskedTexts,
  maskedTexts,
  needsOfLine,
  type PathWord,
  pathWords,
  type ReadContext,
  type Reading,
  readArgv,
  readCommand,
  type SimpleCommand,
} from "@metnos-gate/shell-reading";
import { programSearchOf, workingDirectoryOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import type { ShellReading } from "../../../../ipc/contract/decision.ts";
import type { DescribedCommand } from "../../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../../ipc/contract/wire.ts";
import { requirementOf } from "../../../targets/target.ts";
import { type CommandLine, CommandLines } from "../../executors/command-lines.ts";
import { lineOf } from "../../executors/needs.ts";
import type { GateFiles, ProtectedGatePaths } from "../../places/gate-files.ts";
import { dangerousCommand } from "../../places/patterns.ts";
import type { Finding, FindingRule } from "./finding.ts";
import { forbiddenPaths } from "./forbidden-paths.ts";
import { gateItself } from "./gate-itself.ts";
import { irrecoverable } from "./irrecoverable.ts";

/** What the guard makes of a command line once it is read. */
export interface ShellGuarded {
  reading: Reading;
  finding: Finding | null;
  /** What the raw patterns still look at: data blanked out where that is certain. */
  masked: MaskedTexts;
}

export interface ShellGuardSettings extends ReadContext {
  gate?: ProtectedGatePaths | undefined;
  /** Keys that may be read, as the call is asked about each time. */
  asked?: ReadonlySet<string>;
}

/** Reads a command line (or a list of words) and looks at what it would run. Never throws. */
export function guardShell(command: string | readonly string[], settings: ShellGuardSettings): ShellGuarded {
  const reading = typeof command === "string" ? readCommand(command, settings) : readArgv(command, settings);
  return { reading, finding: findingIn(reading, settings), masked: maskedTexts(reading) };
}

export function findingIn(reading: Reading, { home, cwd, gate, asked }: ShellGuardSettings): Finding | null {
  const known = new Map<SimpleCommand, PathWord[]>();
  const words = (command: SimpleCommand): PathWord[] => {
    let found = known.get(command);
    if (found === undefined) {
      found = pathWords(command);
      known.set(command, found);
    }
    return found;
  };
  return (
    irrecoverable(reading, { home, cwd: cwd.startsWith("/") ? cwd : null }) ??
    gateItself(reading, gate, home, words) ??
    forbiddenPaths(reading, home, words, asked)
  );
}

/** What each rule's finding begins with, for agents and the trail. */
const GROUP_TEXT: Readonly<Record<FindingRule, string>> = {
  "guard.protected-path": "forbidden path violated",
  "guard.secrets-folder": "forbidden path violated",
  "guard.irrecoverable-command": "irrecoverable command",
  "guard.gate-files": "the gate's own files are not for agents",
  "guard.gate-process": "the gate itself",
  "guard.gate-command": "the gate itself",
  "guard.agent-settings": "the gate itself",
};

/** One sentence: what was seen, and in which part of the command. Nothing of what the command says is in it. */
export function findingText({ rule, description, command }: Finding, reading: Reading): string {
  const group = GROUP_TEXT[rule];
  if (rule === "guard.gate-files") return `guard: ${group}`;
  if (command === null) return `guard: ${group}: ${description}`;
  const at = reading.commands.indexOf(command) + 1;
  const part = reading.commands.length > 1 ? ` in part ${at} of ${reading.commands.length}` : "";
  const via = command.via.map((name) => (wrapperOf(name).isKnown ? name : "another program"));
  return `guard: ${group}: ${description}${part}${via.length === 0 ? "" : ` (run by ${via.join(", ")})`}`;
}

/** How each command line of a call was read, for whoever asks why (`explain`). Holds the values: nothing of it is stored. */
export function explainReadings(
  call: ProposedCall,
  home: string,
  gateFiles: GateFiles | undefined,
  lines = new CommandLines(call, home),
  hasComments = false,
): ShellReading[] {
  const cwd = workingDirectoryOf(call, home) ?? "";
  return lines.all.map((line) => {
    const text = lineOf(call.args[line.arg]) ?? line.text;
    const cleared = needsOfLine(text, home, cwd, hasComments, programSearchOf(call, home));
    return explainLine(line, cleared, home, cwd, gateFiles);
  });
}

function explainLine(
  { arg, text, reading }: CommandLine,
  cleared: LineNeeds,
  home: string,
  cwd: string,
  gateFiles: GateFiles | undefined,
): ShellReading {
  const found = findingIn(reading, { cwd, home, gate: gateFiles?.protectedPaths });
  const pattern = found === null ? dangerousCommand(maskedTexts(reading).forCommands) : undefined;
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
type LinePart = DescribedCommand["parts"][number] & { command: SimpleCommand };

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
