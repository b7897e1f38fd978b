import type { Word } from "../reading.ts";

/** Programs that run what a file of the project says under a name: `npm test`, `make t`, `just r`, `cargo xtask`. */

export interface NamedScripts {
  /** How the file is written. */
  form: "scripts" | "tasks" | "rules" | "recipes" | "aliases" | "lists" | "taskfile";
  /** The files that it may be, the first one that is there. */
  files: readonly string[];
  /** It is looked for in the folders above as well. */
  goesUp: boolean;
  /** What is run; none: the file's first. */
  names: readonly string[];
  /** Where it is looked for, and the file, where options say so. */
  folder?: string;
  file?: string;
  /** The file is looked for in the folder, not where the command is run. */
  fileIsBelow: boolean;
  /** The words say that it is a script; else it may be a program, or a file, as well. */
  isScript: boolean;
  /** Scripts of these names run before and after (`pre`, `post`). */
  hasHooks: boolean;
  /** The words from the program's name to the last name. */
  marks: readonly Word[];
}

interface Runner {
  form: NamedScripts["form"];
  files: readonly string[];
  goesUp?: true;
  hasHooks?: true;
  /** Names that are scripts without another word, and what they stand for. */
  shortcuts?: Readonly<Record<string, string>>;
  /** Words before a script's name. */
  before?: RegExp;
  /** Any other first word is a script's name, but for these. */
  anyBut?: ReadonlySet<string>;
  /** Operands are names, all of them or the first; none: the file's first. */
  takes?: "all" | "first";
  folder?: string;
  file?: string;
  /** Options behind the name are its own, too. */
  looksBehind?: true;
  /** Other options that change nothing about what is run: those that take the next word, and those that don't. Any other may. */
  valued?: RegExp;
  plain: RegExp;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const SHORTCUTS = { test: "test", t: "test", tst: "test", start: "start", stop: "stop", restart: "restart" };
const PACKAGE = { form: "scripts", files: ["package.json"], goesUp: true } as const;
const PLAIN_NPM =
  /^(?:-s|-q|-d{1,3}|--silent|--quiet|--verbose|--loglevel=.*|--if-present|--(?:no-)?(?:color|progress|audit|fund|update-notifier)|--foreground-scripts)$/;
const PLAIN_MAKE =
  /^(?:-[kjsBiSwrRd]+\d*|-[jl]\d*|-O\w*|--(?:jobs|load-average|output-sync|debug)(?:=.*)?|--silent|--quiet|--keep-going|--always-make|--ignore-errors|--(?:no-)?print-directory|--trace|--no-builtin-(?:rules|variables)|--warn-undefined-variables)$/;

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    ...PACKAGE,
    hasHooks: true,
    shortcuts: SHORTCUTS,
    before: /^(?:run|run-script|rum|urn)$/,
    folder: "-C --prefix",
    looksBehind: true,
    valued: /^--loglevel$/,
    plain: PLAIN_NPM,
  },
  pnpm: {
    ...PACKAGE,
    hasHooks: true,
    shortcuts: SHORTCUTS,
    before: /^(?:run|run-script)$/,
    anyBut: words(
      `add install i update up upgrade remove rm un uninstall link ln unlink import rebuild rb prune fetch patch patch-commit patch-remove
      audit outdated list ls ll why licenses exec dlx create init publish pack store root bin setup env self-update deploy config c cache
      doctor dedupe server approve-builds`,
    ),
    folder: "-C --dir",
    plain: /^(?:-s|--silent|--stream|--aggregate-output|--if-present|--no-bail|--reporter=.*|--(?:no-)?color)$/,
  },
  yarn: {
    ...PACKAGE,
    hasHooks: true,
    shortcuts: { test: "test", start: "start" },
    before: /^run$/,
    anyBut: words(
      `add install remove up upgrade upgrade-interactive audit autoclean bin cache check config create dedupe dlx exec explain generate-lock-entry
      global help import info init licenses link list login logout node npm outdated owner pack patch patch-commit plugin policies publish rebuild
      run search set stage tag team unlink unplug version versions why workspace workspaces`,
    ),
    folder: "--cwd",
    plain: /^(?:-s|--silent|--verbose|--non-interactive|--no-progress|--no-color|--offline)$/,
  },
  bun: {
    ...PACKAGE,
    hasHooks: true,
    before: /^run$/,
    folder: "--cwd",
    plain: /^(?:-b|--bun|--silent|--if-present|--watch|--hot|--smol|--no-clear-screen)$/,
  },
  node: { ...PACKAGE, before: /^--run$/, plain: /^--(?:no-warnings|no-deprecation)$/ },
  composer: {
    form: "lists",
    files: ["composer.json"],
    before: /^(?:run|run-script)$/,
    anyBut: words(
      `about archive audit browse bump check-platform-reqs clear-cache clearcache cc config create-project depends why diagnose dump-autoload
      dumpautoload exec fund global help init install i licenses list outdated prohibits why-not reinstall remove require r search self-update
      show info status suggests update u upgrade validate`,
    ),
    folder: "-d --working-dir",
    valued: /^--timeout$/,
    plain: /^(?:-[qnv]+|--quiet|--verbose|--no-interaction|--(?:no-)?(?:ansi|dev)|--timeout=.*)$/,
  },
  task: {
    form: "taskfile",
    files: [
      "Taskfile.yml",
      "taskfile.yml",
      "Taskfile.yaml",
      "taskfile.yaml",
      "Taskfile.dist.yml",
      "Taskfile.dist.yaml",
    ],
    goesUp: true,
    takes: "all",
    folder: "-d --dir",
    file: "-t --taskfile",
    plain: /^(?:-[sfyvcpx]+|--silent|--force|--yes|--verbose|--color|--parallel|--exit-code)$/,
  },
  deno: {
    form: "tasks",
    files: ["deno.json", "deno.jsonc"],
    goesUp: true,
    before: /^task$/,
    folder: "--cwd",
    plain: /^(?:-q|--quiet)$/,
  },
  make: {
    form: "rules",
    files: ["GNUmakefile", "makefile", "Makefile"],
    takes: "all",
    folder: "-C --directory",
    file: "-f --file --makefile",
    looksBehind: true,
    valued: /^-[IWo]$/,
    plain: PLAIN_MAKE,
  },
  just: {
    form: "recipes",
    files: ["justfile", ".justfile", "Justfile"],
    goesUp: true,
    takes: "first",
    folder: "-d --working-directory",
    file: "-f --justfile",
    plain: /^(?:-[qvu]+|--quiet|--verbose|--unsorted|--yes|--no-highlight|--highlight)$/,
  },
  cargo: {
    form: "aliases",
    files: [".cargo/config.toml", ".cargo/config"],
    goesUp: true,
    anyBut: new Set(),
    folder: "-C",
    valued: /^(?:-Z|--color)$/,
    plain: /^(?:-[qv]+|--quiet|--verbose|--locked|--offline|--frozen)$/,
  },
};
const SAME: Readonly<Record<string, string>> = { gmake: "make" };

/** The names of all of them. */
export const SCRIPT_RUNNER_NAMES: readonly string[] = [...Object.keys(RUNNERS), ...Object.keys(SAME)];

/**
 * What a command runs by name; null where it runs nothing that a file of the project names, or a variable in front of it leads it elsewhere.
 * @param variables their names
 */
export function namedScripts(
  name: string,
  argv: readonly Word[],
  variables: readonly string[] = [],
): NamedScripts | null {
  if (variables.some(changesRunner)) return null;
  const runner = RUNNERS[Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name];
  if (runner === undefined || !Object.hasOwn(RUNNERS, SAME[name] ?? name)) return null;
  const options = optionsOf(runner, argv);
  if (options === null) return null;
  const { operands, folder, file } = options;
  const chosen = chosenBy(runner, operands);
  if (chosen === null || operands.some(({ is_resolved }) => !is_resolved)) return null;
  const { form, files } = runner;
  return {
    form,
    files,
    ...(folder === undefined ? {} : { folder }),
    ...(file === undefined ? {} : { file }),
    fileIsBelow: form === "rules",
    goesUp: runner.goesUp === true,
    hasHooks: runner.hasHooks === true,
    names: chosen.names,
    isScript: chosen.isScript,
    marks: [...argv.slice(0, 1), ...chosen.marks],
  };
}

interface Options {
  operands: Word[];
  folder?: string;
  file?: string;
}

/** Null where an option may lead to another file, or to none: then nothing is said of what is run. */
function optionsOf(runner: Runner, argv: readonly Word[]): Options | null {
  const found: Options = { operands: [] };
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] as Word;
    const { text } = word;
    if (text === "--") break;
    if (!text.startsWith("-") || text === "-" || runner.before?.test(text)) {
      found.operands.push(word);
      continue;
    }
    // What follows a script's name is the script's.
    if (isNamed(runner, found.operands) && runner.looksBehind !== true) continue;
    if (!word.is_resolved) return null;
    if (runner.plain.test(text)) continue;
    const place = placeGiven(runner, argv, at);
    if (place !== null) {
      // Given twice: the one within the other, or both.
      if (found[place.what] !== undefined) return null;
      found[place.what] = place.value;
      at += place.words;
    } else if (runner.valued?.test(text)) at++;
    else return null;
  }
  return found;
}

/** True once the words so far name what is run. */
function isNamed({ before }: Runner, operands: readonly Word[]): boolean {
  const [first, second] = operands;
  return first !== undefined && (before?.test(first.text) !== true || second !== undefined);
}

/** `-f x`, `-fx`, `--file x`, `--file=x`; `words`: how many more than the option itself. */
function placeGiven(
  runner: Runner,
  argv: readonly Word[],
  at: number,
): { what: "folder" | "file"; value: string; words: number } | null {
  const text = argv[at]?.text ?? "";
  for (const what of ["folder", "file"] as const) {
    for (const option of runner[what]?.split(" ") ?? []) {
      const next = argv[at + 1];
      if (text === option) return next?.is_resolved === true ? { what, value: next.text, words: 1 } : null;
      const joined = option.startsWith("--") ? `${option}=` : option;
      const value = text.startsWith(joined) ? text.slice(joined.length) : "";
      if (value !== "" && !value.startsWith("=")) return { what, value, words: 0 };
    }
  }
  return null;
}

/** True for a variable that leads such a program to another file, or has another one run it. */
function changesRunner(variable: string): boolean {
  return /^(?:MAKEFILES|(?:GNU)?MAKEFLAGS|npm_config_.*|pnpm_config_.*|yarn_.*|just_.*|init_cwd)$/i.test(variable);
}

function chosenBy(
  runner: Runner,
  operands: readonly Word[],
): { names: string[]; marks: readonly Word[]; isScript: boolean } | null {
  const [first, second] = operands;
  if (runner.takes !== undefined) {
    const targets = operands
      .filter(({ text }) => !text.includes("="))
      .slice(0, runner.takes === "all" ? operands.length : 1);
    // just: a path before the name is another folder's file.
    if (runner.takes === "first" && targets.some(({ text }) => text.includes("/"))) return null;
    return { names: targets.map(({ text }) => text), marks: targets, isScript: true };
  }
  if (first === undefined) return null;
  const { text } = first;
  if (runner.before?.test(text))
    return second === undefined
      ? null
      : { names: [second.text], marks: [first, second], isScript: !/[./]/.test(second.text) };
  const shortcut = Object.hasOwn(runner.shortcuts ?? {}, text) ? runner.shortcuts?.[text] : undefined;
  if (shortcut !== undefined) return { names: [shortcut], marks: [first], isScript: true };
  return runner.anyBut !== undefined && !runner.anyBut.has(text)
    ? { names: [text], marks: [first], isScript: false }
    : null;
}
