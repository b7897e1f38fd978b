import {
  endsOrAwaits,
  endsProcesses,
  needsTheMachine,
  outlivesCommand,
  usesNetwork,
  wrapsTheMachine,
} from "../programs/box-programs.ts";
import { addsSubmodule, gitReach, gitWords } from "../programs/git-reach.ts";
import { launchedBy } from "../programs/hazard-records.ts";
import { programCalled } from "../programs/table.ts";
import type { Reading, SimpleCommand, Word } from "../reading.ts";
import { programName } from "../word.ts";
import { onlyLooks } from "./looking.ts";
import { objectsShown } from "./objects-shown.ts";

interface Called {
  name: string;
  args: readonly Word[];
}

/** More launchers than anybody puts in front of one another. */
const MAX_LAUNCHERS = 4;

/** The command, and the program that it starts by its name: `npx tsc`. */
function calledBy({ name, argv }: SimpleCommand): Called[] {
  const called: Called[] = [{ name, args: argv.slice(1) }];
  let words = launchedBy(name, argv);
  for (let left = MAX_LAUNCHERS; words !== null && words.length > 0 && left > 0; left--) {
    const inner = programName(words[0]?.text ?? "").replace(/(?<=.)@[^@]*$/, "");
    called.push({ name: inner, args: words.slice(1) });
    words = launchedBy(inner, words);
  }
  return called;
}

/** The wrappers of a command, by the names of their programs. */
const wrappersOf = ({ via }: SimpleCommand): string[] => via.map((label) => label.split(" ")[0] ?? "");

class LineReach {
  /** Those of which it is certain that they run, if the line gets to them. */
  readonly commands: readonly SimpleCommand[];
  readonly #reading: Reading;
  readonly #home: string;

  constructor(reading: Reading, home: string) {
    this.#reading = reading;
    this.#home = home;
    this.commands = reading.commands.filter(({ isSpeculative }) => isSpeculative !== true);
  }

  /** True if something runs beside the rest of the line: it may serve on the loopback device. */
  get hasBackground(): boolean {
    return this.commands.some(({ in_background }) => in_background);
  }

  /** True if every command of the line is known to read only. */
  get onlyLooks(): boolean {
    return onlyLooks(this.#reading);
  }

  /** See `objectsShown`. */
  get objects(): ReturnType<typeof objectsShown> {
    return objectsShown(this.#reading);
  }

  /** The program of the line that needs what no box has, or null. */
  get machine(): string | null {
    for (const command of this.commands) {
      const wrapper = wrappersOf(command).find(wrapsTheMachine);
      if (wrapper !== undefined) return wrapper;
      for (const { name, args } of calledBy(command)) {
        if (needsTheMachine(name, args)) return name;
        // What the line itself has started it can end.
        if (endsProcesses(name) && !this.hasBackground) return name;
        if (isGit(name) && gitReach(args, command.cwd, this.#home) === "machine") return gitWords(args);
      }
    }
    return null;
  }

  /** A command that changes a repository's settings, or makes one: what is there is run later. Null where there is none. */
  get repositoryChange(): string | null {
    for (const command of this.commands)
      for (const { name, args } of calledBy(command))
        if (isGit(name) && gitReach(args, command.cwd, this.#home) === "settings") return gitWords(args);
    return null;
  }

  /** The program of a line that adds a submodule and does nothing else, so that it alone gets to the project's settings; or null. */
  get submoduleAdded(): string | null {
    const { commands, defines } = this.#reading;
    const [command, ...others] = commands;
    if (command === undefined || others.length > 0 || defines) return null;
    const { argv, name, via, redirects, assignments, in_background } = command;
    const hasMore = in_background || [via, redirects, assignments].some((list) => list.length > 0);
    const isCalled = !hasMore && argv[0]?.text === name && isGit(name);
    return isCalled && addsSubmodule(argv.slice(1)) ? name : null;
  }

  /** The program of the line that fetches from hosts, or null. */
  get fetcher(): string | null {
    for (const command of this.commands)
      for (const { name, args } of calledBy(command))
        if (usesNetwork(name, args) || (isGit(name) && gitReach(args, command.cwd, this.#home) === "network"))
          return name;
    return null;
  }

  /**
   * What continues when the line has ended, or null: what is left in the background, and not ended or waited for by the line itself. A box
   * ends with its line. A line that its client itself keeps in the background hasn't ended.
   */
  get leftBehind(): string | null {
    for (const command of this.commands) {
      const stays = [...wrappersOf(command), command.name].find(outlivesCommand);
      if (stays !== undefined) return stays;
    }
    const left = this.commands.filter(({ in_background }) => in_background);
    const [first] = left;
    if (first === undefined) return null;
    const last = Math.max(...left.map(({ end }) => end));
    const isEnded = this.commands.some(
      ({ name, start, in_background }) => !in_background && start >= last && endsOrAwaits(name),
    );
    return isEnded ? null : `${first.name} &`;
  }
}

/** What the programs of a line need beside files: the machine, hosts, or to stay when the line has ended. */
export const reachOf = (reading: Reading, home: string): LineReach => new LineReach(reading, home);

function isGit(name: string): boolean {
  return programCalled(name)?.worksOnRepository === true;
}
