import { absolutePath } from "../paths.ts";
import { destroysPool, diskToolCalled, onlySays } from "../programs/disks-and-processes.ts";
import { type FoundHazard, hazardsBy } from "../programs/hazard.ts";
import {
  evaluatesText,
  fetchedHost,
  hazardRulesOf,
  launchedBy,
  packageFetchedBy,
  rootBy,
  sourceOf,
} from "../programs/hazard-records.ts";
import { interpreterOf, scriptWordOf } from "../programs/interpreters.ts";
import { SHELLS } from "../programs/shells.ts";
import type { Reading, SimpleCommand, Span, Word } from "../reading.ts";
import { programName } from "../word.ts";
import { effectsOf } from "./effects.ts";

/** What is dangerous about commands by what is known of their programs. Only warns. */

/** True for a word that is a subcommand of its program, and is called like another one. */
function isRatherSubcommand({ isSpeculative, via }: SimpleCommand): boolean {
  const outer = via.at(-1);
  return isSpeculative === true && outer !== undefined && hazardRulesOf(outer).length > 0;
}

/**
 * By the rules of the program, of the one that it starts, and of what it is run by; without marks: the whole command. Null for a word that is
 * rather a subcommand than a program.
 * @param line the text that the command is in
 * @param isInstalled a program of this name is there already: nothing is fetched to run it
 */
export function programHazards(
  command: SimpleCommand,
  line: string,
  isInstalled: (name: string) => boolean,
): FoundHazard[] | null {
  if (isRatherSubcommand(command)) return null;
  const found = marksOfRoot(command, line).map((mark): FoundHazard => ({ id: "as-root", marks: [mark] }));
  let argv: readonly Word[] | null = command.argv;
  for (let left = 4; argv !== null && left > 0; left--) {
    const name: string = left === 4 ? command.name : programName(argv[0]?.text ?? "").replace(/@[^@]*$/, "");
    found.push(...hazardsBy(hazardRulesOf(name), { argv, stdin: command.stdin, cwd: command.cwd }));
    const fetched = packageFetchedBy(name, argv);
    if (fetched !== null && !isInstalled(fetched.name))
      found.push({ id: "unpinned-package", marks: [...argv.slice(0, 1), fetched.word] });
    argv = launchedBy(name, argv);
  }
  return overwritesDisk(command) ? [...found, { id: "overwrites-disk", marks: [] }] : found;
}

function overwritesDisk({ name, argv }: SimpleCommand): boolean {
  const tool = diskToolCalled(name);
  const texts = argv.slice(1).map(({ text }) => text);
  if (tool === undefined || onlySays(texts)) return false;
  const isDevice = texts.some((text) => text.startsWith("/dev/"));
  return tool.makesFileSystem === true || (tool.wipes === true && isDevice) || destroysPool(tool, texts);
}

/** Where a line says that a command runs as root, once for each wrapper that does so; the command itself where that isn't found. */
function marksOfRoot(command: SimpleCommand, line: string): Span[] {
  const before = line.slice(0, command.argv[0]?.start ?? command.end);
  return command.via.flatMap((label): Span[] => {
    const name = rootBy(label);
    if (name === null) return [];
    const marks = [...before.matchAll(new RegExp(`(?<=^|[\\s;&|(/"'])${name.replace(/\W/g, "\\$&")}(?=\\s)`, "g"))];
    const at = marks.at(-1)?.index;
    // Another user than root.
    if (at !== undefined && /\s(?:-u|--user)[\s=]?(?!root\b|0\b|#0\b)\S/.test(before.slice(at))) return [];
    return [at === undefined ? command : { start: at, end: at + name.length }];
  });
}

/** More than one line of a user's ever has. */
const MAX_SOURCES = 40;

/** Text that comes from the internet, or is hidden in data, and is run: through a pipe, a substitution, or a file in between. */
interface DownloadedScript extends Span {
  id: "runs-downloaded-script" | "runs-hidden-code";
  /** Where it is fetched from; null where that isn't known, or it is from nowhere. */
  host: string | null;
}

export function downloadedScripts({ text, commands }: Reading): DownloadedScript[] {
  const sources = commands.flatMap((command) => {
    const source = sourceOf(command.name, command.argv.slice(1));
    return source === null ? [] : [{ command, source }];
  });
  return sources.slice(0, MAX_SOURCES).flatMap(({ command, source }): DownloadedScript[] => {
    const runner =
      commands.find((one) => takesFromPipe(one, command)) ??
      commands.find((one) => takesSubstitution(one, command, text)) ??
      (source === "fetched" ? commands.find((one) => runsFile(one, command, commands)) : undefined);
    if (runner === undefined) return [];
    return [
      {
        id: source === "fetched" ? "runs-downloaded-script" : "runs-hidden-code",
        start: Math.min(command.start, runner.start),
        end: Math.min(Math.max(command.end, runner.end), text.length),
        host: source === "fetched" ? fetchedHost(command.argv.slice(1)) : null,
      },
    ];
  });
}

const runsText = (name: string): boolean => SHELLS.has(name) || interpreterOf(name) !== undefined;

/** `curl URL | sh -s`: a later part of its pipeline runs what comes on its input. */
function takesFromPipe(runner: SimpleCommand, source: SimpleCommand): boolean {
  if (runner.pipeline === 0 || runner.pipeline !== source.pipeline || runner.pipelineIndex <= source.pipelineIndex)
    return false;
  if (!runsText(runner.name)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const readsInput = script === null || /^\/dev\/(?:stdin|fd\/0)$/.test(script.text);
  return (
    readsInput &&
    (SHELLS.has(runner.name) ||
      !runner.argv.some(({ text }) => /^-\w*[ceEpnmrVv]$|^--(?:eval|print|version|help)$/.test(text)))
  );
}

/** `bash <(curl URL)`, `eval "$(curl URL)"`, `sh -c "$(curl URL)"`. */
function takesSubstitution(runner: SimpleCommand, source: SimpleCommand, text: string): boolean {
  if (runner === source || source.captures <= runner.captures) return false;
  if (runner.start > source.start || runner.end < source.end) return false;
  const [first] = runner.argv;
  const last = runner.via.at(-1);
  // A text that was evaluated, and began with what was fetched.
  if (last !== undefined && (evaluatesText(last) || / -c$/.test(last))) return first?.is_resolved === false;
  if (evaluatesText(runner.name)) return true;
  if (!runsText(runner.name)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const holds = (word: { start: number; end: number } | null | undefined) =>
    word != null && word.start <= source.start && word.end >= source.end;
  if (holds(script)) return true;
  const code = runner.argv.findIndex(({ text: one }) => /^-\w*[ceE]$|^--eval$/.test(one));
  if (code > 0 && holds(runner.argv[code + 1])) return true;
  // `sh <<< "$(curl URL)"`, `sh < <(curl URL)`.
  return script === null && code === -1 && /<<<|<\s*<\(/.test(text.slice(runner.start, source.start));
}

/** `curl -o x.sh URL && sh x.sh`. */
function runsFile(runner: SimpleCommand, source: SimpleCommand, commands: readonly SimpleCommand[]): boolean {
  if (commands.indexOf(runner) <= commands.indexOf(source)) return false;
  const script = scriptWordOf(runner.name, runner.argv);
  const path = script === null ? null : absolutePath(script.text, runner.cwd);
  if (path === null) return false;
  const files = effectsOf(source).written.flatMap((word) => absolutePath(word.text, source.cwd) ?? []);
  return files.includes(path) || fetchedName(source) === path;
}

/** `curl -O https://a.example/x.sh` makes x.sh. */
function fetchedName(source: SimpleCommand): string | null {
  const url = source.argv.find(({ text }) => /^[a-z]+:\/\//i.test(text))?.text ?? "";
  const name = /\/([^/?#]+)(?:[?#]|$)/.exec(url.replace(/^[a-z]+:\/\/[^/]*/i, ""))?.[1];
  return name === undefined ? null : absolutePath(name, source.cwd);
}
