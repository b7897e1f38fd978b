import { piecesAfter } from "./builtins.ts";
import { type Word, wordOf } from "./reading.ts";

/** A command's arguments, told apart: flags, options with their values, operands. */
export interface Options {
  /** `-r`, `--force`, the name only; each letter of a cluster by itself. */
  flags: ReadonlySet<string>;
  values: readonly { name: string; word: Word }[];
  operands: readonly Word[];
}

/**
 * Tells `args` apart as GNU programs do: options anywhere, until `--`.
 * @param short letters whose value follows, in the same word or the next
 * @param long long options whose value may be the next word
 */
export function optionsOf(args: readonly Word[], short = "", long: readonly string[] = []): Options {
  const flags = new Set<string>();
  const values: { name: string; word: Word }[] = [];
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./.test(text) || word.pieces[0]?.kind === "glob") {
      operands.push(word);
      continue;
    }
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const name = equals === -1 ? text : text.slice(0, equals);
      flags.add(name);
      if (equals !== -1) values.push({ name, word: wordOf(piecesAfter(word, equals + 1), word) });
      else if (long.includes(name) && args[at + 1] !== undefined) values.push({ name, word: args[++at] as Word });
      continue;
    }
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index]}`;
      flags.add(name);
      if (!short.includes(text[index] ?? "")) continue;
      if (index + 1 < text.length) values.push({ name, word: wordOf(piecesAfter(word, index + 1), word) });
      else if (args[at + 1] !== undefined) values.push({ name, word: args[++at] as Word });
      break;
    }
  }
  return { flags, values, operands };
}

/** True if one of `names` is among the flags; GNU takes any unambiguous beginning of a long one. */
export function hasFlag({ flags }: Options, ...names: readonly string[]): boolean {
  for (const flag of flags) {
    if (names.includes(flag)) return true;
    if (flag.length > 4 && flag.startsWith("--") && names.some((name) => name.startsWith(flag))) return true;
  }
  return false;
}
