import { resolve } from "node:path";
import { makesRepository } from "../programs/git.ts";
import { programCalled } from "../programs/table.ts";
import type { Word } from "../reading.ts";
import { realForm } from "../targets/path.ts";
import type { LineNeed } from "../targets/target.ts";
import { CommandReader, type Folder } from "./command-needs.ts";
import { clearLine } from "./grammar.ts";
import type { ClearCommand, ClearStep } from "./line.ts";
import { mayHoldRepository } from "./links.ts";
import type { ProgramSearch } from "./program-search.ts";

/**
 * What a command line needs. It is clear only if the whole line is written in the closed grammar and every command, option and
 * word in it is on an allow list; else it needs `code:exec`, besides what is known.
 */
export interface LineNeeds {
  needs: readonly LineNeed[];
  /** Why it may do more than is known, or null. */
  unclear: string | null;
  /** The same for each command, by its span in the text. */
  commands: readonly { start: number; end: number; needs: readonly LineNeed[]; unclear: string | null }[];
}

/**
 * A command line, as text or as a list of words that no shell sees. `cwd` is absolute, or empty where it isn't known.
 * @param hasComments the shell that runs it isn't interactive
 * @param programs undefined where the shell's PATH isn't known: then a name is the usual program
 */
export function needsOfLine(
  line: string | readonly string[],
  home: string,
  cwd: string,
  hasComments = false,
  programs?: ProgramSearch,
): LineNeeds {
  const text = typeof line === "string" ? line : line.join(" ");
  const read = clearLine(text, home, hasComments);
  if ("unclear" in read) return { needs: [], unclear: read.unclear, commands: [] };
  if (typeof line !== "string" && !isSameAsWords(read.steps, line))
    return { needs: [], unclear: "words that a shell would read differently", commands: [] };
  return new LineReader(home, cwd.startsWith("/") ? resolve(cwd) : null, programs).read(read.steps);
}

/** A list is run without a shell, or joined with blanks and given to one: both must come to the same. */
function isSameAsWords(steps: readonly ClearStep[], words: readonly string[]): boolean {
  const [step, ...more] = steps;
  const [command, ...others] = step?.commands ?? [];
  if (more.length > 0 || others.length > 0 || command === undefined || command.redirects.length > 0 || command.hasText)
    return false;
  return (
    command.words.length === words.length &&
    command.words.every(({ text, glob, is_quoted }, at) => text === words[at] && glob !== true && is_quoted !== true)
  );
}

/** Targets of one line that are looked for: with more of them nobody could say what it needs. */
const MAX_NEEDS = 1000;

class LineReader {
  readonly #home: string;
  readonly #start: Folder;
  readonly #programs: ProgramSearch | undefined;
  /** Where the shell may be: now, and at any time before. */
  #now: readonly Folder[];
  #ever: readonly Folder[];
  /** An earlier command of this line wrote, moved or deleted something. */
  #hasChanged = false;
  /** Folders that an earlier command added to a repository, and that weren't looked through yet. */
  readonly #added: { folder: string; root: string }[] = [];
  #isNested = false;
  /** Why git may find another repository than the one that was looked at, or null. */
  #gitDoubt: string | null = null;
  readonly #commands: { start: number; end: number; needs: LineNeed[]; unclear: string | null }[] = [];
  #left = MAX_NEEDS;

  constructor(home: string, start: Folder, programs: ProgramSearch | undefined) {
    this.#programs = programs;
    this.#home = home;
    this.#start = start;
    this.#now = [start];
    this.#ever = [start];
  }

  read(steps: readonly ClearStep[]): LineNeeds {
    this.#steps(steps);
    const unclear = this.#commands.find((command) => command.unclear !== null)?.unclear ?? null;
    return { needs: distinct(this.#commands.flatMap(({ needs }) => needs)), unclear, commands: this.#commands };
  }

  #steps(steps: readonly ClearStep[]): void {
    let isChainOfAnd = true;
    for (const step of steps) {
      isChainOfAnd = step.joinedBy === "&&" ? isChainOfAnd : step.joinedBy === ";";
      // Only behind `&&` is it known that the `cd` before worked.
      if (step.joinedBy !== "&&" || !isChainOfAnd) this.#now = this.#ever;
      if (step.inner === undefined) this.#step(step);
      else this.#inOwnShell(step.inner);
    }
  }

  /** Where the inner shell moves to, the outer one isn't. */
  #inOwnShell(steps: readonly ClearStep[]): void {
    const [now, ever] = [this.#now, this.#ever];
    this.#ever = now;
    this.#steps(steps);
    this.#now = now;
    this.#ever = ever;
  }

  #step({ commands, inLoop }: ClearStep): void {
    const [first] = commands;
    const from = this.#commands.length;
    for (const [index, command] of commands.entries()) {
      let isGit = false;
      const found: { needs: LineNeed[]; unclear: string | null } = { needs: [], unclear: null };
      for (const folder of this.#now) {
        const at = new CommandReader(this.#home, this.#start, folder, {
          hasInput: index > 0 || command.hasText || command.redirects.some(({ kind }) => kind === "read"),
          inputText: command.document?.text,
          has_changed: this.#hasChanged,
          before: commands[index - 1],
          folders: this.#ever,
          programs: this.#programs,
          left: this.#left,
        });
        const { needs, unclear, usesGit } = at.read(command);
        isGit ||= usesGit;
        found.needs.push(...needs);
        this.#left -= needs.length;
        found.unclear ??= unclear;
        this.#hasChanged ||= needs.some(changes);
      }
      const program = programCalled(command.words[0]?.text ?? "");
      if (isGit) found.unclear ??= this.#gitDoubt ?? this.#nestedRepository();
      this.#noteForGit(isGit, found.needs);
      if (isGit && makesRepository(command.words)) this.#gitDoubt = "a repository that the line itself makes";
      if (program?.changesFolder && (commands.length > 1 || inLoop))
        found.unclear ??= "a cd that some shells do and others don't";
      this.#commands.push({ start: command.start, end: command.end, ...found });
    }
    // In a pipeline one command may write a name while the other one's pattern is expanded.
    const isOpen = commands.some(({ words }) => words.some(({ beginsOpen }) => beginsOpen));
    const own = this.#commands.slice(from);
    const [found] = own;
    if (isOpen && found !== undefined && own.some(({ needs }) => needs.some(changes)))
      found.unclear ??= "a pattern that may begin with anything";
    if (first !== undefined && programCalled(first.words[0]?.text ?? "")?.changesFolder) this.#move(first);
  }

  /** What git looks at was looked at before the line runs: what the line itself puts there isn't known. */
  #noteForGit(isGit: boolean, needs: readonly LineNeed[]): void {
    const root = needs.find(({ capability }) => capability === "fs:write")?.target;
    for (const { capability, target, copied_from } of needs) {
      if (target.kind !== "path") continue;
      if (isGit && capability === "fs:read" && root?.kind === "path")
        this.#added.push({ folder: target.lexical, root: root.lexical });
      if (isGit || capability !== "fs:write") continue;
      const isFolder = copied_from !== undefined && target.is_tree;
      if (isFolder || /\/(?:HEAD|objects|refs|config|\.git[^/]*)(?:\/|$)/.test(target.lexical))
        this.#gitDoubt = "a repository that the line itself may make";
    }
  }

  /** What was added may be a repository of its own, into which git would look. */
  #nestedRepository(): string | null {
    // Nothing of it changes while the line is read.
    const added = this.#added.splice(0);
    this.#isNested ||= added.some(({ folder, root }) => mayHoldRepository(folder, root));
    return this.#isNested ? "a repository among what was added" : null;
  }

  #move({ words }: ClearCommand): void {
    const moved = this.#now.map((folder) => this.#movedTo(folder, words[1]));
    if (moved.includes(null)) {
      const last = this.#commands.at(-1);
      if (last !== undefined) last.unclear ??= "a folder whose path is unknown";
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

const changes = ({ capability }: LineNeed): boolean => capability === "fs:write";

function distinct(needs: readonly LineNeed[]): LineNeed[] {
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
}
