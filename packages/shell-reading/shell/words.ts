import { type DoubleQuotedChild, type ParameterOperation, parse, type Word as SyntaxWord, type WordPart } from "unbash";
import type { Piece, Span, Word } from "../reading.ts";
import { literal, plainWord, unknownPiece, wordOf } from "../word.ts";
import { expandBraces } from "./braces.ts";
import { type ExpansionContext, parameterPieces } from "./parameters.ts";
import { elementsOf, MAX_WORDS, type Scope, Unreadable } from "./scope.ts";

/** From a word as it is written to the words that it expands to: bash's expansions, as far as they are known. */

/** A piece that knows whether quotes kept it together. */
interface Part extends Piece {
  quoted: boolean;
  /** A new word begins here (`"$@"`). */
  isBreak?: true;
}

/** The words that one word becomes: none, one, or several. */
export function expandWord(word: SyntaxWord, expansion: ExpansionContext, span: Span, splits = true): Word[] {
  expansion.step(1 + word.text.length / 64);
  const { parts } = word;
  if (parts === undefined && !word.text.startsWith("~") && !word.text.includes("=~")) {
    const { value } = word;
    return [plainWord(value, span)];
  }
  if (splits && (parts?.some(({ type }) => type === "BraceExpansion") ?? false)) {
    const sources = expandBraces(word.text);
    if (sources === null) throw new Unreadable("its braces expand to too many words");
    if (sources.length > 1 || sources[0] !== word.text) {
      expansion.step(sources.length);
      return sources.flatMap((source) => {
        const again = wordFrom(source);
        return again === undefined ? [] : expandWord(again, expansion, span, true);
      });
    }
  }
  return fieldsOf(partsOf(word, expansion), expansion.scope, splits, parts, expansion).map((field) =>
    finished(field, span, parts, expansion),
  );
}

/** The value of an assignment, a redirection's target or a here-string: never split. */
export function expandWhole(word: SyntaxWord, expansion: ExpansionContext, span: Span, isAssignment = false): Word {
  const [found] = expandWord(isAssignment ? withTildes(word, expansion) : word, expansion, span, false);
  return found ?? wordOf([literal("")], span);
}

/** `D=a:~/b`: in an assignment a `~` after a colon is a home folder, too. */
function withTildes(word: SyntaxWord, { home }: ExpansionContext): SyntaxWord {
  if (word.parts !== undefined || !/:~(?:[/:]|$)/.test(word.text) || /['"\\]/.test(word.text)) return word;
  const text = word.text.replace(/:~(?=[/:]|$)/g, `:${home}`);
  return { ...word, text, value: text };
}

/** A value that grows with each use is not read to its end. */
const MAX_VALUE = 65_536;

function finished(field: Piece[], span: Span, parts: SyntaxWord["parts"], expansion: ExpansionContext): Word {
  const word = wordOf(field, span);
  expansion.step(word.text.length / 64);
  if (word.text.length > MAX_VALUE) throw new Unreadable("it holds more text than is read");
  const [only] = parts ?? [];
  if (parts?.length === 1 && only?.type === "ProcessSubstitution")
    word.output = expansion.substitute(undefined, only.text);
  return word;
}

/** One word's source, parsed by itself. */
function wordFrom(source: string): SyntaxWord | undefined {
  const [statement] = parse(`x ${source}`).commands;
  const command = statement?.command;
  const [first] = command?.type === "Command" ? command.args : [];
  return first?.type === "Word" ? first : undefined;
}

function partsOf(word: SyntaxWord, expansion: ExpansionContext): Part[] {
  const found: Part[] = [];
  const { parts } = word;
  let rest = word.value;
  // `dd of=~/x`: a word that looks like an assignment is expanded like one.
  const assigned = parts === undefined ? ASSIGNED_TILDE.exec(word.text) : null;
  if (assigned !== null && !/["'\\]/.test(word.text)) {
    const [, name = "", tilde = ""] = assigned;
    found.push({ text: name, kind: "text", quoted: true });
    found.push({ ...homeOf(tilde.slice(1), expansion), quoted: true });
    found.push({ text: word.text.slice(name.length + tilde.length), kind: "text", quoted: true });
    return found;
  }
  const tilde = tildeOf(word, expansion);
  if (tilde !== undefined) found.push({ ...tilde.piece, quoted: true });
  if (parts === undefined) {
    if (tilde !== undefined) rest = word.text.slice(tilde.length);
    // Without parts there is nothing active in it; only its own escapes are gone.
    if (tilde !== undefined && rest.includes("\\")) rest = rest.replace(/\\([\s\S])/g, "$1");
    found.push({ text: rest, kind: "text", quoted: true });
    return found;
  }
  for (const [index, part] of parts.entries()) addPart(part, found, expansion, index === 0 ? (tilde?.length ?? 0) : 0);
  return found;
}

function addPart(part: WordPart, found: Part[], expansion: ExpansionContext, skipped: number): void {
  expansion.step();
  const add = (pieces: readonly Piece[], quoted: boolean) => {
    expansion.step(pieces.length);
    for (const piece of pieces) found.push({ ...piece, quoted: quoted || piece.kept === true });
  };
  switch (part.type) {
    case "Literal": {
      const text = skipped === 0 ? part.value : part.text.slice(skipped).replace(/\\([\s\S])/g, "$1");
      return add([literal(text)], true);
    }
    case "SingleQuoted":
    case "AnsiCQuoted":
      return add([literal(part.value)], true);
    case "DoubleQuoted":
    case "LocaleString":
      if (part.parts.length === 0) return add([literal("")], true);
      for (const child of part.parts) {
        const list = listIn(child, expansion.scope);
        if (list !== undefined) {
          for (const [index, pieces] of list.entries()) {
            if (index > 0) found.push({ text: "", kind: "text", quoted: true, isBreak: true });
            add(pieces, true);
          }
          continue;
        }
        const inner: Part[] = [];
        addPart(child, inner, expansion, 0);
        for (const piece of inner) found.push({ ...piece, quoted: true });
      }
      return;
    case "Glob":
    case "ExtendedGlob":
      if (runsWithin(part.parts, expansion)) return add([unknownPiece(part.text)], true);
      return add([{ text: part.text, kind: expansion.scope.noGlob && part.type === "Glob" ? "text" : "glob" }], true);
    case "SimpleExpansion":
    case "ParameterExpansion":
      return add(parameterPieces(part, expansion), false);
    case "CommandExpansion": {
      const output = expansion.substitute(part.script, part.text);
      return add([output === null ? unknownPiece(part.text) : literal(output.replace(/\n+$/, ""))], false);
    }
    case "ArithmeticExpansion":
      expansion.substitute(undefined, part.text);
      // A variable's value is evaluated in turn.
      for (const name of part.text.match(/[A-Za-z_]\w*/g) ?? [])
        expansion.hidden(
          expansion.scope.vars
            .get(name)
            ?.map(({ text }) => text)
            .join("") ?? "",
        );
      return add(
        [
          /^\$\(\(\s*\d{1,15}\s*\)\)$/.test(part.text)
            ? literal(part.text.slice(3, -2).trim())
            : unknownPiece(part.text),
        ],
        true,
      );
    case "ProcessSubstitution":
      expansion.substitute(part.script, part.text);
      return add([unknownPiece(part.text)], true);
    case "BraceExpansion":
      expansion.hidden(part.text);
      return add([literal(part.text)], true);
  }
}

/** What is substituted in a pattern runs. @returns whether anything may come of it */
function runsWithin(parts: readonly WordPart[] = [], expansion: ExpansionContext): boolean {
  for (const part of parts) addPart(part, [], expansion, 0);
  return parts.some(expands);
}

/** Whether a part of a pattern isn't just what is written. */
function expands(part: WordPart): boolean {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted") return false;
  const isGroup = part.type === "DoubleQuoted" || part.type === "Glob" || part.type === "ExtendedGlob";
  return !isGroup || part.parts?.some(expands) === true;
}

const TILDE = /^~([A-Za-z0-9_.-]*|\+)(?=\/|$)/;

/** `~`, `~user`, `~+` at the beginning of an unquoted word; `skipped` characters of its text. */
const ASSIGNED_TILDE = /^([A-Za-z_]\w*=)(~[\w.-]*)(?=[/:]|$)/;

function tildeOf(word: SyntaxWord, expansion: ExpansionContext): { piece: Piece; length: number } | undefined {
  const [first] = word.parts ?? [];
  if (word.parts !== undefined && first?.type !== "Literal") return undefined;
  const text = word.parts === undefined ? word.text : (first?.text ?? "");
  const match = TILDE.exec(text);
  if (match === null) return undefined;
  // `~"x"`: the quote belongs to the name, which makes it no name.
  if (match[0].length === text.length && (word.parts?.length ?? 1) > 1 && word.parts?.[1]?.type !== "Glob")
    return undefined;
  return { piece: homeOf(match[1] ?? "", expansion), length: match[0].length };
}

function homeOf(name: string, { scope, home, user }: ExpansionContext): Piece {
  if (name === "") {
    const pieces = scope.vars.get("HOME") ?? [];
    const [only] = pieces;
    return pieces.length === 1 && only?.kind === "text" ? only : unknownPiece("~");
  }
  if (name === "+") return scope.cwd === null ? unknownPiece("~+") : literal(scope.cwd);
  if (name === "-") return scope.old_cwd === null ? unknownPiece("~-") : literal(scope.old_cwd);
  if (name === user) return literal(home);
  // `~2` is a folder of `pushd`'s list.
  if (/^\d+$/.test(name)) return unknownPiece(`~${name}`);
  if (name === "root") return literal("/root");
  return literal(`${home.slice(0, home.lastIndexOf("/"))}/${name}`);
}

/** Splits what was not quoted at white space, and wakes the patterns in it. */
function fieldsOf(
  found: readonly Part[],
  scope: Scope,
  splits: boolean,
  written: SyntaxWord["parts"],
  expansion: ExpansionContext,
): Piece[][] {
  if (!splits || found.every(({ quoted, isBreak }) => quoted && isBreak === undefined)) {
    const pieces = found.map(({ text, kind }): Piece => ({ text, kind }));
    // `"$@"` without any is no word at all.
    return splits && found.length === 0 && (written?.length ?? 0) > 0 ? [] : [pieces];
  }
  const separators = separatorsOf(scope);
  const fields: Piece[][] = [];
  let field: Piece[] | undefined;
  for (const { text, kind, quoted, isBreak } of found) {
    if (isBreak) {
      fields.push(field ?? []);
      field = [];
      continue;
    }
    if (quoted || kind === "glob") {
      field ??= [];
      field.push({ text, kind });
      continue;
    }
    if (kind === "unknown") {
      field ??= [];
      field.push({ text, kind });
      continue;
    }
    expansion.step(text.length / 16);
    const pieces = separators === null ? [text] : text.split(separators);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && field !== undefined) {
        fields.push(field);
        field = undefined;
      }
      if (piece === "") continue;
      field ??= [];
      field.push(...awake(piece, scope));
    }
    if (fields.length > MAX_WORDS) throw new Unreadable("it holds too many words");
  }
  if (field !== undefined) fields.push(field);
  // An unknown value alone and unquoted may also be no word at all; it is kept as one.
  return fields;
}

/** The words that `"$@"`, `"${a[@]}"` and their slices are. */
function listIn(child: DoubleQuotedChild, scope: Scope): (readonly Piece[])[] | undefined {
  if (child.type === "SimpleExpansion") return child.text === "$@" ? scope.positional?.slice(1) : undefined;
  if (child.type !== "ParameterExpansion" || child.prefix !== undefined) return undefined;
  if (child.parameter === "@" && child.index === undefined) {
    return child.operation === undefined ? scope.positional?.slice(1) : undefined;
  }
  if (child.index?.text !== "@") return undefined;
  const all = elementsOf(child.parameter, scope);
  return child.operation === undefined ? all : sliceOf(all, child.operation);
}

/** `"${a[@]:1:2}"`. */
function sliceOf(
  all: (readonly Piece[])[] | undefined,
  operation: ParameterOperation,
): (readonly Piece[])[] | undefined {
  if (all === undefined || operation.type !== "Slice") return undefined;
  const [offset, length] = [Number(operation.offset.text), Number(operation.length?.text ?? all.length)];
  return Number.isInteger(offset) && Number.isInteger(length) && length >= 0
    ? all.slice(offset).slice(0, length)
    : undefined;
}

function separatorsOf(scope: Scope): RegExp | null {
  const ifs = scope.vars.get("IFS");
  const [only] = ifs ?? [];
  if (ifs === undefined || ifs.length !== 1 || only?.kind !== "text") return /[ \t\n]+/;
  if (only.text === "") return null;
  return new RegExp(`[${only.text.replace(/[\\\]^-]/g, "\\$&")}]+`);
}

const ACTIVE = /[*?]|\[[^\]/]+\]/g;

/** The patterns in a variable's value are active where it is unquoted. */
function awake(text: string, scope: Scope): Piece[] {
  if (scope.noGlob || !/[*?[]/.test(text)) return [literal(text)];
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(ACTIVE)) {
    if (match.index > done) pieces.push(literal(text.slice(done, match.index)));
    pieces.push({ text: match[0], kind: "glob" });
    done = match.index + match[0].length;
  }
  if (done < text.length) pieces.push(literal(text.slice(done)));
  return pieces;
}
