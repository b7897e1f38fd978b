import { tokensOf, tokensOfWords } from "@metnos-gate/shell-reading";
import { withScanLimit } from "@metnos-gate/shell-reading/files";
import { askedOutside } from "@metnos-gate/shell-reading/gate-command";
import { shortenHome } from "../../../ipc/base/visible-text.ts";
import type { DescribedCommand, Description, Destination, Hazard } from "../../../ipc/contract/description.ts";
import type { Seen } from "../../../ipc/contract/flow.ts";
import type { CallKind } from "../../../ipc/contract/hazards.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { takesComments } from "../executors/needs.ts";
import {
  hazardOfTool,
  hazardsOfLines,
  hazardsOfNeeds,
  runsUnasked,
  typedIntoLater,
  worstFirst,
} from "../guard/hazards.ts";
import { partsOf } from "../guard/shell/guard-shell.ts";
import { claimsOf, readDefinition } from "../mcp/definition.ts";
import { type CallPlace, placeOf } from "../places/call-place.ts";
import { HeldByGit } from "../places/held-by-git.ts";
import { changesOf } from "./changes.ts";
import type { Describable } from "./describable.ts";
import { destinationsOf, MAX_DESTINATIONS, requestOf } from "./destinations.ts";
import { clearedLine, effectOfHazards, effectOfLines, effectOfTool, worse } from "./effect.ts";
import { markedWithin } from "./here-documents.ts";
import { withRisks } from "./line-risks.ts";
import { namesOfCall, readName } from "./named-danger.ts";
import type { Named } from "./run-by-name.ts";
import { skillTexts } from "./skill-text.ts";
import { workOfLines } from "./work-of-lines.ts";

/** What a call is, once for every surface: made when the user is asked about it. Bounded in time and size, whatever the call says. */
export function describe(x: Describable): Description {
  return withScanLimit(() => description(x));
}

function description(x: Describable): Description {
  const { call, executor, needs, settings } = x;
  const place = { ...placeOf(call, settings.home, settings.env), has_comments: takesComments(executor) };
  const held = new HeldByGit(settings.home, x.keeps);
  const lines = commandLinesOf(x);
  const isCommand = lines.length > 0;
  const ofTool = [...hazardOfTool(executor.manifest), ...typedIntoLater(lines, executor.manifest)];
  const ofArguments = isCommand ? hazardsOfLines(lines, place, held) : hazardsOfNeeds(needs, place);
  const args = new Set(lines.map(({ arg }) => arg));
  const all = isCommand ? namesOfCall(call, settings, x.lines) : [];
  const names = all.filter(({ shown }) => shown.span === null || args.has(shown.span.arg));
  const named = describedNames(names, place, held, settings.destinations);
  const request = requestOf(call, executor.manifest);
  const { to: byItself, hazards: lookAlikes } = destinationsOf(
    isCommand ? lines : [],
    request === null || request.host === "" ? null : request.host,
    place,
    settings.destinations,
  );
  const to = [...byItself, ...named.to].slice(0, MAX_DESTINATIONS);
  const hazards = [...hazardOfFlow(x), ...ofTool, ...ofArguments, ...named.hazards, ...lookAlikes];
  const ofCall = isCommand ? effectOfLines(x, lines, place, held) : effectOfTool(x, held);
  // What a tool that nothing describes does with a command line isn't known, whatever the line says.
  const isKnown = executor.is_described || executor.mcp?.state === "looks";
  const base = isKnown ? ofCall : worse(ofCall, "anything");
  const ofHazards = effectOfHazards(hazards, base === "anything" || base === "final");
  const changes = changesOf(x, lines, place).map(withRisks);
  const work = workOfLines(lines, names, place);
  return {
    kind: isCommand ? "command" : changes.length > 0 && isGivenPatch(executor) ? "edit" : kindOf(x),
    effect: worse(base, ofHazards),
    hazards: worstFirst(hazards).map((hazard) => markedWithin(hazard, lines)),
    ...(work.length === 0 ? {} : { work }),
    ...(to.length === 0 ? {} : { to }),
    commands: lines.map((line) => describedCommand(line, call, place)),
    changes,
    mcp: describedTool(x),
    stands_for: [...named.stands_for, ...(runsUnasked(hazards) ? skillTexts(call.args, place) : [])],
    request,
    ...outsideOf(lines),
    project: place.project,
  };
}

/** What names stand for, coloured and marked, and what is dangerous about it. */
export function describedNames(
  names: readonly Named[],
  place: CallPlace,
  held = new HeldByGit(place.home),
  used?: Describable["settings"]["destinations"],
): Pick<Description, "stands_for" | "hazards"> & { to: Destination[] } {
  const goesTo = (line: CommandLine, at: CallPlace) => destinationsOf([line], null, at, used);
  const read = names.map((one) => readName(one, place, held, tokensOf, goesTo));
  return {
    stands_for: read.map(({ shown }) => shown),
    hazards: read.flatMap(({ hazards }) => hazards),
    to: read.flatMap(({ to }) => to),
  };
}

/** What its session has seen, and what it would do with that. */
function hazardOfFlow({ flow, settings: { home } }: Describable): Hazard[] {
  if (flow === undefined) return [];
  const said = (by: Seen) => ({ ...by, what: shortenHome(by.what, home) });
  const came = said(flow.came);
  if (flow.rule === "flow.untrusted-later")
    return [
      {
        id: "changes-what-runs-for-others",
        span: null,
        came,
        path: flow.to.map((path) => shortenHome(path, home)).join(", "),
      },
    ];
  return [
    {
      id: "sends-after-reading",
      span: null,
      came,
      host: flow.to.join(", "),
      ...(flow.read === undefined ? {} : { read: said(flow.read) }),
    },
  ];
}

/** Characters of an agent's reason. */
const MAX_REASON = 400;

/** That a line asks to run outside the box, and the first reason that it gives. */
function outsideOf(lines: readonly CommandLine[]): Pick<Description, "outside"> {
  const asked = lines
    .flatMap(({ reading }) => reading.commands)
    .map(({ name, argv }) => askedOutside(name, argv))
    .filter((one) => one !== null);
  if (asked.length === 0) return {};
  const reason = asked.map((one) => one.reason?.trim() ?? "").find((text) => text !== "");
  return { outside: { reason: reason?.slice(0, MAX_REASON) ?? null } };
}

/** The command lines of a call that is run by a shell, or by a tool that nothing describes: what it does with one isn't ours to guess. */
export function commandLinesOf({
  call,
  executor: { manifest, is_described },
  lines,
}: Pick<Describable, "call" | "executor" | "lines">): readonly CommandLine[] {
  if (mcpOf(call.executor, is_described) !== null) return [];
  const runs = manifest.needs.some(
    ({ capability, target }) =>
      capability === "code:exec" && target.from === "command" && (target.is_shell === true || !is_described),
  );
  return runs ? lines.all : [];
}

/** A tool that is described as one for patches, or one that nothing describes. */
function isGivenPatch({ manifest, is_described }: Describable["executor"]): boolean {
  return !is_described || manifest.needs.some(({ target }) => target.from === "patch");
}

function kindOf({ call, executor, needs }: Describable): CallKind {
  const { manifest, is_described } = executor;
  if (mcpOf(call.executor, is_described) !== null) return "mcp";
  const has = (capability: string) => needs.some((need) => need.capability === capability);
  // A tool that is described is what its manifest says; what else its paths mean is in its effect.
  const isNamed = (capability: string) => manifest.needs.some((need) => need.capability === capability);
  // One that isn't known to be a patch has no changes.
  if (manifest.needs.some(({ target }) => target.from === "patch")) return "other";
  if (isNamed("fs:write")) return EDIT_ARGS.some((arg) => call.args[arg] !== undefined) ? "edit" : "write";
  if (isNamed("code:exec")) return "other";
  if (isNamed("network:http")) return "fetch";
  if (isNamed("fs:read")) return "read";
  return has("network:http") && is_described ? "fetch" : "other";
}

/** Arguments of tools that change a part of a file. */
const EDIT_ARGS = ["old_string", "new_string", "oldString", "newString", "edits", "new_source"] as const;

function mcpOf(executor: string, isDescribed: boolean): Description["mcp"] {
  const named = isDescribed ? null : /^mcp__(.+?)__(.+)$/.exec(executor);
  if (named === null) return null;
  return { server: named[1] ?? "", tool: named[2] ?? "", claims: [] };
}

/** The server's own names and claims, where a proxy has announced them; else what the executor's name says. */
function describedTool({ call, executor: { is_described, mcp } }: Describable): Description["mcp"] {
  if (mcp === undefined) return mcpOf(call.executor, is_described);
  const definition = mcp.definition === null ? undefined : readDefinition(mcp.definition);
  const claims = definition === undefined ? [] : claimsOf(definition);
  return { server: mcp.server, tool: mcp.tool, claims };
}

/** More parts than a card can list; the line itself is shown whole. */
const MAX_PARTS = 100;

/** A command line as it is shown: its words by kind, and its parts with what each touches. */
function describedCommand(line: CommandLine, call: ProposedCall, place: CallPlace): DescribedCommand {
  const { arg, text, is_list, reading } = line;
  const cleared = clearedLine(line, call, place);
  const seen = new Set<string>();
  const parts = partsOf(line, cleared)
    .filter(({ start, end }) => {
      const key = `${start} ${end}`;
      const isNew = start < end && end <= text.length && !seen.has(key);
      seen.add(key);
      return isNew;
    })
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .slice(0, MAX_PARTS)
    .map(({ start, end, needs, unclear }) => ({ start, end, needs, unclear }));
  return { arg, text, tokens: is_list ? tokensOfWords(wordsOf(call.args[arg]), text) : tokensOf(reading), parts };
}

/** Where each word of a list is in the text of them all. */
function wordsOf(value: unknown): { start: number; end: number }[] {
  let start = 0;
  return (Array.isArray(value) ? value : [])
    .filter((word) => typeof word === "string")
    .map((word) => {
      const span = { start, end: start + word.length };
      start = span.end + 1;
      return span;
    });
}
