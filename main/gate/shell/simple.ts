import type { ArrayValue, Assignment, Command, HereDoc, Redirection } from "unbash";
import { changesScope, evaluatesIndexes, runBuiltin } from "./builtins.ts";
import { launch } from "./launch.ts";
import { Unreadable } from "./limits.ts";
import type { Place, Reader, Ways } from "./reader.ts";
import {
  type Piece,
  programName,
  type Redirect,
  type SimpleCommand,
  type Stdin,
  standingAt,
  type Word,
  wordOf,
} from "./reading.ts";
import { absolutePath, functionKey, elementsOf as listOf, literal, type Scope, withValue } from "./scope.ts";
import { runBody } from "./walk.ts";
import { expandWhole, expandWord, type Surroundings } from "./words.ts";

/** One simple command: its words, redirections and assignments, and whether a function, a builtin or a program runs. */

export function runSimple(reader: Reader, node: Command, scope: Scope, place: Place): Ways {
  reader.budget.takeStep();
  const changed = { scope };
  const { redirects, stdin } = readRedirects(reader, node.redirects, scope, place);
  // `tee >(sh) <<< x`: what a process substitution gets is what the command gets.
  const around = reader.around(scope, stdin === null ? place : { ...place, stdin }, changed);
  const assignments: Assigned[] = [];
  for (const entry of node.prefix) {
    if (entry.type === "Assignment") assignments.push(assigned(reader, entry, around, place));
  }
  const argv: Word[] = node.name === undefined ? [] : expandWord(node.name, around, reader.span(node.name, place));
  for (const argument of node.args) {
    if (argument.type === "Word") argv.push(...expandWord(argument, around, reader.span(argument, place)));
    else argv.push(asWord(reader, argument, around, place));
    if (argv.length > 4096) throw new Unreadable("it holds too many words");
  }
  const here = changed.scope;
  readHidden(reader, argv, assignments, here, place);
  const base: SimpleCommand = {
    argv,
    name: programName(argv[0]?.text ?? ""),
    ...reader.span(node, place),
    ...standingAt(place),
    cwd: scope.cwd,
    redirects,
    assignments,
    stdin: stdin ?? place.stdin,
  };
  if (place.is_guess) base.is_guess = true;
  const from = reader.commands.length;
  const ways = run(reader, base, here, node, place);
  noteHereDocs(reader, node, place, from);
  return ways;
}

function readHidden(
  reader: Reader,
  argv: readonly Word[],
  assignments: readonly Assigned[],
  scope: Scope,
  place: Place,
): void {
  for (const { name, value } of assignments) {
    if (/\[[^\]]*(?:\$\(|`)/.test(value.text) || /^PS\d$/.test(name)) reader.runHidden(value.text, scope, place);
    if (name === "PROMPT_COMMAND") reader.runText(value.text, [scope], { ...place, depth: place.depth + 1 });
  }
  if (!evaluatesIndexes(argv[0]?.text ?? "")) return;
  for (const { text } of argv) if (/\[[^\]]*(?:\$\(|`)/.test(text)) reader.runHidden(text, scope, place);
}

function run(reader: Reader, base: SimpleCommand, scope: Scope, node: Command, place: Place): Ways {
  const [first] = base.argv;
  if (first === undefined) {
    const set = base.assignments.reduce(
      (now, { name, value, elements }) => withValue(now, name, value.pieces, elements),
      scope,
    );
    if (base.redirects.length > 0 || base.assignments.length > 0) reader.add({ ...base, name: "" });
    return { ok: [set], failed: [] };
  }
  const alias = scope.aliases.get(first.text);
  if (alias !== undefined && node.name !== undefined) return runAlias(reader, alias, base, scope, place);
  const defined = scope.functions.get(first.text);
  if (defined !== undefined) {
    // The same name may stand for another function by then.
    const key = functionKey(first.text, defined);
    if (place.functions.includes(key)) {
      if (place.in_pipe || place.in_background) reader.fork_bomb ??= { start: base.start, end: base.end };
      return { ok: [scope], failed: [scope] };
    }
    if (base.redirects.length > 0) reader.add({ ...base, argv: [], name: "" });
    const called: Scope = { ...scope, positional: base.argv.map(({ pieces }) => pieces) };
    const { ok, failed } = runBody(reader, defined.node.body, [called], {
      ...place,
      origin: defined.origin,
      stdin: base.stdin,
      depth: place.depth + 1,
      via: [...place.via, `${first.text}()`],
      functions: [...place.functions, key],
    });
    const back = (after: Scope): Scope => ({ ...after, positional: scope.positional });
    return { ok: ok.map(back), failed: failed.map(back) };
  }
  if (/(^|\/)\$\{?0\}?$/.test(first.text) && (place.in_pipe || place.in_background)) {
    reader.fork_bomb ??= { start: base.start, end: base.end };
  }
  if (changesScope(base)) return runBuiltin(reader, base, scope, place);
  return launch(reader, base, scope, place);
}

/** An alias is text: what it stands for and the rest of the command are read as one. */
function runAlias(reader: Reader, alias: string, base: SimpleCommand, scope: Scope, place: Place): Ways {
  const aliases = new Map(scope.aliases);
  aliases.delete(base.argv[0]?.text ?? "");
  const text = [alias, ...base.argv.slice(1).map((word) => quoted(word))].join(" ");
  return reader.runText(text, [{ ...scope, aliases }], {
    ...place,
    origin: { start: base.start, end: base.end },
    stdin: base.stdin,
    depth: place.depth + 1,
    via: [...place.via, "alias"],
  });
}

/** A resolved word as source text again: patterns stay active, what is unknown stays a variable. */
export function quoted(word: Word): string {
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

function assigned(reader: Reader, node: Assignment, around: Surroundings, place: Place): Assigned {
  const span = reader.span(node, place);
  let value: Word;
  let elements: readonly (readonly Piece[])[] | undefined;
  if (node.value.type === "ArrayValue") {
    const words = elementsOf(reader, node.value, around, place);
    const [first] = words;
    elements = words.map(({ pieces }) => pieces);
    // `${a[@]}` in full is not kept apart: it stands for its words, one after the other.
    value =
      first === undefined
        ? wordOf([literal("")], span)
        : wordOf(
            words.flatMap(({ pieces }, index): Piece[] => [...(index === 0 ? [] : [literal(" ")]), ...pieces]),
            span,
          );
  } else {
    value = expandWhole(node.value, around, span, true);
  }
  if (node.append) {
    const before = around.scope.vars.get(node.name) ?? [];
    value = wordOf([...before, ...value.pieces], span);
    if (elements !== undefined) {
      elements = [...(listOf(node.name, around.scope) ?? (before.length > 0 ? [before] : [])), ...elements];
      value = wordOf(
        elements.flatMap((pieces, index): Piece[] => [...(index === 0 ? [] : [literal(" ")]), ...pieces]),
        span,
      );
    }
  }
  if (node.index !== undefined) expandWhole(node.index, around, span);
  const name = node.index === undefined ? node.name : `${node.name}[${node.index.text}]`;
  return elements === undefined ? { name, value } : { name, value, elements };
}

function elementsOf(reader: Reader, { elements }: ArrayValue, around: Surroundings, place: Place): Word[] {
  return elements.flatMap((element) => expandWord(element, around, reader.span(element, place)));
}

/** `of=~/x`, `export A=b`: a word that looks like an assignment. */
function asWord(reader: Reader, node: Assignment, around: Surroundings, place: Place): Word {
  const { value } = assigned(reader, node, around, place);
  const index = node.index === undefined ? "" : `[${node.index.text}]`;
  return wordOf([literal(`${node.name}${index}${node.append ? "+" : ""}=`), ...value.pieces], reader.span(node, place));
}

/** No more than 1250 of them are read. */
const REDIRECT_STEPS = 40;

/** A command's redirections, and what they make its input. */
export function readRedirects(
  reader: Reader,
  nodes: readonly Redirection[],
  scope: Scope,
  place: Place,
): { redirects: Redirect[]; stdin: Stdin | null } {
  const redirects: Redirect[] = [];
  let stdin: Stdin | null = null;
  if (nodes.length === 0) return { redirects, stdin };
  const around = reader.around(scope, place, { scope });
  for (const node of nodes) {
    reader.budget.takeStep(REDIRECT_STEPS);
    const fd = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
    if (node.type === "HereDoc") {
      const text = hereDocText(node, around);
      if (fd === null || fd === 0)
        stdin = { from: "here-doc", text, words: text === null ? null : listed(text, reader.span(node, place)) };
      continue;
    }
    if (node.target === undefined) continue;
    const span = reader.span(node, place);
    const target = expandWhole(node.target, around, reader.span(node.target, place));
    if (node.type === "HereString") {
      const text = target.is_certain ? `${target.text}\n` : null;
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
        text: target.output ?? reader.files.get(absolutePath(target.text, scope.cwd) ?? "") ?? null,
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

/** A here-document's text once it is expanded; null where a part of it can't be told. */
function hereDocText(node: HereDoc, around: Surroundings): string | null {
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
    // A part that can't be told stands as a variable: the rest of the text is read all the same.
    const { is_certain, text: value } = expandWhole(word, around, { start: 0, end: 0 });
    text += is_certain ? value : '"$unknown"';
  }
  return text;
}

/** Where here-documents stand, and which command takes them: what is only data is told by that. */
function noteHereDocs(reader: Reader, node: Command, place: Place, from: number): void {
  for (const redirect of node.redirects) {
    if (redirect.type === "Redirect") continue;
    const emitted = reader.commands.slice(from).filter(({ captures }) => captures === place.captures);
    const command = emitted.length === 1 ? (emitted[0] ?? null) : null;
    if (redirect.type === "HereString") {
      const plain = (redirect.target?.parts ?? []).every(
        ({ type }) => type === "Literal" || type === "SingleQuoted" || type === "AnsiCQuoted",
      );
      if (redirect.target !== undefined)
        reader.here_docs.push({
          ...reader.span(redirect.target, place),
          command: plain && "by" in place.origin ? command : null,
        });
      continue;
    }
    const is_plain =
      redirect.delimiter?.quoted === true || (redirect.body.parts ?? []).every(({ type }) => type === "Literal");
    reader.here_docs.push({
      ...reader.span(redirect.body, place),
      command: is_plain && "by" in place.origin ? command : null,
    });
  }
}
