import {
  type Case,
  type CommandNode,
  type CompoundCommand,
  type For,
  forEachChild,
  type PipelineNode,
  type Redirected,
  type Statement,
  type SyntaxNode,
  type While,
} from "unbash";
import { holdsUp } from "../programs/disks-and-processes.ts";
import type { Piece, Redirect, Stdin, Word } from "../reading.ts";
import { plainWord, unknownPiece } from "../word.ts";
import { commandContextOf, type EvaluationContext, type Outcomes, type ShellEvaluator } from "./evaluator.ts";
import { type Defined, functionKey, joined, type Scope, Unreadable, withVar } from "./scope.ts";
import { evaluateSimple, readRedirects } from "./simple-command.ts";
import { isStraightNode } from "./straight.ts";
import { expandWord } from "./words.ts";

/** The control flow: which commands run after which, in which folder and with which variables. */

const MAX_LOOP_WORDS = 64;

/** One after the other. What can't be reached any more is read all the same. */
export function evaluateStatements(
  evaluator: ShellEvaluator,
  statements: readonly Statement[],
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  let now = scopes;
  let outcomes: Outcomes = { ok: scopes, failed: [] };
  for (const { command, background } of statements) {
    const before = now;
    if (background) {
      evaluateNode(evaluator, command, now, { ...context, in_background: true });
      outcomes = { ok: before, failed: [] };
      continue;
    }
    outcomes = evaluateNode(evaluator, command, now, context);
    const after = evaluator.bounded(joined(outcomes.ok, outcomes.failed));
    now = after.length === 0 ? before : after;
  }
  return outcomes;
}

function evaluateNode(
  evaluator: ShellEvaluator,
  node: Statement["command"],
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  evaluator.budget.takeStep();
  if (context.depth > 200) throw new Unreadable("it is nested too deeply");
  if (node.type !== "AndOr") return evaluatePipeline(evaluator, node, scopes, context);
  const [first, ...rest] = node.commands;
  if (first === undefined) return { ok: scopes, failed: [] };
  let outcomes = evaluatePipeline(evaluator, first, scopes, context);
  for (const [index, command] of rest.entries()) {
    const isAnd = node.operators[index] === "&&";
    const taken = isAnd ? outcomes.ok : outcomes.failed;
    // A side that can't be reached is read all the same, it just leads nowhere.
    const next = evaluatePipeline(evaluator, command, taken.length === 0 ? scopes : evaluator.bounded(taken), context);
    const reached = taken.length === 0 ? { ok: [], failed: [] } : next;
    outcomes = isAnd
      ? { ok: reached.ok, failed: joined(outcomes.failed, reached.failed) }
      : { ok: joined(outcomes.ok, reached.ok), failed: reached.failed };
  }
  return outcomes;
}

function evaluatePipeline(
  evaluator: ShellEvaluator,
  node: PipelineNode,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  if (node.type !== "Pipeline") return evaluateCommand(evaluator, node, scopes, context);
  const via = node.prefixes.some(({ type }) => type === "Time") ? [...context.via, "time"] : context.via;
  const isNegated = node.prefixes.some(({ type }) => type === "Negation");
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) {
    const { ok, failed } = evaluateCommand(evaluator, only, scopes, { ...context, via });
    return isNegated ? { ok: failed, failed: ok } : { ok, failed };
  }
  const pipeline = evaluator.nextPipeline();
  let stdin: Stdin | null = context.stdin;
  for (const [index, command] of node.commands.entries()) {
    const from = evaluator.commands.length;
    const isLast = index === node.commands.length - 1;
    evaluateCommand(evaluator, command, scopes, {
      ...context,
      via,
      stdin,
      pipeline,
      pipelineIndex: index,
      isLast: true,
      inPipe: true,
    });
    if (!isLast) stdin = evaluator.pipedSince(from, context.captures, scopes.length === 1 && isStraightNode(command));
    for (let at = from; at < evaluator.commands.length; at++) {
      const emitted = evaluator.commands[at];
      if (emitted !== undefined && !isLast && emitted.pipeline === pipeline) emitted.isLast = false;
      else if (emitted !== undefined && isLast && emitted.pipeline === pipeline) emitted.isLast = context.isLast;
    }
  }
  return { ok: scopes, failed: scopes };
}

function evaluateCommand(
  evaluator: ShellEvaluator,
  node: CommandNode,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  switch (node.type) {
    case "Command": {
      const outcomes = scopes.map((scope) => evaluateSimple(evaluator, node, scope, context));
      return { ok: joined(...outcomes.map(({ ok }) => ok)), failed: joined(...outcomes.map(({ failed }) => failed)) };
    }
    case "Redirected":
      return evaluateRedirected(evaluator, node, scopes, context);
    case "Function": {
      evaluator.defines = true;
      const defined: Defined = { node, origin: context.origin };
      const known = scopes.map((scope) => ({
        ...scope,
        functions: new Map(scope.functions).set(node.name.value, defined),
      }));
      if (/^command_not_found_handler?$|^cd$/.test(node.name.value))
        evaluateBody(evaluator, node.body, known, {
          ...context,
          depth: context.depth + 1,
          functions: [...context.functions, functionKey(node.name.value, defined)],
        });
      return { ok: known, failed: [] };
    }
    case "Coproc":
      evaluateBody(evaluator, node.body, scopes, { ...context, in_background: true });
      return { ok: scopes, failed: [] };
    default:
      return evaluateCompound(evaluator, node, scopes, context);
  }
}

/** A function's or a coprocess's body. */
export function evaluateBody(
  evaluator: ShellEvaluator,
  body: SyntaxNode,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  if (body.type === "CompoundList") return evaluateStatements(evaluator, body.commands, scopes, context);
  return evaluateCommand(evaluator, body as CommandNode, scopes, context);
}

function evaluateRedirected(
  evaluator: ShellEvaluator,
  node: Redirected,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  let stdin = context.stdin;
  for (const scope of scopes) {
    const read = readRedirects(evaluator, node.redirects, scope, context);
    stdin = read.stdin ?? stdin;
    emitBare(evaluator, read.redirects, scope, context);
  }
  return evaluateCompound(evaluator, node.command, scopes, { ...context, stdin });
}

/** Redirections around a group: they open their files like a command of their own. */
function emitBare(
  evaluator: ShellEvaluator,
  redirects: readonly Redirect[],
  scope: Scope,
  context: EvaluationContext,
): void {
  const [first] = redirects;
  if (first === undefined) return;
  evaluator.add({
    argv: [],
    name: "",
    start: first.start,
    end: redirects.at(-1)?.end ?? first.end,
    ...commandContextOf(context),
    cwd: scope.cwd,
    redirects,
    assignments: [],
    stdin: null,
  });
}

function evaluateCompound(
  evaluator: ShellEvaluator,
  node: CompoundCommand,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  evaluator.budget.takeStep();
  switch (node.type) {
    case "Subshell":
      evaluateStatements(evaluator, node.body.commands, scopes, context);
      return { ok: scopes, failed: scopes };
    case "BraceGroup":
      return evaluateStatements(evaluator, node.body.commands, scopes, context);
    case "If": {
      let outcomes = evaluateStatements(evaluator, node.clause.commands, scopes, context);
      const ends: (readonly Scope[])[] = [];
      const take = (statements: readonly Statement[], from: readonly Scope[]) => {
        const { ok, failed } = evaluateStatements(
          evaluator,
          statements,
          from.length === 0 ? scopes : evaluator.bounded(from),
          context,
        );
        if (from.length > 0) ends.push(ok, failed);
      };
      take(node.then.commands, outcomes.ok);
      for (const branch of node.elif) {
        outcomes = evaluateStatements(
          evaluator,
          branch.clause.commands,
          outcomes.failed.length === 0 ? scopes : outcomes.failed,
          context,
        );
        take(branch.then.commands, outcomes.ok);
      }
      if (node.else !== undefined) take(node.else.commands, outcomes.failed);
      else ends.push(outcomes.failed);
      return whole(joined(...ends));
    }
    case "While":
      return evaluateWhile(evaluator, node, scopes, context);
    case "For":
      return evaluateFor(evaluator, node, scopes, context);
    case "Select":
      for (const scope of scopes)
        for (const word of node.wordlist ?? [])
          expandWord(word, evaluator.expansion(scope, context, { scope }), evaluator.span(word, context));
      return evaluateStatements(
        evaluator,
        node.body.commands,
        scopes.map((scope) => withVar(scope, node.name.value, [unknownPiece(`$${node.name.value}`)])),
        { ...context, inLoop: true },
      );
    case "ArithmeticFor":
      inside(evaluator, node.initialize, scopes, context);
      inside(evaluator, node.test, scopes, context);
      inside(evaluator, node.update, scopes, context);
      return evaluateStatements(evaluator, node.body.commands, scopes, { ...context, inLoop: true });
    case "Case":
      return evaluateCase(evaluator, node, scopes, context);
    case "TestCommand": {
      for (const scope of scopes) evaluateTest(evaluator, node, scope, context);
      return { ok: scopes, failed: scopes };
    }
    case "ArithmeticCommand":
      inside(evaluator, node.expression, scopes, context);
      return { ok: scopes, failed: scopes };
  }
}

/** `[[ ... ]]` as a command of its own, with its words. */
function evaluateTest(
  evaluator: ShellEvaluator,
  node: SyntaxNode & { pos: number; end: number },
  scope: Scope,
  context: EvaluationContext,
): void {
  const span = evaluator.span(node, context);
  const argv: Word[] = [plainWord("[[", span)];
  const expansion = evaluator.expansion(scope, context, { scope });
  const visit = (child: SyntaxNode) => {
    if (child.type === "Word") argv.push(...expandWord(child, expansion, evaluator.span(child, context), false));
    else forEachChild(child, visit);
  };
  forEachChild(node, visit);
  for (const { text } of argv) if (/\[[^\]]*(?:\$\(|`)/.test(text)) evaluator.evaluateHiddenText(text, scope, context);
  evaluator.add({
    argv,
    name: "[[",
    ...span,
    ...commandContextOf(context),
    cwd: scope.cwd,
    redirects: [],
    assignments: [],
    stdin: null,
  });
}

/** The substitutions in an arithmetic expression. */
function inside(
  evaluator: ShellEvaluator,
  node: SyntaxNode | undefined,
  scopes: readonly Scope[],
  context: EvaluationContext,
): void {
  const [scope] = scopes;
  if (node === undefined || scope === undefined) return;
  const expansion = evaluator.expansion(scope, context, { scope });
  const visit = (child: SyntaxNode) => {
    evaluator.budget.takeStep();
    if (child.type === "ArithmeticWord")
      for (const name of child.value.match(/[A-Za-z_]\w*/g) ?? [])
        expansion.hidden(
          scope.vars
            .get(name)
            ?.map(({ text }) => text)
            .join("") ?? "",
        );
    if (child.type === "ArithmeticWord")
      for (const digits of child.value.match(/(?<=\$\{?)\d+/g) ?? [])
        expansion.hidden(scope.positional?.[Number(digits)]?.map(({ text }) => text).join("") ?? "");
    if (child.type === "CommandExpansion" || child.type === "ArithmeticCommandExpansion")
      expansion.substitute(child.script, child.text);
    else forEachChild(child, visit);
  };
  visit(node);
}

function evaluateWhile(
  evaluator: ShellEvaluator,
  node: While,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  const within: EvaluationContext = { ...context, inLoop: true };
  const once = (from: readonly Scope[]): readonly Scope[] => {
    const clause = evaluateStatements(evaluator, node.clause.commands, from, within);
    const body = evaluateStatements(
      evaluator,
      node.body.commands,
      evaluator.bounded(joined(clause.ok, clause.failed)),
      within,
    );
    return joined(body.ok, body.failed, clause.failed);
  };
  const from = evaluator.commands.length;
  const after = once(scopes);
  if (startsWithoutEnd(evaluator, node, from)) evaluator.forkBomb ??= evaluator.span(node, context);
  const more = joined(scopes, after);
  // What a first round leaves behind, the next one starts with.
  return whole(more.length > scopes.length ? joined(more, once(evaluator.bounded(more))) : more);
}

/** `while true; do x & done`: nothing holds it up, and each round leaves something running. */
function startsWithoutEnd(evaluator: ShellEvaluator, node: While, from: number): boolean {
  const [statement] = node.clause.commands;
  const clause = statement?.command;
  const name = clause?.type === "Command" ? clause.name?.value : undefined;
  if (node.clause.commands.length !== 1 || (node.kind === "until" ? name !== "false" : name !== "true" && name !== ":"))
    return false;
  if (!node.body.commands.some(({ background }) => background)) return false;
  return !evaluator.commands.slice(from).some(({ name: called, in_background }) => !in_background && holdsUp(called));
}

function evaluateFor(
  evaluator: ShellEvaluator,
  node: For,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  const within: EvaluationContext = { ...context, inLoop: true };
  const ends: (readonly Scope[])[] = [scopes];
  for (const scope of scopes) {
    const expansion = evaluator.expansion(scope, context, { scope });
    const values: (readonly Piece[])[] =
      node.wordlist === undefined
        ? (scope.positional?.slice(1) ?? [[unknownPiece("$@")]])
        : node.wordlist
            .flatMap((word) => expandWord(word, expansion, evaluator.span(word, context)))
            .map(({ pieces }) => pieces);
    if (values.length > MAX_LOOP_WORDS) evaluator.cannotRead(`a loop runs over more than ${MAX_LOOP_WORDS} words`);
    let now: readonly Scope[] = [scope];
    for (const value of values.slice(0, MAX_LOOP_WORDS)) {
      const set = now.map((one) => withVar(one, node.name.value, value));
      const { ok, failed } = evaluateStatements(evaluator, node.body.commands, set, within);
      now = evaluator.bounded(joined(ok, failed));
      if (now.length === 0) now = set;
    }
    ends.push(now);
  }
  return whole(joined(...ends));
}

function evaluateCase(
  evaluator: ShellEvaluator,
  node: Case,
  scopes: readonly Scope[],
  context: EvaluationContext,
): Outcomes {
  const [scope] = scopes;
  if (scope !== undefined) {
    const expansion = evaluator.expansion(scope, context, { scope });
    for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)])
      expandWord(word, expansion, evaluator.span(word, context), false);
  }
  const ends: (readonly Scope[])[] = [scopes];
  for (const { body } of node.items) {
    const { ok, failed } = evaluateStatements(evaluator, body.commands, scopes, context);
    ends.push(ok, failed);
  }
  return whole(joined(...ends));
}

const whole = (scopes: readonly Scope[]): Outcomes => ({ ok: scopes, failed: scopes });
