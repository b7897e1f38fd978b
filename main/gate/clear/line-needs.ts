import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { accessesOf } from "../programs/accesses.ts";
import type { Access, CommandContext } from "../programs/program.ts";
import { programCalled } from "../programs/table.ts";
import { clearPrefix } from "../programs/wrappers.ts";
import type { Word } from "../shell/reading.ts";
import { realForm } from "../targets/path.ts";
import { kindOf, type PathKind } from "../targets/path-kind.ts";
import { isAtOrBelow } from "../targets/pattern.ts";
import { type CallTarget, type Need, pathTarget, urlTarget } from "../targets/target.ts";
import { type ClearCommand, type ClearStep, clearLine } from "./grammar.ts";
import { mayHoldLinks, mayHoldRepository, mayMatchLinks } from "./links.ts";
import { givenByXargs } from "./xargs.ts";

/**
 * What a command line needs. It is clear only if the whole line is written in the closed grammar and every command, option and
 * word in it is on an allow list; else it needs `code:exec`, besides what is known.
 */
export interface LineNeeds {
  needs: readonly Need[];
  /** Why it may do more than is known, or null. */
  unclear: string | null;
  /** The same for each command, by where it stands in the text. */
  commands: readonly { start: number; end: number; needs: readonly Need[]; unclear: string | null }[];
}

/** A command line, as text or as a list of words that no shell sees. `cwd` is absolute, or empty where it isn't known. */
export function needsOfLine(line: string | readonly string[], home: string, cwd: string): LineNeeds {
  const text = typeof line === "string" ? line : line.join(" ");
  const read = clearLine(text, home);
  if ("unclear" in read) return { needs: [], unclear: read.unclear, commands: [] };
  if (typeof line !== "string" && !isSameAsWords(read.steps, line))
    return { needs: [], unclear: "words that a shell would read differently", commands: [] };
  return new LineReader(home, cwd.startsWith("/") ? resolve(cwd) : null).read(read.steps);
}

/** A list is run without a shell, or joined with blanks and given to one: both must come to the same. */
function isSameAsWords(steps: readonly ClearStep[], words: readonly string[]): boolean {
  const [step, ...more] = steps;
  const [command, ...others] = step?.commands ?? [];
  if (more.length > 0 || others.length > 0 || command === undefined || command.redirects.length > 0 || command.has_text)
    return false;
  return (
    command.words.length === words.length &&
    command.words.every(({ text, glob, is_quoted }, at) => text === words[at] && glob !== true && is_quoted !== true)
  );
}

type Folder = string | null;

class LineReader {
  readonly #home: string;
  readonly #start: Folder;
  /** Where the shell may be: now, and at any time before. */
  #now: readonly Folder[];
  #ever: readonly Folder[];
  /** An earlier command of this line wrote, moved or deleted something. */
  #has_changed = false;
  /** An earlier command may have put any tracked file in place. */
  #has_restored = false;
  /** Folders that an earlier command added to a repository. */
  readonly #added: { folder: string; root: string }[] = [];
  /** Why git may find another repository than the one that was looked at, or null. */
  #git_doubt: string | null = null;
  readonly #commands: { start: number; end: number; needs: Need[]; unclear: string | null }[] = [];

  constructor(home: string, start: Folder) {
    this.#home = home;
    this.#start = start;
    this.#now = [start];
    this.#ever = [start];
  }

  read(steps: readonly ClearStep[]): LineNeeds {
    let is_chain_of_and = true;
    for (const step of steps) {
      is_chain_of_and = step.joined_by === "&&" ? is_chain_of_and : step.joined_by === ";";
      // Only behind `&&` is it known that the `cd` before worked.
      if (step.joined_by !== "&&" || !is_chain_of_and) this.#now = this.#ever;
      this.#step(step);
    }
    const unclear = this.#commands.find((command) => command.unclear !== null)?.unclear ?? null;
    return { needs: distinct(this.#commands.flatMap(({ needs }) => needs)), unclear, commands: this.#commands };
  }

  #step({ commands, in_loop }: ClearStep): void {
    const [first] = commands;
    for (const [index, command] of commands.entries()) {
      const found: { needs: Need[]; unclear: string | null } = { needs: [], unclear: null };
      for (const folder of this.#now) {
        const at = new CommandReader(this.#home, this.#start, folder, {
          has_input: index > 0 || command.has_text || command.redirects.some(({ kind }) => kind === "read"),
          has_changed: this.#has_changed,
          has_restored: this.#has_restored,
          before: commands[index - 1],
        });
        const { needs, unclear } = at.read(command);
        found.needs.push(...needs);
        found.unclear ??= unclear;
        this.#has_changed ||= needs.some(({ capability }) => capability === "fs:write");
      }
      const name = command.words[0]?.text;
      if (name === "git") found.unclear ??= this.#git_doubt ?? this.#nestedRepository();
      this.#noteForGit(name, found.needs);
      if (name === "cd" && (commands.length > 1 || in_loop))
        found.unclear ??= "a cd that some shells do and others don't";
      if (
        name === "git" &&
        command.words.some(({ text }) => text === "stash") &&
        found.needs.some(({ capability }) => capability === "fs:write")
      )
        this.#has_restored = true;
      this.#commands.push({ start: command.start, end: command.end, ...found });
    }
    if (first?.words[0]?.text === "cd") this.#move(first);
  }

  /** What git looks at was looked at before the line runs: what the line itself puts there isn't known. */
  #noteForGit(name: string | undefined, needs: readonly Need[]): void {
    const root = needs.find(({ capability }) => capability === "fs:write")?.target;
    for (const { capability, target, copied_from } of needs) {
      if (target.kind !== "path") continue;
      if (name === "git" && capability === "fs:read" && root?.kind === "path")
        this.#added.push({ folder: target.lexical, root: root.lexical });
      if (name === "git" || capability !== "fs:write") continue;
      const is_folder = copied_from !== undefined && target.is_tree;
      if (is_folder || /\/(?:HEAD|objects|refs|config|\.git[^/]*)(?:\/|$)/.test(target.lexical))
        this.#git_doubt = "a repository that the line itself may make";
    }
  }

  /** What was added may be a repository of its own, into which git would look. */
  #nestedRepository(): string | null {
    const is_nested = this.#added.some(({ folder, root }) => mayHoldRepository(folder, root));
    return is_nested ? "a repository among what was added" : null;
  }

  #move({ words }: ClearCommand): void {
    const moved = this.#now.map((folder) => this.#movedTo(folder, words[1]));
    if (moved.includes(null)) {
      const last = this.#commands.at(-1);
      if (last !== undefined) last.unclear ??= "a folder whose place can't be told";
    }
    this.#now = [...new Set(moved)];
    this.#ever = [...new Set([...this.#ever, ...moved])];
    if (this.#ever.length > 8) this.#ever = [...this.#ever.slice(0, 7), null];
  }

  /** Shells move by names, programs by links: where both don't come to the same, the place isn't known. */
  #movedTo(folder: Folder, word: Word | undefined): Folder {
    if (word === undefined) return this.#home;
    if (word.text === "" || (folder === null && !word.text.startsWith("/"))) return null;
    const path = word.text.startsWith("/") ? word.text : `${folder}/${word.text}`;
    const lexical = resolve(path);
    if (/(?:^|\/)\.\.(?:\/|$)/.test(word.text)) {
      if (realForm(path) !== realForm(lexical) || (folder !== null && realForm(folder) !== folder)) return null;
    }
    return lexical;
  }
}

interface Situation {
  has_input: boolean;
  has_changed: boolean;
  has_restored: boolean;
  before: ClearCommand | undefined;
}

/** One command in one folder. */
class CommandReader {
  readonly #home: string;
  readonly #start: Folder;
  readonly #cwd: Folder;
  readonly #situation: Situation;
  readonly #needs: Need[] = [];
  #unclear: string | null = null;

  constructor(home: string, start: Folder, cwd: Folder, situation: Situation) {
    this.#home = home;
    this.#start = start;
    this.#cwd = cwd;
    this.#situation = situation;
  }

  read(command: ClearCommand): { needs: Need[]; unclear: string | null } {
    for (const { kind, target } of command.redirects) {
      if (/^\/dev\/(?:null|stdin|stdout|stderr|tty)$/.test(target.text)) continue;
      // bash opens connections by these names.
      if (/^\/dev\//.test(resolve("/", target.text))) this.#doubt("a device");
      else this.#touch({ kind, word: target });
    }
    const isOdd = command.words.some(({ is_revision }) => is_revision) && command.words[0]?.text !== "git";
    if (isOdd) this.#doubt("a word that zsh may take for a pattern");
    this.#command(command.words);
    return { needs: this.#needs, unclear: this.#unclear };
  }

  #doubt(why: string): void {
    this.#unclear ??= why;
  }

  #command(words: readonly Word[], found: readonly Word[] = []): void {
    const [first, ...args] = words;
    if (first === undefined) return this.#doubt("no command");
    const path = /^\/(?:usr\/)?bin\/([^/]+)$/.exec(first.text);
    const name = path?.[1] ?? first.text;
    if (name.includes("/")) return this.#doubt("a program of its own");
    const rest = clearPrefix(name, args);
    if (rest !== null) return this.#command(rest, found);
    if (name === "xargs") {
      const given = givenByXargs(args, this.#situation.before);
      if (given === null) return this.#doubt("names from an input that isn't known");
      const has_link =
        !given.is_plain && given.found.some(({ text }) => this.#cwd === null || mayHoldLinks(resolve(this.#cwd, text)));
      return has_link ? this.#doubt("a link that is followed") : this.#command(given.words, given.found);
    }
    const program = programCalled(name);
    if (program === undefined) return this.#doubt("a program that isn't known to be harmless");
    const context: CommandContext = {
      cwd: this.#cwd,
      home: this.#home,
      has_input: this.#situation.has_input,
      looks_at_disk: true,
    };
    const { accesses, unclear, runs } = accessesOf(program, args, context);
    if (unclear !== null) this.#doubt(unclear);
    // Where a pattern is no file of the program's, it lists names all the same.
    const is_listing = args.some((word) => word.glob === true && !accesses.some((access) => access.word === word));
    if (is_listing) this.#doubt("a pattern where no file is named");
    for (const access of accesses) this.#access(access, found);
    for (const inner of runs ?? []) {
      const starts = accesses.filter(({ kind, is_tree }) => kind === "list" && is_tree).map(({ word }) => word);
      this.#command(
        inner,
        starts.map((word) => (word === "here" ? HERE : word)),
      );
    }
  }

  /** An access as it stands, or where `{}` stands for what was found: to whatever lies below the starting points. */
  #access(access: Access, found: readonly Word[]): void {
    const { word } = access;
    if (word === "here" || found.length === 0 || !word.text.includes("{}")) return this.#touch(access);
    if (word.text !== "{}" || (access.kind !== "read" && access.kind !== "list"))
      return this.#doubt("what it finds is changed, or a part of a name");
    for (const start of found) this.#touch({ ...access, word: start === HERE ? "here" : start, is_tree: true });
  }

  #touch(access: Access): void {
    const { word, kind } = access;
    if (kind === "host") return this.#host(word);
    if (this.#cwd === null) return this.#doubt("its folder isn't known");
    if (this.#situation.has_restored) return this.#doubt("what was put in place before isn't known");
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
    const is_hidden = segments.slice(first).some((segment) => segment.startsWith("."));
    this.#need({ ...access, is_tree: true, ...(is_hidden ? {} : { skips_hidden: true }) }, base);
  }

  #host(word: Word | "here"): void {
    if (word === "here" || word.glob || word.text.includes("\\")) return this.#doubt("a host that isn't plain");
    const has_scheme = /^[a-z][a-z0-9+.-]*:/i.test(word.text) && !/^[\w.-]+:\d+(?:\/|$)/.test(word.text);
    const target = urlTarget(has_scheme ? word.text : `http://${word.text}`);
    // curl itself expands braces and ranges.
    const has_pattern = /[{}[\]]/.test(word.text.replace(/^\w+:\/\/\[[0-9a-fA-F:.]+\]/, ""));
    if (target.kind !== "host" || has_pattern) return this.#doubt("a host that isn't plain");
    this.#needs.push({ capability: "network:http", target });
  }

  #need(access: Access, path: string): void {
    switch (access.kind) {
      case "read":
      case "list":
        return this.#reads(access, path);
      case "delete":
        return this.#deletes(access, path);
      case "move":
        return this.#moves(path);
      case "mode":
        // Who changes a folder's rights changes what all below it can be used for.
        return this.#push("fs:write", this.#target(path, access.is_tree === true || isFolder(path)));
      default:
        return access.copy_of === undefined
          ? this.#push("fs:write", this.#target(path, access.is_tree === true))
          : this.#places(access, access.copy_of, path);
    }
  }

  #reads(access: Access, path: string): void {
    if (access.is_plain_file && !isPlainFile(path)) return this.#doubt("more than a plain file");
    if (access.follows_links && mayHoldLinks(path)) return this.#doubt("a link that is followed");
    const target = this.#target(path, access.is_tree === true);
    if (target === null) return;
    const is_folder = access.kind === "list" && !target.is_tree && (access.word === "here" || isFolder(path));
    this.#push("fs:read", is_folder ? { ...target, is_folder: true } : target, {
      ...(access.kind === "list" ? { access: "list" } : {}),
      ...(access.skips_hidden ? { skips_hidden: true } : {}),
    });
  }

  /** Trees only strictly below the folder that the line begins in. */
  #deletes(access: Access, path: string): void {
    const lexical = resolve(path);
    const is_tree = access.is_tree === true;
    if (is_tree && (this.#start === null || lexical === this.#start || !isAtOrBelow(lexical, this.#start)))
      return this.#doubt("a whole folder outside of the working directory");
    this.#push("fs:write", this.#target(path, is_tree), { access: "delete" });
  }

  #moves(path: string): void {
    const kind = kindOf(path);
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
  #places(access: Access, source: Word, target: string): void {
    if (source.glob) return this.#doubt("names that only the pattern's expansion tells");
    const from = resolve(source.text.startsWith("/") ? source.text : `${this.#cwd}/${source.text}`);
    const kind = kindOf(from);
    const is_folder = this.#mayBeFolder(kind);
    if (kind === "link") this.#doubt("a link that is copied");
    if (kind === "folder" && mayHoldLinks(from)) this.#doubt("a link that is copied");
    // `cp -r a/. b` and, for some, `cp -r a/ b` copy what a holds.
    const is_content = /(?:^|\/)\.{0,2}$/.test(source.text);
    const inside = `${target}/${basename(from)}`;
    const is_in_folder = access.into === "folder" || /\/\.?$/.test(target) || isFolder(target);
    const places =
      access.into === "exactly"
        ? [target]
        : is_content
          ? [target, inside]
          : is_in_folder && !this.#situation.has_changed
            ? [inside]
            : access.into === "folder" || (access.into === "either" && this.#situation.has_changed) || is_in_folder
              ? [inside, target]
              : [target];
    for (const place of places) {
      // What is written into a folder goes through the links in it.
      if (is_folder && isFolder(place) && mayHoldLinks(place)) this.#doubt("a link in the folder that is written to");
      this.#push("fs:write", this.#target(place, is_folder), { copied_from: from });
    }
  }

  #target(path: string, is_tree: boolean): (CallTarget & { kind: "path" }) | null {
    const target = pathTarget(path, this.#home, undefined, is_tree);
    if (target.kind !== "path") {
      this.#doubt("a path that can't be told");
      return null;
    }
    // All of a home folder, or more: nobody grants that.
    if (is_tree && isAtOrBelow(this.#home, target.lexical)) {
      this.#doubt("a whole home folder, or more");
      return null;
    }
    return target;
  }

  #push(
    capability: "fs:read" | "fs:write",
    target: CallTarget | null,
    more: Omit<Need, "capability" | "target"> = {},
  ): void {
    if (target !== null) this.#needs.push({ capability, target, ...more });
  }
}

/** The working directory among starting points. */
const HERE: Word = { text: ".", is_certain: true, pieces: [{ text: ".", kind: "text" }], start: 0, end: 0 };

/** True if the segment's pattern was written as one: a quoted `*` is a letter. */
function isPattern({ pieces }: Word, segment: string): boolean {
  return pieces.some(({ kind, text }) => kind === "glob" && segment.includes(text));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // no folder on the way: nothing is there
  }
}

function isPlainFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false; // no folder on the way: nothing is there
  }
}

function distinct(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
}
