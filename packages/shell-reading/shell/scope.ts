import type { Function as FunctionNode } from "unbash";
import type { Piece, ReadContext } from "../reading.ts";
import { literal, unknownPiece } from "../word.ts";

/** What a shell knows at one point: where it is, its variables, functions and aliases. Never changed, only replaced. */
export interface Scope {
  cwd: string | null;
  old_cwd: string | null;
  folders: readonly (string | null)[];
  vars: ReadonlyMap<string, readonly Piece[]>;
  functions: ReadonlyMap<string, Defined>;
  aliases: ReadonlyMap<string, string>;
  /** `$0`, `$1`, ...; undefined where they aren't known. */
  positional: readonly (readonly Piece[])[] | undefined;
  /** `set -f`. */
  noGlob: boolean;
}

export interface Defined {
  node: FunctionNode;
  /** Turns the node's offsets into those of the original text. */
  origin: Origin;
}

/** Where a nested text is in the original one: shifted, or as a whole at one span. */
export type Origin = { by: number } | { start: number; end: number };

export function firstScope({ cwd, home, user, positional }: ReadContext): Scope {
  const vars = new Map<string, readonly Piece[]>([
    ["HOME", [literal(home)]],
    ["IFS", [literal(" \t\n")]],
    // What they begin with is known, and enough to cut a slash out of.
    ["PATH", [literal("/"), unknownPiece("")]],
    ["SHELL", [literal("/bin/"), unknownPiece("$SHELL")]],
  ]);
  if (user !== undefined && user !== "") {
    vars.set("USER", [literal(user)]);
    vars.set("LOGNAME", [literal(user)]);
  }
  const known = cwd.startsWith("/") ? cwd : null;
  return {
    cwd: known,
    old_cwd: null,
    folders: [],
    vars,
    functions: new Map(),
    aliases: new Map(),
    positional,
    noGlob: false,
  };
}

export function withVar(scope: Scope, name: string, value: readonly Piece[] | undefined): Scope {
  if (scope.vars.size > MAX_VARS) throw new Unreadable("it sets too many variables");
  const vars = new Map(scope.vars);
  if (value === undefined) vars.delete(name);
  else vars.set(name, value);
  return { ...scope, vars };
}

/** A variable's value; of a list each element by itself (`a[0]`, `a[@]`). */
export function withValue(
  scope: Scope,
  name: string,
  value: readonly Piece[],
  elements: readonly (readonly Piece[])[] | undefined,
): Scope {
  if (elements === undefined) return withVar(scope, name, value);
  const vars = new Map(scope.vars);
  vars.set(name, elements[0] ?? []);
  vars.set(`${name}[@]`, value);
  vars.set(`${name}[*]`, value);
  for (const [index, pieces] of elements.slice(0, 64).entries()) vars.set(`${name}[${index}]`, pieces);
  return { ...scope, vars };
}

/** The elements of a list that was set here, or undefined. */
export function elementsOf(name: string, { vars }: Scope): (readonly Piece[])[] | undefined {
  if (!vars.has(`${name}[@]`)) return undefined;
  const all: (readonly Piece[])[] = [];
  for (let index = 0; ; index++) {
    const pieces = vars.get(`${name}[${index}]`);
    if (pieces === undefined) return all;
    all.push(pieces);
  }
}

/** What `declare -n` leaves in a variable: another one's name. */
export const REFERENCE = "&";

export function inFolder(scope: Scope, cwd: string | null): Scope {
  // `cd` sets both anew, whatever they were set to before.
  const vars = new Map(scope.vars);
  vars.delete("PWD");
  vars.delete("OLDPWD");
  return { ...scope, vars, cwd, old_cwd: scope.cwd };
}

/** The scopes of several ways, each different one once. */
export function joined(...outcomes: (readonly Scope[])[]): Scope[] {
  const distinct = [...new Set(outcomes.flat())];
  if (distinct.length < 2) return distinct;
  return [...new Map(distinct.map((scope) => [keyOf(scope), scope])).values()];
}

const numbers = new WeakMap<FunctionNode, number>();
let lastNumber = 0;

/** Distinguishes the functions of one name: in texts of their own they may have the same offset. */
export function functionKey(name: string, { node }: Defined): string {
  const number = numbers.get(node) ?? ++lastNumber;
  numbers.set(node, number);
  return `${name}@${number}`;
}

function keyOf(scope: Scope): string {
  const functions = [...scope.functions].map(([name, defined]) => functionKey(name, defined));
  return JSON.stringify([
    scope.cwd,
    scope.old_cwd,
    scope.folders,
    [...scope.vars],
    functions,
    [...scope.aliases],
    scope.positional,
    scope.noGlob,
  ]);
}

// How much of a command line is read. Beyond any of these it counts as "could not be read": never allowed silently.

/** UTF-8 bytes of command text, nested texts counted each time they are read. */
export const MAX_BYTES = 64 * 1024;
/** Shells in shells, substitutions in substitutions, functions in functions. */
export const MAX_DEPTH = 16;
/** Simple commands, a loop's body counted once for each word it runs over. */
export const MAX_COMMANDS = 256;
/** Words of all commands together, also those that braces and lists expand to. */
export const MAX_WORDS = 2048;
/** Variables that are set at once, elements of lists among them: each that is set makes a state of its own. */
const MAX_VARS = 1024;
/** States that a command may have left (a `cd` that failed, a branch that was taken). */
export const MAX_STATES = 8;
/** Brackets that are open at once: a parser's own recursion ends here, before it begins. */
const MAX_OPEN = 128;

const MAX_BACKQUOTES = 1024;

/** Thrown inside the reader only; `readCommand` turns it into `unread`. */
export class Unreadable extends Error {}

/** What reading one command line may still cost. */
export class Budget {
  #characters = 2 * MAX_BYTES;
  #commands = MAX_COMMANDS;
  #words = MAX_WORDS;
  #steps = 50_000;

  takeText(text: string): void {
    this.#characters -= text.length;
    if (this.#characters < 0) throw new Unreadable("it holds more text than is read");
    if (text.split("`").length > MAX_BACKQUOTES) throw new Unreadable("it holds too many substitutions");
    if (tooDeep(text)) throw new Unreadable("it is nested too deeply");
  }

  /** @param words that the command has */
  takeCommand(words: number): void {
    if (--this.#commands < 0) throw new Unreadable(`it holds more than ${MAX_COMMANDS} simple commands`);
    this.#words -= words;
    if (this.#words < 0) throw new Unreadable("it holds too many words");
  }

  takeStep(cost = 1): void {
    this.#steps -= cost;
    if (this.#steps < 0) throw new Unreadable("it takes too many steps to read");
  }
}

/** Openers without closers, quoted or not: more of them than anybody writes. One pass, before anything is parsed. */
function tooDeep(text: string): boolean {
  let open = 0;
  let double = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 40 || code === 123) {
      if (++open > MAX_OPEN) return true;
    } else if (code === 41 || code === 125) {
      if (open > 0) open--;
    } else if (code === 60 && text.charCodeAt(index + 1) === 60) {
      if (++double > MAX_OPEN * 2) return true;
      index++;
    }
  }
  return false;
}
