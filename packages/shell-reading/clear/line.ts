import type { Span, Word } from "../reading.ts";

/** A command line that is written in the closed grammar. */

export interface ClearWord extends Word {
  /** A part of it was quoted. */
  is_quoted?: true;
  /** It holds `~` or `^` as git's revisions do, in which zsh may see a pattern: clear for git alone. */
  isRevision?: true;
  /** It holds `$?`: other digits than the `0` in their place. */
  isStatus?: true;
  /** A pattern of which it is one name only: a loop's variable, in quotes. */
  isName?: true;
  /** A pattern that begins with one, or with a dash: a name that matches could be an option. */
  beginsOpen?: true;
}

export interface ClearRedirect {
  kind: "read" | "write";
  target: ClearWord;
}

export interface ClearCommand extends Span {
  words: readonly ClearWord[];
  redirects: readonly ClearRedirect[];
  /** A here-document is its input. */
  hasText: boolean;
  /** That one, where nothing else is its input; its text is there once the whole line is read. */
  document?: { readonly text: string };
}

export interface ClearStep {
  /** How it is joined to the step before it. */
  joinedBy: ";" | "&&" | "||";
  commands: readonly ClearCommand[];
  /** It is in a loop. */
  inLoop: boolean;
  /** In place of commands: what runs in a shell of its own. */
  inner?: readonly ClearStep[];
}

export type ClearLine = { steps: readonly ClearStep[] } | { unclear: string; at: number };
