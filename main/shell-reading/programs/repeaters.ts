import type { Span, Word } from "../shell/reading.ts";
import { wordOf } from "../shell/word.ts";
import { foundBy } from "./find.ts";
import type { Wrapper } from "./wrappers.ts";

/** Programs that run a command for each name of a list, and where they take the names from. */
export type Repeater =
  /** Names on its input follow the command's words, or take a mark's place. */
  | { names_from: "input"; own: Wrapper; without_command: string }
  /** Names behind a mark among its words, or on its input; a shell reads the command. */
  | { names_from: "words"; own: Wrapper; mark: RegExp }
  /** What it finds takes the place of `{}` behind one of the options. */
  | {
      names_from: "search";
      options: RegExp;
      /** Paths that it may find. `at` is the option's index among its words. */
      finds: (args: readonly Word[], at: number, span: Span) => Word[];
      /** Without `{}` the names follow the command's words. */
      adds_names?: true;
    };

const FD: Repeater = {
  names_from: "search",
  options: /^(?:-x|-X|--exec|--exec-batch)$/,
  finds: (args, at, span) => listedByFd(args.slice(0, at), span),
  adds_names: true,
};

const REPEATERS: Readonly<Record<string, Repeater>> = {
  xargs: {
    names_from: "input",
    own: {
      short: "aEILnPsdR",
      long: ["--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--replace"],
    },
    without_command: "echo",
  },
  parallel: {
    names_from: "words",
    own: {
      short: "jPnNaSID",
      long: [
        "--jobs",
        "--max-args",
        "--arg-file",
        "--colsep",
        "--delay",
        "--joblog",
        "--retries",
        "--sshlogin",
        "--timeout",
      ],
    },
    mark: /^:::\+?$/,
  },
  find: {
    names_from: "search",
    options: /^-(?:exec|execdir|ok|okdir)$/,
    finds: (args, _at, span) => foundBy(args, span),
  },
  fd: FD,
  fdfind: FD,
};

/** The names of all of them. */
export const REPEATER_NAMES: readonly string[] = Object.keys(REPEATERS);

/** The repeater of a program's name, without a folder. */
export function repeaterCalled(name: string): Repeater | undefined {
  return Object.hasOwn(REPEATERS, name) ? REPEATERS[name] : undefined;
}

/** True for a label (`find -exec`, `xargs`) of one that hands on all that there is, hidden names and folders among it. */
export function handsOnEverything(label: string): boolean {
  return /^(?:find|xargs)(?: |$)/.test(label);
}

/** What `fd [PATTERN] [FOLDER...]` finds; `.` is every name. */
function listedByFd(args: readonly Word[], span: Span): Word[] {
  const [pattern, ...folders] = args.filter(({ text }) => !text.startsWith("-"));
  const is_all = pattern === undefined || /^(?:|\.|\.\*|\^)$/.test(pattern.text);
  const roots = folders.length > 0 ? folders : [wordOf([{ text: ".", kind: "text" }], span)];
  return roots.map(({ pieces }) =>
    wordOf(
      [...pieces, { text: "/", kind: "text" }, is_all ? { text: "*", kind: "glob" } : { text: "{}", kind: "unknown" }],
      span,
    ),
  );
}
