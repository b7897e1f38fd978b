import type { Reading, Span } from "@metnos-gate/shell-reading";
import type { Destination, Hazard, StandsFor } from "../../../ipc/contract/description.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { Executor } from "../executors/catalog.ts";
import { type CommandLine, CommandLines } from "../executors/command-lines.ts";
import { manifestSchema } from "../executors/manifest.ts";
import { needsOf } from "../executors/needs.ts";
import { runs } from "../executors/tool-shapes.ts";
import { type GuardBlock, type GuardSettings, guard } from "../guard/guard.ts";
import { hazardsOfLines, shownPath } from "../guard/hazards.ts";
import { findingIn, findingText } from "../guard/shell/guard-shell.ts";
import { type CallPlace, placeOf } from "../places/call-place.ts";
import type { HeldByGit } from "../places/held-by-git.ts";
import type { Destinations } from "./destinations.ts";
import { type Named, namesOfLines, type ScriptText } from "./run-by-name.ts";

/**
 * What a name in a command line stands for, looked at like the line itself: `npm test`, `make x`, `sh x.sh`. It only warns, asks and
 * denies: nothing is let through by what a script says.
 */

/** One reading of the files for one decision. */
export function namesOfCall(
  call: ProposedCall,
  { home, env }: Pick<GuardSettings, "home" | "env">,
  lines: CommandLines,
): readonly Named[] {
  return lines.forDecision("names", () => namesOfLines(lines.all, () => placeOf(call, home, env)));
}

/** The guard on a call, and on what its names stand for. What needs no code to be run names none. */
export function guardWithNames(
  call: ProposedCall,
  executor: Executor,
  needs: readonly ResolvedRequirement[],
  settings: GuardSettings,
  lines = new CommandLines(call, settings.home),
): GuardBlock | null {
  const block = guard(call, executor, needs, settings, lines);
  if (block !== null || !needs.some(({ capability }) => capability === "code:exec")) return block;
  for (const { texts } of namesOfCall(call, settings, lines))
    for (const text of texts) {
      const found = text.isProgram ? guardProgram(text, settings) : guardText(call, text, settings);
      if (found !== null) return { ...found, reason: `${found.reason}, in what a name in it stands for` };
    }
  return null;
}

/** A shell that is given a script's text. */
const SHELL: Executor = { manifest: manifestSchema.parse(runs("shell", {})), is_described: true, validate: () => null };

function guardText(
  { context }: ProposedCall,
  { reading, cwd }: ScriptText,
  settings: GuardSettings,
): GuardBlock | null {
  const path = context?.path === undefined ? {} : { path: context.path };
  const call = {
    intent: "",
    executor: SHELL.manifest.name,
    args: { command: reading.text },
    context: { cwd, ...path },
  };
  const lines = new CommandLines(call, settings.home, [lineOf(reading)]);
  return guard(call, SHELL, needsOf(call, SHELL, settings.home, settings.env), settings, lines);
}

/** Of another language only what it starts, deletes and moves: its texts may be anything. */
function guardProgram({ reading, cwd }: ScriptText, { home, gateFiles }: GuardSettings): GuardBlock | null {
  const started = startedBy(reading);
  const found = findingIn(started, { cwd, home, gate: gateFiles?.protectedPaths });
  if (found === null) return null;
  return {
    rule: found.rule,
    reason: findingText(found, started),
    matched: found.description,
    instead: found.instead,
  };
}

const startedBy = (reading: Reading): Reading => ({
  ...reading,
  commands: reading.commands.filter(({ code }) => code === undefined),
});

/** A program in which a key's path is written: it isn't known what is done with it. */
function namesKeys({ reading, cwd, isProgram }: ScriptText, { home }: CallPlace): boolean {
  if (!isProgram) return false;
  const commands = reading.commands.filter(({ code }) => code !== undefined);
  return findingIn({ ...reading, forkBomb: null, commands }, { cwd, home })?.rule === "guard.protected-path";
}

const lineOf = (reading: Reading): CommandLine => ({ arg: "command", text: reading.text, is_list: false, reading });

/** What of a script is looked at as a line, with the place that it runs in. */
export function lineOfText({ reading, isProgram }: ScriptText): CommandLine {
  return lineOf(isProgram ? startedBy(reading) : reading);
}

/** What a program starts, where it is in the shown text; nothing where only all of it is known to say so. */
function inProgram(at: Span | null, text: string, shown: string): Span {
  const begin = shown === "" ? -1 : text.indexOf(shown);
  const isPart = at !== null && begin >= 0 && at.start > begin;
  return isPart ? { start: at.start - begin, end: Math.min(at.end - begin, shown.length) } : { start: 0, end: 0 };
}

/** A name as it is shown: coloured, and marked where it is dangerous. `hazards`: each says the file that it is in. */
export interface ReadName {
  shown: StandsFor;
  hazards: Hazard[];
  to: Destination[];
}

/** @param tokensOf the words of a text by kind @param goesTo where a line goes */
export function readName(
  { shown, texts }: Named,
  place: CallPlace,
  held: HeldByGit,
  tokensOf: (reading: Pick<Reading, "text" | "comments">) => NonNullable<StandsFor["tokens"]>,
  goesTo: (line: CommandLine, place: CallPlace) => Destinations,
): ReadName {
  const all = shown.lines.join("\n");
  const said = { span: shown.span, file: shownPath(shown.file, place) };
  const marks = new Map<string, Span>();
  const tokens: NonNullable<StandsFor["tokens"]> = [];
  const hazards: Hazard[] = [];
  const to: Destination[] = [];
  for (const text of texts) {
    const { reading, span, cwd } = text;
    const begin = span?.start ?? 0;
    const source = span === null ? "" : all.slice(begin, span.end);
    // Only the beginning of a long one is shown.
    const isSame = reading.text.startsWith(source);
    const here = ({ start, end }: Span): Span => ({ start: begin + start, end: begin + Math.min(end, source.length) });
    const line = lineOfText(text);
    const goes = goesTo(line, { ...place, cwd });
    to.push(...goes.to.map((one) => ({ ...one, file: said.file })));
    const found = [...hazardsOfLines([line], { ...place, cwd }, held), ...goes.hazards];
    for (const { span: at, ...hazard } of found) {
      hazards.push({ ...hazard, ...said });
      const mark = text.isProgram
        ? inProgram(at, reading.text, all)
        : here(isSame && at !== null ? at : { start: 0, end: source.length });
      if (mark.start < mark.end) marks.set(`${mark.start} ${mark.end}`, mark);
    }
    if (namesKeys(text, place)) hazards.push({ id: "reads-secrets", ...said });
    const words = source === "" ? [] : tokensOf(isSame ? reading : { text: source, comments: [] });
    for (const { kind, ...at } of words) if (at.start < source.length) tokens.push({ kind, ...here(at) });
  }
  const read = {
    ...(tokens.length > 0 ? { tokens } : {}),
    ...(marks.size > 0 ? { marks: [...marks.values()] } : {}),
  };
  return { shown: { ...shown, ...read }, hazards, to };
}
