import { join } from "node:path";
import { gitCommand } from "../programs/git.ts";
import { gitHistories, mayMeanGits } from "../programs/git-history.ts";
import {
  AS_TEXT,
  COUNTS,
  FILTERS,
  GIT_NAMES,
  LISTS_NAMES,
  OF_GIT,
  SAYS_WHERE,
  SEARCHES,
  SHOWS_HIDDEN,
  SKIPS_HIDDEN,
  WITHOUT_OBJECTS,
} from "../programs/objects-readers.ts";
import { programCalled } from "../programs/table.ts";
import type { Reading, SimpleCommand, Word } from "../reading.ts";
import { FROM_INPUT } from "../shell/lists.ts";
import { certainPath, kindOf, realForm } from "../targets/path.ts";
import { askedAsRepository, isUnnamedInGit } from "../targets/secret-files.ts";
import { scanTree, SKIPPED_FOLDERS } from "../targets/tree-scan.ts";
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
export function objectsShown({ commands, text }: Pick<Reading, "commands" | "text">): "hidden" | "asked" | "shown" {
  const others = commands.filter((command) => !isGit(command));
  const needsThem = commands.some((command) => isGit(command) && !worksWithout(command));
  if (!needsThem) return others.some(readsFiles) ? "hidden" : "shown";
  const given = new Set([FROM_INPUT, ...commands.flatMap(readNames)]);
  const areNames = commands.every((command) => (isGit(command) ? printsNames(command) : takesNames(command, given)));
  const isName = (word: Word) => (areNames && isGiven(word, given)) || isPrinted(word);
  const isAny = CUTS_ELSEWHERE.test(text) ? () => false : isName;
  return others.some((command) => readsObjects(command, isAny)) ? "asked" : "shown";
}

/** The line says where names are cut. */
const CUTS_ELSEWHERE = /IFS(?!= read -r \w+\b)/;

/** A whole word that git prints in its place. */
const isPrinted = ({ pieces, text }: Word): boolean => pieces.length === 1 && GIT_NAMES.test(text);

function worksWithout({ argv }: SimpleCommand): boolean {
  const { name, rest } = gitCommand(argv.slice(1));
  return WITHOUT_OBJECTS.test(name) || (name === "rev-parse" && rest.every(({ text }) => SAYS_WHERE.test(text)));
}

function printsNames({ argv }: SimpleCommand): boolean {
  const { name, rest, folder } = gitCommand(argv.slice(1));
  const has = (option: string) => rest.some(({ text }) => text === option);
  const isIt = name === "ls-files" || (name === "diff" && has("--name-only")) || (name === "grep" && has("-l"));
  const isPlain = ({ text, is_resolved }: Word) =>
    is_resolved && (LISTS_NAMES.test(text) || !/^[-*?[]/.test(text)) && !OF_GIT.test(text);
  return isIt && folder === "here" && rest.every(isPlain);
}

/** A variable that a `read` of the line fills: with a name that came in by an input. */
const readNames = ({ name, argv }: SimpleCommand): string[] => (name === "read" ? [`$${argv.at(-1)?.text}`] : []);

/** A whole word that is a name which came in. */
const isGiven = ({ pieces }: Word, given: ReadonlySet<string>): boolean =>
  pieces.length === 1 && pieces.every(({ kind, text }) => kind === "unknown" && given.has(text));

/** It hands on what came in, or reads the files of those names and hands nothing on. */
function takesNames(command: SimpleCommand, given: ReadonlySet<string>): boolean {
  const { name, argv, isLast, captures, stdin } = command;
  const read = readIn(command).flatMap(({ word }) => (word === "here" ? [] : [word]));
  if (fromFiles(command).length > 0 || (stdin !== null && stdin.from !== "pipe")) return false;
  if (read.length > 0) return isLast && captures === 0 && read.every((word) => isGiven(word, given));
  const words = argv.slice(1).filter(({ text }) => name !== "read" || text !== "-r");
  const filter = FILTERS.get(name);
  const isWhole = filter !== undefined && words.every(({ text }) => filter.test(text));
  return isWhole && (name !== "read" || words.length === 1);
}

const isGit = ({ name }: SimpleCommand): boolean => programCalled(name)?.worksOnRepository === true;

const readIn = (command: SimpleCommand) => recordedAccesses(command).accesses.filter(({ kind }) => kind === "read");

const fromFiles = ({ redirects }: SimpleCommand): Word[] =>
  redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));

const readsFiles = (command: SimpleCommand): boolean => readIn(command).length > 0 || fromFiles(command).length > 0;

/** @param isPrintedName whether a word stands for names of the work tree, as git prints them */
function readsObjects(command: SimpleCommand, isPrintedName: (word: Word) => boolean): boolean {
  const { name, argv, cwd } = command;
  const program = programName(name);
  if (COUNTS.test(program)) return false;
  const has = (option: RegExp) => argv.some(({ text }) => option.test(text));
  const isSearch = SEARCHES.test(program) && !has(AS_TEXT);
  const skipsHidden = isSearch && SKIPS_HIDDEN.test(program) && !has(SHOWS_HIDDEN);
  // What git prints are names from its work tree's top.
  const isName = (word: Word) =>
    isPrintedName(word) && !isInGit(cwd) && !gitHistories.at(cwd ?? "")?.ever.some(mayMeanGits);
  const isNamed = (text: string) => {
    const path = text === "" ? null : certainPath(text, cwd);
    return path === null || isUnnamedInGit(path) || isUnnamedInGit(realForm(path) ?? path);
  };
  const mayBe = (word: Word) => {
    if (!word.is_resolved) return !isName(word);
    return word.glob === true ? mayMatch(word.text, cwd) : isNamed(word.text);
  };
  return (
    fromFiles(command).some(mayBe) ||
    readIn(command).some(
      ({ word, is_tree, skips_hidden }) =>
        (word !== "here" && mayBe(word)) ||
        (is_tree === true && skips_hidden !== true && !skipsHidden && !(isSearch && !holdsGit(word, cwd))),
    )
  );
}

/** Of a folder that is searched. */
function holdsGit(word: Word | "here", cwd: string | null): boolean {
  const path = word === "here" ? cwd : certainPath(word.text, cwd);
  return isInGit(path) || kindOf(join(path ?? "/", ".git")) !== "nothing";
}

/** A pattern by whose names something in git's own folder may be meant, also by a link. */
function mayMatch(text: string, cwd: string | null): boolean {
  const names = text.split("/");
  if (HIDDEN.test(text) || text.includes("**") || names.length >= DEEP) return true;
  const at = names.findIndex((name) => /[*?[]/.test(name));
  const base = certainPath(names.slice(0, at).join("/") || (text.startsWith("/") ? "/" : "."), cwd);
  const real = base === null ? null : realForm(base);
  if (real === null || isInGit(cwd) || isInGit(real)) return true;
  let isLed = false;
  scanTree(real, { ...LINKS, maxDepth: names.length - at }, ({ relative, is_link }) => {
    const to = is_link ? realForm(join(real, relative)) : null;
    isLed ||= to !== null && isInGit(to);
    return !isLed;
  });
  return isLed;
}

/** Names among which links are looked for. */
const LINKS = { maxEntries: 1000, skipped: SKIPPED_FOLDERS };

const isInGit = (folder: string | null): boolean =>
  folder === null || /\.git(?:\/|$)/i.test(folder) || askedAsRepository(folder) !== undefined || isUnnamedInGit(folder);
