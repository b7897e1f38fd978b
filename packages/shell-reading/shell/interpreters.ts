import { absolutePath } from "../paths.ts";
import type { Interpreter } from "../programs/interpreters.ts";
import { CALLS_ON_PATHS, FORKS_WITHOUT_END, KILL_CALLS, killOf, SHELL_CALLS } from "../programs/language-calls.ts";
import type { Piece, SimpleCommand, Word } from "../reading.ts";
import { literal, piecesAfter, unknownPiece, wordOf } from "../word.ts";
import type { EvaluationContext, ShellEvaluator } from "./evaluator.ts";
import { evaluateAsText } from "./nested-text.ts";
import type { Scope } from "./scope.ts";

/**
 * Programs in other languages that are part of a command line. They are not parsed: the calls that start a shell, delete or move
 * are looked for by name, their arguments put together from texts, the home folder and joins. Every text in them may be a path.
 */

/** `-c` and its like, a here-document or the input; a script that an earlier part of the command wrote. */
export function readCode(
  evaluator: ShellEvaluator,
  interpreter: Interpreter,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  const texts: Word[] = [];
  const { argv, stdin } = command;
  const { language, code, firstWordIsCode } = interpreter;
  const plain: Word[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] as Word;
    const option = code.find(
      (name) => word.text === name || (name.length === 2 && word.text.startsWith(name) && word.text.length > 2),
    );
    const inline = code.find((name) => name.startsWith("--") && word.text.startsWith(`${name}=`));
    if (inline !== undefined) texts.push(wordOf(piecesAfter(word, inline.length + 1), word));
    else if (option !== undefined && word.text === option) {
      if (argv[at + 1] !== undefined) texts.push(argv[at + 1] as Word);
      at++;
    } else if (option !== undefined) texts.push(wordOf(piecesAfter(word, 2), word));
    else if (
      /^-[A-Za-z]*[ecEr]$/.test(word.text) &&
      code.includes(`-${word.text.at(-1)}`) &&
      argv[at + 1] !== undefined
    )
      texts.push(argv[++at] as Word);
    else if (!word.text.startsWith("-") || word.text === "-") plain.push(word);
  }
  if (firstWordIsCode && plain[0] !== undefined && !argv.some(({ text }) => text === "-f")) texts.push(plain[0]);
  const [script] = plain;
  const written = script === undefined ? undefined : evaluator.files.get(absolutePath(script.text, scope.cwd) ?? "");
  const fromInput =
    texts.length === 0 &&
    (script === undefined || script.text === "-" || script.text === "/dev/stdin") &&
    !firstWordIsCode;
  const text = [
    ...texts.map((word) => word.text),
    ...(fromInput && stdin?.text != null ? [stdin.text] : []),
    ...(script?.output != null ? [script.output] : []),
    ...(texts.length === 0 && script !== undefined && written !== undefined ? [written] : []),
  ].join("\n");
  const here = { start: texts[0]?.start ?? command.start, end: texts[0]?.end ?? command.end };
  if (text === "") {
    evaluator.add(command);
    return;
  }
  evaluator.budget.takeText(text);
  const found = findCalls(text, interpreter, evaluator.home, here, evaluator);
  evaluator.add({ ...command, code: { language, text, strings: found.strings } });
  const via = [...command.via, `${command.name} ${texts.length > 0 ? "-c" : "<input>"}`];
  const inner: SimpleCommand = { ...command, via, redirects: [], stdin: null, ...here };
  for (const shell of found.shells)
    evaluateAsText(evaluator, [shell], inner, scope, { ...context, stdin: null }, "shell");
  for (const call of found.calls)
    evaluator.evaluateProgram({ ...inner, argv: call, name: "" }, scope, { ...context, stdin: null });
  if (FORKS_WITHOUT_END.test(text.replace(/\s+/g, " "))) evaluator.forkBomb ??= here;
}

/** No more than 5000 texts are looked at. */
const STRING_STEPS = 10;

interface Found {
  strings: Word[];
  /** Texts that a shell runs. */
  shells: Word[];
  /** What its own calls do, as the program that would do the same. */
  calls: Word[][];
}

function findCalls(
  text: string,
  { hasPipes }: Interpreter,
  home: string,
  span: { start: number; end: number },
  evaluator: ShellEvaluator,
): Found {
  const found: Found = { strings: [], shells: [], calls: [] };
  const word = (value: string) => wordOf([literal(value)], span);
  const strings = stringsIn(text);
  for (const { value } of strings) {
    evaluator.budget.takeStep(STRING_STEPS);
    if (value !== "") found.strings.push(word(value.startsWith("~/") || value === "~" ? home + value.slice(1) : value));
  }
  const known = namesIn(text, home);
  // `"/etc/" + "shadow"`: what texts are put together to.
  for (const { at } of strings.slice(0, 100)) {
    evaluator.budget.takeStep(4);
    const whole = evaluated(text.slice(at, at + 500), home, known, span);
    if (whole?.is_resolved) found.strings.push(whole);
  }
  for (const match of [...text.matchAll(JOINS)].slice(0, 64)) {
    evaluator.budget.takeStep(4);
    const whole = evaluated(text.slice(match.index, match.index + 500), home, known, span);
    if (whole !== null && whole.pieces.length > 0) found.strings.push(whole);
  }
  const argument = (at: number) => evaluated(text.slice(at, at + 2000), home, known, span);
  for (const match of text.matchAll(SHELL_CALLS)) {
    evaluator.budget.takeStep(4);
    const at = match.index + match[0].length;
    // A list of words, or one text.
    const list = /^\s*\[([^\]]*)\]/.exec(text.slice(match[0].endsWith("[") ? at - 1 : at, at + 2000));
    const words = list === null ? [] : stringsIn(list[1] ?? "").map(({ value }) => word(value));
    const [program] = words;
    if (program !== undefined && list !== null) found.calls.push(words);
    else {
      const given = argument(at);
      const rest = stringsIn((/^[^)]*/.exec(text.slice(at, at + 2000)) ?? [""])[0]).map(({ value }) => value);
      if (given !== null) found.shells.push(given);
      // `spawn("rm", ["-rf", "/"])`, `system("rm", "-rf", "/")`.
      if (rest.length > 1) found.calls.push(rest.map(word));
    }
  }
  for (const match of text.matchAll(/`([^`]*)`/g))
    if (/\s|^\w+$/.test(match[1] ?? "")) found.shells.push(word(match[1] ?? ""));
  for (const match of text.matchAll(/(?:\bqx|%x)\s*[{([/|!]([^})\]/|!\n]{0,2000})/g))
    found.shells.push(word(match[1] ?? ""));
  if (hasPipes && text.includes("|")) for (const { value } of strings) found.shells.push(word(value));
  const act = (pattern: RegExp, before: readonly string[], behind: readonly Word[]) => {
    for (const match of text.matchAll(pattern)) {
      evaluator.budget.takeStep(4);
      const given = argument(match.index + match[0].length);
      if (given !== null) found.calls.push([...before.map(word), given, ...behind]);
    }
  };
  for (const { calls, before, behind } of CALLS_ON_PATHS)
    act(calls, before, behind === undefined ? [] : [wordOf([unknownPiece(behind)], span)]);
  for (const match of text.matchAll(KILL_CALLS)) {
    const kill = killOf(text.slice(match.index + match[0].length));
    if (kill !== null) found.calls.push(kill.map(word));
  }
  return found;
}

const HOME =
  /^(?:os\.path\.expanduser\(\s*(['"])~(?<below>[^'"]*)\1\s*\)|(?:pathlib\.)?Path\.home\(\)|(?:require\(['"](?:node:)?os['"]\)|os)\.homedir\(\)|homedir\(\)|process\.env(?:\.HOME|\[['"]HOME['"]\])|os\.(?:environ(?:\.get)?|getenv)[[(]\s*['"]HOME['"]\s*[\])]|os\.environ\[['"]HOME['"]\]|ENV\[['"]HOME['"]\]|\$ENV\{['"]?HOME['"]?\}|Dir\.home|getenv\(['"]HOME['"]\)|ENV\.fetch\(['"]HOME['"]\))/;

/** Where a path is put together that begins with no text of its own. */
const JOINS =
  /\b(?:(?:os\.)?path\.(?:join|resolve|expanduser)\(|File\.(?:join|expand_path)\(|(?:pathlib\.)?Path\.home\(|(?:os\.)?homedir\(|process\.env\b|os\.(?:environ|getenv)|ENV\b|Dir\.home\b)/g;

/** Variables that are set to something known. */
function namesIn(text: string, home: string): Map<string, readonly Piece[]> {
  const known = new Map<string, readonly Piece[]>();
  for (const match of text
    .slice(0, 8192)
    .matchAll(/(?:^|[;\n{(]\s*|\b(?:const|let|var|my)\s+)(\$?[A-Za-z_]\w*)\s*=(?!=)\s*/g)) {
    if (known.size > 32) break;
    const value = evaluated(
      text.slice(match.index + match[0].length, match.index + match[0].length + 500),
      home,
      known,
      { start: 0, end: 0 },
    );
    if (value !== null) known.set(match[1] ?? "", value.pieces);
  }
  return known;
}

/** The first argument of a call: texts, the home folder, what they are joined to. Null where nothing of it is known. */
function evaluated(
  source: string,
  home: string,
  known: ReadonlyMap<string, readonly Piece[]>,
  span: { start: number; end: number },
): Word | null {
  const pieces: Piece[] = [];
  let rest = source;
  let separator = "";
  let isJoin = /(?:path\.join|File\.join|path\.resolve)\(/.test(source.slice(0, 40));
  for (let count = 0; count < 16; count++) {
    rest = rest.replace(
      /^[\s(]+|^(?:(?:os\.)?path\.join|(?:pathlib\.)?Path|File\.(?:join|expand_path)|path\.resolve|str)\(\s*/,
      "",
    );
    if (
      /^[\s(]/.test(rest) ||
      /^(?:(?:os\.)?path\.join|(?:pathlib\.)?Path|File\.join|File\.expand_path|path\.resolve|str)\(/.test(rest)
    )
      continue;
    const atHome = HOME.exec(rest);
    const string = /^[frbuFRBU]?(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/.exec(rest);
    const name = /^\$?[A-Za-z_][\w.]*/.exec(rest);
    const add = (more: readonly Piece[]) => {
      const first = more[0]?.text ?? "";
      if (separator !== "" && !first.startsWith("/")) pieces.push(literal(separator));
      pieces.push(...more);
    };
    if (atHome !== null) {
      add([literal(home + (atHome.groups?.below ?? ""))]);
      rest = rest.slice(atHome[0].length);
    } else if (string !== null) {
      const value = plain(string[1] ?? string[2] ?? string[3] ?? "");
      add(
        interpolated(
          pieces.length === 0 && (value === "~" || value.startsWith("~/")) ? home + value.slice(1) : value,
          home,
          known,
        ),
      );
      rest = rest.slice(string[0].length);
    } else if (name !== null && known.has(name[0])) {
      add(known.get(name[0]) ?? []);
      rest = rest.slice(name[0].length);
    } else {
      if (pieces.length === 0) return null;
      pieces.push(unknownPiece("…"));
      break;
    }
    const below = /^[\s)]*\.joinpath\(\s*/.exec(rest);
    if (below !== null) {
      isJoin = true;
      separator = "/";
      rest = rest.slice(below[0].length);
      continue;
    }
    const joiner = /^[\s)]*(?:([+,/])\s*(?=["'`$A-Za-z(])|(\.)\s*(?=["'`$]))/.exec(rest);
    // A comma continues it only inside a join: elsewhere it ends the argument.
    if (joiner === null || (joiner[1] === "," && !isJoin)) break;
    separator = joiner[1] === "+" || joiner[2] === "." ? "" : "/";
    rest = rest.slice(joiner[0].length);
  }
  return pieces.length === 0 ? null : wordOf(pieces, span);
}

/** `${os.homedir()}/x`, `{home}/x`, `#{Dir.home}/x`, `$ENV{HOME}/x` inside a text. */
function interpolated(value: string, home: string, known: ReadonlyMap<string, readonly Piece[]>): readonly Piece[] {
  if (!/[${#]/.test(value)) return [literal(value)];
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of value.matchAll(/\$ENV\{['"]?HOME['"]?\}|[$#]?\{([^{}]*)\}/g)) {
    if (match.index > done) pieces.push(literal(value.slice(done, match.index)));
    const inner = match[1] ?? "";
    if (match[1] === undefined || HOME.test(inner)) pieces.push(literal(home));
    else pieces.push(...(known.get(inner) ?? [unknownPiece(match[0])]));
    done = match.index + match[0].length;
  }
  if (done < value.length) pieces.push(literal(value.slice(done)));
  return pieces;
}

// The string literals of a program, whatever its language: a scanner, linear in the text.

interface TextLiteral {
  value: string;
  /** The offset of its opening quote. */
  at: number;
}

/** Those in quotes and backquotes, and Perl's and Ruby's `q{...}`. */
function stringsIn(text: string): TextLiteral[] {
  const found = [...quotedIn(text)];
  for (const match of text.matchAll(/\bq[qwx]?[{(/|]([^})/|]{0,2000})[})/|]/g))
    found.push({ value: plain(match[1] ?? ""), at: match.index });
  return found;
}

function* quotedIn(text: string): Generator<TextLiteral> {
  // A quote that nothing closes up to some place leaves none of its kind that is closed before it.
  const openUntil: Record<string, number> = {};
  for (let at = 0; at < text.length; at++) {
    const quote = text[at] ?? "";
    if ((quote !== '"' && quote !== "'" && quote !== "`") || at < (openUntil[quote] ?? 0)) continue;
    let end = at + 1;
    while (end < text.length && text[end] !== quote && (quote === "`" || text[end] !== "\n"))
      end += text[end] === "\\" && text[end + 1] !== "\n" ? 2 : 1;
    if (text[end] !== quote) {
      openUntil[quote] = end;
      continue;
    }
    yield { value: plain(text.slice(at + 1, end)), at };
    at = end;
  }
}

/** A literal's value: the escapes that most languages have in common. */
function plain(value: string): string {
  return value.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-7]{3})|(.))/g, (_, hex, unicode, octal, other) => {
    if (other !== undefined) return other === "n" ? "\n" : other === "t" ? "\t" : other;
    return String.fromCharCode(octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16));
  });
}
