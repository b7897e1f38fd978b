import { absolutePath } from "../paths.ts";
import { formatted } from "../programs/formats.ts";
import type { Piece, SimpleCommand, Word } from "../reading.ts";
import { literal, piecesAfter, unknownPiece, wordOf } from "../word.ts";
import type { EvaluationContext, Outcomes, ShellEvaluator } from "./evaluator.ts";
import { evaluateAsText } from "./nested-text.ts";
import { inFolder, joined, REFERENCE, type Scope, withValue, withVar } from "./scope.ts";

/** The builtins that change what comes after them: the folder, variables, aliases, the shell itself. */

/** True for builtins that evaluate an index in a name: `read 'a[$(x)]'`. */
export function evaluatesIndexes(name: string): boolean {
  return /^(?:let|declare|typeset|local|export|readonly|test|\[|printf|read|mapfile|readarray|unset|getopts|wait)$/.test(
    name,
  );
}

/** True for builtins whose words set variables. */
export function setsVariables(name: string): boolean {
  return /^(?:export|declare|typeset|readonly|local)$/.test(name);
}

/** True for builtins that change what a name means, or how everything after them is read. */
export function changesNames(name: string): boolean {
  return /^(?:shopt|enable|hash|alias|unalias)$/.test(name);
}

/** True if it may change the scope; `command cd x` does as well. */
export function changesScope({ argv }: SimpleCommand): boolean {
  const name = argv[0]?.text ?? "";
  if (!BUILTINS.has(name)) return false;
  if (name === "printf") return argv[1]?.text === "-v";
  if (name === "builtin" || name === "command") return BUILTINS.has(argv[1]?.text ?? "");
  return true;
}

/** One call of a builtin: its words behind its name, and where it is evaluated. */
interface Call {
  evaluator: ShellEvaluator;
  command: SimpleCommand;
  name: string;
  args: readonly Word[];
  scope: Scope;
  context: EvaluationContext;
}

type Builtin = (call: Call) => Outcomes;

const evaluateInner: Builtin = ({ evaluator, command, name, args, scope, context }) => {
  const inner: SimpleCommand = { ...command, argv: args, name: args[0]?.text ?? "", via: [...command.via, name] };
  return changesScope(inner)
    ? evaluateBuiltin(evaluator, inner, scope, context)
    : evaluator.evaluateProgram(inner, scope, context);
};

const evaluateMove: Builtin = ({ evaluator, command, name, args, scope }) => {
  evaluator.add(command);
  return { ok: [followed(evaluator, moved(name, args, scope))], failed: [scope] };
};

const evaluateDeclaration: Builtin = ({ evaluator, command, name, args, scope }) => {
  evaluator.add(command);
  if (name !== "export" && args.some(({ text }) => /^-\w*n/.test(text))) {
    evaluator.defines = true;
    return { ok: [args.reduce(withReference, scope)], failed: [] };
  }
  return { ok: [args.reduce(withAssignment, scope)], failed: [] };
};

const evaluateUnset: Builtin = ({ evaluator, command, args, scope }) => {
  evaluator.add(command);
  const unset = args.reduce((now, { text }) => (text.startsWith("-") ? now : withVar(now, text, [])), scope);
  return { ok: [unset], failed: [] };
};

const evaluateRead: Builtin = ({ evaluator, command, name, args, scope, context }) => {
  evaluator.add(command);
  for (const [index, { text }] of args.entries())
    if (text === "-C" && name !== "read")
      evaluateAsText(evaluator, args.slice(index + 1, index + 2), command, scope, context, "eval");
  return { ok: readInto(args, command, scope), failed: [scope] };
};

/** `printf -v NAME FORMAT ...`. */
const evaluatePrintf: Builtin = ({ evaluator, command, args, scope }) => {
  evaluator.add(command);
  const given = args.slice(2);
  const text = given.every(({ is_resolved }) => is_resolved) ? formatted(given.map((word) => word.text)) : null;
  const value = text === null ? [unknownPiece("$printf")] : [literal(text)];
  return { ok: [withVar(scope, args[1]?.text ?? "", value)], failed: [] };
};

const evaluateSet: Builtin = ({ evaluator, command, args, scope }) => {
  evaluator.add(command);
  const at = args.findIndex(({ text }) => text === "--");
  const noGlob = args.some(({ text }) => /^-\w*f/.test(text)) || scope.noGlob;
  const values = at === -1 ? (args.some(({ text }) => /^[-+]/.test(text)) ? undefined : args) : args.slice(at + 1);
  const positional =
    values === undefined ? scope.positional : [[unknownPiece("$0")], ...values.map(({ pieces }) => pieces)];
  return { ok: [{ ...scope, noGlob, positional }], failed: [] };
};

const evaluateShift: Builtin = ({ evaluator, command, args, scope }) => {
  evaluator.add(command);
  const count = Number(args[0]?.text ?? 1);
  const [zero, ...rest] = scope.positional ?? [];
  const positional = zero === undefined || !(count >= 0) ? undefined : [zero, ...rest.slice(count)];
  return { ok: [{ ...scope, positional }], failed: [scope] };
};

const evaluateAliases: Builtin = ({ evaluator, command, args, scope }) => {
  evaluator.add(command);
  return { ok: [withAliases(evaluator, args, scope)], failed: [] };
};

/** Nothing that is followed here changes. */
const evaluateNothing: Builtin = ({ evaluator, command, scope }) => {
  evaluator.add(command);
  return { ok: [scope], failed: [scope] };
};

const evaluateEnd: Builtin = ({ evaluator, command }) => {
  evaluator.add(command);
  return { ok: [], failed: [] };
};

const evaluateEval: Builtin = ({ evaluator, command, args, scope, context }) =>
  evaluateAsText(evaluator, args, command, scope, context, "eval");

const evaluateStarted: Builtin = ({ evaluator, command, scope, context }) =>
  evaluator.evaluateProgram(command, scope, context);

const BY_EVALUATION: readonly (readonly [Builtin, readonly string[]])[] = [
  [evaluateInner, ["builtin", "command"]],
  [evaluateMove, ["cd", "chdir", "pushd", "popd"]],
  [evaluateDeclaration, ["export", "declare", "typeset", "local", "readonly"]],
  [evaluateUnset, ["unset"]],
  [evaluateRead, ["read", "mapfile", "readarray", "getopts"]],
  [evaluatePrintf, ["printf"]],
  [evaluateSet, ["set"]],
  [evaluateShift, ["shift"]],
  [evaluateAliases, ["alias"]],
  [evaluateNothing, ["unalias", "let"]],
  [evaluateEnd, ["exit", "return", "break", "continue"]],
  [evaluateEval, ["eval"]],
  [evaluateStarted, ["exec", "source", "."]],
];

const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  BY_EVALUATION.flatMap(([evaluate, names]) => names.map((name) => [name, evaluate] as const)),
);

/** A command for which `changesScope` holds. */
export function evaluateBuiltin(
  evaluator: ShellEvaluator,
  command: SimpleCommand,
  scope: Scope,
  context: EvaluationContext,
): Outcomes {
  const [first, ...args] = command.argv;
  const name = first?.text ?? "";
  const evaluate = BUILTINS.get(name);
  if (evaluate === undefined) return { ok: [scope], failed: [scope] };
  return evaluate({ evaluator, command, name, args, scope, context });
}

/** `cd` into a link that this line made is where the link leads. */
function followed(evaluator: ShellEvaluator, scope: Scope): Scope {
  return scope.cwd === null ? scope : { ...scope, cwd: evaluator.leadsTo(scope.cwd) };
}

function moved(name: string, args: readonly Word[], scope: Scope): Scope {
  const target = args.find(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  if (name === "popd") {
    const [last, ...folders] = [...scope.folders].reverse();
    return { ...inFolder(scope, last ?? null), folders: folders.reverse() };
  }
  const folders = name === "pushd" ? [...scope.folders, scope.cwd] : scope.folders;
  if (target === undefined) {
    const home = scope.vars.get("HOME") ?? [];
    return { ...inFolder(scope, onlyText(home)), folders };
  }
  if (target.text === "-") return { ...inFolder(scope, scope.old_cwd), folders };
  const isUsable = target.is_resolved && target.glob === undefined && !scope.vars.has("CDPATH");
  return { ...inFolder(scope, isUsable ? absolutePath(target.text, scope.cwd) : null), folders };
}

function onlyText(pieces: readonly Piece[]): string | null {
  return pieces.every(({ kind }) => kind === "text") ? pieces.map(({ text }) => text).join("") || null : null;
}

function withAssignment(scope: Scope, word: Word): Scope {
  const match = /^([A-Za-z_]\w*)(\+?)=/.exec(word.text);
  if (match === null) return scope;
  const name = match[1] ?? "";
  const value = piecesAfter(word, match[0].length);
  return withVar(scope, name, match[2] === "+" ? [...(scope.vars.get(name) ?? []), ...value] : value);
}

function withReference(scope: Scope, { text }: Word): Scope {
  const match = /^([A-Za-z_]\w*)=([A-Za-z_]\w*)$/.exec(text);
  return match === null ? scope : withVar(scope, match[1] ?? "", [unknownPiece(REFERENCE + (match[2] ?? ""))]);
}

/** `read x`: once with each line that is known to come. */
function readInto(args: readonly Word[], command: SimpleCommand, scope: Scope): readonly Scope[] {
  const isList = command.name === "mapfile" || command.name === "readarray";
  const valued = new Set(
    isList ? ["-d", "-n", "-O", "-s", "-u", "-C", "-c"] : ["-d", "-n", "-N", "-p", "-t", "-u", "-i", "-a"],
  );
  const names: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const { text = "" } = args[index] ?? {};
    if (valued.has(text) || (!isList && /^-[rs]+a$/.test(text))) {
      if (text.endsWith("a")) names.push(args[index + 1]?.text ?? "");
      index++;
    } else if (!text.startsWith("-")) names.push(text);
  }
  const [name = "REPLY", ...more] = names;
  const others = more.reduce((now, other) => withVar(now, other, [unknownPiece(`$${other}`)]), scope);
  const words = command.stdin?.words;
  const lines = command.stdin?.text?.split("\n").filter((line) => line !== "");
  if (isList && lines !== undefined) {
    const elements = lines.slice(0, 64).map((line) => [literal(line)]);
    return [withValue(scope, names[0] ?? "MAPFILE", elements.flat(), elements)];
  }
  const [line] = lines ?? [];
  if (!isList && line !== undefined && command.name === "read" && scope.vars.get("IFS")?.[0]?.text === " \t\n") {
    const parts = line.trim().split(/[ \t]+/);
    if (args.some(({ text }) => /^-\w*a$/.test(text))) {
      const elements = parts.slice(0, 64).map((part) => [literal(part)]);
      return [
        withValue(
          scope,
          names[0] ?? "",
          elements.flatMap((part, at) => (at === 0 ? part : [literal(" "), ...part])),
          elements,
        ),
      ];
    }
    if (names.length > 1) {
      const last = names.length - 1;
      return [
        names.reduce(
          (now, one, at) => withVar(now, one, [literal(at === last ? parts.slice(at).join(" ") : (parts[at] ?? ""))]),
          scope,
        ),
      ];
    }
  }
  const values =
    lines !== undefined && names.length <= 1
      ? lines.slice(0, 4).map((line) => wordOf([literal(line.trim())], command))
      : words?.slice(0, 4);
  if (values === undefined || values.length === 0 || command.name === "getopts")
    return [withVar(others, name, [unknownPiece(`$${name}`)])];
  return joined(values.map(({ pieces }) => withVar(others, name, pieces)));
}

function withAliases(evaluator: ShellEvaluator, args: readonly Word[], scope: Scope): Scope {
  const aliases = new Map(scope.aliases);
  for (const { text } of args) {
    const equals = text.indexOf("=");
    if (equals <= 0) continue;
    evaluator.defines = true;
    aliases.set(text.slice(0, equals), text.slice(equals + 1));
  }
  return { ...scope, aliases };
}
