import { gitCommand } from "../programs/git.ts";
import {
  AS_TEXT,
  COUNTS,
  FILTERS,
  GIT_NAMES,
  NAMES_ONLY,
  SAYS_WHERE,
  SEARCHES,
  WITHOUT_OBJECTS,
} from "../programs/objects-readers.ts";
import { programCalled } from "../programs/table.ts";
import type { Piece, SimpleCommand, Word } from "../reading.ts";
import { FROM_INPUT } from "../shell/lists.ts";
import { certainPath } from "../targets/path.ts";
import { isUnnamedInGit } from "../targets/secret-files.ts";
import { programName } from "../word.ts";
import { recordedAccesses } from "./effects.ts";

/**
 * Git's objects, which hold what no commit has, as programs beside git could read them where they lie. Git itself is asked about by the words
 * that it is given.
 */

/** A pattern that matches names which begin with a dot. */
const HIDDEN = /(?:^|\/)\./;
/** So many names lie between a work tree's top and an object. */
const DEEP = 4;

/**
 * `hidden`: no program of the line needs them, and one reads files. `asked`: git may need them, and another program beside it may read them.
 * `shown`: neither.
 */
export function objectsShown(commands: readonly SimpleCommand[]): "hidden" | "asked" | "shown" {
  const others = commands.filter((command) => !isGit(command));
  const needsThem = commands.some((command) => isGit(command) && !worksWithout(command));
  if (!needsThem) return others.some(readsFiles) ? "hidden" : "shown";
  const areNames = commands.every((command) => (isGit(command) ? printsNames(command) : takesNames(command)));
  return others.some((command) => readsObjects(command, areNames)) ? "asked" : "shown";
}

function worksWithout({ argv }: SimpleCommand): boolean {
  const { name, rest } = gitCommand(argv.slice(1));
  return WITHOUT_OBJECTS.test(name) || (name === "rev-parse" && rest.every(({ text }) => SAYS_WHERE.test(text)));
}

const printsNames = ({ argv }: SimpleCommand): boolean =>
  WITHOUT_OBJECTS.test(gitCommand(argv.slice(1)).name) || argv.some(({ text }) => NAMES_ONLY.test(text));

/** A name that came in by an input, or that a variable has, which it got by one. */
const isGiven = ({ kind, text }: Piece): boolean => kind === "unknown" && (text === FROM_INPUT || /^\$\w+$/.test(text));

/** It hands on what came in, or reads the files of those names and hands nothing on. */
function takesNames(command: SimpleCommand): boolean {
  const read = readIn(command).flatMap(({ word }) => (word === "here" ? [] : [word]));
  if (fromFiles(command).length > 0) return false;
  if (read.length === 0) return FILTERS.test(command.name);
  return command.isLast && command.captures === 0 && read.every(({ pieces }) => pieces.every(isGiven));
}

const isGit = ({ name }: SimpleCommand): boolean => programCalled(name)?.worksOnRepository === true;

const readIn = (command: SimpleCommand) => recordedAccesses(command).accesses.filter(({ kind }) => kind === "read");

const fromFiles = ({ redirects }: SimpleCommand): Word[] =>
  redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));

const readsFiles = (command: SimpleCommand): boolean => readIn(command).length > 0 || fromFiles(command).length > 0;

/** @param areNames what comes in by an input is what git has printed */
function readsObjects(command: SimpleCommand, areNames: boolean): boolean {
  const { name, argv, cwd } = command;
  if (COUNTS.test(programName(name))) return false;
  const isSearch = SEARCHES.test(programName(name)) && !argv.some(({ text }) => AS_TEXT.test(text));
  const isOpen = (piece: Piece) =>
    piece.kind === "unknown" && !GIT_NAMES.test(piece.text) && !(areNames && isGiven(piece));
  const isNamed = (text: string) => {
    const path = text === "" ? null : certainPath(text, cwd);
    return path === null || isUnnamedInGit(path);
  };
  const mayBe = ({ pieces, is_resolved, glob, text }: Word) =>
    pieces.some(isOpen) ||
    (is_resolved && glob !== true && isNamed(text)) ||
    (glob === true && (HIDDEN.test(text) || isInGit(cwd) || text.includes("**") || text.split("/").length >= DEEP));
  return (
    fromFiles(command).some(mayBe) ||
    readIn(command).some(
      ({ word, is_tree, skips_hidden }) =>
        (word !== "here" && mayBe(word)) || (is_tree === true && skips_hidden !== true && !isSearch),
    )
  );
}

const isInGit = (folder: string | null): boolean => folder === null || /\.git(?:\/|$)/.test(folder);
