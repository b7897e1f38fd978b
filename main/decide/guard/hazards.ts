import { shortenHome } from "../../../ipc/base/visible-text.ts";
import type { Hazard } from "../../../ipc/contract/description.ts";
import { HAZARDS, type HazardId } from "../../../ipc/contract/hazards.ts";
import { absolutePath } from "../../../packages/shell-reading/paths.ts";
import {
  destroysPool,
  diskToolCalled,
  onlySays,
} from "../../../packages/shell-reading/programs/disks-and-processes.ts";
import { type FoundHazard, hazardsBy } from "../../../packages/shell-reading/programs/hazard.ts";
import {
  evaluatesText,
  fetchedHost,
  hazardRulesOf,
  launchedBy,
  packageFetchedBy,
  rootBy,
  runsElsewhere,
  sourceOf,
} from "../../../packages/shell-reading/programs/hazard-records.ts";
import { isInteractive } from "../../../packages/shell-reading/programs/interactive.ts";
import { interpreterOf, scriptWordOf } from "../../../packages/shell-reading/programs/interpreters.ts";
import { SHELLS } from "../../../packages/shell-reading/programs/shells.ts";
import { programCalled } from "../../../packages/shell-reading/programs/table.ts";
import type { SimpleCommand, Span, Word } from "../../../packages/shell-reading/reading.ts";
import { isAtOrBelow, kindOf } from "../../../packages/shell-reading/targets/pattern.ts";
import { askedEachTime } from "../../../packages/shell-reading/targets/secret-files.ts";
import { pathName, type ResolvedRequirement } from "../../../packages/shell-reading/targets/target.ts";
import { programName } from "../../../packages/shell-reading/word.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import type { CallPlace } from "../places/call-place.ts";
import { counted } from "../places/deleted-files.ts";
import type { HeldByGit } from "../places/held-by-git.ts";
import { runsLater } from "../places/run-later.ts";
import { effectsOf } from "./shell/effects.ts";

/** What is dangerous about a call, and where it says so. Only warns: nothing is let through, or kept from it, by this. */

/** More than a card can say. */
const MAX_HAZARDS = 16;

/** Of command lines: by the programs' rules, what their paths mean, and what is done with what is fetched. */
export function hazardsOfLines(lines: readonly CommandLine[], place: CallPlace, held: HeldByGit): Hazard[] {
  return lines.flatMap((line) => {
    const found = line.reading.commands.flatMap((command) => hazardsOfCommand(line, command, place, held));
    return [...found, ...downloadedScripts(line)];
  });
}

/** Of a tool whose programs can be typed into later, past the gate: those that wait for that. */
export function typedIntoLater(lines: readonly CommandLine[], { keeps_input }: ExecutorManifest): Hazard[] {
  if (keeps_input !== true) return [];
  return lines.flatMap((line) =>
    line.reading.commands
      .filter(isInteractive)
      .map((command): Hazard => ({ id: "typed-into-later", span: spanIn(line, [command]) })),
  );
}

/** Of a tool that names files: where it writes and what it reads. */
export function hazardsOfNeeds(needs: readonly ResolvedRequirement[], place: CallPlace): Hazard[] {
  return needs.flatMap(({ capability, target, access }): Hazard[] => {
    if (capability === "mail:send") return [{ id: "sends-mail", span: null }];
    if (target.kind !== "path") return [];
    const paths = [target.lexical, ...(target.real === null ? [] : [target.real])];
    if (capability === "fs:read" && access !== "list") return secretRead(paths, shown(pathName(target), place), null);
    if (capability !== "fs:write") return [];
    const deletes: Hazard[] = access === "delete" ? deletedBy([pathName(target)], null) : [];
    return [...deletes, ...written(paths, shown(pathName(target), place), null, place)];
  });
}

/** What its manifest says of each of its calls. */
export function hazardOfTool({ hazard }: ExecutorManifest): Hazard[] {
  return hazard === undefined ? [] : [{ id: hazard, span: null }];
}

/** True where commands in a text that the call names run without being asked about. */
export function runsUnasked(hazards: readonly Pick<Hazard, "id">[]): boolean {
  return hazards.some(({ id }) => id === "runs-unasked");
}

/** Each of them once for its place, the worst first. */
export function worstFirst(hazards: readonly Hazard[]): Hazard[] {
  const kept = new Map<string, Hazard>();
  for (const hazard of hazards) {
    const { id, span, host, path } = hazard;
    const key = JSON.stringify([id, span?.arg, span?.start, span?.end, host, path]);
    if (!kept.has(key)) kept.set(key, hazard);
  }
  const order = (id: HazardId) => HAZARDS.indexOf(id);
  return [...kept.values()].sort((a, b) => order(a.id) - order(b.id)).slice(0, MAX_HAZARDS);
}

function hazardsOfCommand(line: CommandLine, command: SimpleCommand, place: CallPlace, held: HeldByGit): Hazard[] {
  // A word that is a subcommand of its program, and is called like another one.
  const [outer] = command.via.slice(-1);
  if (command.isSpeculative && outer !== undefined && hazardRulesOf(outer).length > 0) return [];
  const spanOf = (marks: readonly Span[]) => spanIn(line, marks.length === 0 ? [command] : marks);
  const isElsewhere = command.via.some(runsElsewhere);
  const hazards: Hazard[] = rootOf(line, command);
  for (const { marks, ...found } of byPrograms(command, place)) hazards.push({ ...found, span: spanOf(marks) });
  hazards.push(...disk(command, spanOf));
  if (isElsewhere || programCalled(command.name)?.worksOnRepository) return hazards;
  const { deleted, treesDeleted, foundDeleted, onlyRead } = effectsOf(command);
  const single = deleted.filter((word) => !foundDeleted.includes(word));
  const lost = [
    ...treesDeleted,
    ...single.filter((word) => {
      const path = pathOf(word, command);
      return path === null || word.glob === true || (kindOf(path) !== "nothing" && held.heldAt(path) !== "held");
    }),
  ];
  if (lost.length > 0 || foundDeleted.length > 0) {
    const [program] = command.argv;
    const marks = foundDeleted.length > 0 || program === undefined ? [command] : [program, ...lost];
    const paths = foundDeleted.length > 0 ? [null] : lost.map((word) => pathOf(word, command));
    hazards.push(...deletedBy(paths, spanOf(marks)));
  }
  for (const word of writtenWords(command)) {
    const path = pathOf(word, command);
    if (path !== null) hazards.push(...written(formsOf(path), shown(path, place), spanOf([word]), place));
  }
  for (const word of onlyRead) {
    const path = pathOf(word, command);
    if (path !== null) hazards.push(...secretRead(formsOf(path), shown(path, place), spanOf([word])));
  }
  return hazards;
}

/** By the rules of the program, and of the one that it starts. */
function byPrograms(command: SimpleCommand, place: CallPlace): FoundHazard[] {
  const found: FoundHazard[] = [];
  let argv: readonly Word[] | null = command.argv;
  for (let left = 4; argv !== null && left > 0; left--) {
    const name: string = left === 4 ? command.name : programName(argv[0]?.text ?? "").replace(/@[^@]*$/, "");
    found.push(...hazardsBy(hazardRulesOf(name), { argv, stdin: command.stdin, cwd: command.cwd }));
    const fetched = packageFetchedBy(name, argv);
    if (fetched !== null && !isInstalled(fetched.name, command.cwd, place))
      found.push({ id: "unpinned-package", marks: [...argv.slice(0, 1), fetched.word] });
    argv = launchedBy(name, argv);
  }
  return found;
}

/** True if a program of this name lies in the packages of the folder, or of one above it. */
function isInstalled(name: string, cwd: string | null, { project }: CallPlace): boolean {
  if (cwd === null) return false;
  let here = cwd;
  for (let left = 32; left > 0; left--) {
    if (kindOf(`${here}/node_modules/.bin/${name}`) !== "nothing") return true;
    if (here === project || here === "/" || here === "") return false;
    here = here.slice(0, here.lastIndexOf("/"));
  }
  return false;
}

function rootOf(line: CommandLine, command: SimpleCommand): Hazard[] {
  const before = line.text.slice(0, command.argv[0]?.start ?? command.end);
  return command.via.flatMap((label): Hazard[] => {
    const name = rootBy(label);
    if (name === null) return [];
    const marks = [...before.matchAll(new RegExp(`(?<=^|[\\s;&|(/"'])${name.replace(/\W/g, "\\$&")}(?=\\s)`, "g"))];
    const at = marks.at(-1)?.index;
    // Another user than root.
    if (at !== undefined && /\s(?:-u|--user)[\s=]?(?!root\b|0\b|#0\b)\S/.test(before.slice(at))) return [];
    const mark = at === undefined ? command : { start: at, end: at + name.length };
    return [{ id: "as-root", span: spanIn(line, [mark]) }];
  });
}

function disk(command: SimpleCommand, spanOf: (marks: readonly Span[]) => Hazard["span"]): Hazard[] {
  const tool = diskToolCalled(command.name);
  const texts = command.argv.slice(1).map(({ text }) => text);
  if (tool === undefined || onlySays(texts)) return [];
  const isDevice = texts.some((text) => text.startsWith("/dev/"));
  const overwrites = tool.makesFileSystem === true || (tool.wipes === true && isDevice) || destroysPool(tool, texts);
  return overwrites ? [{ id: "overwrites-disk", span: spanOf([]) }] : [];
}

/** What it writes, makes, moves or changes the rights of; its redirections among it. */
function writtenWords(command: SimpleCommand): Word[] {
  const { written, changed, treesChanged, treesWritten, moved, placed } = effectsOf(command);
  return [
    ...new Set([...written, ...changed, ...treesChanged, ...treesWritten, ...moved, ...placed.map(({ word }) => word)]),
  ];
}

function written(paths: readonly string[], path: string, span: Hazard["span"], place: CallPlace): Hazard[] {
  if (paths.some((one) => /^\/dev\//.test(one))) return [];
  if (paths.some((one) => runsLater(one, place))) return [{ id: "changes-what-runs-later", span, path }];
  if (paths.some((one) => INSTRUCTIONS.test(one))) return [{ id: "instructs-agents", span, path }];
  const isOutside = paths.some((one) => place.isOutside(one));
  return isOutside ? [{ id: "writes-outside-project", span, path }] : [];
}

/** What agents read by itself as they start in a folder, or at and below its first: not run, but done. */
const INSTRUCTIONS =
  /\/(?:(?:agents|claude|gemini|qwen|warp|crush|conventions)(?:\.local|\.override)?\.md|\.(?:cursor|windsurf|cline|roo|kilocode|goose)(?:rules|hints)(?:\/.*)?|\.rules|\.github\/(?:copilot-instructions\.md|instructions\/.*|agents\/.*|prompts\/.*)|\.junie\/guidelines\.md)$/i;

function secretRead(paths: readonly string[], path: string, span: Hazard["span"]): Hazard[] {
  return paths.some((one) => askedEachTime(one) !== undefined) ? [{ id: "reads-secrets", span, path }] : [];
}

/** `null` among the paths: any of them, so that none are counted. */
function deletedBy(paths: readonly (string | null)[], span: Hazard["span"]): Hazard[] {
  const known = paths.filter((path) => path !== null);
  return [{ id: "deletes-files", span, ...(known.length === paths.length ? counted(known) : {}) }];
}

/** Where a word leads; null where that isn't known, or where it may be any number of names. */
function pathOf(word: Word, { cwd }: SimpleCommand): string | null {
  return word.is_resolved && word.glob !== true && word.text !== "" ? absolutePath(word.text, cwd) : null;
}

function formsOf(path: string): string[] {
  return [path];
}

/** As the user would call it: from the working directory, or from the home. */
function shown(path: string, { cwd, home }: CallPlace): string {
  if (cwd !== undefined && path !== cwd && isAtOrBelow(path, cwd)) return path.slice(cwd === "/" ? 1 : cwd.length + 1);
  return shortenHome(path, home);
}

/** From the first to the last of the marks, within the text. */
function spanIn({ arg, text }: CommandLine, marks: readonly Span[]): Hazard["span"] {
  const start = Math.min(...marks.map((mark) => mark.start));
  const end = Math.min(Math.max(...marks.map((mark) => mark.end)), text.length);
  return start >= 0 && start < end ? { arg, start, end } : null;
}

// Text that comes from the internet, or is hidden in data, and is run: through a pipe, a substitution, or a file in between.

/** More than one line of a user's ever has. */
const MAX_SOURCES = 40;

function downloadedScripts(line: CommandLine): Hazard[] {
  const { commands } = line.reading;
  const sources = commands.flatMap((command) => {
    const source = sourceOf(command.name, command.argv.slice(1));
    return source === null ? [] : [{ command, source }];
  });
  return sources.slice(0, MAX_SOURCES).flatMap(({ command, source }): Hazard[] => {
    const runner =
      commands.find((one) => takesFromPipe(one, command)) ??
      commands.find((one) => takesSubstitution(one, command, line.text)) ??
      (source === "fetched" ? commands.find((one) => runsFile(one, command, commands)) : undefined);
    if (runner === undefined) return [];
    const start = Math.min(command.start, runner.start);
    const end = Math.min(Math.max(command.end, runner.end), line.text.length);
    const host = source === "fetched" ? fetchedHost(command.argv.slice(1)) : null;
    return [
      {
        id: source === "fetched" ? "runs-downloaded-script" : "runs-hidden-code",
        span: start < end ? { arg: line.arg, start, end } : null,
        ...(host === null ? {} : { host }),
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
