import type { ArrayValue, Assignment, Command, HereDoc, Redirection } from "unbash";
import { absolutePath } from "../paths.ts";
import type { Piece, Redirect, SimpleCommand, Stdin, Word } from "../reading.ts";
import { literal, programName, wordOf } from "../word.ts";
import { changesScope, evaluateBuiltin, evaluatesIndexes } from "./builtins.ts";
import { commandContextOf, type EvaluationContext, type Outcomes, type ShellEvaluator } from "./evaluator.ts";
import type { ExpansionContext } from "./parameters.ts";
import { functionKey, elementsOf as listOf, MAX_WORDS, type Scope, Unreadable, withValue } from "./scope.ts";
import { expandWhole, expandWord } from "./words.ts";

/** One simple command: its words, redirections and assignments, and whether a function, a builtin or a program runs. */

export function evaluateSimple(
  evaluator: ShellEvaluator,
  node: Command,
  scope: Scope,
  context: EvaluationContext,
): Outcomes {
  evaluator.budget.takeStep();
  const changed = { scope };
  const { redirects, stdin } = readRedirects(evaluator, node.redirects, scope, context);
  // `tee >(sh) <<< x`: what a process substitution gets is what the command gets.
  const expansion = evaluator.expansion(scope, stdin === null ? context : { ...context, stdin }, changed);
  const assignments: Assigned[] = [];
  for (const entry of node.prefix) {
    if (entry.type === "Assignment") assignments.push(assigned(evaluator, entry, expansion, context));
  }
  const argv: Word[] =
    node.name === undefined ? [] : expandWord(node.name, expansion, evaluator.span(node.name, context));
  for (const argument of node.args) {
    if (argument.type === "Word") argv.push(...expandWord(argument, expansion, evaluator.span(argument, context)));
    else argv.push(asWord(evaluator, argument, expansion, context));
    if (argv.length > MAX_WORDS) throw new Unreadable("it holds too many words");
  }
  const here = changed.scope;
  readHidden(evaluator, argv, assignments, here, context);
  const base: SimpleCommand = {
    argv,
    name: programName(argv[0]?.text ?? ""),
    ...evaluator.span(node, context),
    ...commandContextOf(context),
    cwd: scope.cwd,
    redirects,
    assignments,
    stdin: stdin ?? context.stdin,
  };
  if (context.isSpeculative) base.isSpeculative = true;
  const from = evaluator.commands.length;
  const outcomes = evaluate(evaluator, base, here, node, context);
  noteHereDocs(evaluator, node, context, from);
  return outcomes;
}

function readHidden(
  evaluator: ShellEvaluator,
  argv: readonly Word[],
  assignments: readonly Assigned[],
  scope: Scope,
  context: EvaluationContext,
): void {
  for (const { name, value } of assignments) {
    if (/\[[^\]]*(?:\$\(|`)/.test(value.text) || /^PS\d$/.test(name))
      evaluator.evaluateHiddenText(value.text, scope, context);
    if (name === "PROMPT_COMMAND")
      evaluator.evaluateText(value.text, [scope], { ...context, depth: context.depth + 1 });
  }
  if (!evaluatesIndexes(argv[0]?.text ?? "")) return;
  for (const { text } of argv) if (/\[[^\]]*(?:\$\(|`)/.test(text)) evaluator.evaluateHiddenText(text, scope, context);
}

function evaluate(
  evaluator: ShellEvaluator,
  base: SimpleCommand,
  scope: Scope,
  node: Command,
  context: EvaluationContext,
): Outcomes {
  const [first] = base.argv;
  if (first === undefined) {
    const set = base.assignments.reduce(
      (now, { name, value, elements }) => withValue(now, name, value.pieces, elements),
      scope,
    );
    if (base.redirects.length > 0 || base.assignments.length > 0) evaluator.add({ ...base, name: "" });
    return { ok: [set], failed: [] };
  }
  const alias = scope.aliases.get(first.text);
  if (alias !== undefined && node.name !== undefined) return evaluateAlias(evaluator, alias, base, scope, context);
  const defined = scope.functions.get(first.text);
  if (defined !== undefined) {
    // The same name may mean another function by then.
    const key = functionKey(first.text, defined);
    if (context.functions.includes(key)) {
      if (context.inPipe || context.in_background) evaluator.forkBomb ??= { start: base.start, end: base.end };
      return { ok: [scope], failed: [scope] };
    }
    if (base.redirects.length > 0) evaluator.add({ ...base, argv: [], name: "" });
    const called: Scope = { ...scope, positional: base.argv.map(({ pieces }) => pieces) };
    const { ok, failed } = evaluator.evaluateBody(defined.node.body, [called], {
      ...context,
      origin: defined.origin,
      stdin: base.stdin,
      depth: context.depth + 1,
      via: [...context.via, `${first.text}()`],
      functions: [...context.functions, key],
    });
    const back = (after: Scope): Scope => ({ ...after, positional: scope.positional });
    return { ok: ok.map(back), failed: failed.map(back) };
  }
  if (/(^|\/)\$\{?0\}?$/.test(first.text) && (context.inPipe || context.in_background)) {
    evaluator.forkBomb ??= { start: base.start, end: base.end };
  }
  if (changesScope(base)) return evaluateBuiltin(evaluator, base, scope, context);
  return evaluator.evaluateProgram(base, scope, context);
}

/** An alias is text: its value and the rest of the command are read as one. */
function evaluateAlias(
  evaluator: ShellEvaluator,
  alias: string,
  base: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): Outcomes {
  const aliases = new Map(scope.aliases);
  aliases.delete(base.argv[0]?.text ?? "");
  const text = [alias, ...base.argv.slice(1).map((word) => quoted(word))].join(" ");
  return evaluator.evaluateText(text, [{ ...scope, aliases }], {
    ...context,
    origin: { start: base.start, end: base.end },
    stdin: base.stdin,
    depth: context.depth + 1,
    via: [...context.via, "alias"],
  });
}

/** A resolved word as source text again: patterns stay active, what is unknown stays a variable. */
function quoted(word: Word): string {
  return (
    word.pieces
      .map(({ text, kind }) =>
        kind === "text"
          ? `'${text.replaceAll("'", "'\\''")}'`
          : kind === "glob"
            ? text
            : text === ""
              ? ""
              : '"$unknown"',
      )
      .join("") || "''"
  );
}

interface Assigned {
  name: string;
  value: Word;
  elements?: readonly (readonly Piece[])[];
}

function assigned(
  evaluator: ShellEvaluator,
  node: Assignment,
  expansion: ExpansionContext,
  context: EvaluationContext,
): Assigned {
  const span = evaluator.span(node, context);
  let value: Word;
  let elements: readonly (readonly Piece[])[] | undefined;
  if (node.value.type === "ArrayValue") {
    const words = elementsOf(evaluator, node.value, expansion, context);
    const [first] = words;
    elements = words.map(({ pieces }) => pieces);
    // `${a[@]}` in full is not kept apart: it is its words, one after the other.
    value =
      first === undefined
        ? wordOf([literal("")], span)
        : wordOf(
            words.flatMap(({ pieces }, index): Piece[] => [...(index === 0 ? [] : [literal(" ")]), ...pieces]),
            span,
          );
  } else {
    value = expandWhole(node.value, expansion, span, true);
  }
  if (node.append) {
    const before = expansion.scope.vars.get(node.name) ?? [];
    value = wordOf([...before, ...value.pieces], span);
    if (elements !== undefined) {
      elements = [...(listOf(node.name, expansion.scope) ?? (before.length > 0 ? [before] : [])), ...elements];
      value = wordOf(
        elements.flatMap((pieces, index): Piece[] => [...(index === 0 ? [] : [literal(" ")]), ...pieces]),
        span,
      );
    }
  }
  if (node.index !== undefined) expandWhole(node.index, expansion, span);
  const name = node.index === undefined ? node.name : `${node.name}[${node.index.text}]`;
  return elements === undefined ? { name, value } : { name, value, elements };
}

function elementsOf(
  evaluator: ShellEvaluator,
  { elements }: ArrayValue,
  expansion: ExpansionContext,
  context: EvaluationContext,
): Word[] {
  return elements.flatMap((element) => expandWord(element, expansion, evaluator.span(element, context)));
}

/** `of=~/x`, `export A=b`: a word that looks like an assignment. */
function asWord(
  evaluator: ShellEvaluator,
  node: Assignment,
  expansion: ExpansionContext,
  context: EvaluationContext,
): Word {
  const { value } = assigned(evaluator, node, expansion, context);
  const index = node.index === undefined ? "" : `[${node.index.text}]`;
  return wordOf(
    [literal(`${node.name}${index}${node.append ? "+" : ""}=`), ...value.pieces],
    evaluator.span(node, context),
  );
}

/** No more than 1250 of them are read. */
const REDIRECT_STEPS = 40;

/** A command's redirections, and what they make its input. */
export function readRedirects(
  evaluator: ShellEvaluator,
  nodes: readonly Redirection[],
  scope: Scope,
  context: EvaluationContext,
): { redirects: Redirect[]; stdin: Stdin | null } {
  const redirects: Redirect[] = [];
  let stdin: Stdin | null = null;
  if (nodes.length === 0) return { redirects, stdin };
  const expansion = evaluator.expansion(scope, context, { scope });
  for (const node of nodes) {
    evaluator.budget.takeStep(REDIRECT_STEPS);
    const fd = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
    if (node.type === "HereDoc") {
      const text = hereDocText(node, expansion);
      if (fd === null || fd === 0)
        stdin = { from: "here-doc", text, words: text === null ? null : listed(text, evaluator.span(node, context)) };
      continue;
    }
    if (node.target === undefined) continue;
    const span = evaluator.span(node, context);
    const target = expandWhole(node.target, expansion, evaluator.span(node.target, context));
    if (node.type === "HereString") {
      const text = target.is_resolved ? `${target.text}\n` : null;
      if (fd === null || fd === 0)
        stdin = { from: "here-string", text, words: text === null ? null : listed(text, span) };
      continue;
    }
    // `2>&1`, `>&-`: no file.
    if (/^[<>]&$/.test(node.operator) && /^(\d+-?|-)$/.test(target.text)) continue;
    redirects.push({ operator: node.operator, fd, target, ...span });
    if (node.operator.startsWith("<") && (fd === null || fd === 0))
      stdin = {
        from: "file",
        text: target.output ?? evaluator.files.get(absolutePath(target.text, scope.cwd) ?? "") ?? null,
        words: null,
      };
    if (stdin?.from === "file" && stdin.text !== null) stdin = { ...stdin, words: listed(stdin.text, span) };
  }
  return { redirects, stdin };
}

function listed(text: string, span: { start: number; end: number }): Word[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, 64)
    .map((word) => wordOf([literal(word)], span));
}

/** A here-document's text once it is expanded; null where a part of it is unknown. */
function hereDocText(node: HereDoc, expansion: ExpansionContext): string | null {
  const { body } = node;
  if (node.delimiter?.quoted || body.parts === undefined)
    return node.operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text;
  let text = "";
  for (const part of body.parts) {
    if (part.type === "Literal") {
      text += part.value;
      continue;
    }
    const word = {
      type: "Word",
      text: part.text,
      value: part.text,
      pos: part.pos,
      end: part.end,
      parts: [part],
    } as const;
    // An unknown part becomes a variable: the rest of the text is read all the same.
    const { is_resolved, text: value } = expandWhole(word, expansion, { start: 0, end: 0 });
    text += is_resolved ? value : '"$unknown"';
  }
  return text;
}

/** Where here-documents are, and which command takes them: this decides what is only data. */
function noteHereDocs(evaluator: ShellEvaluator, node: Command, context: EvaluationContext, from: number): void {
  for (const redirect of node.redirects) {
    if (redirect.type === "Redirect") continue;
    const emitted = evaluator.commands.slice(from).filter(({ captures }) => captures === context.captures);
    const command = emitted.length === 1 ? (emitted[0] ?? null) : null;
    if (redirect.type === "HereString") {
      const plain = (redirect.target?.parts ?? []).every(
        ({ type }) => type === "Literal" || type === "SingleQuoted" || type === "AnsiCQuoted",
      );
      if (redirect.target !== undefined)
        evaluator.hereDocs.push({
          ...evaluator.span(redirect.target, context),
          command: plain && "by" in context.origin ? command : null,
        });
      continue;
    }
    const isPlain =
      redirect.delimiter?.quoted === true || (redirect.body.parts ?? []).every(({ type }) => type === "Literal");
    evaluator.hereDocs.push({
      ...evaluator.span(redirect.body, context),
      command: isPlain && "by" in context.origin ? command : null,
    });
  }
}
