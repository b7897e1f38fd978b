import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { realForm } from "@metnos-gate/shell-reading/files";
import { shortened, shortenHome } from "../../../ipc/base/visible-text.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { projectAsked } from "../../decide/confinement/declaration.ts";
import type { Executor } from "../../decide/executors/catalog.ts";
import { BOX_CONNECT } from "../../decide/executors/internal.ts";
import type { ExecutorManifest } from "../../decide/executors/manifest.ts";
import { commandsOf } from "../../decide/executors/needs.ts";
import type { Unfinished } from "../../decide/stages/examination.ts";
import { pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import type { PathLink } from "./card.ts";

/** Longer ones are shortened in the middle on the card; the whole call is shown beside it. */
const MAX_SUMMARY = 300;
/** Each of the two names of a link; more links than a card can say are counted there. */
const MAX_LINK_NAME = 160;

/** What the card says, made from the manifest and the arguments, never from the agent's words. */
export interface Question {
  action_verb: string;
  target_summary: string;
  capability_class: string;
  /** The names in the call that lead elsewhere than they say: what it touches is named by where they lead. */
  links: PathLink[];
}

export function questionFor(
  call: ProposedCall,
  { manifest, is_described }: Executor,
  needs: readonly ResolvedRequirement[],
  { home, language, project }: { home: string; language: Language; project?: string | undefined },
): Question {
  const name = is_described ? "" : `${call.executor}: `;
  const isCommand = shellCommands(call, manifest).length > 0;
  return {
    action_verb: manifest.verb[language] ?? manifest.verb.en,
    target_summary: shortened(summary(call, manifest, needs, home, name), MAX_SUMMARY),
    capability_class:
      needs.map((need) => capabilityClass(need, isCommand && !isWhole(need, project), home)).join(", ") || "none",
    links: linksOf(needs, home),
  };
}

/** What a call is about, in a line, as its card says it. */
export function summaryOf(
  { call, executor, needs = [], confinement = null }: Unfinished,
  settings: { home: string; language: Language },
): string {
  const project = projectAsked(confinement);
  const { action_verb, target_summary } = questionFor(call, executor, needs, { ...settings, project });
  return `${action_verb} ${target_summary}`;
}

/** True for the project of a confined call: it is where the call works, and no word of its line. */
export function isWhole({ target }: ResolvedRequirement, project: string | undefined): boolean {
  return target.kind === "path" && target.is_tree && target.real === project;
}

function linksOf(needs: readonly ResolvedRequirement[], home: string): PathLink[] {
  const links = new Map<string, PathLink>();
  for (const { target } of needs) {
    if (target.kind !== "path") continue;
    const written = withShortHome(target.lexical, home);
    const leadsTo = withShortHome(pathName(target), home);
    if (written === leadsTo) continue;
    links.set(target.lexical, {
      written: shortened(written, MAX_LINK_NAME),
      leads_to: shortened(leadsTo, MAX_LINK_NAME),
    });
  }
  return [...links.values()];
}

/** The home folder as `~`, under its usual name and under the one that it has once links are followed. */
function withShortHome(path: string, home: string): string {
  const short = shortenHome(path, home);
  return short === path ? shortenHome(path, realForm(home) ?? home) : short;
}

/**
 * `fs_write:~/downloads/*`: the capability and the place, a file's folder rather than the file. It is kept once the request has
 * ended: addresses and calendars' names are distinguished by a hash, and of a command line no folder's own name is in it.
 */
function capabilityClass({ capability, target }: ResolvedRequirement, isCommand: boolean, home: string): string {
  const name = capability.replace(":", "_");
  if (target.kind === "path" && !target.is_tree)
    return `${name}:${withShortHome(dirname(pathName(target)), home)}/*`.replace("//*", "/*");
  if (target.kind === "exact" && capability === "code:exec") return name;
  if (target.kind === "none" || target.kind === "unknown") return name;
  if (target.kind === "exact") return `${name}:${shortHash(target.value)}`;
  if (target.kind === "path" && isCommand)
    return `${name}:${withShortHome(dirname(pathName(target)), home)}/*/**`.replace("//*", "/*");
  return `${name}:${withShortHome(targetText(target), home)}`;
}

function shortHash(value: string): string {
  return createHash("sha256").update(value).digest("hex").slice(0, 12);
}

function summary(
  call: ProposedCall,
  manifest: ExecutorManifest,
  needs: readonly ResolvedRequirement[],
  home: string,
  name: string,
): string {
  const [command, ...more] = shellCommands(call, manifest);
  if (command !== undefined) {
    const location = call.context?.cwd === undefined ? "" : `  (in ${withShortHome(call.context.cwd, home)})`;
    return `${name}${command}${location}${more.length === 0 ? "" : ` (and ${more.length} more)`}`;
  }
  // What has a target says more than what has none.
  const need = needs.find(({ target }) => target.kind !== "none") ?? needs[0];
  const size = contentSize(call, manifest);
  const others = needs.length > 1 ? ` (and ${needs.length - 1} more)` : "";
  if (need === undefined) return call.executor;
  const { target } = need;
  if (target.kind === "path" && !target.is_tree) {
    const path = pathName(target);
    const folder = withShortHome(dirname(path), home);
    const location = `${folder === "/" ? "" : folder}/`;
    const name = basename(path);
    const sense = need.capability === "fs:write" ? `${name} -> ${location}` : `${name} from ${location}`;
    return `${sense}${size}${others}`;
  }
  if (target.kind === "path") return `${withShortHome(targetText(target), home)}${others}`;
  if (call.executor === BOX_CONNECT) return confinedHost(call, home);
  if (target.kind === "host") return `${urlOrHost(call, manifest, target.host)}${size}${others}`;
  if (need.capability === "code:exec") {
    const location = call.context?.cwd === undefined ? "" : `  (in ${withShortHome(call.context.cwd, home)})`;
    const isCommand = targetText(target) !== call.executor;
    return isCommand ? `${name}${targetText(target)}${location}${others}` : `${call.executor}${location}${others}`;
  }
  if (target.kind === "none") return call.executor;
  return `${targetText(target)}${size}${others}`;
}

/** A shell's command lines are what is asked about, whatever they turn out to need. */
export function shellCommands(call: ProposedCall, manifest: ExecutorManifest): string[] {
  return manifest.needs.flatMap(({ target }) =>
    target.from === "command" && target.is_shell ? commandsOf(call, target.args, { manifest }) : [],
  );
}

function urlOrHost(call: ProposedCall, manifest: ExecutorManifest, host: string): string {
  const source = manifest.needs.find(({ target }) => target.from === "url")?.target;
  const url = source?.from === "url" ? call.args[source.arg] : undefined;
  return typeof url === "string" ? `${url} (${host})` : host;
}

/** `registry.example.org: npm install  (in ~/site)`: the host, with what is unusual about the way to it, and who wants to reach it. */
function confinedHost({ args, context }: ProposedCall, home: string): string {
  const location = context?.cwd === undefined ? "" : `  (in ${withShortHome(context.cwd, home)})`;
  return `${String(args.url).replace(/^https:\/\//, "")}: ${String(args.description)}${location}`;
}

/** ` (~2.4 MB)`: how much content would be written or sent; nothing where there is none. */
function contentSize(call: ProposedCall, manifest: ExecutorManifest): string {
  let bytes = 0;
  for (const key of manifest.content_args) {
    const value = call.args[key];
    if (typeof value === "string") bytes += Buffer.byteLength(value);
  }
  return bytes === 0 ? "" : ` (~${readableSize(bytes)})`;
}

function readableSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 100) / 10} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
