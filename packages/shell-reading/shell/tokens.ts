import { forEachChild, parse, type SyntaxNode } from "unbash";
import type { Reading, Span } from "../reading.ts";
import { Budget, MAX_BYTES } from "./scope.ts";

/** A command line's words by kind, for colour: in order, none within another. */
interface Token extends Span {
  kind: "program" | "option" | "string" | "variable" | "operator" | "redirect" | "comment";
}
type TokenKind = Token["kind"];

/** More than anybody looks at; what follows has no colour. */
const MAX_TOKENS = 4000;

/** What means something to the shell between words. */
const OPERATORS =
  /&&|\|\||\|&|;;&?|;&|[|;&(){}!]|\b(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|function|select|time)\b|\[\[|\]\]/g;

/** The tokens of a line that a shell reads. None where it is too long or too deep to be parsed. */
export function tokensOf({ text, comments }: Pick<Reading, "text" | "comments">): Token[] {
  if (text.length > MAX_BYTES) return [];
  const lexer = new Lexer(text);
  try {
    new Budget().takeText(text);
    lexer.visit(parse(text));
  } catch {
    return []; // it can't be read: the text is shown without colour
  }
  return lexer.finish(comments);
}

/** The tokens of words that no shell looks at, joined with blanks. */
export function tokensOfWords(words: readonly Span[], text: string): Token[] {
  return words.slice(0, MAX_TOKENS).flatMap(({ start, end }, at): Token[] => {
    if (start >= end) return [];
    if (at === 0) return [{ kind: "program", start, end }];
    return text[start] === "-" ? [{ kind: "option", start, end }] : [];
  });
}

class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** What is a part of a word, so that nothing in it is an operator. */
  readonly #covered: Span[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  visit(node: SyntaxNode): void {
    switch (node.type) {
      case "Command": {
        if (node.name !== undefined) this.#named(node.name, "program");
        forEachChild(node, (child) => {
          if (child === node.name) return;
          if (child.type === "Word" && this.#text[child.pos] === "-") this.#named(child, "option");
          else this.visit(child);
        });
        return;
      }
      case "Word":
        return this.#word(node);
      case "Assignment": {
        const equals = this.#text.indexOf("=", node.pos);
        if (equals !== -1 && equals < node.end) this.#add("variable", node.pos, equals);
        this.#covered.push({ start: node.pos, end: node.end });
        return this.#children(node);
      }
      case "Redirect":
      case "HereDoc":
        return this.#redirect(node);
      case "HereDocBody":
      case "SingleQuoted":
      case "DoubleQuoted":
      case "AnsiCQuoted":
      case "LocaleString":
        return this.#string(node);
      case "SimpleExpansion":
      case "ParameterExpansion":
      case "ArithmeticExpansion":
      case "ArithmeticCommand":
        this.#covered.push({ start: node.pos, end: node.end });
        return this.#add("variable", node.pos, node.end);
      case "CommandExpansion":
      case "ProcessSubstitution": {
        const opening = this.#text[node.pos] === "`" ? 1 : 2;
        this.#add("operator", node.pos, node.pos + opening);
        this.#children(node);
        return this.#add("operator", node.end - 1, node.end);
      }
      default:
        return this.#children(node);
    }
  }

  #children(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  /** A word as a whole, but for the variables and substitutions in it. */
  #named(word: SyntaxNode, kind: TokenKind): void {
    const inner = this.#expansions(word);
    this.#covered.push({ start: word.pos, end: word.end });
    this.#around(kind, word.pos, word.end, inner);
  }

  #string(node: SyntaxNode): void {
    this.#covered.push({ start: node.pos, end: node.end });
    this.#around("string", node.pos, node.end, this.#expansions(node));
  }

  /** What is expanded within a node; visited. */
  #expansions(node: SyntaxNode): SyntaxNode[] {
    const found: SyntaxNode[] = [];
    const look = (child: SyntaxNode) => {
      if (EXPANSIONS.has(child.type)) {
        found.push(child);
        this.visit(child);
      } else forEachChild(child, look);
    };
    forEachChild(node, look);
    return found;
  }

  #around(kind: TokenKind, start: number, end: number, inner: readonly SyntaxNode[]): void {
    let done = start;
    for (const { pos, end: until } of inner) {
      this.#add(kind, done, pos);
      done = until;
    }
    this.#add(kind, done, end);
  }

  #word(word: SyntaxNode): void {
    let isPlain = true;
    forEachChild(word, (child) => {
      isPlain = false;
      this.visit(child);
      if (child.type === "Literal") this.#covered.push({ start: child.pos, end: child.end });
    });
    if (isPlain) this.#covered.push({ start: word.pos, end: word.end });
  }

  #redirect(node: SyntaxNode): void {
    let target: SyntaxNode | undefined;
    let body: SyntaxNode | undefined;
    forEachChild(node, (child) => {
      if (child.type === "Word") target = child;
      else if (child.type === "HereDocBody") body = child;
    });
    this.#covered.push({ start: node.pos, end: node.end });
    if (target !== undefined) this.#around("redirect", node.pos, node.end, this.#expansions(target));
    else this.#add("redirect", node.pos, node.end);
    if (body === undefined) return;
    this.visit(body);
    // The line that ends it.
    const line = this.#text.indexOf("\n", body.end);
    const end = line === -1 ? this.#text.length : line;
    this.#covered.push({ start: body.end, end });
    this.#add("redirect", body.end, end);
  }

  #add(kind: TokenKind, start: number, end: number): void {
    const until = Math.min(end, this.#text.length);
    if (start < until) this.#tokens.push({ kind, start, end: until });
  }

  finish(comments: readonly Span[]): Token[] {
    for (const { start, end } of comments) this.#add("comment", start, end);
    const covered = [...this.#covered, ...comments].sort((a, b) => a.start - b.start);
    let done = 0;
    for (const { start, end } of [...covered, { start: this.#text.length, end: this.#text.length }]) {
      if (start > done) this.#operators(done, start);
      done = Math.max(done, end);
    }
    const sorted = this.#tokens.sort((a, b) => a.start - b.start || b.end - a.end);
    const tokens: Token[] = [];
    for (const token of sorted) {
      if (tokens.length >= MAX_TOKENS) break;
      if (token.start >= (tokens.at(-1)?.end ?? 0)) tokens.push(token);
    }
    return tokens;
  }

  #operators(start: number, end: number): void {
    for (const match of this.#text.slice(start, end).matchAll(OPERATORS))
      this.#add("operator", start + match.index, start + match.index + match[0].length);
  }
}

const EXPANSIONS: ReadonlySet<string> = new Set([
  "SimpleExpansion",
  "ParameterExpansion",
  "ArithmeticExpansion",
  "CommandExpansion",
  "ProcessSubstitution",
]);
