import { type PathPattern, pathOf, pathOfPieces } from "../paths.ts";
import { isAmong, valuesAnywhere } from "../programs/arguments.ts";
import { programCalled } from "../programs/table.ts";
import type { Piece, SimpleCommand, Word } from "../reading.ts";
import { piecesAfter } from "../word.ts";
import { effectsOf, recordedAccesses } from "./effects.ts";

/** Every place in a command that may name a path, whatever the program: words, option values, `@file`, `a:b`, `file://`. */

export interface PathWord {
  word: Word;
  path: PathPattern;
  /** A redirection's operator, where it is one. */
  redirect?: string;
}

const MAX_PIECES = 64;

/** All of them, each with the forms it can have. */
export function pathWords(command: SimpleCommand): PathWord[] {
  const found: PathWord[] = [];
  const data = dataWords(command);
  const folders = foldersNamed(command);
  const volumes = programCalled(command.name)?.volumeOptions;
  for (const [index, word] of command.argv.entries()) {
    // A pattern that a shell expands names files, even where its words are only printed.
    if (data.has(word) && word.glob === undefined) continue;
    if (index === 0 && !word.text.includes("/")) continue;
    // `-v ~/.m2:/root/.m2`: what follows the colon is a path in the container.
    const isVolume = isAmong(command.argv[index - 1]?.text ?? "", volumes) && word.text.indexOf(":") > 0;
    const named = isVolume ? cutAt(word.pieces, word.text.indexOf(":")) : word.pieces;
    for (const pieces of candidates(named)) {
      found.push({ word, path: pathOfPieces(pieces, command.cwd) });
      for (const folder of folders) found.push({ word, path: pathOfPieces(pieces, folder) });
    }
  }
  // What the program's own language names: modules, files in a script.
  for (const { word } of recordedAccesses(command).accesses)
    if (word !== "here" && !command.argv.includes(word)) found.push({ word, path: pathOf(word, command.cwd) });
  for (const { target, operator } of command.redirects)
    found.push({ word: target, path: pathOfPieces(target.pieces, command.cwd), redirect: operator });
  for (const { value } of command.assignments) {
    if (command.argv.length > 0) found.push({ word: value, path: pathOfPieces(value.pieces, command.cwd) });
  }
  for (const word of command.code?.strings ?? []) {
    if (isPathLike(word.text))
      for (const pieces of candidates(word.pieces)) found.push({ word, path: pathOfPieces(pieces, command.cwd) });
  }
  return found;
}

/** A text in a program that is a path as a whole, not a sentence. */
function isPathLike(text: string): boolean {
  return text.length < 1024 && !/[\n;|&<>]|\s-/.test(text) && !/\s\S*\s/.test(text.replaceAll("\\ ", ""));
}

/** The folders that a program's options say it works in. */
export function foldersNamed({ name, argv, cwd }: SimpleCommand): string[] {
  const options = programCalled(name)?.folderOptions;
  if (options === undefined) return [];
  return valuesAnywhere(argv.slice(1), options).flatMap(({ text }) => {
    if (text.startsWith("/")) return [text];
    return cwd === null ? [] : [`${cwd}/${text}`];
  });
}

/** A word as a whole, and its parts after `=`, `@`, `:`, `,` and a letter's flag. */
function candidates(pieces: readonly Piece[]): (readonly Piece[])[] {
  const found: (readonly Piece[])[] = [pieces];
  const text = pieces.map((piece) => piece.text).join("");
  if (text.length > 8192) return found;
  const flag = /^-[A-Za-z](?=[~/.])/.exec(text);
  const word = { text, pieces, is_resolved: true, start: 0, end: 0 };
  if (flag !== null) found.push(piecesAfter(word, flag[0].length));
  const scheme = /^(?:[a-z+]+:)?file:\/\/(?:localhost)?/i.exec(text);
  if (scheme !== null) found.push(piecesAfter(word, scheme[0].length));
  let count = 0;
  for (const match of text.matchAll(/[=@:,<"'(](?=[^=@:,])/g)) {
    if (++count > MAX_PIECES) break;
    const rest = piecesAfter(word, match.index + 1);
    const end = rest
      .map((piece) => piece.text)
      .join("")
      .search(/[:,;"')]/);
    found.push(rest);
    if (end > 0) found.push(cutAt(rest, end));
  }
  // `a:b` begins with a path of its own, too.
  const colon = text.search(/[:,]/);
  if (colon > 0) found.push(cutAt(pieces, colon));
  return found;
}

function cutAt(pieces: readonly Piece[], length: number): Piece[] {
  let left = length;
  return pieces.flatMap((piece): Piece[] => {
    const text = piece.text.slice(0, Math.max(0, left));
    left -= piece.text.length;
    return text === "" ? [] : [{ ...piece, text }];
  });
}

/** Words that are only data to a command: printed, searched for, compared, kept as a message. They name no path and run nothing. */
export function dataWords(command: SimpleCommand): ReadonlySet<Word> {
  return new Set(recordedAccesses(command).data);
}

/** True if nothing that the program is given as text can be run by it. */
export function isTextOnly(command: SimpleCommand): boolean {
  const { name, argv } = command;
  if (command.isSpeculative) return false;
  if (name === "") return true;
  const textOnly = programCalled(name)?.text_only;
  const first = argv[0]?.text ?? "";
  if (textOnly === undefined || (first.includes("/") && !/^\/(?:usr\/)?(?:local\/)?s?bin\//.test(first))) return false;
  return textOnly === true || textOnly(argv.slice(1));
}

/** What a command reads with all that lies below: not only names, but contents. */
export function treesRead(command: SimpleCommand): PathWord[] {
  return effectsOf(command).treesRead.map((word) => ({ word, path: pathOf(word, command.cwd) }));
}
