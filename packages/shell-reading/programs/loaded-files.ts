import { absolutePath } from "../paths.ts";
import type { SimpleCommand, Span, Word } from "../reading.ts";
import { launchedBy } from "./hazard-records.ts";
import { interpreterOf, scriptWordOf } from "./interpreters.ts";
import { SCHEDULERS, SHELLS } from "./shells.ts";

/** Files that a command runs beside its script, or in its place: what an option loads, its input, a build's steps, an installed program. */

export interface LoadedFile {
  /** Says that it is run. */
  word: Word;
  /** What it may be called: the first one that is there. */
  names: readonly string[];
  folder: string | null;
  /** It is looked for in the folders above as well. */
  goesUp?: true;
  /** A word that may mean anything else: it counts where a file is there. */
  mayBeFile?: true;
}

/** By language or program: options that load a file. What `path` says takes a path only: a bare name is an installed package's. */
const OPTIONS: Readonly<Record<string, { option: RegExp; takesPathOnly?: true }>> = {
  javascript: { option: /^(?:-r|--require|--import|--loader|--experimental-loader)$/, takesPathOnly: true },
  ruby: { option: /^-r$/, takesPathOnly: true },
  shell: { option: /^--(?:rcfile|init-file)$/ },
  awk: { option: /^(?:-f|-i|--file|--include)$/ },
  php: { option: /^(?:-f|--file)$/ },
  sed: { option: /^(?:-[nErsuz]*f|--file)$/ },
  psql: { option: /^(?:-\w*f|--file)$/ },
  sqlite3: { option: /^-init$/ },
  jq: { option: /^(?:-\w*f|--from-file)$/ },
  gdb: { option: /^(?:-x|-ix|--command|--init-command)$/ },
  cmake: { option: /^-P$/ },
  kubectl: { option: /^(?:-f|--filename)$/ },
};
const SAME: Readonly<Record<string, string>> = { tsx: "javascript", gsed: "sed" };

/** @param before the commands before it in its line */
export function loadedFilesOf(command: SimpleCommand, before: readonly SimpleCommand[]): LoadedFile[] {
  return [...loadedByOptions(command), ...takenFromInput(command, before), ...builtFrom(command)];
}

function loadedByOptions({ name, argv, cwd: folder }: SimpleCommand): LoadedFile[] {
  const key = interpreterOf(name)?.language ?? (SHELLS.has(name) ? "shell" : (SAME[name] ?? name));
  const options = Object.hasOwn(OPTIONS, key) ? OPTIONS[key] : undefined;
  const found: LoadedFile[] = [];
  for (let at = 1; at < argv.length; at++) {
    const { text } = argv[at] as Word;
    const [option = "", joined] = /^(--[\w-]+)=(.*)$/s.exec(text)?.slice(1) ?? joinedLetter(text) ?? [text];
    const word = joined === undefined ? argv[at + 1] : argv[at];
    const value = joined ?? word?.text ?? "";
    if (word === undefined || !word.is_resolved || word.glob === true || value === "") continue;
    if (key === "python" && text === "-m" && /^\w+(?:\.\w+)*$/.test(value)) {
      const path = value.replaceAll(".", "/");
      return [...found, { word, names: [`${path}/__main__.py`, `${path}.py`], folder }];
    }
    const isFile = options?.takesPathOnly === true ? /^(?:\.{0,2}\/|file:)/.test(value) : value !== "-";
    if (options?.option.test(option) && isFile)
      found.push({ word, names: [value.replace(/^file:(?:\/\/)?/, "")], folder });
  }
  return found;
}

/** `-fx.awk` */
function joinedLetter(text: string): string[] | undefined {
  return /^(-\w*?f)(.+)$/s.exec(text)?.slice(1);
}

/** Programs beside shells and interpreters that run what their input says. */
const RUN_INPUT: ReadonlySet<string> = new Set([...SCHEDULERS, "psql", "sqlite3", "mysql", "mariadb", "duckdb", "gdb"]);
const STDIN = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function runsInput({ name, argv, code }: SimpleCommand): boolean {
  if (RUN_INPUT.has(name)) return true;
  const script = scriptWordOf(name, argv);
  if (script !== null && !STDIN.test(script.text)) return false;
  if (SHELLS.has(name) || script !== null) return true;
  const interpreter = interpreterOf(name);
  if (interpreter === undefined || interpreter.firstWordIsCode === true || code !== undefined) return false;
  return !argv.some(({ text }) => /^(?:-m|-[vV]|--(?:version|help|run|test))$/.test(text));
}

/** `bash < x.sh`, `cat x.sh | bash`, `bash <(cat x.sh)`, `eval "$(cat x.sh)"`. */
function takenFromInput(command: SimpleCommand, before: readonly SimpleCommand[]): LoadedFile[] {
  const { argv, redirects, cwd: folder, pipeline, pipelineIndex } = command;
  const found: LoadedFile[] = [];
  const feeding: SimpleCommand[] = [];
  const run: Span[] = [argv[0], scriptWordOf(command.name, argv)].flatMap((word) =>
    word?.is_resolved === false ? [word] : [],
  );
  if (runsInput(command)) {
    for (const { operator, target } of redirects)
      if (operator === "<" && target.is_resolved) found.push({ word: target, names: [target.text], folder });
      else if (operator === "<") run.push(target);
    if (command.stdin?.from === "here-string") run.push(command);
    if (pipeline !== 0)
      feeding.push(...before.filter((one) => one.pipeline === pipeline && one.pipelineIndex < pipelineIndex));
  }
  for (const span of run) feeding.push(...before.filter(({ start, end }) => start >= span.start && end <= span.end));
  return [...found, ...[...new Set(feeding)].flatMap(readBy)];
}

/** What a command may read of which it prints something. */
function readBy({ argv, redirects, cwd: folder }: SimpleCommand): LoadedFile[] {
  const inputs = redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));
  return [...argv.slice(1), ...inputs]
    .filter(({ text, is_resolved }) => is_resolved && !text.startsWith("-"))
    .map((word) => ({ word, names: [word.text], folder, mayBeFile: true }));
}

const BUILD_VALUED =
  /^(?:-[to]|--(?:tag|build-arg|build-context|target|platform|progress|network|secret|ssh|label|output|cache-from|cache-to|iidfile|metadata-file|builder|add-host|ulimit|shm-size|memory|cpus))$/;

/** `docker build .`, `docker compose up`. */
function builtFrom({ name, argv, cwd: folder, redirects }: SimpleCommand): LoadedFile[] {
  if (!/^(?:docker|podman|nerdctl|buildah|docker-compose|podman-compose)$/.test(name)) return [];
  const isCompose = name.endsWith("-compose") || argv[1]?.text === "compose";
  const at = isCompose ? 0 : argv.findIndex(({ text }) => /^(?:build|bud)$/.test(text));
  if (at === -1 || !argv.slice(1, at).every(({ text }) => /^(?:-.*|buildx|image|builder)$/.test(text))) return [];
  const files: Word[] = [];
  const operands: Word[] = [];
  for (let next = at + 1; next < argv.length; next++) {
    const word = argv[next] as Word;
    const after = argv[next + 1];
    const joined = /^--file=(.+)$/s.exec(word.text)?.[1];
    if (joined !== undefined) files.push({ ...word, text: joined });
    else if (/^(?:-f|--file)$/.test(word.text) && after !== undefined) files.push(after);
    if (!word.text.startsWith("-") || word.text === "-") operands.push(word);
    else if (/^(?:-f|--file)$/.test(word.text) || BUILD_VALUED.test(word.text)) next++;
  }
  const [command] = argv;
  const context = operands[0] ?? command;
  if (context?.text === "-") {
    const input = redirects.find(({ operator }) => operator === "<")?.target;
    return input?.is_resolved === true ? [{ word: input, names: [input.text], folder }] : [];
  }
  if (files.length > 0)
    return files.flatMap((word) => (word.is_resolved ? [{ word, names: [word.text], folder }] : []));
  if (isCompose && command !== undefined) return [{ word: command, names: COMPOSE_FILES, folder, goesUp: true }];
  if (context === undefined || !context.is_resolved || /^[\w+]+:\/\/|^git@/.test(context.text)) return [];
  const inner = absolutePath(context.text, folder);
  return [{ word: context, names: ["Dockerfile", "Containerfile"], folder: inner }];
}

const COMPOSE_FILES = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/** Where launchers look for the programs that a project has installed. */
const INSTALLED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["npx", "bunx", "npm", "pnpm", "yarn"].map((name) => [name, "node_modules/.bin"])),
  ...Object.fromEntries(["uv", "poetry", "pipenv"].map((name) => [name, ".venv/bin"])),
};

/** `npx jest`, `pnpm vitest`, `uv run x.py`: the installed program, or the file, that a launcher starts. */
export function launchedFile({ name, argv, cwd: folder }: SimpleCommand): LoadedFile | null {
  const bin = Object.hasOwn(INSTALLED, name) ? INSTALLED[name] : undefined;
  const isDirect = /^(?:pnpm|yarn)$/.test(name);
  const word = launchedBy(name, argv)?.[0] ?? (isDirect ? argv[1] : undefined);
  const called = /^(?:@[\w.-]+\/)?([\w.-]+)(?:@[^/]*)?$/.exec(word?.text ?? "")?.[1];
  if (bin === undefined || word?.is_resolved !== true || called === undefined || called.startsWith("-")) return null;
  const names = [`${bin}/${called}`, ...(called.endsWith(".py") ? [called] : [])];
  return { word, names, folder, goesUp: true };
}
