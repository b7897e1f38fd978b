import {
  downloadedScripts,
  effectsOf,
  programHazards,
  type SimpleCommand,
  type Span,
  type Word,
} from "@metnos-gate/shell-reading";
import { askedEachTime, certainPath, isAtOrBelow, kindOf } from "@metnos-gate/shell-reading/files";
import { isInteractive, programOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import { shortenHome } from "../../../ipc/base/visible-text.ts";
import type { Hazard } from "../../../ipc/contract/description.ts";
import { HAZARDS, type HazardId } from "../../../ipc/contract/hazards.ts";
import { pathName, type ResolvedRequirement } from "../../targets/target.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import type { ExecutorManifest } from "../executors/manifest.ts";
import { isIgnored, isMadeByBuild } from "../places/built-folders.ts";
import type { CallPlace } from "../places/call-place.ts";
import { counted } from "../places/deleted-files.ts";
import type { HeldByGit } from "../places/held-by-git.ts";
import { runsLater } from "../places/run-later.ts";

/** What is dangerous about a call, and where it says so. Only warns: nothing is let through, or kept from it, by this. */

/** More than a card can say. */
const MAX_HAZARDS = 16;

/** Of command lines: by the programs' rules, what their paths mean, and what is done with what is fetched. */
export function hazardsOfLines(lines: readonly CommandLine[], place: CallPlace, held: HeldByGit): Hazard[] {
  return lines.flatMap((line) => {
    const found = line.reading.commands.flatMap((command) => hazardsOfCommand(line, command, place, held));
    return [...found, ...downloadedScripts(line.reading).map((one) => fromElsewhere(line, one))];
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
    if (capability === "fs:read" && access !== "list")
      return secretRead(paths, shownPath(pathName(target), place), null);
    if (capability !== "fs:write") return [];
    const deletes: Hazard[] = access === "delete" ? deletedBy([pathName(target)], null) : [];
    return [...deletes, ...written(paths, shownPath(pathName(target), place), null, place)];
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
    const { id, span, host, path, file } = hazard;
    const key = JSON.stringify([id, span?.arg, span?.start, span?.end, host, path, file]);
    if (!kept.has(key)) kept.set(key, hazard);
  }
  const order = (id: HazardId) => HAZARDS.indexOf(id);
  return [...kept.values()].sort((a, b) => order(a.id) - order(b.id)).slice(0, MAX_HAZARDS);
}

function hazardsOfCommand(line: CommandLine, command: SimpleCommand, place: CallPlace, held: HeldByGit): Hazard[] {
  const spanOf = (marks: readonly Span[]) => spanIn(line, marks.length === 0 ? [command] : marks);
  const isElsewhere = command.via.some((label) => wrapperOf(label).runsElsewhere);
  const found = programHazards(command, line.text, (name) => isInstalled(name, command.cwd, place));
  if (found === null) return [];
  const hazards = found.map(({ marks, ...hazard }): Hazard => ({ ...hazard, span: spanOf(marks) }));
  if (isElsewhere || programOf(command.name).worksOnRepository) return hazards;
  const { deleted, treesDeleted, foundDeleted, onlyRead } = effectsOf(command);
  const single = deleted.filter((word) => !foundDeleted.includes(word));
  const isKept = (word: Word) => held.isKept(pathOf(word, command) ?? "");
  const lost = [
    ...treesDeleted.filter((word) => mayLose(pathOf(word, command), command, line.reading.commands, place)),
    ...single.filter((word) => {
      const path = pathOf(word, command);
      return path === null || word.glob === true || (kindOf(path) !== "nothing" && held.heldAt(path) !== "held");
    }),
  ].filter((word) => !isKept(word));
  if (lost.length > 0 || foundDeleted.length > 0) {
    const [program] = command.argv;
    const marks = foundDeleted.length > 0 || program === undefined ? [command] : [program, ...lost];
    const paths = foundDeleted.length > 0 ? [null] : lost.map((word) => pathOf(word, command));
    hazards.push(...deletedBy(paths, spanOf(marks)));
  }
  for (const word of writtenWords(command)) {
    const path = pathOf(word, command);
    if (path !== null) hazards.push(...written(formsOf(path), shownPath(path, place), spanOf([word]), place));
  }
  for (const word of onlyRead) {
    const path = pathOf(word, command);
    if (path !== null) hazards.push(...secretRead(formsOf(path), shownPath(path, place), spanOf([word])));
  }
  return hazards;
}

function fromElsewhere(
  { arg }: CommandLine,
  { id, start, end, host }: ReturnType<typeof downloadedScripts>[number],
): Hazard {
  const span = start < end ? { arg, start, end } : null;
  return host === null ? { id, span } : { id, span, host };
}

/**
 * Whether something may be lost with all that lies at a path of the project: not where nothing is there, and nothing that the line does before may put
 * something there; nor what a build makes again and Git ignores.
 */
function mayLose(
  path: string | null,
  command: SimpleCommand,
  commands: readonly SimpleCommand[],
  { project, cwd }: CallPlace,
): boolean {
  const folder = project ?? cwd;
  if (path === null || folder === undefined || !isAtOrBelow(path, folder)) return true;
  if (kindOf(path) === "nothing") {
    const before = commands.slice(0, Math.max(0, commands.indexOf(command)));
    return command.inLoop || before.some((one) => one.isSpeculative || mayPut(one));
  }
  return !isRebuilt(path);
}

/** Of a program without a record anything may be there afterwards. */
function mayPut(command: SimpleCommand): boolean {
  const { written, moved, placed, treesWritten } = effectsOf(command);
  return !programOf(command.name).hasRecord || [written, moved, placed, treesWritten].some((all) => all.length > 0);
}

/** A folder, not a link to one, that a build makes again, and that Git ignores. */
export function isRebuilt(path: string): boolean {
  return kindOf(path) === "folder" && isMadeByBuild(path) && isIgnored(path) === true;
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
  if (paths.some(instructsAgents)) return [{ id: "instructs-agents", span, path }];
  const isOutside = paths.some((one) => place.isOutside(one));
  return isOutside ? [{ id: "writes-outside-project", span, path }] : [];
}

/** What agents read by itself as they start in a folder, or at and below its first: not run, but done. */
const INSTRUCTIONS =
  /\/(?:(?:agents|claude|gemini|qwen|warp|crush|conventions)(?:\.local|\.override)?\.md|\.(?:cursor|windsurf|cline|roo|kilocode|goose)(?:rules|hints)(?:\/.*)?|\.rules|\.github\/(?:copilot-instructions\.md|instructions\/.*|agents\/.*|prompts\/.*)|\.junie\/guidelines\.md)$/i;

/** True for a file (absolute) that agents read as instructions. */
export const instructsAgents = (path: string): boolean => INSTRUCTIONS.test(path);

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
  return word.is_resolved && word.glob !== true && word.text !== "" ? certainPath(word.text, cwd) : null;
}

function formsOf(path: string): string[] {
  return [path];
}

/** As the user would call it: from the working directory, or from the home. */
export function shownPath(path: string, { cwd, home }: CallPlace): string {
  if (cwd !== undefined && path !== cwd && isAtOrBelow(path, cwd)) return path.slice(cwd === "/" ? 1 : cwd.length + 1);
  return shortenHome(path, home);
}

/** From the first to the last of the marks, within the text. */
function spanIn({ arg, text }: CommandLine, marks: readonly Span[]): Hazard["span"] {
  const start = Math.min(...marks.map((mark) => mark.start));
  const end = Math.min(Math.max(...marks.map((mark) => mark.end)), text.length);
  return start >= 0 && start < end ? { arg, start, end } : null;
}
