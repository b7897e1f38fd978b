import type {
  ParameterExpansionPart,
  ParameterOperation,
  ParsedScript,
  SimpleExpansionPart,
  Word as SyntaxWord,
} from "unbash";
import { unescaped } from "../programs/formats.ts";
import type { Piece, Span, Word } from "../reading.ts";
import { literal, unknownPiece } from "../word.ts";
import { elementsOf, REFERENCE, type Scope } from "./scope.ts";

/** `$x` and `${x...}`: what is known of a variable, and what the operators make of it. */

/** What an expansion may read of the shell around it, and do to it. */
export interface ExpansionContext {
  scope: Scope;
  home: string;
  user: string | undefined;
  /** The value of a word that isn't split: `expandWhole` of words.ts. */
  whole(word: SyntaxWord, span: Span): Word;
  /** Reads a substitution's commands; returns what it prints, or null where that is unknown. */
  substitute(script: ParsedScript | undefined, text: string): string | null;
  /** An assignment inside an expansion (`${x:=y}`). */
  assign(name: string, value: readonly Piece[]): void;
  step(cost?: number): void;
  /** A text that is evaluated after all: the substitutions in it run. */
  hidden(text: string): void;
}

/** Their value, or undefined where nothing is known. */
function knownValue(name: string, scope: Scope): readonly Piece[] | undefined {
  if (name === "PWD" && !scope.vars.has("PWD"))
    return scope.cwd === null ? [unknownPiece("$PWD")] : [literal(scope.cwd)];
  if (name === "OLDPWD" && !scope.vars.has("OLDPWD"))
    return scope.old_cwd === null ? [unknownPiece("$OLDPWD")] : [literal(scope.old_cwd)];
  if (name === "@" || name === "*") {
    if (scope.positional === undefined) return undefined;
    return scope.positional.slice(1).flatMap((pieces, index) => (index === 0 ? pieces : [literal(" "), ...pieces]));
  }
  if (/^\d+$/.test(name)) return scope.positional === undefined ? undefined : (scope.positional[Number(name)] ?? []);
  if (name === "#") return scope.positional === undefined ? undefined : [literal(String(scope.positional.length - 1))];
  const value = scope.vars.get(name);
  const [only] = value ?? [];
  // Followed once: a reference to a reference is rare, and one to itself has no end.
  return only?.kind === "unknown" && only.text.startsWith(REFERENCE) ? scope.vars.get(only.text.slice(1)) : value;
}

export function parameterPieces(
  part: SimpleExpansionPart | ParameterExpansionPart,
  expansion: ExpansionContext,
): readonly Piece[] {
  const { scope } = expansion;
  if (part.type === "SimpleExpansion") {
    const name = part.text.slice(1);
    if (name === "0" && scope.positional === undefined) return [unknownPiece("$0")];
    return knownValue(name, scope) ?? [unknownPiece(part.text)];
  }
  if (part.index !== undefined) {
    for (const name of part.index.text.match(/[A-Za-z_]\w*/g) ?? [])
      expansion.hidden(textOf(knownValue(name, scope)) ?? "");
    expansion.whole(part.index, { start: 0, end: 0 });
    const index = part.index.text;
    const fromEnd = /^-\d+$/.test(index) ? elementsOf(part.parameter, scope)?.at(Number(index)) : undefined;
    const found = fromEnd ?? knownValue(`${part.parameter}[${index}]`, scope);
    const whole = index === "0" || index === "@" || index === "*" ? knownValue(part.parameter, scope) : undefined;
    if (part.operation !== undefined) operated(part, part.operation, undefined, expansion);
    return part.prefix === undefined && part.operation === undefined
      ? (found ?? whole ?? [unknownPiece(part.text)])
      : [unknownPiece(part.text)];
  }
  let value = knownValue(part.parameter, scope);
  if (part.prefix === "!") {
    const name = textOf(value);
    value = name === null ? undefined : knownValue(name, scope);
    if (value === undefined) {
      if (part.operation !== undefined) operated(part, part.operation, value, expansion);
      return [unknownPiece(part.text)];
    }
  } else if (part.prefix === "#") {
    const text = textOf(value);
    return text === null ? [unknownPiece(part.text)] : [literal(String(text.length))];
  }
  if (part.operation === undefined) return value ?? [unknownPiece(part.text)];
  return operated(part, part.operation, value, expansion) ?? [unknownPiece(part.text)];
}

function operated(
  part: ParameterExpansionPart,
  operation: ParameterOperation,
  value: readonly Piece[] | undefined,
  expansion: ExpansionContext,
): readonly Piece[] | null {
  const span = { start: 0, end: 0 };
  switch (operation.type) {
    case "Default":
      return withDefault(part, operation.operator, keptPieces(operation.operand, expansion), value, expansion);
    case "Slice": {
      const [offset, length] = [operation.offset.text.trim(), operation.length?.text.trim()];
      expansion.hidden(`${offset} ${length ?? ""}`);
      if (!/^-?\d{1,6}$/.test(offset) || (length !== undefined && !/^\d{1,6}$/.test(length))) return null;
      return sliced(value, Number(offset), length === undefined ? undefined : Number(length));
    }
    case "Remove": {
      const pattern = expansion.whole(operation.operand, span);
      const text = textOf(value);
      if (text === null || !isCheap(text, pattern)) return null;
      return [literal(removed(text, operation.operator, globSource(pattern.pieces, operation.operator.length === 2)))];
    }
    case "Replace": {
      const pattern = expansion.whole(operation.pattern, span);
      const replacement = expansion.whole(operation.replacement, span);
      const text = textOf(value);
      if (text === null || !isCheap(text, pattern) || !replacement.is_resolved) return null;
      const source = globSource(pattern.pieces, true);
      const anchored = { "/": source, "//": source, "/#": `^${source}`, "/%": `${source}$` }[operation.operator];
      return [
        literal(text.replace(new RegExp(anchored, operation.operator === "//" ? "gs" : "s"), () => replacement.text)),
      ];
    }
    case "CaseModification": {
      const text = textOf(value);
      if (operation.operand !== undefined) expansion.whole(operation.operand, span);
      return text === null || operation.operand !== undefined ? null : withCase(text, operation.operator);
    }
    case "Transform": {
      const text = textOf(value);
      if (operation.operand !== undefined) expansion.whole(operation.operand, span);
      // `@P` runs what is in the value, `@E` takes its escapes out.
      if (operation.operator === "@" && text !== null) {
        expansion.hidden(text);
        return /@E/.test(part.text) ? [literal(unescaped(text))] : [unknownPiece(part.text)];
      }
      return null;
    }
    case "Unknown":
      // Of another shell, as zsh's `${${x}:-y}`.
      expansion.hidden(operation.operator);
      return null;
    default:
      return null;
  }
}

function withCase(text: string, operator: string): readonly Piece[] | null {
  switch (operator) {
    case "^":
      return [literal(text.charAt(0).toUpperCase() + text.slice(1))];
    case "^^":
      return [literal(text.toUpperCase())];
    case ",":
      return [literal(text.charAt(0).toLowerCase() + text.slice(1))];
    case ",,":
      return [literal(text.toLowerCase())];
    default:
      return null;
  }
}

/** A default's pieces; what is quoted there stays together. */
function keptPieces(operand: SyntaxWord, expansion: ExpansionContext): readonly Piece[] {
  const { pieces } = expansion.whole(operand, { start: 0, end: 0 });
  const isQuoted = (operand.parts ?? []).some(({ type }) => /Quoted|LocaleString/.test(type));
  return isQuoted ? pieces.map((piece) => ({ ...piece, kept: true as const })) : pieces;
}

function withDefault(
  part: ParameterExpansionPart,
  operator: string,
  operand: readonly Piece[],
  value: readonly Piece[] | undefined,
  expansion: ExpansionContext,
): readonly Piece[] {
  const isEmpty = value?.every(({ text }) => text === "") === true;
  const counts = value !== undefined && !(operator.startsWith(":") && isEmpty);
  switch (operator) {
    case "-":
    case ":-":
      // The environment may hold the variable all the same: the default is what is known, not what is certain.
      return counts ? value : value === undefined ? [...operand, unknownPiece("")] : operand;
    case "=":
    case ":=":
      if (counts) return value;
      expansion.assign(part.parameter, operand);
      return value === undefined ? [...operand, unknownPiece("")] : operand;
    case "+":
    case ":+":
      if (value === undefined) return [...operand, unknownPiece("")];
      return counts ? operand : [];
    default:
      return value ?? [unknownPiece(part.text)];
  }
}

function textOf(value: readonly Piece[] | undefined): string | null {
  if (value === undefined || value.some(({ kind }) => kind === "unknown")) return null;
  return value.map(({ text }) => text).join("");
}

/** `${HOME:0:1}` is a slash, also where only the beginning of a value is known. */
function sliced(
  value: readonly Piece[] | undefined,
  offset: number,
  length: number | undefined,
): readonly Piece[] | null {
  const whole = textOf(value);
  if (whole !== null) {
    const start = offset < 0 ? Math.max(0, whole.length + offset) : offset;
    return [literal(whole.slice(start, length === undefined ? undefined : start + length))];
  }
  const [first] = value ?? [];
  if (first?.kind !== "text" || offset < 0 || length === undefined || offset + length > first.text.length) return null;
  return [literal(first.text.slice(offset, offset + length))];
}

/** One star over a short text: matching it costs next to nothing, whatever it holds. */
function isCheap(text: string, pattern: Word): boolean {
  const stars = pattern.pieces.filter((piece) => piece.text === "*").length;
  return pattern.is_resolved && ((stars <= 1 && text.length <= 512) || (stars <= 3 && text.length <= 96));
}

function removed(text: string, operator: string, source: string): string {
  if (operator.startsWith("#")) return text.replace(new RegExp(`^(?:${source})`, "s"), "");
  const whole = new RegExp(`^(?:${source})$`, "s");
  // The shortest or the longest end that fits.
  const starts = Array.from({ length: text.length + 1 }, (_, index) => index);
  const start = (operator === "%" ? starts.reverse() : starts).find((index) => whole.test(text.slice(index)));
  return start === undefined ? text : text.slice(0, start);
}

function globSource(pieces: readonly Piece[], isGreedy: boolean): string {
  return pieces
    .map(({ text, kind }) => {
      if (kind !== "glob") return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
      if (text === "*") return isGreedy ? ".*" : ".*?";
      if (text === "?") return ".";
      return /^\[[\w^!.-]+\]$/.test(text) ? text.replace("[!", "[^") : ".";
    })
    .join("");
}
