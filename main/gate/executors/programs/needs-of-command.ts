import { optionsOf } from "../../shell/options.ts";
import { mayBePath, namesOf, type PathForm, pathOf } from "../../shell/paths.ts";
import type { Reading, SimpleCommand, Word } from "../../shell/reading.ts";
import { wordOf } from "../../shell/reading.ts";
import { literal } from "../../shell/scope.ts";
import { isAtOrBelow } from "../../targets/pattern.ts";
import { type CallTarget, type Need, pathTarget, urlTarget } from "../../targets/target.ts";
import { gitRunsPrograms } from "./git-settings.ts";
import { knowsLongOptions } from "./long-options.ts";
import type { Program } from "./program.ts";
import {
  chmodTouches,
  curlTouches,
  findTouches,
  gitTouches,
  type Surrounding,
  sedTouches,
  type Touch,
  type Touches,
  testTouches,
  wgetTouches,
} from "./special.ts";
import { programCalled } from "./table.ts";
import { HARMLESS_VARIABLES, TELLING_VARIABLES } from "./variables.ts";

/**
 * What a command line really needs. Every simple command must be in the table and fully resolved, or the call counts as running
 * code as well: `code:exec` is never taken away in doubt.
 */

export interface CommandNeeds {
  needs: Need[];
  /** True if a part of it may do more than the table knows. */
  runs_code: boolean;
  /** The same for each of the reading's commands. */
  by_command: { needs: Need[]; runs_code: boolean }[];
}

export function needsOfCommand(reading: Reading, home: string, cwd: string): CommandNeeds {
  const by_command = reading.commands.map((command) => needsOfSimple(command, home, cwd));
  const made: string[] = [];
  for (const [index, { needs }] of by_command.entries()) {
    const one = by_command[index];
    // What was copied or moved may be a link: where a later part leads to through it can't be told yet.
    const is_through_new = needs.some(
      ({ target }) => target.kind === "path" && made.some((path) => isAtOrBelow(target.lexical, path)),
    );
    if (one !== undefined && is_through_new) one.runs_code = true;
    const command = reading.commands[index];
    if (command !== undefined && /^(?:cp|mv|git)$/.test(command.name)) {
      for (const { capability, target } of needs)
        if (capability === "fs:write" && target.kind === "path" && command.name !== "git") made.push(target.lexical);
    }
  }
  const runs_code =
    reading.unread !== null ||
    reading.defines ||
    reading.fork_bomb !== null ||
    reading.commands.length === 0 ||
    by_command.some((one) => one.runs_code);
  return { needs: distinct(by_command.flatMap(({ needs }) => needs)), runs_code, by_command };
}

function distinct(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
}

function needsOfSimple(command: SimpleCommand, home: string, start: string): { needs: Need[]; runs_code: boolean } {
  const touches: Touch[] = [];
  let runs_code = false;
  for (const { operator, target } of command.redirects) {
    if (!target.is_certain || target.glob) runs_code = true;
    else if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) runs_code = true;
    else if (!/^\/dev\/(?:null|stdin|stdout|stderr|tty)$/.test(target.text)) {
      if (operator.includes("<")) touches.push({ kind: "read", word: target });
      if (operator.includes(">")) touches.push({ kind: "write", word: target });
    }
  }
  const own = touchesOf(command, start);
  // What a loop starts without waiting for it can be any number of processes.
  if (own === null || (command.in_loop && command.in_background)) runs_code = true;
  const needs: Need[] = [];
  for (const touch of [...touches, ...(own ?? [])]) {
    const need = needOf(touch, command, home);
    if (need === null) runs_code = true;
    else needs.push(need);
  }
  return { needs, runs_code };
}

/** Wrappers that change nothing about what a command does. */
const PLAIN_WRAPPERS = /^(?:time|nice|timeout|command|stdbuf|find -exec|find -execdir|xargs)$/;

function touchesOf(command: SimpleCommand, start: string): Touches {
  const { argv, name, via, assignments, cwd } = command;
  if (command.is_guess || command.code !== undefined || !via.every((one) => PLAIN_WRAPPERS.test(one))) return null;
  if (
    assignments.some(
      ({ name: variable, value }) => !value.is_certain || !isHarmlessVariable(variable, value, argv.length > 0),
    )
  )
    return null;
  const [first, ...args] = argv;
  if (first === undefined) return [];
  if (!argv.every((word, index) => word.is_certain || isOnlyPrinted(name, word, index))) return null;
  if (first.text !== name && !/^\/(?:usr\/(?:local\/)?)?bin\/[^/]+$/.test(first.text)) return null;
  if (name === "export")
    return args.every(
      (word) => /^[A-Za-z_]\w*=/.test(word.text) && HARMLESS_VARIABLES.test(word.text.split("=")[0] ?? ""),
    )
      ? []
      : null;
  const program = programCalled(name);
  if (program === undefined) return null;
  const flags = args
    .slice(
      0,
      indexOrEnd(
        args.findIndex(({ text }) => text === "--"),
        args.length,
      ),
    )
    .filter(({ text }) => /^[-+\w]/.test(text));
  if (
    program.never !== undefined &&
    flags.some(
      ({ text }) =>
        (text.startsWith("-") || name === "set" || name === "hostname" || name === "date") && program.never?.test(text),
    )
  )
    return null;
  if (!program.bare_globs && args.some(({ glob, pieces }) => glob && pieces[0]?.kind === "glob")) {
    const is_safe = args.some(({ text }) => text === "--");
    if (!is_safe) return null;
  }
  if (name === "command" && !/^-[vV]$/.test(args[0]?.text ?? "")) return null;
  const around: Surrounding = {
    gitRunsPrograms: (folder) => gitRunsPrograms(folder),
    isInProject: (word) => isInProject(pathOf(word, cwd), start),
    isProject: (word) => start.startsWith("/") && mayBePath(pathOf(word, cwd), namesOf(start)),
  };
  // A filter of jq's may load others, from wherever it says.
  if (name === "jq" && args.some(({ text }) => /\b(?:import|include)\b/.test(text))) return null;
  switch (name) {
    case "sed":
      return sedTouches(args);
    case "find":
      return findTouches(args, around);
    case "test":
    case "[":
    case "[[":
      return testTouches(args, name);
    case "chmod":
      return chmodTouches(args);
    case "git":
      return gitTouches(args, cwd, around);
    case "curl":
      return curlTouches(args, asFile);
    case "wget":
      return wgetTouches(args, asFile);
    default:
      return tableTouches(program, args, command, around);
  }
}

/**
 * What a substitution prints, or the last command's result, is printed again and nothing else: its commands have needs of their
 * own. Not so variables: what the environment holds may be a secret.
 */
function isOnlyPrinted(name: string, { pieces }: Word, index: number): boolean {
  if (index === 0 || (name !== "echo" && !(name === "printf" && index > 1))) return false;
  return pieces.every(({ kind, text }) => kind !== "hole" || /^(?:\$[?#$!]$|\$\{[?#]\}$|\$\((?!\()|`)/.test(text));
}

const indexOrEnd = (index: number, end: number): number => (index === -1 ? end : index);

function isHarmlessVariable(name: string, value: Word, is_for_command: boolean): boolean {
  if (HARMLESS_VARIABLES.test(name)) return true;
  if (/^(?:GIT_)?PAGER$/.test(name)) return value.text === "cat";
  return !is_for_command && !TELLING_VARIABLES.test(name);
}

const asFile = (text: string, word: Word): Word => wordOf([literal(text)], word);

function tableTouches(program: Program, args: readonly Word[], command: SimpleCommand, around: Surrounding): Touches {
  const { flags, values, operands } = optionsOf(args, program.short ?? "", program.long ?? []);
  const own = [program.long, program.reads, program.writes, program.tree, program.no_pattern].flatMap(
    (list) => list ?? [],
  );
  if (program.operands !== "none" && !knowsLongOptions(flags, own)) return null;
  // `-uf` is `-u -f`.
  if ([...flags].some((flag) => program.never?.test(flag))) return null;
  const touches: Touch[] = [];
  for (const { name, word } of values) {
    if (program.reads?.includes(name)) touches.push({ kind: "read", word });
    if (program.writes?.includes(name)) touches.push({ kind: "write", word });
  }
  const is_tree = program.tree?.some((flag) => flags.has(flag)) === true;
  const reads = (words: readonly Word[], more: Partial<Touch> = {}) =>
    touches.push(...words.filter(({ text }) => text !== "-").map((word): Touch => ({ kind: "read", word, ...more })));
  const writes = (words: readonly Word[], more: Partial<Touch> = {}) =>
    touches.push(...words.map((word): Touch => ({ kind: "write", word, ...more })));
  const here = (more: Partial<Touch>) => touches.push({ kind: "read", word: "here", ...more });
  switch (program.operands) {
    case "none":
      if (program.or_here) here({ is_folder: true });
      break;
    case "read":
      reads(operands, { is_tree });
      if (operands.length === 0 && program.or_here) here({ is_folder: true });
      break;
    case "folders":
      reads(operands, { is_tree, is_folder: true });
      if (operands.length === 0) here({ is_tree, is_folder: true });
      break;
    case "trees":
      reads(operands, { is_tree: true });
      if (operands.length === 0) here({ is_tree: true });
      break;
    case "pattern_read": {
      // The pattern of `grep *` is the first of the names that the shell puts there; the others are files.
      const has_pattern = program.no_pattern?.some((flag) => flags.has(flag)) || operands[0]?.glob;
      const files = has_pattern ? operands : operands.slice(1);
      const searches = program.names[0] === "rg";
      reads(files, { is_tree: is_tree || searches });
      if (files.length === 0 && (is_tree || (searches && command.stdin === null))) here({ is_tree: true });
      break;
    }
    case "read_then_written":
      if (flags.has("-r") && program.names[0] === "xxd" && operands.length > 1) return null;
      reads(operands.slice(0, 1));
      writes(operands.slice(1));
      break;
    case "written":
      writes(operands);
      break;
    case "deleted":
      // `*` may hold a name that is an option: then everything below counts.
      if (is_tree || operands.some(({ glob, pieces }) => glob && pieces[0]?.kind === "glob")) {
        if (!operands.every((word) => around.isInProject(word))) return null;
        writes(operands, { is_tree: true });
      } else writes(operands);
      break;
    case "copied":
    case "moved": {
      const to = values.filter(({ name }) => name === "-t" || name === "--target-directory").map(({ word }) => word);
      const from = to.length > 0 ? operands : operands.slice(0, -1);
      const target = to.length > 0 ? to : operands.slice(-1);
      if (from.length === 0) return null;
      reads(from, { is_tree });
      if (program.operands === "moved") writes(from);
      writes(target, {
        is_tree: is_tree || to.length > 0 || from.length > 1 || from.some(({ glob }) => glob === true),
      });
      break;
    }
    case "special":
      return null;
  }
  return touches;
}

/** Strictly below the folder that the line begins in. */
function isInProject(path: PathForm, start: string): boolean {
  if (!path.is_known || !start.startsWith("/")) return false;
  const here = start.split("/").filter((name) => name !== "");
  const below = path.names.slice(0, here.length).every((name, index) => name === here[index]);
  return below && path.names.length > here.length && here.length > 0;
}

function needOf(
  { kind, word, is_tree = false, is_folder = false }: Touch,
  command: SimpleCommand,
  home: string,
): Need | null {
  const { cwd } = command;
  if (kind === "host") {
    if (word === "here" || word.glob || !word.is_certain || word.text.includes("\\")) return null;
    const url =
      /^[a-z][a-z0-9+.-]*:/i.test(word.text) && !/^[\w.-]+:\d+(?:\/|$)/.test(word.text)
        ? word.text
        : `http://${word.text}`;
    const target = urlTarget(url);
    return target.kind === "host" && !/[{}[\]]/.test(word.text.replace(/^\w+:\/\/\[[0-9a-fA-F:]+\]/, ""))
      ? { capability: "network:http", target }
      : null;
  }
  const capability = kind === "read" ? "fs:read" : "fs:write";
  if (cwd === null) return null;
  let target: CallTarget;
  if (word === "here") target = pathTarget(cwd, home, undefined, is_tree);
  else {
    const fixed = fixedPart(pathOf(word, cwd));
    if (fixed === null) return null;
    target = pathTarget(fixed.path, home, undefined, is_tree || fixed.is_pattern);
    if (!fixed.is_pattern && target.kind === "path" && /\/\.\.?(?:\/|$)|\.\./.test(word.text)) {
      // `link/..` leads elsewhere than its text says: the real form is taken of the path as it is written.
      target = pathTarget(word.text.startsWith("/") ? word.text : `${cwd}/${word.text}`, home, undefined, is_tree);
    }
  }
  if (target.kind !== "path") return null;
  if (capability === "fs:write" && /(?:^|\/)\.git(?:\/|$)/.test(target.lexical)) return null;
  // All of a home folder, or more: nobody grants that, and the guard would have to say no to all of it.
  if (target.is_tree && isAtOrBelow(home, target.lexical)) return null;
  if (is_folder && !target.is_tree) target = { ...target, is_folder: true };
  return { capability, target };
}

/** A pattern reaches everything below its fixed part. */
function fixedPart({ names, is_known }: PathForm): { path: string; is_pattern: boolean } | null {
  if (!is_known) return null;
  const first = names.findIndex((name) => typeof name !== "string");
  const fixed = first === -1 ? names : names.slice(0, first);
  return { path: `/${fixed.join("/")}`, is_pattern: first !== -1 };
}
