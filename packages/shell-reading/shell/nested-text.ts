import type { SimpleCommand, Word } from "../reading.ts";
import type { EvaluationContext, Outcomes, ShellEvaluator } from "./evaluator.ts";
import { type Origin, type Scope, withVar } from "./scope.ts";

/** Texts inside a command that are scripts in turn: evaluated with its variables, offsets kept as far as possible. */

/** Words that a shell puts together and reads again. */
export function evaluateAsText(
  evaluator: ShellEvaluator,
  words: readonly Word[],
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
  label: string,
): Outcomes {
  const text = words
    .map((word) =>
      word.pieces
        .map((piece) => (piece.kind === "unknown" ? (piece.text === "" ? "" : "$unknown") : piece.text))
        .join(""),
    )
    .join(" ");
  return evaluateNested(evaluator, text, words.length === 1 ? words[0] : undefined, command, scope, context, label);
}

export function evaluateNested(
  evaluator: ShellEvaluator,
  text: string,
  word: Word | undefined,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
  label: string,
): Outcomes {
  const known = command.assignments.reduce((now, { name, value }) => withVar(now, name, value.pieces), scope);
  return evaluator.evaluateText(text, [known], {
    ...context,
    origin: originOf(evaluator, text, word, command),
    depth: context.depth + 1,
    via: [...command.via, label],
    stdin: command.stdin,
  });
}

/** Where a nested text is: exactly, if the word holds it as it is; else the word, or the command, as a whole. */
function originOf(evaluator: ShellEvaluator, text: string, word: Word | undefined, command: SimpleCommand): Origin {
  if (word === undefined) return { start: command.start, end: command.end };
  const within = evaluator.text.slice(word.start, word.end).indexOf(text);
  return within === -1 || text === "" ? { start: word.start, end: word.end } : { by: word.start + within };
}
