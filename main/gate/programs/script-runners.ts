import type { Word } from "../shell/reading.ts";

/** Programs that run what a file of the project says under a name: `npm test`, `make t`, `just r`, `cargo xtask`. */

export interface NamedScripts {
  /** How the file is written. */
  form: "scripts" | "tasks" | "rules" | "recipes" | "aliases";
  /** The files that it may be, the first one that is there. */
  files: readonly string[];
  /** It is looked for in the folders above as well. */
  goes_up: boolean;
  /** What is run; none: the file's first. */
  names: readonly string[];
  /** Where it is looked for, and the file, where options say so. */
  folder?: Word;
  file?: Word;
  /** The words say that it is a script; else it may be a program, or a file, as well. */
  is_script: boolean;
  /** Scripts of these names run before and after (`pre`, `post`). */
  has_hooks: boolean;
  /** The words from the program's name to the last name. */
  marks: readonly Word[];
}

interface Runner {
  form: NamedScripts["form"];
  files: readonly string[];
  goes_up?: true;
  has_hooks?: true;
  /** Names that are scripts without another word, and what they stand for. */
  shortcuts?: Readonly<Record<string, string>>;
  /** Words before a script's name. */
  before?: RegExp;
  /** Any other first word is a script's name, but for these. */
  any_but?: ReadonlySet<string>;
  /** Operands are names, all of them or the first; none: the file's first. */
  takes?: "all" | "first";
  folder?: string;
  file?: string;
  /** Other options that take the next word. */
  valued?: RegExp;
  /** With one of these it is looked for elsewhere, or isn't run. */
  never?: RegExp;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const SHORTCUTS = { test: "test", t: "test", tst: "test", start: "start", stop: "stop", restart: "restart" };
const PACKAGE = { form: "scripts", files: ["package.json"], goes_up: true } as const;
const ELSEWHERE = /^(?:-w|--workspaces?(?:=.*)?|-r|--recursive|--filter(?:=.*)?|-F|-ws|--help|-h|--version|-v)$/;

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    ...PACKAGE,
    has_hooks: true,
    shortcuts: SHORTCUTS,
    before: /^(?:run|run-script|rum|urn)$/,
    folder: "-C --prefix",
    never: ELSEWHERE,
  },
  pnpm: {
    ...PACKAGE,
    shortcuts: SHORTCUTS,
    before: /^(?:run|run-script)$/,
    any_but: words(
      `add install i update up upgrade remove rm un uninstall link ln unlink import rebuild rb prune fetch patch patch-commit patch-remove
      audit outdated list ls ll why licenses exec dlx create init publish pack store root bin setup env self-update deploy config c cache
      doctor dedupe server approve-builds`,
    ),
    folder: "-C --dir",
    never: ELSEWHERE,
  },
  yarn: {
    ...PACKAGE,
    shortcuts: { test: "test", start: "start" },
    before: /^run$/,
    any_but: words(
      `add install remove up upgrade upgrade-interactive audit autoclean bin cache check config create dedupe dlx exec explain generate-lock-entry
      global help import info init licenses link list login logout node npm outdated owner pack patch patch-commit plugin policies publish rebuild
      run search set stage tag team unlink unplug version versions why workspace workspaces`,
    ),
    folder: "--cwd",
    never: ELSEWHERE,
  },
  bun: { ...PACKAGE, has_hooks: true, before: /^run$/, folder: "--cwd", never: ELSEWHERE },
  node: { ...PACKAGE, before: /^--run$/ },
  deno: { form: "tasks", files: ["deno.json", "deno.jsonc"], goes_up: true, before: /^task$/, folder: "--cwd" },
  make: {
    form: "rules",
    files: ["GNUmakefile", "makefile", "Makefile"],
    takes: "all",
    folder: "-C --directory",
    file: "-f --file --makefile",
    valued: /^-[IWo]$/,
    never: /^(?:-n|--just-print|--dry-run|--recon|-p|--version|-v|--help|-h|-q|--question)$/,
  },
  just: {
    form: "recipes",
    files: ["justfile", ".justfile", "Justfile"],
    goes_up: true,
    takes: "first",
    folder: "-d --working-directory",
    file: "-f --justfile",
    valued: /^(?:--set|--shell|--shell-arg|--dotenv-path)$/,
    never: /^(?:-l|--list|--summary|--evaluate|--dump|-e|--edit|-s|--show|--version|--help|-h|-n|--dry-run)$/,
  },
  cargo: {
    form: "aliases",
    files: [".cargo/config.toml", ".cargo/config"],
    goes_up: true,
    any_but: new Set(),
    valued: /^(?:-C|-Z|--config|--color)$/,
  },
};
const SAME: Readonly<Record<string, string>> = { gmake: "make" };

/** The names of all of them. */
export const SCRIPT_RUNNER_NAMES: readonly string[] = [...Object.keys(RUNNERS), ...Object.keys(SAME)];

/** What a command runs by name; null where it runs nothing that a file of the project names. */
export function namedScripts(name: string, argv: readonly Word[]): NamedScripts | null {
  const runner = RUNNERS[Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name];
  if (runner === undefined || !Object.hasOwn(RUNNERS, SAME[name] ?? name)) return null;
  const operands: Word[] = [];
  const found: { folder?: Word; file?: Word } = {};
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] as Word;
    const { text } = word;
    if (text === "--") break;
    if (!text.startsWith("-") || runner.before?.test(text)) {
      operands.push(word);
      continue;
    }
    // What follows a script's name is the script's.
    if (operands.length > 0 && runner.takes !== "all") continue;
    if (runner.never?.test(text)) return null;
    const next = argv[at + 1];
    if (next !== undefined && runner.folder?.split(" ").includes(text)) found.folder = next;
    else if (next !== undefined && runner.file?.split(" ").includes(text)) found.file = next;
    else if (!runner.valued?.test(text)) continue;
    at++;
  }
  const chosen = chosenBy(runner, operands);
  if (chosen === null || operands.some(({ is_resolved }) => !is_resolved)) return null;
  const { form, files } = runner;
  return {
    form,
    files,
    ...found,
    goes_up: runner.goes_up === true,
    has_hooks: runner.has_hooks === true,
    names: chosen.names,
    is_script: chosen.is_script,
    marks: [...argv.slice(0, 1), ...chosen.marks],
  };
}

function chosenBy(
  runner: Runner,
  operands: readonly Word[],
): { names: string[]; marks: readonly Word[]; is_script: boolean } | null {
  const [first, second] = operands;
  if (runner.takes !== undefined) {
    const targets = operands
      .filter(({ text }) => !text.includes("="))
      .slice(0, runner.takes === "all" ? operands.length : 1);
    return { names: targets.map(({ text }) => text), marks: targets, is_script: true };
  }
  if (first === undefined) return null;
  const { text } = first;
  if (runner.before?.test(text))
    return second === undefined
      ? null
      : { names: [second.text], marks: [first, second], is_script: !/[./]/.test(second.text) };
  const shortcut = Object.hasOwn(runner.shortcuts ?? {}, text) ? runner.shortcuts?.[text] : undefined;
  if (shortcut !== undefined) return { names: [shortcut], marks: [first], is_script: true };
  return runner.any_but !== undefined && !runner.any_but.has(text)
    ? { names: [text], marks: [first], is_script: false }
    : null;
}
