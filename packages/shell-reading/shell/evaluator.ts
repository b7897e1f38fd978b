import { type ParsedScript, parse, type Statement, type SyntaxNode } from "unbash";
import { absolutePath } from "../paths.ts";
import { placingRole } from "../programs/accesses.ts";
import { namesPrinted, printedBy, printsFile } from "../programs/prints.ts";
import { programCalled } from "../programs/table.ts";
import type { CommandContext, ReadContext, SimpleCommand, Span, Stdin, Word } from "../reading.ts";
import { literal, plainWord, programName, wordOf } from "../word.ts";
import type { ExpansionContext } from "./parameters.ts";
import { Budget, joined, MAX_DEPTH, MAX_STATES, type Origin, type Scope, Unreadable, withVar } from "./scope.ts";
import { isStraight } from "./straight.ts";
import { expandWhole } from "./words.ts";

/** A substitution costs as much as this many words: no more than 500 of them are read. */
const SUBSTITUTION_STEPS = 100;

/** The context that a piece of script is evaluated in, and how its offsets become those of the original text. */
export interface EvaluationContext extends CommandContext {
  origin: Origin;
  depth: number;
  stdin: Stdin | null;
  inPipe: boolean;
  isSpeculative?: true;
  /** Functions that are being evaluated, innermost last. */
  functions: readonly string[];
}

export function commandContextOf(context: CommandContext): CommandContext {
  const { via, pipeline, pipelineIndex: index, isLast, captures, inLoop, in_background } = context;
  return { via, pipeline, pipelineIndex: index, isLast, captures, inLoop, in_background };
}

/** Possible states after success and after failure. */
export interface Outcomes {
  ok: readonly Scope[];
  failed: readonly Scope[];
}

/** The steps that begin again inside others: a substitution holds statements, a function's call its body, a wrapper a program. */
export interface Steps {
  statements: (
    evaluator: ShellEvaluator,
    statements: readonly Statement[],
    scopes: readonly Scope[],
    context: EvaluationContext,
  ) => Outcomes;
  body: (evaluator: ShellEvaluator, body: SyntaxNode, scopes: readonly Scope[], context: EvaluationContext) => Outcomes;
  program: (evaluator: ShellEvaluator, command: SimpleCommand, scope: Scope, context: EvaluationContext) => Outcomes;
}

/** Evaluates one command line without executing anything: collects the commands that it would start. One evaluator a line. */
export class ShellEvaluator {
  readonly commands: SimpleCommand[] = [];
  readonly elsewhere: SimpleCommand[] = [];
  readonly hereDocs: (Span & { command: SimpleCommand | null })[] = [];
  readonly budget = new Budget();
  readonly text: string;
  readonly home: string;
  readonly user: string | undefined;
  unread: string | null = null;
  defines = false;
  forkBomb: Span | null = null;
  readonly #steps: Steps;
  #pipelines = 0;

  constructor(text: string, { home, user }: ReadContext, steps: Steps) {
    this.#steps = steps;
    this.text = text;
    this.home = home;
    this.user = user;
  }

  nextPipeline(): number {
    return ++this.#pipelines;
  }

  /** Reads a text as a script, wherever it was found. */
  evaluateText(text: string, scopes: readonly Scope[], context: EvaluationContext): Outcomes {
    if (context.depth > MAX_DEPTH) throw new Unreadable(`it goes deeper than ${MAX_DEPTH}`);
    this.budget.takeText(text);
    const before = this.traps.length;
    const outcomes = this.evaluateScript(parse(text), scopes, context);
    // A shell's own traps are evaluated at its end.
    for (const trap of this.traps.slice(before, before + 4))
      for (const scope of joined(outcomes.ok, outcomes.failed)) trap(scope);
    return outcomes;
  }

  evaluateScript(script: ParsedScript, scopes: readonly Scope[], context: EvaluationContext): Outcomes {
    if (context.depth > MAX_DEPTH) throw new Unreadable(`it goes deeper than ${MAX_DEPTH}`);
    if (script.errors !== undefined && script.errors.length > 0) this.cannotRead("its syntax is not complete");
    return this.#steps.statements(this, script.commands, scopes, context);
  }

  /** A function's or a coprocess's body. */
  evaluateBody(body: SyntaxNode, scopes: readonly Scope[], context: EvaluationContext): Outcomes {
    return this.#steps.body(this, body, scopes, context);
  }

  /** A command that is neither a function nor a builtin that changes the shell. */
  evaluateProgram(command: SimpleCommand, scope: Scope, context: EvaluationContext): Outcomes {
    return this.#steps.program(this, command, scope, context);
  }

  cannotRead(why: string): void {
    this.unread ??= why;
  }

  /** An offset range of a nested text in the original one. */
  span(node: { pos: number; end: number }, { origin }: EvaluationContext): Span {
    if (!("by" in origin)) return origin;
    // The parser may end a word behind a text that ends in a backslash.
    const end = Math.min(node.end + origin.by, this.text.length);
    return { start: Math.min(node.pos + origin.by, end), end };
  }

  bounded(scopes: readonly Scope[]): readonly Scope[] {
    if (scopes.length <= MAX_STATES) return scopes;
    this.cannotRead("it has too many possible outcomes");
    return scopes.slice(0, MAX_STATES);
  }

  /** What a word's expansion may read. `changed` takes what an expansion assigns. */
  expansion(scope: Scope, context: EvaluationContext, changed: { scope: Scope }): ExpansionContext {
    const expansion: ExpansionContext = {
      scope,
      home: this.home,
      user: this.user,
      whole: (word, span) => expandWhole(word, expansion, span),
      step: (cost) => this.budget.takeStep(cost),
      assign: (name, value) => {
        changed.scope = withVar(changed.scope, name, value);
      },
      hidden: (text) => this.evaluateHiddenText(text, scope, context),
      substitute: (script, text) => this.#substitute(script, text, scope, context),
    };
    return expansion;
  }

  /** Evaluates the substitutions in a text that arithmetic, a prompt or a name evaluates after all. */
  evaluateHiddenText(text: string, scope: Scope, context: EvaluationContext): void {
    if (!/\$\(|`/.test(text)) return;
    this.budget.takeStep(SUBSTITUTION_STEPS);
    const origin = "by" in context.origin ? { start: 0, end: 0 } : context.origin;
    this.evaluateText(`: "${text.replaceAll('"', '\\"')}"`, [scope], { ...context, origin, depth: context.depth + 1 });
  }

  /** Evaluates a substitution's commands in a subshell; returns what they print. */
  #substitute(script: ParsedScript | undefined, text: string, scope: Scope, context: EvaluationContext): string | null {
    if (script === undefined) {
      const inner = /^[<>]\(([\s\S]*)\)$/.exec(text)?.[1];
      if (inner !== undefined) return this.#known(inner);
      this.#insideArithmetic(text, scope, context);
      return null;
    }
    this.budget.takeStep(SUBSTITUTION_STEPS);
    const origin: Origin = script.source === undefined ? context.origin : this.#wholeOf(script, context);
    const from = this.commands.length;
    const inner: EvaluationContext = {
      ...context,
      origin,
      depth: context.depth + 1,
      captures: context.captures + 1,
      isLast: true,
      pipelineIndex: 0,
      pipeline: this.nextPipeline(),
    };
    this.evaluateScript(script, [scope], inner);
    const output = isStraight(script.commands) ? this.outputSince(from, inner.captures) : null;
    this.#outputs.set(text, output);
    return output;
  }

  /** What process substitutions were found to print, by their source. */
  readonly #outputs = new Map<string, string | null>();

  #known(inner: string): string | null {
    return this.#outputs.get(`<(${inner})`) ?? null;
  }

  #wholeOf(script: ParsedScript, context: EvaluationContext): Origin {
    return "by" in context.origin
      ? { start: script.pos + context.origin.by, end: script.end + context.origin.by }
      : context.origin;
  }

  /** `$(( $(...) ))`: arithmetic may hold substitutions, and array indexes that are run. */
  #insideArithmetic(text: string, scope: Scope, context: EvaluationContext): void {
    const at = text.search(/\$\((?!\()|`/);
    if (at === -1) return;
    const inner = text.startsWith("$[") ? text.slice(2, -1) : text.slice(3, -2);
    this.evaluateText(`: "${inner.replaceAll('"', "")}"`, [scope], {
      ...context,
      origin: this.#fixed(context),
      depth: context.depth + 1,
    });
  }

  #fixed(context: EvaluationContext): Origin {
    return "by" in context.origin ? { start: 0, end: 0 } : context.origin;
  }

  /** The text that the commands since `from` print, all together; null where one of them is unknown. */
  outputSince(from: number, captures: number): string | null {
    let text = "";
    for (const command of this.commands.slice(from)) {
      if (!command.isLast || command.isSpeculative || command.captures !== captures) continue;
      const output = outputOf(command, this.files);
      if (output === null) return null;
      text += output;
    }
    return text;
  }

  /** What the commands since `from` hand on through a pipe. */
  pipedSince(from: number, captures: number, isStraight: boolean): Stdin {
    const since = this.commands
      .slice(from)
      .filter((command) => !command.isSpeculative && command.captures === captures);
    const lists = since.map(listedBy);
    const words = lists.some((list) => list !== null) ? lists.flatMap((list) => list ?? []) : null;
    const text = isStraight ? this.outputSince(from, captures) : null;
    return { from: "pipe", text, words: words ?? (text === null ? null : wordsIn(text, since[0])) };
  }

  /** What an earlier part of the command writes into a file, by the file's path: a later one may run it. */
  readonly files = new Map<string, string>();

  /** Trap handlers: evaluated at the end. */
  readonly traps: ((last: Scope) => void)[] = [];
  /** Links that an earlier part of the command makes: what lies below them lies elsewhere. */
  readonly #links = new Map<string, string>();

  /** Evaluates the traps, once everything before is known. */
  evaluateTraps(scopes: readonly Scope[]): void {
    for (const trap of this.traps.splice(0, 16)) for (const scope of scopes) trap(scope);
  }

  add(given: SimpleCommand): void {
    this.budget.takeCommand(given.argv.length);
    const command =
      this.#links.size === 0
        ? given
        : {
            ...given,
            argv: given.argv.map((word) => this.#followed(word, given.cwd)),
            redirects: given.redirects.map((one) => ({ ...one, target: this.#followed(one.target, given.cwd) })),
          };
    this.commands.push(command);
    this.#noteLink(command);
    this.#noteCopy(command);
    const written = writtenFile(command);
    if (written !== undefined)
      this.files.set(written.path, (written.adds ? (this.files.get(written.path) ?? "") : "") + written.text);
  }

  /** What a program is: itself, or what this line copied or linked to its place. */
  programAt(path: string): string {
    return this.#copies.get(path) ?? this.leadsTo(path);
  }

  readonly #copies = new Map<string, string>();

  #noteCopy({ name, argv, cwd }: SimpleCommand): void {
    const program = programCalled(name);
    if (program === undefined || placingRole(program) === undefined || this.#copies.size >= 16) return;
    const [from, to, ...more] = argv.slice(1).filter(({ text }) => !text.startsWith("-"));
    const at = to === undefined || more.length > 0 ? null : absolutePath(to.text, cwd);
    if (from !== undefined && at !== null && /(?:^|\/)s?bin\//.test(from.text)) this.#copies.set(at, from.text);
  }

  #noteLink({ name, argv, cwd }: SimpleCommand): void {
    const program = programCalled(name);
    if (program === undefined || placingRole(program) !== "links") return;
    if (!argv.some(({ text }) => /^-[A-Za-z]*s|^--symbolic$/.test(text))) return;
    const [target, link, ...more] = argv.slice(1).filter(({ text }) => !text.startsWith("-"));
    if (target === undefined || more.length > 0 || !target.is_resolved || link?.is_resolved === false) return;
    const to = absolutePath(target.text, cwd);
    const at = absolutePath(link?.text ?? programName(target.text), cwd);
    if (to !== null && at !== null && this.#links.size < 16) this.#links.set(at, to);
  }

  /** Where a folder is, or what a program is, once the links of this line are followed. */
  leadsTo(path: string): string {
    for (const [at, to] of this.#links) {
      if (path === at || path.startsWith(`${at}/`)) return `${to === "/" ? "" : to}${path.slice(at.length)}` || "/";
    }
    return path;
  }

  #followed(word: Word, cwd: string | null): Word {
    const [first] = word.pieces;
    if (first?.kind !== "text") return word;
    for (const [at, to] of this.#links) {
      const path = absolutePath(first.text, cwd);
      const endsOpen = first.text.endsWith("/") || word.pieces.length === 1;
      if (path === null || !endsOpen || !(path === at || path.startsWith(`${at}/`))) continue;
      // The link itself is still named by its name; what lies below it is somewhere else.
      if (path === at && !first.text.endsWith("/")) continue;
      const text = `${to === "/" ? "" : to}${path.slice(at.length)}${first.text.endsWith("/") ? "/" : ""}`;
      return wordOf([literal(text), ...word.pieces.slice(1)], word);
    }
    return word;
  }
}

function wordsIn(text: string, command: SimpleCommand | undefined): Word[] {
  const span = { start: command?.start ?? 0, end: command?.end ?? 0 };
  return text
    .split(/[\s\0]+/)
    .filter((word) => word !== "")
    .slice(0, 64)
    .map((word) => plainWord(word, span));
}

// What commands print, where that is known without running them: text that is fed to a shell is read, too.

const MAX_OUTPUT = 65_536;

/** The text on a command's standard output, or null where it is unknown. */
function outputOf(command: SimpleCommand, files: ReadonlyMap<string, string>): string | null {
  if (
    command.redirects.some(
      ({ operator, fd }) =>
        operator.includes(">") && !operator.includes("<") && (fd === null || fd === 1) && operator !== ">&",
    )
  )
    return "";
  const [file, ...more] = printsFile(command.name) ? command.argv.slice(1) : [];
  if (file?.is_resolved && more.length === 0) {
    const written = files.get(absolutePath(file.text, command.cwd) ?? "");
    if (written !== undefined) return written;
  }
  return printed(command);
}

/** The file that a command's output goes to, if both are known. */
function writtenFile(command: SimpleCommand): { path: string; text: string; adds: boolean } | undefined {
  const redirect = command.redirects.find(
    ({ operator, fd }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator) && (fd === null || fd === 1),
  );
  const copied = programCalled(command.name)?.copiesInput
    ? command.argv.slice(1).find((word) => !word.text.startsWith("-"))
    : undefined;
  const target = redirect?.target ?? copied;
  if (target === undefined || !target.is_resolved || target.glob) return undefined;
  const path = absolutePath(target.text, command.cwd);
  const text = path === null || path.startsWith("/dev/") ? null : printed(command);
  if (path === null || text === null) return undefined;
  return {
    path,
    text,
    adds: redirect?.operator.includes(">>") ?? command.argv.some(({ text: option }) => option === "-a"),
  };
}

function printed({ argv, name, stdin, code, cwd }: SimpleCommand): string | null {
  const args = argv.slice(1);
  if (code !== undefined || !args.every(({ is_resolved, glob }) => is_resolved && glob === undefined)) return null;
  const texts = args.map(({ text }) => text);
  // A redirection without a command prints nothing.
  const output = name === "" ? "" : printedBy(name, texts, stdin?.text ?? null, cwd);
  return output !== null && output.length <= MAX_OUTPUT ? output : null;
}

/** The names that a listing prints, for what `xargs` and `read` make of them. Null where that is unknown. */
function listedBy({ name, argv, start, end }: SimpleCommand): Word[] | null {
  return namesPrinted(name, argv.slice(1), { start, end });
}
