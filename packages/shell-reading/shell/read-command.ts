import { Buffer } from "node:buffer";
import { forEachChild, parse, type SyntaxNode } from "unbash";
import type { ReadContext, Reading, SimpleCommand, Span, Word } from "../reading.ts";
import { plainWord, programName } from "../word.ts";
import { type EvaluationContext, ShellEvaluator, type Steps } from "./evaluator.ts";
import { evaluateProgram } from "./programs.ts";
import { firstScope, joined, MAX_BYTES, Unreadable } from "./scope.ts";
import { evaluateBody, evaluateStatements } from "./statements.ts";

/** Reads a command line like a shell does, without running any of it. Never throws; linear in the text, within limits.ts. */

/** What a shell would make of `text`. */
export function readCommand(text: string, context: ReadContext): Reading {
  const evaluator = new ShellEvaluator(text, context, STEPS);
  let comments: readonly Span[] = [];
  guarded(evaluator, () => {
    if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES)
      throw new Unreadable(`it is longer than ${MAX_BYTES / 1024} KiB`);
    if (text.includes("\0")) throw new Unreadable("it holds a NUL byte");
    evaluator.budget.takeText(text);
    const script = parse(text);
    const { ok, failed } = evaluator.evaluateScript(script, [firstScope(context)], FIRST);
    evaluator.evaluateTraps(joined(ok, failed));
    if (text.includes("#")) comments = commentsIn(text, script);
  });
  return readingOf(evaluator, text, comments);
}

/** A list of words that no shell looks at: the program and its arguments, as they are. */
export function readArgv(argv: readonly string[], context: ReadContext): Reading {
  const text = argv.join(" ");
  const evaluator = new ShellEvaluator(text, context, STEPS);
  guarded(evaluator, () => {
    if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES)
      throw new Unreadable(`it is longer than ${MAX_BYTES / 1024} KiB`);
    evaluator.budget.takeStep(argv.length);
    let start = 0;
    const words = argv.map((word): Word => {
      const span = { start, end: start + word.length };
      start = span.end + 1;
      return plainWord(word, span);
    });
    const scope = firstScope(context);
    const { origin: _, depth: __, functions: ___, inPipe: ____, ...position } = FIRST;
    const command: SimpleCommand = {
      ...position,
      argv: words,
      name: programName(words[0]?.text ?? ""),
      start: 0,
      end: text.length,
      cwd: scope.cwd,
      redirects: [],
      assignments: [],
    };
    if (words.length > 0) evaluator.evaluateProgram(command, scope, FIRST);
  });
  return readingOf(evaluator, text, []);
}

const STEPS: Steps = { statements: evaluateStatements, body: evaluateBody, program: evaluateProgram };

const FIRST: EvaluationContext = {
  via: [],
  origin: { by: 0 },
  depth: 0,
  stdin: null,
  pipeline: 0,
  pipelineIndex: 0,
  isLast: true,
  captures: 0,
  inLoop: false,
  in_background: false,
  inPipe: false,
  functions: [],
};

function guarded(evaluator: ShellEvaluator, read: () => void): void {
  try {
    read();
  } catch (error) {
    // A broken rule of the reader's own reads no further either: it is then asked about, and the baseline patterns have been applied.
    evaluator.cannotRead(error instanceof Unreadable ? error.message : "the evaluator failed on it");
  }
}

function readingOf(evaluator: ShellEvaluator, text: string, comments: readonly Span[]): Reading {
  const { commands, elsewhere, unread, defines, forkBomb, hereDocs } = evaluator;
  return { text, commands, elsewhere, unread, defines, forkBomb, comments, hereDocs };
}

/** The comments: from a `#` at the beginning of a word to the end of its line, where there is no word. */
function commentsIn(text: string, script: SyntaxNode): Span[] {
  const taken: Span[] = [];
  const visit = (node: SyntaxNode) => {
    if (
      node.type === "Word" ||
      node.type === "HereDoc" ||
      node.type === "Assignment" ||
      node.type === "ArithmeticCommand"
    ) {
      taken.push({ start: node.pos, end: node.end });
      if (node.type === "HereDoc") taken.push({ start: node.body.pos, end: node.closing?.end ?? node.body.end });
    } else forEachChild(node, visit);
  };
  visit(script);
  taken.sort((a, b) => a.start - b.start);
  const found: Span[] = [];
  let next = 0;
  for (let at = text.indexOf("#"); at !== -1; ) {
    while (next < taken.length && (taken[next]?.end ?? 0) <= at) next++;
    const word = taken[next];
    const isInside = word !== undefined && word.start <= at;
    if (isInside || (at > 0 && !/[\s;&|()]/.test(text[at - 1] ?? ""))) {
      at = text.indexOf("#", isInside ? word.end : at + 1);
      continue;
    }
    const line = text.indexOf("\n", at);
    const end = line === -1 ? text.length : line;
    // A word inside would mean that it is none after all.
    if (word === undefined || word.start >= end) found.push({ start: at, end });
    at = text.indexOf("#", end);
  }
  return found;
}
