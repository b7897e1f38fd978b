import { codeWords } from "../programs/code-words.ts";
import {
  isDangerous,
  mayRunDangerous,
  NAMES_BEHIND_PATTERNS,
  programAskedFor,
  takesWords,
} from "../programs/guesses.ts";
import { interpreterOf } from "../programs/interpreters.ts";
import { repeaterCalled } from "../programs/repeaters.ts";
import { SCHEDULERS, SHELL_VALUED, SHELLS } from "../programs/shells.ts";
import { WRAPPERS, type Wrapper } from "../programs/wrappers.ts";
import { piecesAfter } from "./builtins.ts";
import { readCode } from "./interpreters.ts";
import { MAX_DEPTH, Unreadable } from "./limits.ts";
import { runRepeater } from "./lists.ts";
import { mayBe, pathOf } from "./paths.ts";
import type { Place, Reader, Ways } from "./reader.ts";
import { programName, type SimpleCommand, type Word, wordOf } from "./reading.ts";
import { absolutePath, inFolder, type Origin, type Scope, withVar } from "./scope.ts";
import { afterWrapper } from "./wrapper-words.ts";

/** What a program that was called runs in turn: wrappers are unwrapped, shells and interpreters read what they are given. */

export function launch(reader: Reader, command: SimpleCommand, scope: Scope, place: Place): Ways {
  reader.budget.takeStep();
  const here: Ways = { ok: [scope], failed: [scope] };
  const [first] = command.argv;
  if (first === undefined) return here;
  if (command.via.length > MAX_DEPTH) throw new Unreadable(`it goes deeper than ${MAX_DEPTH}`);
  const name = calledName(reader, first, command);
  const now: SimpleCommand = command.name === name ? command : { ...command, name };
  if (SHELLS.has(name)) return runShell(reader, now, scope, place);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper !== undefined && runWrapper(reader, wrapper, now, scope, place)) return here;
  switch (name) {
    case "source":
    case ".":
      return runSourced(reader, now, scope, place) ?? emitted(reader, now, here);
    case "eval":
      return runAsText(reader, now.argv.slice(1), now, scope, place, "eval");
    case "trap":
      readTrap(reader, now, scope, place);
      return emitted(reader, now, here);
  }
  const repeater = repeaterCalled(name);
  if (repeater !== undefined) {
    runRepeater(reader, repeater, now, scope, place);
    return here;
  }
  if (SCHEDULERS.has(name)) {
    if (now.stdin?.text != null) runNested(reader, now.stdin.text, undefined, now, scope, place, name);
    return emitted(reader, now, here);
  }
  const interpreter = interpreterOf(name);
  if (interpreter !== undefined) {
    readCode(reader, interpreter, now, scope, place);
    return here;
  }
  for (const code of codeWords(name, now.argv))
    runAsText(reader, [code], { ...now, is_guess: true }, scope, { ...place, is_guess: true }, name);
  runGuessed(reader, now, scope, place);
  const written = writtenProgram(reader, now);
  if (written !== undefined) runNested(reader, written, undefined, now, scope, place, first.text);
  return emitted(reader, now, here);
}

/** What a program is called, also where its name is a pattern, printed by `which`, or a link or copy that this line makes. */
function calledName(reader: Reader, first: Word, { cwd }: SimpleCommand): string {
  const name = programName(first.text);
  if (!first.is_certain) {
    return programAskedFor(first.text) ?? name;
  }
  if (first.glob) {
    const last = pathOf(first, cwd).names.at(-1);
    return NAMES_BEHIND_PATTERNS.find((one) => mayBe(last, one)) ?? name;
  }
  return first.text.includes("/") ? programName(reader.programAt(absolutePath(first.text, cwd) ?? first.text)) : name;
}

function emitted(reader: Reader, command: SimpleCommand, ways: Ways): Ways {
  reader.add(command);
  return ways;
}

/** What a trap says is read where it stands, and once more with what is known at the end: it runs last. */
function readTrap(reader: Reader, command: SimpleCommand, scope: Scope, place: Place): void {
  const args = command.argv.slice(1).filter(({ text }) => text !== "--");
  const [code] = args;
  if (code === undefined || args.length < 2 || code.text.startsWith("-")) return;
  runAsText(reader, [code], command, scope, place, "trap");
  reader.traps.push((last) => runAsText(reader, [code], command, last, place, "trap"));
}

/** A file that an earlier part of the same command wrote, and that is run now. */
function writtenProgram(reader: Reader, { argv, cwd }: SimpleCommand): string | undefined {
  const [first] = argv;
  if (first === undefined || !first.is_certain || !first.text.includes("/")) return undefined;
  return reader.files.get(absolutePath(first.text, cwd) ?? "");
}

/** True if the command behind the wrapper was found and read. */
function runWrapper(reader: Reader, wrapper: Wrapper, command: SimpleCommand, scope: Scope, place: Place): boolean {
  const found = afterWrapper(wrapper, command.argv);
  if (found === null) return false;
  const { rest, code, assignments, folder } = found;
  if (wrapper.reads_input && rest.length === 0 && command.stdin?.text != null) {
    runNested(reader, command.stdin.text, undefined, { ...command, stdin: null }, scope, place, command.name);
    return false;
  }
  // `/usr/bin/time -o FILE` writes: it is no wrapper that changes nothing.
  const { writes_with } = wrapper;
  const has_output = writes_with !== undefined && command.argv.some(({ text }) => writes_with.test(text));
  const label = has_output ? `${command.name} -o` : command.name;
  const moved =
    folder === undefined ? scope : inFolder(scope, folder.is_certain ? absolutePath(folder.text, scope.cwd) : null);
  if (code.length > 0) {
    for (const text of code) runAsText(reader, [text], command, moved, place, `${label} -c`);
    if (command.redirects.length > 0) reader.add({ ...command, argv: [], name: "" });
    return true;
  }
  if (wrapper.splits && found.split !== undefined) {
    runAsText(reader, [found.split, ...rest], command, moved, place, `${command.name} -S`);
    return true;
  }
  if (wrapper.only_code || rest.length === 0) return false;
  const [only] = rest;
  if (wrapper.text && !(rest.length > 1 && found.is_exec)) {
    runAsText(reader, rest, command, moved, place, label);
    if (command.redirects.length > 0) reader.add({ ...command, argv: [], name: "" });
    return true;
  }
  if (only === undefined) return false;
  launch(
    reader,
    {
      ...command,
      argv: rest,
      name: programName(only.text),
      cwd: moved.cwd,
      via: [...command.via, label],
      assignments: [...command.assignments, ...assignments],
    },
    moved,
    place,
  );
  return true;
}

/** `sh -c TEXT NAME ARG...`, `sh FILE`, or what comes on its input. */
function runShell(reader: Reader, command: SimpleCommand, scope: Scope, place: Place): Ways {
  const here: Ways = { ok: [scope], failed: [scope] };
  const { argv, stdin } = command;
  let at = 1;
  let takes_text = false;
  let reads_stdin = false;
  for (; at < argv.length; at++) {
    const text = argv[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text === "--command" || text === "--init-command" || /^-[A-Za-z]*c[A-Za-z]*$/.test(text)) takes_text = true;
    if (/^-[A-Za-z]*s[A-Za-z]*$/.test(text)) reads_stdin = true;
    const inline = /^--(?:command|init-command)=([\s\S]*)$/.exec(text)?.[1];
    if (inline !== undefined) runNested(reader, inline, argv[at], command, scope, place, `${command.name} -c`);
    if (SHELL_VALUED.has(text) || /^-[A-Za-z]*o$/.test(text)) at++;
  }
  for (const name of ["BASH_ENV", "ENV"]) {
    const value =
      command.assignments.find((assignment) => assignment.name === name)?.value.pieces ?? scope.vars.get(name);
    const written =
      value === undefined
        ? undefined
        : reader.files.get(absolutePath(value.map(({ text }) => text).join(""), scope.cwd) ?? "");
    if (written !== undefined)
      runNested(reader, written, undefined, { ...command, assignments: [] }, scope, place, command.name);
  }
  const script = argv[at];
  if (takes_text && script !== undefined) {
    runAsText(
      reader,
      [script],
      command,
      { ...scope, positional: argv.slice(at + 1).map(({ pieces }) => pieces) },
      place,
      `${command.name} -c`,
    );
    if (command.redirects.length > 0) reader.add({ ...command, argv: [], name: "" });
    if (script.is_certain) return here;
  } else if (script !== undefined && !reads_stdin && !/^\/dev\/(?:stdin|fd\/0)$/.test(script.text)) {
    const text =
      script.output ?? (script.is_certain ? reader.files.get(absolutePath(script.text, scope.cwd) ?? "") : undefined);
    if (text != null)
      runNested(
        reader,
        text,
        undefined,
        command,
        { ...scope, positional: argv.slice(at).map(({ pieces }) => pieces) },
        place,
        command.name,
      );
  } else if (stdin?.text != null) {
    runNested(
      reader,
      stdin.text,
      undefined,
      { ...command, stdin: null },
      scope,
      { ...place, stdin: null },
      command.name,
    );
  }
  reader.add(command);
  return here;
}

function runSourced(reader: Reader, command: SimpleCommand, scope: Scope, place: Place): Ways | undefined {
  const script = command.argv[1];
  const is_stdin = script !== undefined && /^\/dev\/(?:stdin|fd\/0)$/.test(script.text);
  const text = is_stdin
    ? command.stdin?.text
    : (script?.output ?? reader.files.get(absolutePath(script?.text ?? "", scope.cwd) ?? ""));
  if (text == null) return undefined;
  reader.add(command);
  return runNested(reader, text, undefined, command, scope, place, "source");
}

/** Words that a shell puts together and reads again. */
export function runAsText(
  reader: Reader,
  words: readonly Word[],
  command: SimpleCommand,
  scope: Scope,
  place: Place,
  label: string,
): Ways {
  const text = words
    .map((word) =>
      word.pieces.map((piece) => (piece.kind === "hole" ? (piece.text === "" ? "" : "$unknown") : piece.text)).join(""),
    )
    .join(" ");
  return runNested(reader, text, words.length === 1 ? words[0] : undefined, command, scope, place, label);
}

export function runNested(
  reader: Reader,
  text: string,
  word: Word | undefined,
  command: SimpleCommand,
  scope: Scope,
  place: Place,
  label: string,
): Ways {
  const known = command.assignments.reduce((now, { name, value }) => withVar(now, name, value.pieces), scope);
  return reader.runText(text, [known], {
    ...place,
    origin: originOf(reader, text, word, command),
    depth: place.depth + 1,
    via: [...command.via, label],
    stdin: command.stdin,
  });
}

/** Where a nested text stands: exactly, if the word holds it as it is; else the word, or the command, as a whole. */
function originOf(reader: Reader, text: string, word: Word | undefined, command: SimpleCommand): Origin {
  if (word === undefined) return { start: command.start, end: command.end };
  const within = reader.text.slice(word.start, word.end).indexOf(text);
  return within === -1 || text === "" ? { start: word.start, end: word.end } : { by: word.start + within };
}

/** Variables whose value a program runs. */
const RUN_VARIABLES =
  /PAGER|EDITOR|VISUAL|ASKPASS|BROWSER|LESSOPEN|LESSCLOSE|COMMAND|_CMD|^GIT_|^SHELL$|_SHELL$|_OPTS$/;

/** `tmux new 'rm -fr /'`: a text that a program may give to a shell. What can't be read of it is left to the human. */
function runGuessedText(reader: Reader, word: Word, command: SimpleCommand, scope: Scope, place: Place): void {
  // What a substitution runs is read where it stands.
  const known = word.pieces.map(({ text, kind }) => (kind === "hole" ? "" : text)).join("");
  if (!mayRunDangerous(known)) return;
  const marks = /^\s*(?:\\?!|:!|\.shell\s|shell\s|spawn\s)\s*/.exec(word.text)?.[0].length ?? 0;
  const text = wordOf(piecesAfter(word, marks), word);
  const { unread, defines } = reader;
  const inner: SimpleCommand = { ...command, argv: [], assignments: [], redirects: [], is_guess: true };
  runAsText(reader, [text], inner, scope, { ...place, is_guess: true }, command.name);
  reader.unread = unread;
  reader.defines = defines;
}

/** `poetry run rm -fr /`: no table knows every program that starts another one. */
function runGuessed(reader: Reader, command: SimpleCommand, scope: Scope, place: Place): void {
  if (!command.is_guess)
    for (const { name, value } of command.assignments)
      if (RUN_VARIABLES.test(name)) runGuessedText(reader, value, command, scope, place);
  const takes_words = takesWords(command.name, command.argv[1]?.text ?? "");
  if (!command.is_guess && !takes_words)
    for (const word of command.argv.slice(1)) runGuessedText(reader, word, command, scope, place);
  if (takes_words || command.is_guess) return;
  const at = command.argv.findIndex(
    ({ text, is_certain }, index) => index > 0 && is_certain && isDangerous(programName(text)),
  );
  const first = command.argv[at];
  if (first === undefined) return;
  const argv = command.argv.slice(at);
  launch(
    reader,
    {
      ...command,
      argv,
      name: programName(first.text),
      via: [...command.via, command.name],
      redirects: [],
      is_guess: true,
    },
    scope,
    { ...place, is_guess: true },
  );
}
