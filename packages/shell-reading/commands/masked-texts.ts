import { isPlainLabel } from "../programs/labels.ts";
import { programCalled } from "../programs/table.ts";
import type { Reading, SimpleCommand, Span } from "../reading.ts";
import { changesNames, setsVariables } from "../shell/builtins.ts";
import { dataWords, isTextOnly } from "./path-words.ts";

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
