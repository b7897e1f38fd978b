import { effectsOf, type SimpleCommand, type Word } from "@metnos-gate/shell-reading";
import { certainPath, kindOf } from "@metnos-gate/shell-reading/files";
import { programOf } from "@metnos-gate/shell-reading/programs";
import type { Hazard } from "../../../ipc/contract/description.ts";
import type { HazardId } from "../../../ipc/contract/hazards.ts";
import { lineOfText } from "../description/named-danger.ts";
import type { Named } from "../description/run-by-name.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { hazardsOfLines } from "../guard/hazards.ts";
import { isMadeByBuild } from "../places/built-folders.ts";
import type { CallPlace } from "../places/call-place.ts";
import { counted } from "../places/deleted-files.ts";
import type { HeldByGit } from "../places/held-by-git.ts";

/** What of a line's hazards a box doesn't take away. */

/** Work in the project that nothing else holds. */
const LOSES: ReadonlySet<HazardId> = new Set(["discards-changes", "deletes-database"]);
/** What goes to another machine, or needs more than the project. */
const REACHES_OUT: ReadonlySet<HazardId> = new Set([
  "deletes-cloud-resources",
  "overwrites-disk",
  "rewrites-remote-history",
  "as-root",
  "publishes",
  "sends-file",
  "sends-mail",
  "deletes-container-data",
  "leaves-container",
  "stops-services",
]);
/** A package that isn't there yet is fetched. */
const FETCHES: HazardId = "unpinned-package";

export interface LineHazards {
  /** What would destroy work, as the line says it; null where nothing does. */
  loses: string | null;
  reachesOut: string | null;
  fetches: string | null;
}

/** @param names what names in the line stand for */
export function hazardsOf(line: CommandLine, names: readonly Named[], place: CallPlace, held: HeldByGit): LineHazards {
  const hazards = hazardsOfLines([line], place, held);
  const first = (ids: ReadonlySet<HazardId>): string | null => {
    const found = hazards.find(({ id }) => ids.has(id));
    return found === undefined ? null : wordsOf(line, found);
  };
  return {
    loses: first(LOSES) ?? deletesWork(line.reading.commands, held) ?? lostByNames(names, place, held),
    reachesOut: first(REACHES_OUT),
    fetches: first(new Set([FETCHES])),
  };
}

/** What a script that the line names would destroy: what it reaches, or fetches, its box keeps from it. */
function lostByNames(names: readonly Named[], place: CallPlace, held: HeldByGit): string | null {
  for (const text of names.flatMap(({ texts }) => texts)) {
    const line = lineOfText(text);
    const found = hazardsOfLines([line], { ...place, cwd: text.cwd }, held).find(({ id }) => LOSES.has(id));
    const lost = found === undefined ? deletesWork(line.reading.commands, held) : wordsOf(line, found);
    if (lost !== null) return lost;
  }
  return null;
}

/** The whole command that a hazard is in, as it is written. */
function wordsOf({ text, reading }: CommandLine, { span }: Hazard): string {
  if (span === null) return "";
  const around = reading.commands
    .filter(({ start, end }) => start <= span.start && end >= span.end)
    .sort((a, b) => a.end - a.start - (b.end - b.start))[0];
  return text.slice(around?.start ?? span.start, around?.end ?? span.end).trim();
}

/** Tracked files that may go with a folder: git has them, and that many are soon fetched back. */
const MAX_TRACKED = 20;

/** A deletion of what git doesn't hold as it is, or of more files than one would notice. */
function deletesWork(commands: readonly SimpleCommand[], held: HeldByGit): string | null {
  for (const command of commands) {
    if (programOf(command.name).worksOnRepository) continue;
    const { deleted, treesDeleted, foundDeleted } = effectsOf(command);
    const lost = [...foundDeleted, ...treesDeleted, ...deleted].find((word) => losesWork(word, command, held));
    if (lost !== undefined) return lost.text;
  }
  return null;
}

function losesWork(word: Word, { cwd }: SimpleCommand, held: HeldByGit): boolean {
  const path = word.is_resolved && word.glob !== true && word.text !== "" ? certainPath(word.text, cwd) : null;
  if (path === null) return true;
  if (kindOf(path) === "nothing" || isMadeByBuild(path)) return false;
  return !held.holdsAllBelow(path) || (counted([path]).files ?? 0) > MAX_TRACKED;
}
