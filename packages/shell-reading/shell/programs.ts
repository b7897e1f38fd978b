import { absolutePath, canMatch, pathOf } from "../paths.ts";
import {
  codeWords,
  isDangerous,
  mayRunDangerous,
  NAMES_BEHIND_PATTERNS,
  programAskedFor,
  takesWords,
} from "../programs/code-words.ts";
import { askedOutside, OUTSIDE } from "../programs/gate-command.ts";
import { runsElsewhere } from "../programs/hazard-records.ts";
import { interpreterOf } from "../programs/interpreters.ts";
import { SCHEDULERS, SHELL_VALUED, SHELLS } from "../programs/shells.ts";
import { repeaterCalled, WRAPPERS, type Wrapper } from "../programs/wrappers.ts";
import type { SimpleCommand, Word } from "../reading.ts";
import { piecesAfter, programName, wordOf } from "../word.ts";
import type { EvaluationContext, Outcomes, ShellEvaluator } from "./evaluator.ts";
import { readCode } from "./interpreters.ts";
import { evaluateRepeater } from "./lists.ts";
import { evaluateAsText, evaluateNested } from "./nested-text.ts";
import { inFolder, MAX_DEPTH, type Scope, Unreadable } from "./scope.ts";
import { afterWrapper } from "./wrapper-words.ts";

/** What a program that was called runs in turn: wrappers are unwrapped, shells and interpreters read what they are given. */

export function evaluateProgram(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): Outcomes {
  evaluator.budget.takeStep();
  const here: Outcomes = { ok: [scope], failed: [scope] };
  const [first] = command.argv;
  if (first === undefined) return here;
  if (command.via.length > MAX_DEPTH) throw new Unreadable(`it goes deeper than ${MAX_DEPTH}`);
  const name = calledName(evaluator, first, command);
  const now = evaluateOutside(evaluator, command.name === name ? command : { ...command, name }, scope, context);
  if (SHELLS.has(name)) return evaluateShell(evaluator, now, scope, context);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper !== undefined && evaluateWrapper(evaluator, wrapper, now, scope, context)) return here;
  switch (name) {
    case "source":
    case ".":
      return evaluateSourced(evaluator, now, scope, context) ?? emitted(evaluator, now, here);
    case "eval":
      return evaluateAsText(evaluator, now.argv.slice(1), now, scope, context, "eval");
    case "trap":
      readTrap(evaluator, now, scope, context);
      return emitted(evaluator, now, here);
  }
  const repeater = repeaterCalled(name);
  if (repeater !== undefined) {
    evaluateRepeater(evaluator, repeater, now, scope, context);
    return here;
  }
  if (SCHEDULERS.has(name)) {
    if (now.stdin?.text != null) evaluateNested(evaluator, now.stdin.text, undefined, now, scope, context, name);
    return emitted(evaluator, now, here);
  }
  const interpreter = interpreterOf(name);
  if (interpreter !== undefined) {
    readCode(evaluator, interpreter, now, scope, context);
    return here;
  }
  for (const code of codeWords(name, now.argv))
    evaluateAsText(
      evaluator,
      [code],
      { ...now, isSpeculative: true },
      scope,
      { ...context, isSpeculative: true },
      name,
    );
  evaluateSpeculative(evaluator, now, scope, context);
  const written = writtenProgram(evaluator, now);
  if (written !== undefined) evaluateNested(evaluator, written, undefined, now, scope, context, first.text);
  return emitted(evaluator, now, here);
}

/**
 * `metnos-gate outside -- CMD`, `npx metnos-gate outside -- CMD`: CMD is read for itself. The command without it is left to be read
 * as any other, as the program may be another one of that name.
 */
function evaluateOutside(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): SimpleCommand {
  const { argv, via } = command;
  const inner = askedOutside(command.name, argv)?.command ?? [];
  const [first] = inner;
  if (first === undefined) return command;
  evaluateProgram(
    evaluator,
    { ...command, argv: inner, name: programName(first.text), via: [...via, OUTSIDE] },
    scope,
    context,
  );
  return { ...command, argv: argv.slice(0, argv.length - inner.length), redirects: [] };
}

/** What a program is called, also where its name is a pattern, printed by `which`, or a link or copy that this line makes. */
function calledName(evaluator: ShellEvaluator, first: Word, { cwd }: SimpleCommand): string {
  const name = programName(first.text);
  if (!first.is_resolved) {
    return programAskedFor(first.text) ?? name;
  }
  if (first.glob) {
    const last = pathOf(first, cwd).segments.at(-1);
    return NAMES_BEHIND_PATTERNS.find((one) => canMatch(last, one)) ?? name;
  }
  return first.text.includes("/")
    ? programName(evaluator.programAt(absolutePath(first.text, cwd) ?? first.text))
    : name;
}

function emitted(evaluator: ShellEvaluator, command: SimpleCommand, outcomes: Outcomes): Outcomes {
  evaluator.add(command);
  return outcomes;
}

/** A trap's text is evaluated at its place, and once more with what is known at the end: it runs last. */
function readTrap(evaluator: ShellEvaluator, command: SimpleCommand, scope: Scope, context: EvaluationContext): void {
  const args = command.argv.slice(1).filter(({ text }) => text !== "--");
  const [code] = args;
  if (code === undefined || args.length < 2 || code.text.startsWith("-")) return;
  evaluateAsText(evaluator, [code], command, scope, context, "trap");
  evaluator.traps.push((last) => evaluateAsText(evaluator, [code], command, last, context, "trap"));
}

/** A file that an earlier part of the same command wrote, and that is run now. */
function writtenProgram(evaluator: ShellEvaluator, { argv, cwd }: SimpleCommand): string | undefined {
  const [first] = argv;
  if (first === undefined || !first.is_resolved || !first.text.includes("/")) return undefined;
  return evaluator.files.get(absolutePath(first.text, cwd) ?? "");
}

/** True if the command behind the wrapper was found and read. */
function evaluateWrapper(
  evaluator: ShellEvaluator,
  wrapper: Wrapper,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): boolean {
  const found = afterWrapper(wrapper, command.argv);
  if (found === null) return false;
  const { rest, code, assignments, folder } = found;
  if (rest.length > 0 && runsElsewhere(command.name)) evaluator.elsewhere.push(command);
  if (wrapper.readsInput && rest.length === 0 && command.stdin?.text != null) {
    evaluateNested(evaluator, command.stdin.text, undefined, { ...command, stdin: null }, scope, context, command.name);
    return false;
  }
  // `/usr/bin/time -o FILE` writes: it is no wrapper that changes nothing.
  const { writesWith } = wrapper;
  const hasOutput = writesWith !== undefined && command.argv.some(({ text }) => writesWith.test(text));
  const label = hasOutput ? `${command.name} -o` : command.name;
  const moved =
    folder === undefined ? scope : inFolder(scope, folder.is_resolved ? absolutePath(folder.text, scope.cwd) : null);
  if (code.length > 0) {
    for (const text of code) evaluateAsText(evaluator, [text], command, moved, context, `${label} -c`);
    if (command.redirects.length > 0) evaluator.add({ ...command, argv: [], name: "" });
    return true;
  }
  if (wrapper.splits && found.split !== undefined) {
    evaluateAsText(evaluator, [found.split, ...rest], command, moved, context, `${command.name} -S`);
    return true;
  }
  if (wrapper.onlyCode || rest.length === 0) return false;
  const [only] = rest;
  if (wrapper.text && !(rest.length > 1 && found.isExec)) {
    evaluateAsText(evaluator, rest, command, moved, context, label);
    if (command.redirects.length > 0) evaluator.add({ ...command, argv: [], name: "" });
    return true;
  }
  if (only === undefined) return false;
  evaluateProgram(
    evaluator,
    {
      ...command,
      argv: rest,
      name: programName(only.text),
      cwd: moved.cwd,
      via: [...command.via, label],
      assignments: [...command.assignments, ...assignments],
    },
    moved,
    context,
  );
  return true;
}

/** `sh -c TEXT NAME ARG...`, `sh FILE`, or what comes on its input. */
function evaluateShell(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): Outcomes {
  const here: Outcomes = { ok: [scope], failed: [scope] };
  const { argv, stdin } = command;
  let at = 1;
  let takesText = false;
  let readsStdin = false;
  for (; at < argv.length; at++) {
    const text = argv[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text === "--command" || text === "--init-command" || /^-[A-Za-z]*c[A-Za-z]*$/.test(text)) takesText = true;
    if (/^-[A-Za-z]*s[A-Za-z]*$/.test(text)) readsStdin = true;
    const inline = /^--(?:command|init-command)=([\s\S]*)$/.exec(text)?.[1];
    if (inline !== undefined)
      evaluateNested(evaluator, inline, argv[at], command, scope, context, `${command.name} -c`);
    if (SHELL_VALUED.has(text) || /^-[A-Za-z]*o$/.test(text)) at++;
  }
  for (const name of ["BASH_ENV", "ENV"]) {
    const value =
      command.assignments.find((assignment) => assignment.name === name)?.value.pieces ?? scope.vars.get(name);
    const written =
      value === undefined
        ? undefined
        : evaluator.files.get(absolutePath(value.map(({ text }) => text).join(""), scope.cwd) ?? "");
    if (written !== undefined)
      evaluateNested(evaluator, written, undefined, { ...command, assignments: [] }, scope, context, command.name);
  }
  const script = argv[at];
  if (takesText && script !== undefined) {
    evaluateAsText(
      evaluator,
      [script],
      command,
      { ...scope, positional: argv.slice(at + 1).map(({ pieces }) => pieces) },
      context,
      `${command.name} -c`,
    );
    if (command.redirects.length > 0) evaluator.add({ ...command, argv: [], name: "" });
    if (script.is_resolved) return here;
  } else if (script !== undefined && !readsStdin && !/^\/dev\/(?:stdin|fd\/0)$/.test(script.text)) {
    const text =
      script.output ??
      (script.is_resolved ? evaluator.files.get(absolutePath(script.text, scope.cwd) ?? "") : undefined);
    if (text != null)
      evaluateNested(
        evaluator,
        text,
        undefined,
        command,
        { ...scope, positional: argv.slice(at).map(({ pieces }) => pieces) },
        context,
        command.name,
      );
  } else if (stdin?.text != null) {
    evaluateNested(
      evaluator,
      stdin.text,
      undefined,
      { ...command, stdin: null },
      scope,
      { ...context, stdin: null },
      command.name,
    );
  }
  evaluator.add(command);
  return here;
}

function evaluateSourced(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): Outcomes | undefined {
  const script = command.argv[1];
  const isStdin = script !== undefined && /^\/dev\/(?:stdin|fd\/0)$/.test(script.text);
  const text = isStdin
    ? command.stdin?.text
    : (script?.output ?? evaluator.files.get(absolutePath(script?.text ?? "", scope.cwd) ?? ""));
  if (text == null) return undefined;
  evaluator.add(command);
  return evaluateNested(evaluator, text, undefined, command, scope, context, "source");
}

/** Variables whose value a program runs. */
const RUN_VARIABLES =
  /PAGER|EDITOR|VISUAL|ASKPASS|BROWSER|LESSOPEN|LESSCLOSE|COMMAND|_CMD|^GIT_|^SHELL$|_SHELL$|_OPTS$/;

/** `tmux new 'rm -fr /'`: a text that a program may give to a shell. What can't be read of it is asked about. */
function evaluateSpeculativeText(
  evaluator: ShellEvaluator,
  word: Word,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  // What a substitution runs is read at its own place.
  const known = word.pieces.map(({ text, kind }) => (kind === "unknown" ? "" : text)).join("");
  if (!mayRunDangerous(known)) return;
  const marks = /^\s*(?:\\?!|:!|\.shell\s|shell\s|spawn\s)\s*/.exec(word.text)?.[0].length ?? 0;
  const text = wordOf(piecesAfter(word, marks), word);
  const { unread, defines } = evaluator;
  const inner: SimpleCommand = { ...command, argv: [], assignments: [], redirects: [], isSpeculative: true };
  evaluateAsText(evaluator, [text], inner, scope, { ...context, isSpeculative: true }, command.name);
  evaluator.unread = unread;
  evaluator.defines = defines;
}

/** `poetry run rm -fr /`: no table knows every program that starts another one. */
function evaluateSpeculative(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): void {
  if (!command.isSpeculative)
    for (const { name, value } of command.assignments)
      if (RUN_VARIABLES.test(name)) evaluateSpeculativeText(evaluator, value, command, scope, context);
  const takesMore = takesWords(command.name, command.argv[1]?.text ?? "");
  if (!command.isSpeculative && !takesMore)
    for (const word of command.argv.slice(1)) evaluateSpeculativeText(evaluator, word, command, scope, context);
  if (takesMore || command.isSpeculative) return;
  const at = command.argv.findIndex(
    ({ text, is_resolved }, index) => index > 0 && is_resolved && isDangerous(programName(text)),
  );
  const first = command.argv[at];
  if (first === undefined) return;
  const argv = command.argv.slice(at);
  evaluateProgram(
    evaluator,
    {
      ...command,
      argv,
      name: programName(first.text),
      via: [...command.via, command.name],
      redirects: [],
      isSpeculative: true,
    },
    scope,
    { ...context, isSpeculative: true },
  );
}
