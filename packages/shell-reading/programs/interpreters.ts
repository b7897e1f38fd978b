import type { Word } from "../reading.ts";
import { programName } from "../word.ts";
import { evaluatesText } from "./hazard-records.ts";
import { SHELL_VALUED, SHELLS } from "./shells.ts";

/** Programs that run a text in their own language: the options that take it, and where a script file is one. */
export interface Interpreter {
  language: string;
  code: readonly string[];
  /** Without `-f` its first word is the program. */
  firstWordIsCode?: true;
  /** In its programs a text beside a bar is a command, or what one gets. */
  hasPipes?: true;
}

const AWK: Interpreter = { language: "awk", code: [], firstWordIsCode: true, hasPipes: true };

export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: { language: "python", code: ["-c"] },
  pypy: { language: "python", code: ["-c"] },
  node: { language: "javascript", code: ["-e", "--eval", "-p", "--print", "-pe"] },
  nodejs: { language: "javascript", code: ["-e", "--eval", "-p", "--print", "-pe"] },
  bun: { language: "javascript", code: ["-e", "--eval", "-p", "--print"] },
  deno: { language: "javascript", code: ["eval"] },
  perl: { language: "perl", code: ["-e", "-E"] },
  ruby: { language: "ruby", code: ["-e"] },
  php: { language: "php", code: ["-r"] },
  lua: { language: "lua", code: ["-e"] },
  osascript: { language: "applescript", code: ["-e"] },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
};

/** The interpreter that a program's name means (`python3.12`, `ruby3`). */
export function interpreterOf(name: string): Interpreter | undefined {
  if (!/^[a-z]/.test(name)) return undefined;
  return INTERPRETERS[name.replace(/[\d.]+$/, "")];
}

/** Programs beside shells and interpreters that run a script file, with the word before it, if any. */
const RUNNERS: Readonly<Record<string, RegExp | null>> = {
  tsx: null,
  "ts-node": null,
  "ts-node-esm": null,
  deno: /^run$/,
  bun: /^run$/,
};

/** The names of all of them. */
export const RUNNER_NAMES: readonly string[] = Object.keys(RUNNERS);

/**
 * How the text of a file is read that a command runs: as a shell's, or behind these words of a command that is given the same text. Null
 * where nothing is known of its language. @param name the program that runs it; empty where it is run itself
 */
export function scriptReader(name: string, text: string): "shell" | readonly string[] | null {
  const [, first = "", rest = ""] = /^#!\s*(\S+)(.*)/.exec(text) ?? [];
  const second = rest.split(/\s+/).find((word) => word !== "" && !/^-|=/.test(word)) ?? "";
  const named = programName(first) === "env" ? second : first;
  const program = name !== "" ? name : programName(named);
  if (program === "" || SHELLS.has(program) || evaluatesText(program)) return "shell";
  const interpreter = interpreterOf(program);
  const code = interpreter?.code[0];
  if (interpreter === undefined) return Object.hasOwn(RUNNERS, program) ? ["node", "-e"] : null;
  return code === undefined ? null : [program, code];
}

/** Options of interpreters that take the next word. */
const VALUED: Readonly<Record<string, RegExp>> = {
  python: /^-[WX]$/,
  javascript: /^(?:-r|--require|--import|--loader|--env-file|-C|--conditions|--test-reporter|--test-name-pattern)$/,
  perl: /^-I$/,
  ruby: /^-[rIC]$/,
  php: /^-[dc]$/,
};

/** The word that names the script file which a command runs: `./x.sh`, `bash x.sh`, `python3 -u x.py`; null where there is none. */
export function scriptWordOf(name: string, argv: readonly Word[]): Word | null {
  const [first] = argv;
  if (first === undefined) return null;
  if (SHELLS.has(name))
    return behindOptions(argv, /^-\w*[cs]$|^--(?:command|version|help)$/, (text) => SHELL_VALUED.has(text));
  if (evaluatesText(name)) return /^[a-z]+$/.test(name) && name.startsWith("e") ? null : (argv[1] ?? null);
  const interpreter = interpreterOf(name);
  const runs = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (runs !== undefined) {
    const script = behindOptions(argv, /^(?:-e|--eval|-p|--print|--version|--help)$/, () => false, runs);
    return script !== null && /[./]/.test(script.text) ? script : null;
  }
  if (interpreter !== undefined) {
    if (interpreter.firstWordIsCode || interpreter.language === "applescript") return null;
    const valued = VALUED[interpreter.language];
    return behindOptions(
      argv,
      /^(?:-\w*[ceEpr]|-m|-V|--eval|--print|--run|--test|--version|--help|-v)$/,
      (text) => valued?.test(text) === true,
    );
  }
  return first.text.includes("/") ? first : null;
}

/** The first word that is no option; null where one of the options says that there is no script, or the word before it isn't there. */
function behindOptions(
  argv: readonly Word[],
  without: RegExp,
  takesNext: (text: string) => boolean,
  before?: RegExp | null,
): Word | null {
  let wanted = before;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] as Word;
    if (word.text === "--") return argv[at + 1] ?? null;
    if (/^[-+]./.test(word.text)) {
      if (takesNext(word.text)) at++;
      else if (without.test(word.text)) return null;
      continue;
    }
    if (word.text === "-") return null;
    if (wanted?.test(word.text)) {
      wanted = null;
      continue;
    }
    return word;
  }
  return null;
}
