import { absolutePath } from "../paths.ts";
import type { Repeater } from "../programs/wrappers.ts";
import type { SimpleCommand, Word } from "../reading.ts";
import { literal, programName, unknownPiece, wordOf } from "../word.ts";
import type { EvaluationContext, ShellEvaluator } from "./evaluator.ts";
import { evaluateAsText, evaluateNested } from "./nested-text.ts";
import type { Scope } from "./scope.ts";
import { afterWrapper } from "./wrapper-words.ts";

/** The names that come with a command's input, where they aren't known. */
export const FROM_INPUT = "<input>";

// Programs that run a command for each name of a list: `xargs`, `parallel`, `find -exec`.

/** The command that a repeater runs for each name. */
export function evaluateRepeater(
  evaluator: ShellEvaluator,
  repeater: Repeater,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  switch (repeater.namesFrom) {
    case "input":
      return evaluateForInput(evaluator, repeater, command, scope, context);
    case "words":
      return evaluateForWords(evaluator, repeater, command, scope, context);
    case "search":
      evaluator.add(command);
      return evaluateFound(evaluator, repeater, command, scope, context);
  }
}

type From<Source extends Repeater["namesFrom"]> = Repeater & { namesFrom: Source };

function evaluateForInput(
  evaluator: ShellEvaluator,
  { own, withoutCommand }: From<"input">,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  const found = afterWrapper(own, command.argv);
  const rest = found?.rest ?? [];
  const at = command.argv.findIndex(({ text }) => /^-I|^--replace|^-i/.test(text));
  const option = command.argv[at]?.text ?? "";
  const mark =
    at === -1 || at >= command.argv.length - rest.length
      ? undefined
      : option === "-I"
        ? (command.argv[at + 1]?.text ?? "{}")
        : option.replace(/^-[Ii]|^--replace=?/, "") || "{}";
  const lines = mark === undefined ? undefined : command.stdin?.text?.split("\n").filter((line) => line !== "");
  const input = lines?.slice(0, 64).map((line) => wordOf([literal(line)], command)) ??
    listFile(evaluator, command, scope) ??
    command.stdin?.words ?? [wordOf([unknownPiece(FROM_INPUT)], command)];
  const name = rest[0] ?? wordOf([literal(withoutCommand)], command);
  const template = rest.length === 0 ? [name] : rest;
  const argv = mark === undefined ? [...template, ...input] : template.flatMap((word) => filled(word, mark, input));
  evaluator.evaluateProgram(
    { ...command, argv, name: programName(name.text), via: [...command.via, command.name], stdin: null },
    scope,
    { ...context, stdin: null },
  );
}

/** `xargs -a FILE`: what an earlier part wrote there, or a substitution prints. */
function listFile(evaluator: ShellEvaluator, { argv, start, end }: SimpleCommand, scope: Scope): Word[] | undefined {
  const file = argv[argv.findIndex(({ text }) => text === "-a" || text === "--arg-file") + 1];
  if (file === undefined || file === argv[0]) return undefined;
  const text = file.output ?? evaluator.files.get(absolutePath(file.text, scope.cwd) ?? "");
  const words = text?.split(/\s+/).filter((word) => word !== "");
  return words?.slice(0, 64).map((word) => wordOf([literal(word)], { start, end }));
}

/** A word with a mark in it, once for each name that takes its place. */
function filled(word: Word, mark: string, names: readonly Word[]): Word[] {
  if (!word.text.includes(mark)) return [word];
  return names.map((name) => {
    const pieces = word.pieces.flatMap((piece) =>
      piece.text
        .split(mark)
        .flatMap((text, index) => [...(index === 0 ? [] : name.pieces), ...(text === "" ? [] : [{ ...piece, text }])]),
    );
    return wordOf(pieces, word);
  });
}

function evaluateForWords(
  evaluator: ShellEvaluator,
  { own, mark }: From<"words">,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  const found = afterWrapper(own, command.argv);
  const rest = found?.rest ?? [];
  const marks = rest.findIndex(({ text }) => mark.test(text));
  const template = marks === -1 ? rest : rest.slice(0, marks);
  const given =
    marks === -1
      ? (command.stdin?.words ?? [wordOf([unknownPiece(FROM_INPUT)], command)])
      : rest.slice(marks + 1).filter(({ text }) => !/^:::/.test(text));
  if (template.length === 0) {
    const text = marks === -1 ? command.stdin?.text : given.map(({ text: line }) => line).join("\n");
    if (text != null) evaluateNested(evaluator, text, undefined, command, scope, context, command.name);
    evaluator.add(command);
    return;
  }
  const hasMark = template.some(({ text }) => text.includes("{}"));
  const words = hasMark ? template.flatMap((word) => filled(word, "{}", given)) : [...template, ...given];
  evaluateAsText(evaluator, words, command, scope, context, command.name);
}

/** `find ... -exec COMMAND {} ;`: with the paths that it may find in the place of `{}`. */
function evaluateFound(
  evaluator: ShellEvaluator,
  { options, finds, addsNames }: From<"search">,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  const { argv, name } = command;
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text ?? "";
    if (!options.test(text)) continue;
    const rest = argv.slice(at + 1);
    const end = rest.findIndex(
      (word, index) => word.text === ";" || (word.text === "+" && rest[index - 1]?.text === "{}"),
    );
    const template = end === -1 ? rest : rest.slice(0, end);
    const names = finds(argv.slice(1), at - 1, command);
    const words = template.flatMap((word) => filled(word, "{}", names));
    const hasMark = template.some((word) => word.text.includes("{}"));
    const all = addsNames && !hasMark ? [...words, ...names] : words;
    const [first] = all;
    if (first === undefined) continue;
    evaluator.evaluateProgram(
      {
        ...command,
        argv: all,
        name: programName(first.text),
        via: [...command.via, `${name} ${text}`],
        redirects: [],
        stdin: null,
      },
      scope,
      context,
    );
    at += template.length;
  }
}
