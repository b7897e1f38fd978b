import type { Span, Word } from "../reading.ts";
import { placingRole } from "./accesses.ts";
import { optionsKnown } from "./arguments.ts";
import { printsVariables } from "./box-programs.ts";
import {
  type DiskTool,
  destroysPool,
  diskToolCalled,
  isSignalled,
  onlySays,
  type ProcessTool,
  processToolCalled,
  signalsUser,
} from "./disks-and-processes.ts";
import { GIT_SUBCOMMANDS, gitCommand } from "./git.ts";
import { launchedBy, runsElsewhere } from "./hazard-records.ts";
import { scriptReader, scriptWordOf } from "./interpreters.ts";
import { isKnownLabel, raisesRights } from "./labels.ts";
import { takesPatch } from "./patches.ts";
import type { Program } from "./program.ts";
import { isDoneByShell } from "./shell-builtins.ts";
import { type SocketTool, socketToolCalled, takesHosts } from "./sockets.ts";
import { isAboutMachine, programCalled } from "./table.ts";
import { handsOnEverything } from "./wrappers.ts";

const SUBCOMMANDS = new Map(GIT_SUBCOMMANDS.flatMap((one) => one.names.map((name) => [name, one] as const)));

/** What a disk tool would do, asked for this. */
interface DiskWork extends DiskTool {
  isPoolDestroyed: boolean;
}

/** All that is known of a program by its name, in one place for those who only ask. */
class KnownProgram {
  readonly #name: string;
  readonly #record: Program | undefined;

  /** @param name without a folder */
  constructor(name: string, record = programCalled(name)) {
    this.#name = name;
    this.#record = record;
  }

  /** Its name is one of those that anything is said of in a record. */
  get hasRecord(): boolean {
    return this.#record !== undefined;
  }

  /** Every shell does it by itself: no other program can be in its place. */
  get isDoneByShell(): boolean {
    return isDoneByShell(this.#name);
  }

  /** It works on a repository: its words may be revisions, and what is in the repository decides what runs. */
  get worksOnRepository(): boolean {
    return this.#record?.worksOnRepository === true;
  }

  /** What follows runs in another folder. */
  get changesFolder(): boolean {
    return this.#record?.changesFolder === true;
  }

  get makesLinks(): boolean {
    return this.#record !== undefined && placingRole(this.#record) === "links";
  }

  /** Its options by their names as they are written, with what each takes: none where it has no record. */
  get options(): ReadonlyMap<string, { kind: string }> {
    return this.#record === undefined ? new Map() : optionsKnown(this.#record);
  }

  /** Its record says what its operands are. */
  get hasOperandsKnown(): boolean {
    return this.#record?.operands !== undefined;
  }

  /** What a program that works on a repository is asked to do, with its words, and what is known of that; null for other programs. */
  subcommand(args: readonly Word[]): { name: string; rest: readonly Word[]; known: KnownProgram } | null {
    if (!this.worksOnRepository) return null;
    const { name, rest } = gitCommand(args);
    return { name, rest, known: new KnownProgram(name, SUBCOMMANDS.get(name)) };
  }

  /** Its words may be names of hosts. */
  get takesHosts(): boolean {
    return takesHosts(this.#name);
  }

  /** It takes a patch in the form of coding agents, as its word or on its input. */
  get takesPatch(): boolean {
    return takesPatch(this.#name);
  }

  /** Programs that it has looked up on the PATH itself, whatever its words are. */
  get looksUp(): readonly string[] {
    return this.#record?.looksUp ?? [];
  }

  /** What it does with a socket that it is given, or undefined where that isn't known. */
  get socketTool(): SocketTool | undefined {
    return socketToolCalled(this.#name);
  }

  /** What it does with processes, or undefined where it does nothing with them. */
  get processTool(): ProcessTool | undefined {
    return processToolCalled(this.#name);
  }

  /** True if it is given a process by this number, or with `-1` all of them. */
  signals(process: string, args: readonly string[]): boolean {
    return this.processTool?.signals === "by number" && isSignalled(process, args);
  }

  /** True if it signals every process of a user, whatever its name. */
  signalsUser(args: readonly Word[]): boolean {
    const tool = this.processTool;
    return tool !== undefined && signalsUser(tool, args);
  }

  /** What it does with disks; null for another program, and where it only says what it would do. */
  diskWork(args: readonly string[]): DiskWork | null {
    const tool = diskToolCalled(this.#name);
    return tool === undefined || onlySays(args) ? null : { ...tool, isPoolDestroyed: destroysPool(tool, args) };
  }

  /** Asked for this it says of the machine what a box has otherwise, or not at all. */
  isAboutMachine(args: readonly Word[]): boolean {
    return isAboutMachine(this.#name, args);
  }

  /** It prints the environment, which may hold keys. */
  printsVariables(args: readonly Word[]): boolean {
    return printsVariables(this.#name, args);
  }

  /** The paths that it may find, with what its tests leave of them. */
  finds(args: readonly Word[], span: Span): Word[] {
    return this.#record?.finds?.(args, span) ?? [];
  }

  /** The command that it starts as a launcher (`npx tsc`), or null. @param argv its own name first */
  launched(argv: readonly Word[]): readonly Word[] | null {
    return launchedBy(this.#name, argv);
  }

  /** The word that names the file which it runs, or null. @param argv its own name first */
  script(argv: readonly Word[]): Word | null {
    return scriptWordOf(this.#name, argv);
  }

  /**
   * How the text of a file is read that it runs: as a shell's, or behind these words of a command that is given the same text. Null where
   * nothing is known of its language. Without a name: the file is run itself.
   */
  scriptReader(text: string): "shell" | readonly string[] | null {
    return scriptReader(this.#name, text);
  }
}

/** What is known of a program by its name, without a folder. */
export const programOf = (name: string): KnownProgram => new KnownProgram(name);

/** What is known of a wrapper by its label, an entry of a command's `via` (`sudo`, `bash -c`). */
export interface KnownWrapper {
  /** The label is made of known names alone, so that it may be shown: nothing of what the command says is in it. */
  isKnown: boolean;
  /** What it runs has another user's rights. */
  raisesRights: boolean;
  /** What it runs is on another machine: the files that it names are there. */
  runsElsewhere: boolean;
  /** It hands on all that there is, hidden names and folders among it. */
  handsOnEverything: boolean;
}

export const wrapperOf = (label: string): KnownWrapper => ({
  isKnown: isKnownLabel(label),
  raisesRights: raisesRights(label),
  runsElsewhere: runsElsewhere(label),
  handsOnEverything: handsOnEverything(label),
});
