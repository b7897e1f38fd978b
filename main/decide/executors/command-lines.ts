import { type Reading, readArgv, readCommand } from "@metnos-gate/shell-reading";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";

/** Arguments that are command lines wherever an executor runs any: which of them it runs is not ours to guess. */
export const COMMAND_ARGS = ["command", "cmd"] as const;

export interface CommandLine {
  arg: string;
  /** As the raw patterns see it: a list is joined with spaces. */
  text: string;
  is_list: boolean;
  reading: Reading;
}

/** All of a call's command lines, and what else its text alone says. The call must not change afterwards. */
export class CommandLines {
  readonly #call: ProposedCall;
  readonly #home: string;
  #all: readonly CommandLine[] | undefined;
  /** The working directory that they were read for. */
  #cwd: string | undefined;
  readonly #said = new Map<string, unknown>();
  readonly #found = new Map<string, unknown>();

  /** @param read the lines, where they were read before */
  constructor(call: ProposedCall, home: string, read?: readonly CommandLine[]) {
    this.#call = call;
    this.#home = home;
    this.#all = read;
  }

  /** Read when they are first asked for. */
  get all(): readonly CommandLine[] {
    if (this.#all === undefined) {
      this.#cwd = workingDirectoryOf(this.#call, this.#home);
      this.#all = readLines(this.#call, this.#home, this.#cwd);
    }
    return this.#all;
  }

  /**
   * What the call's text says, found once however often the call is examined. `find` sees that text, its executor's manifest and what
   * stays the same for as long as a gate runs: no file, no grant, no setting.
   */
  once<Said>(what: string, find: () => Said): Said {
    if (!this.#said.has(what)) this.#said.set(what, find());
    return this.#said.get(what) as Said;
  }

  /** What the files that the call names say now: found once for one decision. */
  forDecision<Found>(what: string, find: () => Found): Found {
    if (!this.#found.has(what)) this.#found.set(what, find());
    return this.#found.get(what) as Found;
  }

  /** For a later look at the same call: the same, unless its working directory leads elsewhere by now. Files are looked at anew. */
  again(): CommandLines {
    this.#found.clear();
    if (this.#all === undefined || workingDirectoryOf(this.#call, this.#home) === this.#cwd) return this;
    return new CommandLines(this.#call, this.#home);
  }
}

function readLines(call: ProposedCall, home: string, cwd: string | undefined): CommandLine[] {
  const user = home.slice(home.lastIndexOf("/") + 1);
  const context = { cwd: cwd ?? "", home, user };
  return COMMAND_ARGS.flatMap((arg): CommandLine[] => {
    const value = call.args[arg];
    if (typeof value === "string") return [{ arg, text: value, is_list: false, reading: readCommand(value, context) }];
    if (!Array.isArray(value)) return [];
    const words = value.filter((word) => typeof word === "string");
    const text = words.join(" ");
    // A list of one text with blanks in it is a command line all the same.
    const isLine = words.length === 1 && /\s/.test(text);
    return [{ arg, text, is_list: !isLine, reading: isLine ? readCommand(text, context) : readArgv(words, context) }];
  });
}
