import { join } from "node:path";
import { gitCommand } from "../programs/git.ts";
import { gitHistories, mayMeanGits } from "../programs/git-history.ts";
import { indexOf } from "../programs/git-index.ts";
import {
  AS_TEXT,
  COUNTS,
  FILTERS,
  GIT_NAMES,
  NAMES_BY_LIST,
  OF_GIT,
  SAYS_WHERE,
  SEARCHES,
  SETS_SHELL,
  SHOWS_HIDDEN,
  SKIPS_GIT,
  SKIPS_HIDDEN,
  WITHOUT_OBJECTS,
} from "../programs/objects-readers.ts";
import { programCalled } from "../programs/table.ts";
import type { Reading, SimpleCommand, Word } from "../reading.ts";
import { FROM_INPUT } from "../shell/lists.ts";
import { certainPath, kindOf, realForm } from "../targets/path.ts";
import { folderAbove } from "../targets/project.ts";
import { askedAsRepository, isUnnamedInGit } from "../targets/secret-files.ts";
import { mayLookOn, onceADecision, SKIPPED_FOLDERS, scanTree, type TreeEntry } from "../targets/tree-scan.ts";
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
/** The line says where names are cut. */
const CUTS_ELSEWHERE = /IFS(?!= read -r \w+\b)/;
/** Of a work tree, as far as links are looked for in it. */
const MAX_DEPTH = 64;
const MAX_ENTRIES = 5000;

/**
 * `hidden`: no program of the line needs them, and one reads files. `asked`: git may need them, and another program beside it may read them.
 * `shown`: neither.
 */
export function objectsShown({ commands, text }: Pick<Reading, "commands" | "text">): "hidden" | "asked" | "shown" {
  const others = commands.filter((command) => !isGit(command));
  const needsThem = commands.some((command) => isGit(command) && !worksWithout(command));
  if (!needsThem) return others.some(readsFiles) ? "hidden" : "shown";
  const written = ({ start, end }: SimpleCommand) => text.slice(start, end);
  // A variable that a `read` of the line fills has a name that came in by its input.
  const read = commands.flatMap(({ name, argv }) => (name === "read" ? [`$${argv.at(-1)?.text}`] : []));
  const isGiven = ({ pieces }: Word) =>
    pieces.every(({ kind, text }) => kind === "unknown" && (text === FROM_INPUT || read.includes(text)));
  const areNames = commands.every((command) =>
    isGit(command)
      ? GIT_NAMES.test(`$(${written(command)})`)
      : (command.via.length === 0 || NAMES_BY_LIST.test(written(command))) && takesNames(command, isGiven),
  );
  const areCut = CUTS_ELSEWHERE.test(text) || commands.some(changesCutting);
  // What git prints are names from its work tree's top: each is a whole word. A variable takes them to another folder.
  const isName = (word: Word) =>
    word.pieces.length === 1 &&
    !areCut &&
    (GIT_NAMES.test(word.text) || (areNames && isGiven(word))) &&
    !commands.some(({ cwd }) => mayLeadIntoGit(cwd));
  const isAsked =
    others.some((command) => readsObjects(command, isName)) || takesFromElsewhere(commands.filter(isGit), written);
  return isAsked ? "asked" : "shown";
}

/** What git lists in one folder may be anything in another: a variable takes it there, or an option of git's. */
function takesFromElsewhere(commands: readonly SimpleCommand[], written: (command: SimpleCommand) => string): boolean {
  const isOneFolder = new Set(commands.map(({ cwd }) => cwd)).size === 1;
  return commands.some((command) => {
    const listed = command.argv.flatMap(({ pieces }) => pieces.filter(({ kind }) => kind === "unknown"));
    if (listed.length > 0 && gitCommand(command.argv.slice(1)).folder !== "here") return true;
    return !isOneFolder && listed.some(({ text }) => !written(command).includes(text));
  });
}

/** What the shell does by itself from then on with what git prints. */
function changesCutting({ name, argv }: SimpleCommand): boolean {
  const isOpen = ({ text, is_resolved }: Word) => !is_resolved || /IFS|glob/i.test(text);
  return SETS_SHELL.test(name) && argv.slice(1).some(isOpen);
}

function worksWithout({ argv }: SimpleCommand): boolean {
  const { name, rest } = gitCommand(argv.slice(1));
  return WITHOUT_OBJECTS.test(name) || (name === "rev-parse" && rest.every(({ text }) => SAYS_WHERE.test(text)));
}

/** It hands on what came in, or reads the files of those names and hands nothing on. */
function takesNames(command: SimpleCommand, isGiven: (word: Word) => boolean): boolean {
  const { name, argv, isLast, captures, stdin } = command;
  const read = readIn(command).flatMap(({ word }) => (word === "here" ? [] : [word]));
  if (fromFiles(command).length > 0 || (stdin !== null && stdin.from !== "pipe")) return false;
  if (read.length > 0) return isLast && captures === 0 && read.every(isGiven);
  const words = argv.slice(1).filter(({ text }) => name !== "read" || text !== "-r");
  const filter = FILTERS.get(name);
  return (
    filter !== undefined && words.every(({ text }) => filter.test(text)) && (name !== "read" || words.length === 1)
  );
}

const isGit = ({ name }: SimpleCommand): boolean => programCalled(name)?.worksOnRepository === true;

const readIn = (command: SimpleCommand) => recordedAccesses(command).accesses.filter(({ kind }) => kind === "read");

const fromFiles = ({ redirects }: SimpleCommand): Word[] =>
  redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));

const readsFiles = (command: SimpleCommand): boolean => readIn(command).length > 0 || fromFiles(command).length > 0;

/** @param isName whether a word stands for names of the work tree, as git prints them */
function readsObjects(command: SimpleCommand, isName: (word: Word) => boolean): boolean {
  const { name, argv, cwd } = command;
  const program = programName(name);
  if (COUNTS.test(program)) return false;
  const has = (option: RegExp) => argv.some(({ text }) => option.test(text));
  const isSearch = SEARCHES.test(program) && !has(AS_TEXT);
  const skipsIt = isSearch && (SKIPS_HIDDEN.test(program) ? !has(SHOWS_HIDDEN) : has(SKIPS_GIT));
  const mayBe = (word: Word) => {
    if (!word.is_resolved) return !isName(word);
    if (word.glob === true) return mayMatch(word.text, cwd);
    const path = word.text === "" ? null : certainPath(word.text, cwd);
    return path === null || isUnnamedInGit(path) || isUnnamedInGit(realForm(path) ?? path);
  };
  const holdsGit = (word: Word | "here") => {
    const path = word === "here" ? cwd : certainPath(word.text, cwd);
    return (
      path === null ||
      isInGit(path) ||
      hasOfGit(path, MAX_DEPTH, ({ name, is_folder }) => is_folder && OF_GIT.test(name))
    );
  };
  return (
    fromFiles(command).some(mayBe) ||
    readIn(command).some(
      ({ word, is_tree, skips_hidden }) =>
        (word !== "here" && mayBe(word)) ||
        (is_tree === true && skips_hidden !== true && !skipsIt && !(isSearch && !holdsGit(word))),
    )
  );
}

/** A pattern by whose names something in git's own folder may be meant, also by a link. */
function mayMatch(text: string, cwd: string | null): boolean {
  const names = text.split("/");
  if (HIDDEN.test(text) || text.includes("**") || names.length >= DEEP) return true;
  const at = names.findIndex((name) => /[*?[]/.test(name));
  const base = certainPath(names.slice(0, at).join("/") || (text.startsWith("/") ? "/" : "."), cwd);
  return isInGit(cwd) || isInGit(base) || hasOfGit(base ?? "/", names.length - at, isLink);
}

/** A name that git prints may be one of its own folder's to a shell, or a link into that. */
function mayLeadIntoGit(cwd: string | null): boolean {
  if (cwd === null || isInGit(cwd)) return true;
  const root = folderAbove(cwd, (here) => kindOf(join(here, ".git")) !== "nothing") ?? cwd;
  const names = () => [...(gitHistories.at(root)?.ever ?? []), ...(indexOf(root)?.names() ?? [])];
  return namesOfGit(root, () => names().some(mayMeanGits)) || hasOfGit(root, MAX_DEPTH, isLink);
}

const isLink = ({ is_link }: TreeEntry): boolean => is_link;

const namesOfGit = onceADecision<boolean>();
const seenOfGit = onceADecision<boolean>();

/** Whether something below a folder that may be git's own is, or leads there; also where more lies there than is looked at. */
const hasOfGit = (folder: string, maxDepth: number, mayBe: (entry: TreeEntry) => boolean): boolean =>
  seenOfGit(`${mayBe === isLink}${maxDepth}${folder}`, () => {
    let left = MAX_ENTRIES;
    const limits = { maxEntries: MAX_ENTRIES, maxDepth, skipped: SKIPPED_FOLDERS };
    scanTree(realForm(folder) ?? folder, limits, (entry) => {
      if (mayBe(entry) && isInGit(join(folder, entry.relative))) left = 0;
      return --left > 0;
    });
    return left <= 0 || !mayLookOn(1);
  });

const isInGit = (path: string | null): boolean =>
  path === null ||
  [path, realForm(path) ?? path].some(
    (one) => /\.git(?:\/|$)/i.test(one) || askedAsRepository(one) !== undefined || isUnnamedInGit(one),
  );
