import { listingWords } from "../programs/reading-files.ts";
import type { Piece } from "../reading.ts";
import type { ClearCommand, ClearLine, ClearRedirect, ClearStep, ClearWord } from "./line.ts";

/**
 * The closed grammar. A command line may need less than `code:exec` only if all of it is written in this grammar; whatever isn't
 * here is not clear. It is small on purpose: bash, zsh and dash must read every line of it alike, and a person must be able to
 * check that. It asks nothing of the interpreter in shell/, which finds danger and proves nothing.
 *
 *     line     = step { ( ";" | newline | "&&" | "||" ) step }
 *     step     = pipeline | "(" line ")" | "for" NAME "in" WORD... ( ";" | newline ) "do" line "done"
 *              | "if" line "then" line { "elif" line "then" line } [ "else" line ] "fi"
 *     pipeline = command { "|" command }
 *     command  = { NAME=value } word { word | redirection }
 *
 * No other expansion than `~`, `~/`, plain patterns, `$HOME`, `$?` and the variable of `for`; a comment only where the shell isn't
 * interactive (zsh would run it); no `&`, no braces but `{}`, no here-string, no function, no other keyword.
 */

const MAX_LENGTH = 64 * 1024;
const MAX_COMMANDS = 256;
const MAX_VALUES = 64;
const MAX_DEPTH = 8;

/**
 * Reads a command line by the grammar. Never throws; linear in the text's length. `home` is what `~` means.
 * @param hasComments the shell that runs it isn't interactive
 */
export function clearLine(text: string, home: string, hasComments = false): ClearLine {
  try {
    return { steps: new Parser(text, home, hasComments).line() };
  } catch (error) {
    if (error instanceof Unclear) return { unclear: error.message, at: error.at };
    throw error;
  }
}

/** What a loop over a pattern does to the names that match. */
function listing(pattern: ClearWord): ClearStep {
  const command = {
    words: listingWords(pattern),
    redirects: [],
    hasText: false,
    start: pattern.start,
    end: pattern.end,
  };
  return { joinedBy: ";", commands: [command], inLoop: false };
}

class Unclear extends Error {
  readonly at: number;

  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

/** Letters that mean themselves, unquoted, in every shell. Others (`é`) do as well, but not in each shell's every locale. */
const BARE = /[A-Za-z0-9_./,:@%+=-]/;
/** Behind a backslash: itself, without its meaning. A letter or digit would be read differently inside of other programs. */
const ESCAPED = /[!-/:-@[-`{-~ ]/;
/** Control characters and halves of characters are never clear, quoted or not. */
const NEVER = /[^\P{Cc}\t\n]|[\u2028\u2029\ufeff]|\p{Cs}/u;

/**
 * Variables in front of a command that change how it prints and nothing else, with plain values only: a path would be read, and in other
 * character sets than UTF-8 (GBK, Big5, Shift JIS) a backslash may be the half of a letter, so that scripts are read otherwise.
 */
const HARMLESS_ASSIGNMENT =
  /^(?:(?:LANG|LC_[A-Z]+)=(?:C|POSIX|(?:C|[a-z]{2,3}_[A-Z]{2})\.(?:UTF-?8|utf-?8))?|TZ=[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*|(?:NO_COLOR|FORCE_COLOR|CLICOLOR|CI|COLUMNS|LINES|GIT_OPTIONAL_LOCKS)=\d*|(?:GIT_)?PAGER=cat)$/;
/** Names for a loop's variable that no shell gives a meaning of its own; zsh takes programs from `path`. */
const LOOP_VARIABLE = /^(?:[a-z]|file|dir|name|item|pkg)$/;
/** What a loop runs over: nothing that an unquoted variable would be split at, or arithmetic would run. */
const LOOP_VALUE = /^[A-Za-z0-9_./,:@%+-]+$/;
/** `$NAME` and `${NAME}`. */
const VARIABLE = /^\$(?:([A-Za-z_]+|\?)|\{([A-Za-z_]+|\?)\})/;
/** Behind a variable nothing that zsh takes for a part of it: no index, no modifier (`$f[1]`, `$f:h`). */
const BEHIND_VARIABLE = /^(?:[ \t\n;|&)"./,=-]|:[ "]|$)/;
/** No shell splits an unquoted variable with this value, or takes it for a pattern. */
const UNSPLIT = /^[A-Za-z0-9_./,:@%+-]+$/;
/** A set of a pattern: letters and digits. `[.]` may match a leading dot in some shells. */
const SET = /^\[[A-Za-z0-9]+(?:-[A-Za-z0-9]+)?\]/;

/** What ends each part of a branch; behind `fi` there is none. */
const PARTS_OF_BRANCH: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then"]],
  ["elif", ["then"]],
  ["then", ["elif", "else", "fi"]],
  ["else", ["fi"]],
]);

interface Loop {
  name: string;
  value: ClearWord;
}

/** What is in a word beside letters. */
interface Seen {
  isStatus: boolean;
  isName: boolean;
  is_many: boolean;
}

interface HereDocument {
  end: string;
  is_quoted: boolean;
  /** Empty until it is read. */
  text: string;
}

class Parser {
  readonly #text: string;
  readonly #home: string;
  readonly #hasComments: boolean;
  /** Open groups and branches. */
  #depth = 0;
  #at = 0;
  /** Here-documents whose bodies begin behind the next newline. */
  #documents: HereDocument[] = [];
  #commands = 0;

  constructor(text: string, home: string, hasComments: boolean) {
    this.#text = text;
    this.#home = home;
    this.#hasComments = hasComments;
    if (text.length > MAX_LENGTH) this.#refuse("a long text");
    const odd = text.search(NEVER);
    if (odd !== -1) throw new Unclear("a control character", odd);
  }

  line(): ClearStep[] {
    const steps = this.#steps(null, []);
    if (this.#at < this.#text.length) this.#refuse("a part of the shell's syntax that isn't plain");
    if (this.#documents.length > 0) this.#refuse("a here-document without its text");
    if (steps.length === 0) this.#refuse("no command");
    return steps;
  }

  #refuse(why: string, at = this.#at): never {
    throw new Unclear(why, at);
  }

  /** Steps up to the end, or up to one of these words. */
  #steps(loop: Loop | null, until: readonly string[]): ClearStep[] {
    const steps: ClearStep[] = [];
    let joinedBy: ClearStep["joinedBy"] = ";";
    for (;;) {
      this.#blanks(joinedBy === ";");
      if (this.#at >= this.#text.length || until.some((word) => this.#isWord(word))) {
        if (joinedBy !== ";") this.#refuse("a line that isn't finished");
        return steps;
      }
      const isBranch = this.#isWord("if");
      if (isBranch || this.#isWord("for")) {
        if ((!isBranch && loop !== null) || joinedBy !== ";" || this.#documents.length > 0)
          this.#refuse(isBranch ? "a branch that isn't plain" : "a loop that isn't plain");
        steps.push(...(isBranch ? this.#branch(loop) : this.#loop()));
      } else if (this.#text[this.#at] === "(") steps.push(this.#group(joinedBy, loop));
      else steps.push(this.#pipeline(joinedBy, loop));
      this.#blanks(false);
      const next = this.#operator();
      if (next === null) {
        const isClosed = this.#at >= this.#text.length || (until.includes(")") && this.#text[this.#at] === ")");
        if (!isClosed) this.#refuse("a part of the shell's syntax that isn't plain");
        return steps;
      }
      // Whether a branch ran isn't known.
      if (isBranch && next !== ";") this.#refuse("a branch that isn't plain");
      joinedBy = next;
    }
  }

  /** A part of the line that ends with one of these words, which is left to be read. */
  #part(loop: Loop | null, until: readonly string[]): ClearStep[] {
    if (++this.#depth > MAX_DEPTH) this.#refuse("too many parts in one another");
    const steps = this.#steps(loop, until);
    if (steps.length === 0 || this.#documents.length > 0 || !until.some((word) => this.#isWord(word)))
      this.#refuse("a part that isn't plain");
    this.#depth--;
    return steps;
  }

  /** `( LINE )`: in a process of its own. */
  #group(joinedBy: ClearStep["joinedBy"], loop: Loop | null): ClearStep {
    // `((` is arithmetic.
    if (this.#documents.length > 0 || this.#text[this.#at + 1] === "(") this.#refuse("a group that isn't plain");
    this.#at++;
    const inner = this.#part(loop, [")"]);
    this.#at++;
    return { joinedBy, commands: [], inLoop: loop !== null, inner };
  }

  /** `if LINE; then LINE; fi`: each of its parts may run. */
  #branch(loop: Loop | null): ClearStep[] {
    const steps: ClearStep[] = [];
    for (;;) {
      const word = /^[a-z]+/.exec(this.#text.slice(this.#at, this.#at + 8))?.[0] ?? "";
      this.#at += word.length;
      const until = PARTS_OF_BRANCH.get(word);
      if (until === undefined) return steps;
      steps.push(...this.#part(loop, until));
    }
  }

  /** The operator between two steps; null where there is none. */
  #operator(): ClearStep["joinedBy"] | null {
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (two === "&&" || two === "||") {
      this.#at += 2;
      this.#blanks(true);
      return two;
    }
    if (two === ";;") this.#refuse("a case");
    const one = two[0];
    if (one === ";") this.#at++;
    else if (one === "\n") this.#newline();
    else return null;
    return ";";
  }

  /** Spaces, tabs, a backslash before a newline and a comment; newlines as well where a command may begin. */
  #blanks(withNewlines: boolean): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === " " || character === "\t") this.#at++;
      else if (character === "#" && this.#hasComments && this.#documents.length === 0 && this.#isAtBegin()) {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end === -1 ? this.#text.length : end;
      } else if (
        character === "\\" &&
        this.#text[this.#at + 1] === "\n" &&
        /[ \t\n]/.test(this.#text[this.#at - 1] ?? " ")
      )
        this.#at += 2;
      else if (withNewlines && character === "\n") this.#newline();
      else return;
    }
  }

  /** A word may begin here: in front is a blank, or what ends a command. */
  #isAtBegin(): boolean {
    return /[ \t\n;|&]/.test(this.#text[this.#at - 1] ?? " ");
  }

  /** Here-documents follow the newline that ends the line they begin in. */
  #newline(): void {
    this.#at++;
    for (const document of this.#documents.splice(0)) {
      const { end, is_quoted } = document;
      const lines = this.#text.indexOf(`\n${end}\n`, this.#at - 1);
      const last = this.#text.endsWith(`\n${end}`) ? this.#text.length - end.length - 1 : -1;
      const close = lines !== -1 ? lines : last >= this.#at - 1 ? last : -1;
      if (close === -1) this.#refuse("a here-document without its end");
      const body = this.#text.slice(this.#at, close);
      // Without quotes around its name the text is expanded.
      if (!is_quoted && /[$`\\]/.test(body)) this.#refuse("a here-document that is expanded");
      document.text = body;
      this.#at = Math.min(close + 1 + end.length, this.#text.length);
      if (this.#text[this.#at] === "\n") this.#at++;
    }
  }

  #isWord(word: string): boolean {
    return (
      this.#text.startsWith(word, this.#at) &&
      /^(?:[ \t\n;|&)]|$)/.test(this.#text.slice(this.#at + word.length, this.#at + word.length + 1))
    );
  }

  /** `for x in A B; do ...; done`, read once for each value with the value, or the pattern that it matches, in the variable's place. */
  #loop(): ClearStep[] {
    this.#at += 3;
    this.#blanks(false);
    const name = /^[A-Za-z_]+/.exec(this.#text.slice(this.#at, this.#at + 16))?.[0] ?? "";
    if (!LOOP_VARIABLE.test(name)) this.#refuse("a loop's variable that may mean something else");
    this.#at += name.length;
    this.#blanks(false);
    if (!this.#isWord("in")) this.#refuse("a loop that isn't plain");
    this.#at += 2;
    const values: ClearWord[] = [];
    for (this.#blanks(false); !/^[;\n]?$/.test(this.#text[this.#at] ?? ""); this.#blanks(false)) {
      const value = this.#word(null);
      if (value.isStatus || !(value.glob ? /^[\w./*?[\]-]+$/ : LOOP_VALUE).test(value.text))
        this.#refuse("a loop over more than plain words", value.start);
      values.push(value);
    }
    if (values.length === 0 || values.length > MAX_VALUES) this.#refuse("a loop over nothing, or over too much");
    this.#operator();
    this.#blanks(true);
    if (!this.#isWord("do")) this.#refuse("a loop that isn't plain");
    this.#at += 2;
    const body = this.#at;
    const steps = values.filter(({ glob }) => glob).map(listing);
    for (const value of values) {
      this.#at = body;
      const inner = this.#steps({ name, value }, ["done"]);
      if (inner.length === 0) this.#refuse("a loop without a command");
      steps.push(...inner);
    }
    if (!this.#isWord("done")) this.#refuse("a loop that isn't plain");
    this.#at += 4;
    return steps;
  }

  #pipeline(joinedBy: ClearStep["joinedBy"], loop: Loop | null): ClearStep {
    const commands = [this.#command(loop)];
    for (;;) {
      this.#blanks(false);
      if (this.#text[this.#at] !== "|" || this.#text[this.#at + 1] === "|") break;
      this.#at++;
      if (this.#text[this.#at] === "&") this.#refuse("a pipe of both outputs");
      this.#blanks(true);
      commands.push(this.#command(loop));
    }
    return { joinedBy, commands, inLoop: loop !== null };
  }

  #command(loop: Loop | null): ClearCommand {
    if (++this.#commands > MAX_COMMANDS) this.#refuse("too many commands");
    const start = this.#at;
    const words: ClearWord[] = [];
    const redirects: ClearRedirect[] = [];
    const documents: HereDocument[] = [];
    for (;;) {
      this.#blanks(false);
      const character = this.#text[this.#at];
      if (character === undefined || /[;\n|&]/.test(character) || this.#closes(character)) break;
      if (/[<>]/.test(character) || /^[0-9][<>]/.test(this.#text.slice(this.#at, this.#at + 2))) {
        if (words.length === 0) this.#refuse("a redirection without a command");
        // `12>x` is another output, `a12>x` isn't.
        if (/[<>]/.test(character) && /[0-9]/.test(this.#text[this.#at - 1] ?? ""))
          this.#refuse("a redirection that isn't plain");
        const found = this.#redirect(loop);
        if (found !== null && "is_quoted" in found) documents.push(found);
        else if (found !== null) redirects.push(found);
        continue;
      }
      const word = this.#word(loop);
      if (words.length === 0 && !word.is_quoted && loop === null && HARMLESS_ASSIGNMENT.test(word.text)) continue;
      words.push(word);
    }
    const [first] = words;
    if (first === undefined) this.#refuse("no command");
    if (first.glob || first.is_quoted || /[=~%:]/.test(first.text.replace(/^:$/, "")))
      this.#refuse("a program that isn't named plainly", first.start);
    const end = (words.at(-1) ?? first).end;
    const [document, ...others] = documents;
    const isOnly = others.length === 0 && redirects.every(({ kind }) => kind !== "read");
    const hasText = document !== undefined;
    return { words, redirects, hasText, ...(hasText && isOnly ? { document } : {}), start, end };
  }

  /** `< FILE`, `> FILE`, `>> FILE`, with 0, 1 or 2 in front; `2>&1` and `>&2`; a here-document. Null for the ones that touch no file. */
  #redirect(loop: Loop | null): ClearRedirect | HereDocument | null {
    const start = this.#at;
    const found = /^([012]?)(<<-?|<>|>>|>\||[<>]&|<|>)/.exec(this.#text.slice(start, start + 4));
    if (found === null) this.#refuse("a redirection that isn't plain");
    const [whole, number, operator] = found;
    this.#at += whole.length;
    if (operator === ">&") {
      if (!/^[12](?:[ \t\n;|&)]|$)/.test(this.#text.slice(this.#at, this.#at + 2)))
        this.#refuse("a redirection that isn't plain", start);
      this.#at++;
      return null;
    }
    if (operator === "<<") {
      // A loop's body is read once for each value, its here-document once.
      if (loop !== null) this.#refuse("a here-document in a loop", start);
      if (number !== "" || this.#text[this.#at] === "<") this.#refuse("a here-string", start);
      return this.#document();
    }
    if (operator !== "<" && operator !== ">" && operator !== ">>")
      this.#refuse("a redirection that isn't plain", start);
    if ((operator === "<") !== (number === "0" || (number === "" && operator === "<")))
      this.#refuse("a redirection that isn't plain", start);
    if (/[(!&>|<]/.test(this.#text[this.#at] ?? "")) this.#refuse("a redirection that isn't plain", start);
    this.#blanks(false);
    const target = this.#word(null);
    if (target.glob || target.isStatus || target.text === "" || target.text.startsWith("-"))
      this.#refuse("a redirection to more than one name", target.start);
    // zsh takes `<1->` for a pattern.
    if (/[<>]/.test(this.#text[this.#at] ?? "")) this.#refuse("a redirection that isn't plain", start);
    return { kind: operator === "<" ? "read" : "write", target };
  }

  /** `<<'END'`, `<<"END"` or `<<END`: where its text ends must be a plain word on a line of its own. */
  #document(): HereDocument {
    this.#blanks(false);
    const found =
      /^(?:'([A-Za-z_][A-Za-z0-9_]*)'|"([A-Za-z_][A-Za-z0-9_]*)"|([A-Za-z_][A-Za-z0-9_]*))(?=[ \t\n;|&<>])/.exec(
        this.#text.slice(this.#at, this.#at + 128),
      );
    const end = found?.[1] ?? found?.[2] ?? found?.[3];
    if (found === null || end === undefined) this.#refuse("a here-document that isn't plain");
    this.#at += found[0].length;
    const document: HereDocument = { end, is_quoted: found[3] === undefined, text: "" };
    this.#documents.push(document);
    return document;
  }

  /** Ends the group that is read. */
  #closes(character: string): boolean {
    return character === ")" && this.#depth > 0;
  }

  /** One word: letters, quotes, escaped characters, a pattern, `~`, or a variable. */
  #word(loop: Loop | null): ClearWord {
    const start = this.#at;
    const pieces: Piece[] = [];
    const seen: Seen = { isStatus: false, isName: false, is_many: false };
    let isQuoted = false;
    let isRevision = false;
    const add = (text: string, kind: "text" | "glob" = "text") => {
      const last = pieces.at(-1);
      if (text === "" && pieces.length > 0) return;
      if (last?.text === "") pieces.pop();
      if (last?.kind === "text" && last.text !== "" && kind === "text")
        pieces[pieces.length - 1] = { text: last.text + text, kind };
      else pieces.push({ text, kind });
    };
    if (this.#text[start] === "~") {
      if (!/^~(?:[/ \t\n;|&]|$)/.test(this.#text.slice(start, start + 2))) this.#refuse("another user's folder");
      add(this.#home);
      this.#at++;
    } else if (this.#text[start] === "=") this.#refuse("a word that zsh takes for a program's path");
    for (;;) {
      const character = this.#text[this.#at] ?? "";
      if (character === "" || /[ \t\n;|&<>]/.test(character) || this.#closes(character)) break;
      if (character === "'") {
        const end = this.#text.indexOf("'", this.#at + 1);
        if (end === -1) this.#refuse("a quote without its end");
        add(this.#text.slice(this.#at + 1, end));
        this.#at = end + 1;
        isQuoted = true;
      } else if (character === '"') {
        for (const { text, kind } of this.#doubleQuoted(loop, seen)) add(text, kind === "glob" ? kind : "text");
        isQuoted = true;
      } else if (character === "$") {
        for (const { text, kind } of this.#variable(loop, false, seen)) add(text, kind === "glob" ? kind : "text");
        isQuoted = true;
      } else if (character === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (!ESCAPED.test(next)) this.#refuse("a backslash before a letter");
        add(next);
        this.#at += 2;
        isQuoted = true;
      } else if (this.#at === start && /^[[\]](?:[ \t\n;|&]|$)/.test(this.#text.slice(start, start + 2))) {
        // `[` alone is a program, `[ -f a ]` a test.
        add(character);
        this.#at++;
      } else if (/[*?[]/.test(character)) {
        this.#pattern(add);
        seen.is_many = true;
      } else if (BARE.test(character)) {
        add(character);
        this.#at++;
      } else if (
        /^(?:~\d|\^)/.test(this.#text.slice(this.#at, this.#at + 2)) &&
        /[A-Za-z0-9^]/.test(this.#text[this.#at - 1] ?? "") &&
        this.#at > start
      ) {
        add(character);
        this.#at++;
        isRevision = true;
      } else if (this.#at === start && /^(?:\{\}|!)(?:[ \t\n;|&]|$)/.test(this.#text.slice(start, start + 3))) {
        const literal = character === "!" ? "!" : "{}";
        add(literal);
        this.#at += literal.length;
      } else this.#refuse(character === "`" ? "an expansion" : "a character with a meaning to the shell");
    }
    if (pieces.length === 0) add("");
    const word = this.#made(pieces, start, isQuoted, seen.isName && !seen.is_many);
    if (seen.isStatus) word.isStatus = true;
    if (isRevision) word.isRevision = true;
    return word;
  }

  #made(pieces: readonly Piece[], start: number, isQuoted: boolean, isName: boolean): ClearWord {
    const word: ClearWord = {
      text: pieces.map(({ text }) => text).join(""),
      is_resolved: true,
      pieces,
      start,
      end: this.#at,
    };
    if (pieces.some(({ kind }) => kind === "glob")) {
      // A name may begin with a dash: what there is has to be looked at.
      const first = pieces[0];
      if (first?.kind !== "text" || (!isName && first.text.startsWith("-"))) word.beginsOpen = true;
      if (isName) word.isName = true;
      for (const segment of word.text.split("/"))
        if (/^\.(?![A-Za-z0-9])/.test(segment) && segment !== "." && segment !== "..")
          this.#refuse("a pattern that may match . or ..", start);
      word.glob = true;
    }
    if (isQuoted) word.is_quoted = true;
    return word;
  }

  /** `$x`, `${x}`: the loop's variable, `HOME` or `?`. Not quoted it must be one that no shell splits or matches. */
  #variable(loop: Loop | null, isQuoted: boolean, seen: Seen): readonly Piece[] {
    const found = VARIABLE.exec(this.#text.slice(this.#at, this.#at + 24));
    const name = found?.[1] ?? found?.[2];
    const end = this.#at + (found?.[0].length ?? 0);
    if (name === undefined || !BEHIND_VARIABLE.test(this.#text.slice(end, end + 2))) this.#refuse("an expansion");
    const value = name === loop?.name ? loop.value : null;
    const isOpen = value?.glob === true || (name === "HOME" && !UNSPLIT.test(this.#home));
    if (isOpen && !isQuoted) this.#refuse("an expansion that a shell may split");
    if (value === null && name !== "HOME" && name !== "?") this.#refuse("an expansion");
    this.#at = end;
    if (name === "?") seen.isStatus = true;
    if (value?.glob) seen.isName = true;
    return value?.pieces ?? [{ text: name === "HOME" ? this.#home : "0", kind: "text" }];
  }

  /** Between double quotes: variables, and no `!`, which an interactive shell replaces. A backslash only before what it protects. */
  #doubleQuoted(loop: Loop | null, seen: Seen): Piece[] {
    const pieces: Piece[] = [];
    let text = "";
    for (this.#at++; ; ) {
      const character = this.#text[this.#at];
      if (character === undefined) this.#refuse("a quote without its end");
      if (character === '"') {
        this.#at++;
        return [...pieces, { text, kind: "text" }];
      }
      if (character === "$") {
        pieces.push({ text, kind: "text" }, ...this.#variable(loop, true, seen));
        text = "";
        continue;
      }
      if (character === "`") this.#refuse("an expansion");
      if (character === "!") this.#refuse("a mark that an interactive shell replaces");
      if (character === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (next === "\n" || next === "") this.#refuse("a line that continues inside of quotes");
        text += /["$`\\]/.test(next) ? next : `\\${next}`;
        if (next === "!") this.#refuse("a mark that an interactive shell replaces");
        this.#at += 2;
      } else {
        text += character;
        this.#at++;
      }
    }
  }

  /** `*`, `?` and sets of letters and digits; `**` only alone between slashes. */
  #pattern(add: (text: string, kind: "glob") => void): void {
    const character = this.#text[this.#at] ?? "";
    if (character === "[") {
      const set = SET.exec(this.#text.slice(this.#at, this.#at + 64))?.[0];
      if (set === undefined) this.#refuse("a pattern that isn't plain");
      add(set, "glob");
      this.#at += set.length;
      return;
    }
    const stars = /^\*{1,8}/.exec(this.#text.slice(this.#at, this.#at + 8))?.[0] ?? character;
    if (stars.length > 2) this.#refuse("a pattern that isn't plain");
    add(stars, "glob");
    this.#at += stars.length;
  }
}
