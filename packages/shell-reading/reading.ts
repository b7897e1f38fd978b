/** What a command line says, once it is read like a shell reads it. Data only; `readCommand` makes it. */

/**
 * A part of a resolved word. `glob` is an active pattern; `unknown` a value that is known only at run time, with its
 * source as text. With an empty text it may be empty: the rest is the whole word, unless the environment says otherwise.
 */
export interface Piece {
  text: string;
  kind: "text" | "glob" | "unknown";
  /** Quotes kept it together inside an expansion: it is not split. */
  kept?: true;
}

export interface Span {
  /** Offsets in the original text, half open. */
  start: number;
  end: number;
}

export interface Word extends Span {
  /** Quotes removed, variables and `~` resolved, patterns as they are. */
  text: string;
  /** False where a substitution or a variable could not be resolved. */
  is_resolved: boolean;
  glob?: true;
  pieces: readonly Piece[];
  /** What a process substitution prints; null where that is unknown. */
  output?: string | null;
}

export interface Redirect extends Span {
  operator: string;
  /** The file descriptor; null for the operator's own. */
  fd: number | null;
  target: Word;
}

/** Where a command's input comes from, and what is known of it. */
export interface Stdin {
  from: "here-doc" | "here-string" | "pipe" | "file";
  text: string | null;
  /** The names it lists, for what `xargs` and `read` make of it. */
  words: readonly Word[] | null;
}

export interface SimpleCommand extends Span {
  argv: readonly Word[];
  /** The program's name without its folder; empty for a redirection alone. */
  name: string;
  /** Wrappers that were unwrapped, outermost first. */
  via: readonly string[];
  /** Null where a `cd` could not be resolved. */
  cwd: string | null;
  redirects: readonly Redirect[];
  /** A list (`a=(x y)`) with its elements. */
  assignments: readonly { name: string; value: Word; elements?: readonly (readonly Piece[])[] }[];
  stdin: Stdin | null;
  /** Each pipeline has its number; a command's index in it, and whether it is the last. */
  pipeline: number;
  pipelineIndex: number;
  isLast: boolean;
  /** In how many substitutions it is: with one, its output becomes part of another command. */
  captures: number;
  inLoop: boolean;
  in_background: boolean;
  /** A program in another language that it is given, and the texts in it that may be paths. */
  code?: { language: string; text: string; strings: readonly Word[] };
  /** It is not certain that it runs at all: an argument of a program that may start it. */
  isSpeculative?: true;
}

export interface Reading {
  text: string;
  commands: readonly SimpleCommand[];
  /** Why it could not be read completely, or null. */
  unread: string | null;
  /** Functions or aliases are defined: names may not mean what they say. */
  defines: boolean;
  /** What runs the commands that are run on another machine: `ssh host` of `ssh host ls`. */
  elsewhere: readonly SimpleCommand[];
  /** A function or script that starts itself over and over. */
  forkBomb: Span | null;
  comments: readonly Span[];
  /** Every stretch of text that is a word, a redirection or a here-document's body. */
  hereDocs: readonly (Span & { command: SimpleCommand | null })[];
}

export interface ReadContext {
  /** Absolute; an empty text where it isn't known. */
  cwd: string;
  home: string;
  user?: string | undefined;
  /** `$0`, `$1`, ... of a script; left out where they aren't known. */
  positional?: readonly (readonly Piece[])[] | undefined;
}

/** The part of a command's context that depends on its position in the script. */
export type CommandContext = Pick<
  SimpleCommand,
  "via" | "pipeline" | "pipelineIndex" | "isLast" | "captures" | "inLoop" | "in_background"
>;
