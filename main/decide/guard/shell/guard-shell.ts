import type { ShellReading } from "../../../../ipc/contract/decision.ts";
import type { DescribedCommand } from "../../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../../ipc/contract/wire.ts";
import { type LineNeeds, needsOfLine } from "../../../../packages/shell-reading/clear/line-needs.ts";
import { programSearchOf, workingDirectoryOf } from "../../../../packages/shell-reading/clear/program-search.ts";
import { isKnownLabel, isPlainLabel } from "../../../../packages/shell-reading/programs/labels.ts";
import { programCalled } from "../../../../packages/shell-reading/programs/table.ts";
import type { ReadContext, Reading, SimpleCommand, Span } from "../../../../packages/shell-reading/reading.ts";
import { changesNames, setsVariables } from "../../../../packages/shell-reading/shell/builtins.ts";
import { readArgv, readCommand } from "../../../../packages/shell-reading/shell/read-command.ts";
import { requirementOf } from "../../../../packages/shell-reading/targets/target.ts";
import { type CommandLine, CommandLines } from "../../executors/command-lines.ts";
import { lineOf } from "../../executors/needs.ts";
import type { GateFiles, ProtectedGatePaths } from "../../places/gate-files.ts";
import { dangerousCommand } from "../../places/patterns.ts";
import type { Finding, FindingRule } from "./finding.ts";
import { gateItself } from "./gate-itself.ts";
import { irrecoverable } from "./irrecoverable.ts";
import { dataWords, forbiddenPaths, isTextOnly, type PathWord, pathWords } from "./path-words.ts";

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
  const via = command.via.map((name) => (isKnownLabel(name) ? name : "another program"));
  return `guard: ${group}: ${description}${part}${via.length === 0 ? "" : ` (run by ${via.join(", ")})`}`;
}

/**
 * Where the reading wins over the raw patterns (docs/guard.md). The patterns look at the text with what is provably only data
 * blanked out. Data is: comments; words that only name, search or print in programs that run none of it; the body of a
 * here-document that such a program takes. It counts only if the whole line was read, nothing in it redefines what names
 * mean, and nothing in it could run what was printed or written. In any doubt nothing is blanked out: the patterns win.
 */
export function maskedTexts(reading: Reading): MaskedTexts {
  const { text } = reading;
  if (reading.unread !== null) return { forPaths: text, forCommands: text };
  const spans: Span[] = [...reading.comments];
  const data: Span[] = [];
  if (!reading.defines && !reading.commands.some(changesMeaning)) {
    spans.push(...dataSpans(reading, false));
    data.push(...dataSpans(reading, true));
  }
  const forPaths = blanked(text, spans);
  return { forPaths, forCommands: data.length === 0 ? forPaths : blanked(text, [...spans, ...data]) };
}

/** What the raw patterns look at: those for paths, and those for commands, to which a path of a plain reader is data, too. */
export interface MaskedTexts {
  forPaths: string;
  forCommands: string;
}

/** Assignments that change which program a name means, or what a shell reads before it begins. */
function changesMeaning({ name, argv, assignments }: SimpleCommand): boolean {
  const names = [
    ...assignments.map((assignment) => assignment.name),
    ...(setsVariables(name) ? argv.slice(1).map(({ text }) => text.split("=")[0] ?? "") : []),
  ];
  if (
    names.some((one) =>
      /^(?:PATH|IFS|ENV|BASH_ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|PAGER|EDITOR|VISUAL|GREP_OPTIONS|RIPGREP_CONFIG_PATH)$|^(?:LD_|DYLD_|GIT_|BASH_FUNC|LESS)/.test(
        one,
      ),
    )
  )
    return true;
  return changesNames(name);
}

function dataSpans(reading: Reading, withOperands: boolean): Span[] {
  const { commands, text } = reading;
  const isAllText = commands.every(isTextOnly);
  const spans: Span[] = [];
  const add = (span: Span) => {
    if (span.start < span.end && span.end <= text.length) spans.push({ start: span.start, end: span.end });
  };
  for (const command of commands) {
    const isHelp = isHelpOrVersion(command);
    if (!isTextOnly(command) && !isHelp) continue;
    if (!isPlainlyRun(command, commands)) continue;
    if (!isAllText && !isHarmlessOutput(command, commands)) continue;
    const data = dataWords(command);
    const words = isHelp
      ? command.argv
      : withOperands
        ? command.argv.slice(1)
        : command.argv.filter((word) => data.has(word));
    const inside = (span: Span) => span.start >= command.start && span.end <= command.end;
    for (const word of words) if (inside(word)) add(word);
    // `echo rm -rf /`: the blanks between two words of data are data as well.
    for (const [index, word] of command.argv.entries()) {
      const next = command.argv[index + 1];
      if (next !== undefined && words.includes(word) && words.includes(next) && inside(word) && inside(next))
        add({ start: word.end, end: next.start });
    }
    if (isAllText) for (const { value } of command.assignments) add(value);
  }
  for (const { command, ...span } of reading.hereDocs) {
    if (
      command !== null &&
      isTextOnly(command) &&
      isPlainlyRun(command, commands) &&
      (isAllText || isHarmlessOutput(command, commands))
    )
      add(span);
  }
  return spans;
}

/** `mkfs.ext4 --help`, `dd --version`: it says what it does, and does nothing. */
function isHelpOrVersion({ argv, via }: SimpleCommand): boolean {
  return via.length === 0 && argv.length === 2 && /^--(?:help|version)$/.test(argv[1]?.text ?? "");
}

/** Called by its name, in this shell or in a substitution whose text becomes data again. */
function isPlainlyRun(command: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (!command.via.every(isPlainLabel)) return false;
  return command.captures === 0 || commands.every(isTextOnly);
}

/** Its output is shown, or goes to programs that only read it. */
function isHarmlessOutput(command: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (command.captures > 0 || copiesInput(command) || command.name === "") return false;
  const after = commands.filter(
    ({ pipeline, pipelineIndex, captures }) =>
      captures === 0 && pipeline !== 0 && pipeline === command.pipeline && pipelineIndex > command.pipelineIndex,
  );
  if (![command, ...after].every((one) => isTextOnly(one) || isHelpOrVersion(one))) return false;
  // A file that is written could be run by the rest.
  return [command, ...after].every(
    (one) =>
      !copiesInput(one) &&
      one.redirects.every(({ operator, target }) => !operator.includes(">") || target.text === "/dev/null"),
  );
}

const copiesInput = ({ name }: SimpleCommand): boolean => programCalled(name)?.copiesInput === true;

function blanked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let result = "";
  let done = 0;
  for (const { start, end } of sorted) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    result += text.slice(done, from) + "_".repeat(end - from);
    done = end;
  }
  return result + text.slice(done);
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
