import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { accessesOf } from "../programs/accesses.ts";
import { findsPlainFilesOnly } from "../programs/find.ts";
import { wordsPrinted } from "../programs/prints.ts";
import type { Access, CommandContext, Program } from "../programs/program.ts";
import { programCalled } from "../programs/table.ts";
import { clearPrefix, repeaterCalled } from "../programs/wrappers.ts";
import type { Word } from "../reading.ts";
import { isAtOrBelow, kindOf, type PathKind, realForm } from "../targets/path.ts";
import { askedEachTime } from "../targets/secret-files.ts";
import { type LineNeed, type LineTarget, pathTarget, urlTarget } from "../targets/target.ts";
import { following } from "../targets/tree-scan.ts";
import { plainWord } from "../word.ts";
import type { ClearCommand, ClearWord } from "./line.ts";
import { allNames, foldersMatched, mayHoldLinks, mayMatchLinks } from "./links.ts";
import type { ProgramSearch } from "./program-search.ts";

/** What one command of a clear line needs in one folder, by its program's record and by what is on the disk. */

/** A folder that the shell may be in; null where it isn't known. */
export type Folder = string | null;

/** What came before it in its line. */
export interface Situation {
  hasInput: boolean;
  inputText?: string | undefined;
  has_changed: boolean;
  before: ClearCommand | undefined;
  /** Every folder that the shell may be in, or was in before. */
  folders: readonly Folder[];
  /** Undefined where the shell's PATH isn't known. */
  programs: ProgramSearch | undefined;
  /** Needs that are still read of the line. */
  left: number;
}

export class CommandReader {
  readonly #home: string;
  readonly #start: Folder;
  readonly #cwd: Folder;
  readonly #situation: Situation;
  readonly #needs: LineNeed[] = [];
  #usesGit = false;
  /** For each of them a folder is listed. */
  #opens = 0;
  #unclear: string | null = null;

  constructor(home: string, start: Folder, cwd: Folder, situation: Situation) {
    this.#home = home;
    this.#start = start;
    this.#cwd = cwd;
    this.#situation = situation;
  }

  /** `usesGit`: it works on a repository, by whatever path or prefix it is called. */
  read(command: ClearCommand): { needs: LineNeed[]; unclear: string | null; usesGit: boolean } {
    for (const { kind, target } of command.redirects) {
      if (/^\/dev\/(?:null|stdin|stdout|stderr|tty)$/.test(target.text)) continue;
      // bash opens connections by these names.
      if (/^\/dev\//.test(resolve("/", target.text))) this.#doubt("a device");
      else this.#touch({ kind, word: target });
    }
    const program = programCalled(command.words[0]?.text ?? "");
    if (command.words.some(({ isRevision }) => isRevision) && program?.worksOnRepository !== true)
      this.#doubt("a word that zsh may take for a pattern");
    this.#command(command.words);
    return { needs: this.#needs, unclear: this.#unclear, usesGit: this.#usesGit };
  }

  #doubt(why: string): void {
    this.#unclear ??= why;
  }

  #command(givenWords: readonly ClearWord[], found: readonly Word[] = []): void {
    const words = givenWords.map((word) => (word.beginsOpen ? this.#opened(word) : word));
    const [first, ...args] = words;
    if (first === undefined) return this.#doubt("no command");
    if (!found.every(isPlainStart)) this.#doubt("a starting point whose names may mean more than files");
    const path = /^\/(?:usr\/)?bin\/([^/]+)$/.exec(first.text);
    const name = path?.[1] ?? first.text;
    if (name.includes("/")) return this.#doubt("a program of its own");
    const lookedUp = [...(path === null ? [name] : []), ...(programCalled(name)?.looksUp ?? [])];
    if (lookedUp.some((one) => this.#situation.programs?.isPlanted(one, this.#cwd)))
      this.#doubt("a program by its name in a folder that agents may write");
    const rest = clearPrefix(name, args);
    // What a shell does itself changes the line, where the wrapper is the shell's own word as well.
    if (rest !== null)
      return programCalled(rest[0]?.text ?? "")?.changesShell
        ? this.#doubt("a wrapped shell command")
        : this.#command(rest, found);
    if (repeaterCalled(name)?.namesFrom === "input") {
      const given = givenByXargs(args, this.#situation.before);
      if (given === null) return this.#doubt("names from an input that isn't known");
      const hasLink =
        !given.isPlain && given.found.some(({ text }) => this.#cwd === null || mayHoldLinks(resolve(this.#cwd, text)));
      return hasLink ? this.#doubt("a link that is followed") : this.#command(given.words, given.found);
    }
    const program = programCalled(name);
    if (program === undefined) return this.#doubt("a program that isn't known to be harmless");
    this.#usesGit ||= program.worksOnRepository === true;
    const context: CommandContext = {
      cwd: this.#cwd,
      home: this.#home,
      hasInput: this.#situation.hasInput,
      inputText: this.#situation.inputText ?? null,
      looksAtDisk: true,
    };
    const { accesses, unclear, runs } = accessesOf(program, args, context, name);
    if (unclear !== null) this.#doubt(unclear);
    if (program.inFirstFolderOnly && this.#cwd !== this.#start) this.#doubt("another folder than the line's own");
    const ofWords = Map.groupBy(accesses, ({ word }) => word);
    for (const word of args) this.#names(word, program, ofWords.get(word) ?? [], found);
    // What the shell leaves as it is where nothing matches, git expands itself.
    if (program.worksOnRepository && args.some(({ glob }) => glob)) this.#doubt("a pattern that git itself may expand");
    for (const access of accesses) this.#access(access, found);
    for (const inner of runs ?? []) {
      const starts = accesses.filter(({ kind, is_tree }) => kind === "list" && is_tree).map(({ word }) => word);
      this.#command(
        inner,
        starts.map((word) => (word === "here" ? HERE : word)),
      );
    }
  }

  /** A pattern that may begin with anything: clear while every name that it matches is a plain file's to every program. */
  #opened(word: ClearWord): ClearWord {
    const [segment = ""] = word.text.split("/");
    const isPlain = this.#cwd !== null && !this.#situation.has_changed && ++this.#opens <= MAX_OPENS;
    if (word.text.startsWith("-")) {
      // bash and dash pass on as it is what matches nothing, zsh doesn't run the line.
      if (!isPlain || !allNames(this.#cwd ?? "", segment, () => false)) this.#doubt(OPEN);
      this.#touch({ kind: "list", word: "here" });
      const { glob: _, beginsOpen: __, ...rest } = word;
      return { ...rest, pieces: [{ text: word.text, kind: "text" }] };
    }
    if (!isPlain || !allNames(this.#cwd ?? "", segment, (name) => PLAIN_NAME.test(name))) this.#doubt(OPEN);
    return word;
  }

  /**
   * A pattern, or what is found, is any number of names: clear where any number of files is accepted and means the same. Digits or one
   * name that aren't known are clear where words are only printed as well.
   */
  #names(word: ClearWord, program: Program, ofWord: readonly Access[], found: readonly Word[]): void {
    const arePrinted = program.printsWords === true;
    if (word.isStatus && !arePrinted && program.takesStatus !== true) this.#doubt("a number that isn't known");
    if (word.isName && (arePrinted || ofWord.some(({ is_one }) => is_one))) return;
    const isFile = ({ kind }: Access) => kind === "read" || kind === "list";
    if (word.glob === true && !ofWord.some((access) => isFile(access) && access.is_many === true))
      this.#doubt("a pattern where no files are named");
    if (found.length > 0 && word.text.includes("{}") && !ofWord.some(isFile))
      this.#doubt("what it finds is more than a file to the program");
  }

  /** An access as it is, or where `{}` means what was found: to everything below the starting points. */
  #access(access: Access, found: readonly Word[]): void {
    const { word } = access;
    if (found.length > 0 && access.copy_of?.text.includes("{}")) return this.#doubt("what it finds is copied");
    if (word === "here" || found.length === 0 || !word.text.includes("{}")) return this.#touch(access);
    if (word.text !== "{}" || (access.kind !== "read" && access.kind !== "list"))
      return this.#doubt("what it finds is changed, or a part of a name");
    for (const start of found) this.#touch({ ...access, word: start === HERE ? "here" : start, is_tree: true });
  }

  #touch(access: Access): void {
    const { word, kind } = access;
    if (this.#needs.length > this.#situation.left) return this.#doubt("more targets than anybody reads");
    if (kind === "host") return this.#host(access);
    if (this.#cwd === null) return this.#doubt("its folder isn't known");
    if (word === "here") return this.#need(access, this.#cwd);
    if (word.text === "") return this.#doubt("an empty name");
    if (word.text === "/dev/null") return;
    const path = word.text.startsWith("/") ? word.text : `${this.#cwd}/${word.text}`;
    if (!word.glob) return this.#need(access, path);
    if (kind !== "read" && kind !== "list") return this.#doubt("a pattern for what is changed");
    const segments = path.split("/");
    const first = segments.findIndex((segment) => /[*?[]/.test(segment) && isPattern(word, segment));
    const base = segments.slice(0, first).join("/") || "/";
    if (segments.slice(first).includes("..") || mayMatchLinks(base, segments.slice(first)))
      return this.#doubt("a link on a pattern's way");
    const last = segments.at(-1) ?? "";
    if (last.startsWith(".") || askedEachTime(`/${last}`) !== undefined)
      return this.#doubt("a pattern that may match what is asked about by name");
    const names = segments.slice(first).filter((segment) => segment !== "" && segment !== ".");
    const readsBelow = access.kind === "read" && (access.is_tree || access.reads_folder) && !access.skips_hidden;
    // A folder that it matches is read with all that is in it.
    const matched = !readsBelow ? [] : this.#situation.has_changed ? null : foldersMatched(base, names);
    const isHidden = matched === null || names.some((segment) => segment.startsWith("."));
    const hidden = isHidden ? {} : { skips_hidden: true as const };
    this.#need({ ...access, is_tree: true, ...hidden }, base, matched ?? []);
  }

  #host({ word, sends }: Access): void {
    // curl reads addresses from the file behind an @.
    if (word === "here" || word.glob || /\\|^@/.test(word.text)) return this.#doubt("a host that isn't plain");
    const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(word.text) && !/^[\w.-]+:\d+(?:\/|$)/.test(word.text);
    const target = urlTarget(hasScheme ? word.text : `http://${word.text}`, sends);
    // curl itself expands braces and ranges.
    const hasPattern = /[{}[\]]/.test(word.text.replace(/^\w+:\/\/\[[0-9a-fA-F:.]+\]/, ""));
    if (target.kind !== "host" || hasPattern) return this.#doubt("a host that isn't plain");
    this.#needs.push({ capability: "network:http", target });
  }

  /** @param matched folders below that are read as a whole, though others' hidden names aren't */
  #need(access: Access, path: string, matched: readonly string[] = []): void {
    switch (access.kind) {
      case "read":
      case "list":
        return this.#reads(access, path, matched);
      case "delete":
        return this.#deletes(access, path);
      case "move":
        return this.#moves(path);
      case "mode":
        // Who changes a folder's rights changes what all below it can be used for.
        return this.#push("fs:write", this.#target(path, access.is_tree === true || isFolder(path)));
      default:
        return access.copy_of === undefined
          ? this.#push("fs:write", this.#written(path, access.is_tree === true))
          : this.#paths(access, access.copy_of, path);
    }
  }

  #reads(access: Access, path: string, matched: readonly string[]): void {
    if (access.is_plain_file && !isPlainFile(path)) return this.#doubt("more than a plain file");
    if (access.follows_links && mayHoldLinks(path)) return this.#doubt("a link that is followed");
    const target = this.#target(path, access.is_tree === true || (access.reads_folder === true && isFolder(path)));
    // A listing above the home is only asked about; contents and changes there are the guard's as well.
    if (target === null || (access.kind === "list" && target.is_tree && isAtOrBelow(this.#home, target.lexical)))
      return;
    const asFolder = access.kind === "list" && !target.is_tree && (access.word === "here" || isFolder(path));
    this.#push("fs:read", asFolder ? { ...target, is_folder: true } : target, {
      ...(access.kind === "list" ? { access: "list" } : {}),
      ...(access.skips_hidden ? { skips_hidden: true } : {}),
      ...(matched.length > 0 ? { but_in: matched } : {}),
      ...(access.shows_contents ? { shows_contents: true } : {}),
    });
  }

  /** Trees only strictly below the folder that the line begins in. */
  #deletes(access: Access, path: string): void {
    const lexical = resolve(path);
    const isTree = access.is_tree === true;
    if (isTree && !this.#isBelowStart(lexical, realForm(path)))
      return this.#doubt("the working directory as a whole, or a folder outside of it");
    this.#push("fs:write", this.#target(path, isTree), { access: "delete" });
  }

  #isBelowStart(lexical: string, real: string | null): boolean {
    const start = this.#start;
    const realStart = start === null ? null : realForm(start);
    if (start === null || real === null || realStart === null) return false;
    return lexical !== start && isAtOrBelow(lexical, start) && real !== realStart && isAtOrBelow(real, realStart);
  }

  #moves(path: string): void {
    const kind = kindOf(path);
    // From a folder that was moved `..` leads elsewhere.
    if (this.#situation.folders.some((folder) => folder === null || isWithin(folder, path)))
      return this.#doubt("the working directory is moved");
    // A link that is moved leads elsewhere.
    if (kind === "link" || kind === "unknown" || (kind === "folder" && mayHoldLinks(path)))
      return this.#doubt("a link that is moved");
    const target = this.#target(path, this.#mayBeFolder(kind));
    // By another name it could be read where this one can't.
    this.#push("fs:read", target);
    this.#push("fs:write", target, { access: "delete" });
  }

  /** What isn't there yet may have been made by an earlier command of the line. */
  #mayBeFolder(kind: PathKind): boolean {
    return kind === "folder" || (kind !== "file" && this.#situation.has_changed);
  }

  /** `cp A B`: B, or B/A where B is a folder. */
  #paths(access: Access, source: Word, target: string): void {
    if (source.glob) return this.#doubt("names that only the pattern's expansion shows");
    const from = resolve(source.text.startsWith("/") ? source.text : `${this.#cwd}/${source.text}`);
    const kind = kindOf(from);
    const asFolder = this.#mayBeFolder(kind);
    if (kind === "link") this.#doubt("a link that is copied");
    if (kind === "folder" && mayHoldLinks(from)) this.#doubt("a link that is copied");
    // `cp -r a/. b` and, for some, `cp -r a/ b` copy what a holds.
    const isContent = /(?:^|\/)\.{0,2}$/.test(source.text);
    const inside = `${target}/${basename(from)}`;
    const isInFolder = access.into === "folder" || /\/\.?$/.test(target) || isFolder(target);
    // A folder that isn't there yet may be when the command runs: names that may mean something are looked at in it, too.
    const isEither =
      this.#situation.has_changed || asFolder || /^\.|^(?:HEAD|config|bin|opencode)/i.test(basename(from));
    const paths =
      access.into === "exactly"
        ? [target]
        : isContent
          ? [target, inside]
          : isInFolder && !this.#situation.has_changed
            ? [inside]
            : isEither || isInFolder
              ? [inside, target]
              : [target];
    for (const place of paths) {
      // What is written into a folder goes through the links in it.
      if (asFolder && isFolder(place) && mayHoldLinks(place)) this.#doubt("a link in the folder that is written to");
      this.#push("fs:write", this.#target(place, asFolder), { copied_from: from });
    }
  }

  /** A folder that is there already is made again, or gets an entry: nothing in it is replaced. */
  #written(path: string, isTree: boolean): LineTarget | null {
    const target = this.#target(path, isTree);
    return target === null || isTree || !isFolder(path) ? target : { ...target, is_folder: true };
  }

  #target(path: string, isTree: boolean): (LineTarget & { kind: "path" }) | null {
    const target = pathTarget(path, this.#home, undefined, isTree);
    if (target.kind !== "path") {
      this.#doubt("a path that can't be resolved");
      return null;
    }
    // All of a home folder, or more: nobody grants that.
    if (isTree && isAtOrBelow(this.#home, target.lexical)) this.#doubt("a whole home folder, or more");
    return target;
  }

  #push(
    capability: "fs:read" | "fs:write",
    target: LineTarget | null,
    more: Omit<LineNeed, "capability" | "target"> = {},
  ): void {
    if (target !== null) this.#needs.push({ capability, target, ...more });
  }
}

const OPEN = "a pattern that may begin with anything";
/** Of one command; more than anybody writes. */
const MAX_OPENS = 100;
/** No option, no variable of awk's, no file of words. */
const PLAIN_NAME = /^[A-Za-z0-9_][^=]*$/;

/** The working directory among starting points. */
const HERE = plainWord(".", { start: 0, end: 0 });

/**
 * What is found below it is called as it is itself: programs take `-x` for an option, `+1` for a place to begin at, `@x` for a file of
 * words and `a=b` for a variable, whatever the record says of words that are there to be looked at.
 */
function isPlainStart({ text }: Word): boolean {
  return /^(?:[./]|[A-Za-z_][^/=*?[]*(?:\/|$))/.test(text);
}

/** True if `folder` is `path` or lies below it, by name or by where links lead. */
function isWithin(folder: string, path: string): boolean {
  const [realFolder, real] = [realForm(folder), realForm(path)];
  return isAtOrBelow(folder, resolve(path)) || realFolder === null || real === null || isAtOrBelow(realFolder, real);
}

/** True if the segment's pattern was written as one: a quoted `*` is a letter. */
function isPattern({ pieces }: Word, segment: string): boolean {
  return pieces.some(({ kind, text }) => kind === "glob" && segment.includes(text));
}

function isFolder(path: string): boolean {
  try {
    return following(path, () => statSync(path, { throwIfNoEntry: false }))?.isDirectory() === true;
  } catch {
    return false; // no folder on the way: nothing is there
  }
}

function isPlainFile(path: string): boolean {
  try {
    return following(path, () => statSync(path, { throwIfNoEntry: false }))?.isFile() === true;
  } catch {
    return false; // no folder on the way: nothing is there
  }
}

/**
 * What `xargs` runs, where its input is known to the last word: names that `find -type f -print0` prints for `-0`, or plain words of
 * `echo` and `printf`. xargs itself takes quotes and backslashes away and splits at blanks, so that anything else isn't known.
 */
interface GivenByXargs {
  words: readonly Word[];
  /** The starting points of a `find`, where `{}` among the words means what it finds. */
  found: readonly Word[];
  /** No link is among what is found. */
  isPlain: boolean;
}

const PLAIN = /^[A-Za-z0-9_./,:@%+][A-Za-z0-9_./,:@%+=-]*$/;
const MARK = "{}";

function givenByXargs(args: readonly Word[], before: ClearCommand | undefined): GivenByXargs | null {
  let at = 0;
  let isNull = false;
  let hasMark = false;
  let hasGroups = false;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? "";
    if (text === "-0") isNull = true;
    else if (text === "-r") continue;
    else if (text === "-n" && /^\d{1,6}$/.test(args[at + 1]?.text ?? "")) {
      hasGroups = true;
      at++;
    } else if (/^-n\d{1,6}$/.test(text)) hasGroups = true;
    else if (text === `-I${MARK}`) hasMark = true;
    else if (text === "-I" && args[at + 1]?.text === MARK) {
      hasMark = true;
      at++;
    } else if (text.startsWith("-")) return null;
    else break;
  }
  const template = args.slice(at);
  if (template.length === 0 || before === undefined || before.redirects.length > 0 || before.hasText) return null;
  if (template.some(({ text }) => text.includes(MARK)) !== hasMark) return null;
  // GNU drops one of the two.
  if (hasMark && hasGroups) return null;
  if (isNull) return ofFind(template, hasMark, before);
  // In groups the words are at other positions.
  return hasGroups ? null : ofWords(template, hasMark, before);
}

function ofFind(template: readonly Word[], hasMark: boolean, { words }: ClearCommand): GivenByXargs | null {
  const texts = words.map(({ text }) => text);
  const isFind =
    programCalled(texts[0] ?? "")?.finds !== undefined &&
    texts.at(-1) === "-print0" &&
    texts.filter((text) => text === "-print0").length === 1;
  if (!isFind || texts.some((text) => /^(?:-exec.*|-ok.*|-delete|-printf?|-ls|-f.*)$/.test(text))) return null;
  const starts: Word[] = [];
  for (const word of words.slice(1)) {
    if (/^[-(!,]/.test(word.text)) break;
    starts.push(word);
  }
  const [first] = words;
  if (first === undefined) return null;
  const mark = plainWord(MARK, first);
  const here = plainWord(".", first);
  // Any number of names: the second or third may mean another thing to the program than the first.
  return {
    words: hasMark ? template : [...template, mark, mark, mark],
    found: starts.length > 0 ? starts : [here],
    isPlain: findsPlainFilesOnly(words.slice(1)),
  };
}

function ofWords(template: readonly Word[], hasMark: boolean, { words }: ClearCommand): GivenByXargs | null {
  const [program, ...args] = words;
  const given = wordsPrinted(program?.text ?? "", args);
  if (given === null || given.length === 0 || given.length > 64) return null;
  if (given.some(({ text, glob }) => glob === true || !PLAIN.test(text))) return null;
  if (!hasMark) return { words: [...template, ...given], found: [], isPlain: true };
  const [only, ...more] = given;
  if (only === undefined || more.length > 0 || template.some(({ text }) => text.includes(MARK) && text !== MARK))
    return null;
  return { words: template.map((word) => (word.text === MARK ? only : word)), found: [], isPlain: true };
}
