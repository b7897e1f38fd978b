/** One entry of the table of programs. */
export interface Program {
  names: readonly string[];
  /** What its operands are. `none`: words that name no file. */
  operands:
    | "none"
    | "read"
    | "folders"
    | "trees"
    | "written"
    | "copied"
    | "moved"
    | "deleted"
    | "pattern_read"
    | "read_then_written"
    | "special";
  /** Short options whose value follows, as one text. */
  short?: string;
  /** Long options whose value may be the next word. */
  long?: readonly string[];
  /** Options whose value is a file that is read, or written. */
  reads?: readonly string[];
  writes?: readonly string[];
  /** Options that make it reach everything below its operands. */
  tree?: readonly string[];
  /** Options that it must not have: with one of these it does more than reading or writing what it names. */
  never?: RegExp;
  /** Options that stand in the pattern's place. */
  no_pattern?: readonly string[];
  /** Without operands it looks at the working directory. */
  or_here?: true;
  /** A bare `*` may become an option by a file's name; this program has none that harms. */
  bare_globs?: true;
  example: string;
  counter: string;
}
