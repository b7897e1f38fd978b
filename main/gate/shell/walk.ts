import type {
  Case,
  CommandNode,
  CompoundCommand,
  For,
  PipelineNode,
  Redirected,
  Statement,
  SyntaxNode,
  While,
} from "unbash";
import { forEachChild } from "unbash";
import { holdsUp } from "../programs/processes.ts";
import { Unreadable } from "./limits.ts";
import type { Place, Reader, Ways } from "./reader.ts";
import { type Piece, type Redirect, type Stdin, standingAt, type Word } from "./reading.ts";
import { type Defined, functionKey, hole, joined, type Scope, withVar } from "./scope.ts";
import { readRedirects, runSimple } from "./simple.ts";
import { expandWord } from "./words.ts";

/** The control flow: which commands run after which, in which folder and with which variables. */

const MAX_LOOP_WORDS = 64;

/** One after the other. What can't be reached any more is read all the same. */
export function runStatements(
  reader: Reader,
  statements: readonly Statement[],
  scopes: readonly Scope[],
  place: Place,
): Ways {
  let now = scopes;
  let ways: Ways = { ok: scopes, failed: [] };
  for (const { command, background } of statements) {
    const before = now;
    if (background) {
      runNode(reader, command, now, { ...place, in_background: true });
      ways = { ok: before, failed: [] };
      continue;
    }
    ways = runNode(reader, command, now, place);
    const after = reader.bounded(joined(ways.ok, ways.failed));
    now = after.length === 0 ? before : after;
  }
  return ways;
}

function runNode(reader: Reader, node: Statement["command"], scopes: readonly Scope[], place: Place): Ways {
  reader.budget.takeStep();
  if (place.depth > 200) throw new Unreadable("it is nested too deeply");
  if (node.type !== "AndOr") return runPipeline(reader, node, scopes, place);
  const [first, ...rest] = node.commands;
  if (first === undefined) return { ok: scopes, failed: [] };
  let ways = runPipeline(reader, first, scopes, place);
  for (const [index, command] of rest.entries()) {
    const is_and = node.operators[index] === "&&";
    const taken = is_and ? ways.ok : ways.failed;
    // A side that can't be reached is read all the same, it just leads nowhere.
    const next = runPipeline(reader, command, taken.length === 0 ? scopes : reader.bounded(taken), place);
    const reached = taken.length === 0 ? { ok: [], failed: [] } : next;
    ways = is_and
      ? { ok: reached.ok, failed: joined(ways.failed, reached.failed) }
      : { ok: joined(ways.ok, reached.ok), failed: reached.failed };
  }
  return ways;
}

function runPipeline(reader: Reader, node: PipelineNode, scopes: readonly Scope[], place: Place): Ways {
  if (node.type !== "Pipeline") return runCommand(reader, node, scopes, place);
  const via = node.prefixes.some(({ type }) => type === "Time") ? [...place.via, "time"] : place.via;
  const is_negated = node.prefixes.some(({ type }) => type === "Negation");
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) {
    const { ok, failed } = runCommand(reader, only, scopes, { ...place, via });
    return is_negated ? { ok: failed, failed: ok } : { ok, failed };
  }
  const pipeline = reader.nextPipeline();
  let stdin: Stdin | null = place.stdin;
  for (const [index, command] of node.commands.entries()) {
    const from = reader.commands.length;
    const is_last = index === node.commands.length - 1;
    runCommand(reader, command, scopes, { ...place, via, stdin, pipeline, place: index, is_last: true, in_pipe: true });
    if (!is_last) stdin = reader.pipedSince(from, place.captures, scopes.length === 1 && isStraightNode(command));
    for (let at = from; at < reader.commands.length; at++) {
      const emitted = reader.commands[at];
      if (emitted !== undefined && !is_last && emitted.pipeline === pipeline) emitted.is_last = false;
      else if (emitted !== undefined && is_last && emitted.pipeline === pipeline) emitted.is_last = place.is_last;
    }
  }
  return { ok: scopes, failed: scopes };
}

/** True if these commands run one after the other, whatever happens: what they print can then be put together. */
export function isStraight(statements: readonly Statement[]): boolean {
  return statements.every(({ command, background }) => {
    if (background) return false;
    if (command.type === "AndOr")
      return command.operators.every((operator) => operator === "&&") && command.commands.every(isStraightPipeline);
    return isStraightPipeline(command);
  });
}

function isStraightPipeline(node: PipelineNode): boolean {
  return node.type === "Pipeline" ? node.commands.every(isStraightNode) : isStraightNode(node);
}

function isStraightNode(node: CommandNode): boolean {
  switch (node.type) {
    case "Command":
    case "Function":
      return true;
    case "Redirected":
      return isStraightNode(node.command);
    case "Subshell":
    case "BraceGroup":
    case "For":
      return isStraight(node.body.commands);
    default:
      return false;
  }
}

function runCommand(reader: Reader, node: CommandNode, scopes: readonly Scope[], place: Place): Ways {
  switch (node.type) {
    case "Command": {
      const ways = scopes.map((scope) => runSimple(reader, node, scope, place));
      return { ok: joined(...ways.map(({ ok }) => ok)), failed: joined(...ways.map(({ failed }) => failed)) };
    }
    case "Redirected":
      return runRedirected(reader, node, scopes, place);
    case "Function": {
      reader.defines = true;
      const defined: Defined = { node, origin: place.origin };
      const known = scopes.map((scope) => ({
        ...scope,
        functions: new Map(scope.functions).set(node.name.value, defined),
      }));
      if (/^command_not_found_handler?$|^cd$/.test(node.name.value))
        runBody(reader, node.body, known, {
          ...place,
          depth: place.depth + 1,
          functions: [...place.functions, functionKey(node.name.value, defined)],
        });
      return { ok: known, failed: [] };
    }
    case "Coproc":
      runBody(reader, node.body, scopes, { ...place, in_background: true });
      return { ok: scopes, failed: [] };
    default:
      return runCompound(reader, node, scopes, place);
  }
}

/** A function's or a coprocess's body. */
export function runBody(reader: Reader, body: SyntaxNode, scopes: readonly Scope[], place: Place): Ways {
  if (body.type === "CompoundList") return runStatements(reader, body.commands, scopes, place);
  return runCommand(reader, body as CommandNode, scopes, place);
}

function runRedirected(reader: Reader, node: Redirected, scopes: readonly Scope[], place: Place): Ways {
  let stdin = place.stdin;
  for (const scope of scopes) {
    const read = readRedirects(reader, node.redirects, scope, place);
    stdin = read.stdin ?? stdin;
    emitBare(reader, read.redirects, scope, place);
  }
  return runCompound(reader, node.command, scopes, { ...place, stdin });
}

/** Redirections around a group: they open their files like a command of their own. */
function emitBare(reader: Reader, redirects: readonly Redirect[], scope: Scope, place: Place): void {
  const [first] = redirects;
  if (first === undefined) return;
  reader.add({
    argv: [],
    name: "",
    start: first.start,
    end: redirects.at(-1)?.end ?? first.end,
    ...standingAt(place),
    cwd: scope.cwd,
    redirects,
    assignments: [],
    stdin: null,
  });
}

function runCompound(reader: Reader, node: CompoundCommand, scopes: readonly Scope[], place: Place): Ways {
  reader.budget.takeStep();
  switch (node.type) {
    case "Subshell":
      runStatements(reader, node.body.commands, scopes, place);
      return { ok: scopes, failed: scopes };
    case "BraceGroup":
      return runStatements(reader, node.body.commands, scopes, place);
    case "If": {
      let ways = runStatements(reader, node.clause.commands, scopes, place);
      const ends: (readonly Scope[])[] = [];
      const take = (statements: readonly Statement[], from: readonly Scope[]) => {
        const { ok, failed } = runStatements(
          reader,
          statements,
          from.length === 0 ? scopes : reader.bounded(from),
          place,
        );
        if (from.length > 0) ends.push(ok, failed);
      };
      take(node.then.commands, ways.ok);
      for (const branch of node.elif) {
        ways = runStatements(reader, branch.clause.commands, ways.failed.length === 0 ? scopes : ways.failed, place);
        take(branch.then.commands, ways.ok);
      }
      if (node.else !== undefined) take(node.else.commands, ways.failed);
      else ends.push(ways.failed);
      return whole(joined(...ends));
    }
    case "While":
      return runWhile(reader, node, scopes, place);
    case "For":
      return runFor(reader, node, scopes, place);
    case "Select":
      for (const scope of scopes)
        for (const word of node.wordlist ?? [])
          expandWord(word, reader.around(scope, place, { scope }), reader.span(word, place));
      return runStatements(
        reader,
        node.body.commands,
        scopes.map((scope) => withVar(scope, node.name.value, [hole(`$${node.name.value}`)])),
        { ...place, in_loop: true },
      );
    case "ArithmeticFor":
      inside(reader, node.initialize, scopes, place);
      inside(reader, node.test, scopes, place);
      inside(reader, node.update, scopes, place);
      return runStatements(reader, node.body.commands, scopes, { ...place, in_loop: true });
    case "Case":
      return runCase(reader, node, scopes, place);
    case "TestCommand": {
      for (const scope of scopes) runTest(reader, node, scope, place);
      return { ok: scopes, failed: scopes };
    }
    case "ArithmeticCommand":
      inside(reader, node.expression, scopes, place);
      return { ok: scopes, failed: scopes };
  }
}

/** `[[ ... ]]` as a command of its own, with its words. */
function runTest(reader: Reader, node: SyntaxNode & { pos: number; end: number }, scope: Scope, place: Place): void {
  const span = reader.span(node, place);
  const argv: Word[] = [{ text: "[[", is_certain: true, pieces: [{ text: "[[", kind: "text" }], ...span }];
  const around = reader.around(scope, place, { scope });
  const visit = (child: SyntaxNode) => {
    if (child.type === "Word") argv.push(...expandWord(child, around, reader.span(child, place), false));
    else forEachChild(child, visit);
  };
  forEachChild(node, visit);
  for (const { text } of argv) if (/\[[^\]]*(?:\$\(|`)/.test(text)) reader.runHidden(text, scope, place);
  reader.add({
    argv,
    name: "[[",
    ...span,
    ...standingAt(place),
    cwd: scope.cwd,
    redirects: [],
    assignments: [],
    stdin: null,
  });
}

/** The substitutions in an arithmetic expression. */
function inside(reader: Reader, node: SyntaxNode | undefined, scopes: readonly Scope[], place: Place): void {
  const [scope] = scopes;
  if (node === undefined || scope === undefined) return;
  const around = reader.around(scope, place, { scope });
  const visit = (child: SyntaxNode) => {
    reader.budget.takeStep();
    if (child.type === "ArithmeticWord")
      for (const name of child.value.match(/[A-Za-z_]\w*/g) ?? [])
        around.hidden(
          scope.vars
            .get(name)
            ?.map(({ text }) => text)
            .join("") ?? "",
        );
    if (child.type === "ArithmeticWord")
      for (const digits of child.value.match(/(?<=\$\{?)\d+/g) ?? [])
        around.hidden(scope.positional?.[Number(digits)]?.map(({ text }) => text).join("") ?? "");
    if (child.type === "CommandExpansion" || child.type === "ArithmeticCommandExpansion")
      around.substitute(child.script, child.text);
    else forEachChild(child, visit);
  };
  visit(node);
}

function runWhile(reader: Reader, node: While, scopes: readonly Scope[], place: Place): Ways {
  const within: Place = { ...place, in_loop: true };
  const once = (from: readonly Scope[]): readonly Scope[] => {
    const clause = runStatements(reader, node.clause.commands, from, within);
    const body = runStatements(reader, node.body.commands, reader.bounded(joined(clause.ok, clause.failed)), within);
    return joined(body.ok, body.failed, clause.failed);
  };
  const from = reader.commands.length;
  const after = once(scopes);
  if (startsWithoutEnd(reader, node, from)) reader.fork_bomb ??= reader.span(node, place);
  const more = joined(scopes, after);
  // What a first round leaves behind, the next one starts with.
  return whole(more.length > scopes.length ? joined(more, once(reader.bounded(more))) : more);
}

/** `while true; do x & done`: nothing holds it up, and each round leaves something running. */
function startsWithoutEnd(reader: Reader, node: While, from: number): boolean {
  const [statement] = node.clause.commands;
  const clause = statement?.command;
  const name = clause?.type === "Command" ? clause.name?.value : undefined;
  if (node.clause.commands.length !== 1 || (node.kind === "until" ? name !== "false" : name !== "true" && name !== ":"))
    return false;
  if (!node.body.commands.some(({ background }) => background)) return false;
  return !reader.commands.slice(from).some(({ name: called, in_background }) => !in_background && holdsUp(called));
}

function runFor(reader: Reader, node: For, scopes: readonly Scope[], place: Place): Ways {
  const within: Place = { ...place, in_loop: true };
  const ends: (readonly Scope[])[] = [scopes];
  for (const scope of scopes) {
    const around = reader.around(scope, place, { scope });
    const values: (readonly Piece[])[] =
      node.wordlist === undefined
        ? (scope.positional?.slice(1) ?? [[hole("$@")]])
        : node.wordlist
            .flatMap((word) => expandWord(word, around, reader.span(word, place)))
            .map(({ pieces }) => pieces);
    if (values.length > MAX_LOOP_WORDS) reader.cannotRead(`a loop runs over more than ${MAX_LOOP_WORDS} words`);
    let now: readonly Scope[] = [scope];
    for (const value of values.slice(0, MAX_LOOP_WORDS)) {
      const set = now.map((one) => withVar(one, node.name.value, value));
      const { ok, failed } = runStatements(reader, node.body.commands, set, within);
      now = reader.bounded(joined(ok, failed));
      if (now.length === 0) now = set;
    }
    ends.push(now);
  }
  return whole(joined(...ends));
}

function runCase(reader: Reader, node: Case, scopes: readonly Scope[], place: Place): Ways {
  const [scope] = scopes;
  if (scope !== undefined) {
    const around = reader.around(scope, place, { scope });
    for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)])
      expandWord(word, around, reader.span(word, place), false);
  }
  const ends: (readonly Scope[])[] = [scopes];
  for (const { body } of node.items) {
    const { ok, failed } = runStatements(reader, body.commands, scopes, place);
    ends.push(ok, failed);
  }
  return whole(joined(...ends));
}

const whole = (scopes: readonly Scope[]): Ways => ({ ok: scopes, failed: scopes });
