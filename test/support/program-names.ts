import { parseSync, Visitor } from "rolldown/utils";

/**
 * Finds names of programs in TypeScript source, where it could decide by them: a text that is one, that lists nothing else or that
 * begins like a command; a key of an object; what a regular expression may match as a word. Comments and types decide nothing.
 */
export function programNamesIn(source: string, names: ReadonlySet<string>): string[] {
  const { program, errors } = parseSync("source.ts", source);
  if (errors.length > 0) throw new Error(`it can't be parsed: ${errors[0]?.message}`);
  const types = new Set<unknown>();
  const found: string[] = [];
  const take = (texts: Iterable<string>) => {
    for (const text of texts) if (names.has(text)) found.push(text);
  };
  new Visitor({
    TSLiteralType: ({ literal }) => void types.add(literal),
    Literal: (node) => {
      if (types.has(node)) return;
      if ("regex" in node && node.regex !== null) take(wordsMatched(node.regex.pattern));
      else if (typeof node.value === "string") take(namesInText(node.value, names));
    },
    TemplateElement: ({ value }) => take(namesInText(value.cooked ?? "", names)),
    Property: ({ key, computed, shorthand }) => {
      if (key.type === "Identifier" && !computed && !shorthand) take([key.name]);
    },
  }).visit(program);
  return found;
}

/** A name; a list of them; a name with an option behind it. */
function namesInText(text: string, names: ReadonlySet<string>): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const isList = words.length > 1 && words.every((word) => names.has(word));
  if (names.has(text) || isList) return words;
  const [first = "", second = ""] = words;
  return names.has(first) && second.startsWith("-") ? [first] : [];
}

/** A placeholder for a character that isn't one alone; a name has none. */
const ANY = "\0";
const BREAK = " ";
const MAX_TEXTS = 20_000;

/** The words that a regular expression's pattern may match, its alternatives and optional parts written out. */
export function wordsMatched(pattern: string): Set<string> {
  const reader = new PatternReader(pattern);
  return new Set([...reader.alternatives()].flatMap((text) => text.split(/[\s/]+/)));
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): Set<string> {
    const all = new Set<string>();
    do {
      for (const text of this.#sequence()) all.add(text);
    } while (this.#takes("|"));
    return all;
  }

  #takes(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #sequence(): Set<string> {
    let all = new Set([""]);
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) {
      const atom = this.#atom();
      const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at))?.[0] ?? "";
      this.#at += quantifier.length;
      if (/^(?:[*?]|\{0)/.test(quantifier)) atom.add("");
      // Too many to write out: the parts are checked one by one.
      all =
        all.size * atom.size > MAX_TEXTS
          ? new Set([...all, ...atom])
          : new Set([...all].flatMap((text) => [...atom].map((more) => text + more)));
    }
    return all;
  }

  #atom(): Set<string> {
    const character = this.#pattern[this.#at++] ?? "";
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case "^":
      case "$":
        return new Set([BREAK]);
      case ".":
        return new Set([ANY]);
      default:
        return new Set([character]);
    }
  }

  #group(): Set<string> {
    const prefix = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#pattern.slice(this.#at))?.[0] ?? "";
    this.#at += prefix.length;
    const inside = this.alternatives();
    this.#takes(")");
    return inside;
  }

  /** A few letters are written out; of more, any one. */
  #class(): Set<string> {
    const inside = /^(?:\\.|[^\]\\])*/.exec(this.#pattern.slice(this.#at))?.[0] ?? "";
    this.#at += inside.length + 1;
    return /^[a-z]{1,4}$/i.test(inside) ? new Set(inside) : new Set([/^\\s$| /.test(inside) ? BREAK : ANY]);
  }

  #escape(): Set<string> {
    const character = this.#pattern[this.#at++] ?? "";
    if (/[sbnt]/.test(character)) return new Set([BREAK]);
    if (/[/.\-+*?$^|()[\]{}\\]/.test(character)) return new Set([character]);
    return new Set([ANY]);
  }
}
