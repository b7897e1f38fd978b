import { askedEachTime, isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { destinationsBy, programOf } from "@metnos-gate/shell-reading/programs";
import type { UserWords } from "../../agents/index.ts";
import { hostMatches, isLoopback, normaliseHostPattern } from "../../targets/host.ts";
import { pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import type { Describable } from "../description/describable.ts";
import { destinationsOf } from "../description/destinations.ts";
import { requestOf } from "../description/requested.ts";
import { instructsAgents } from "../guard/hazards.ts";
import { type CallPlace, placeOf } from "../places/call-place.ts";
import { runsLater } from "../places/run-later.ts";
import type { FlowConfig } from "./config.ts";
import { isPublicPlace } from "./public-places.ts";
import type { Marked } from "./session-marks.ts";

/** What one call brings into its session, and what it takes out of it: by what it needs, never by what anybody says about it. */

export interface FlowCall extends Pick<Describable, "call" | "executor" | "lines"> {
  readonly subject: Marked;
  readonly settings: Pick<Describable["settings"], "home" | "env"> & { readonly words?: Pick<UserWords, "of"> };
  /** Null where it isn't confined. */
  readonly confinement: object | null;
  readonly stated_needs: readonly ResolvedRequirement[];
}

/** What a call reads that is the user's own: as the user would call it, or the capability that says it. Undefined where nothing is. */
export function privateIn(x: FlowCall, config: FlowConfig): string | undefined {
  const server = serverOf(x);
  if (server !== undefined && config.private_servers.includes(server)) return server;
  if (x.executor.manifest.reads_private === true) return x.executor.manifest.name;
  let root: string | null | undefined;
  for (const need of x.stated_needs) {
    const { capability, target } = need;
    if (capability === "mail:read" || capability === "calendar:read") return capability;
    if (capability !== "fs:read" || need.access === "list" || target.kind !== "path") continue;
    const path = target.real ?? target.lexical;
    if (askedEachTime(path) !== undefined || config.private_folders.some((one) => isAtOrBelow(path, one)))
      return shown(need);
    if (isBelowFolder(path, x.call.context?.cwd, x.settings.home)) continue;
    if (isPublicPlace(path, x.settings.home) || config.trusted_folders.some((one) => isAtOrBelow(path, one))) continue;
    root ??= ownFolder(placeOf(x.call, x.settings.home, x.settings.env));
    if (root === null || !isAtOrBelow(path, root)) return shown(need);
  }
  return undefined;
}

/** Where what it brings in comes from that others may have written. */
export function untrustedIn(x: FlowCall, config: FlowConfig): string | undefined {
  const server = serverOf(x);
  if (server !== undefined && !config.trusted_servers.includes(server)) return server;
  let runsCode = false;
  for (const { capability, target } of x.stated_needs) {
    if (capability === "mail:read" || capability === "calendar:read" || capability === "channel:in") return capability;
    if (capability === "network:http" && isForeign(targetHost(target), config)) return targetHost(target);
    runsCode ||= capability === "code:exec";
  }
  // In a box each host that is reached is decided on by itself.
  return runsCode && x.confinement === null ? hostsOfLines(x).find((host) => isForeign(host, config)) : undefined;
}

/** Where it would send what the session knows; undefined where it sends nothing of that. */
export function outOf(x: FlowCall, config: FlowConfig): string | undefined {
  const server = serverOf(x);
  if (server !== undefined)
    return config.trusted_servers.includes(server) || !saysMuch(x, Object.values(x.call.args)) ? undefined : server;
  for (const { capability, target } of x.stated_needs) {
    if (capability === "mail:send" || capability === "channel:out") return targetText({ ...target });
    if (capability !== "network:http") continue;
    const host = targetHost(target);
    if (!isForeign(host, config)) continue;
    const sends = target.kind !== "host" || target.sends === true || x.call.executor === BOX_CONNECT;
    if (sends || hasLongName(host) || saysMuch(x, webTexts(x))) return host;
  }
  return x.confinement === null ? sentByLines(x, config) : undefined;
}

/** What it would change that runs later, or that agents read as instructions. */
export function laterIn(x: FlowCall): string | undefined {
  let place: CallPlace | undefined;
  for (const need of x.stated_needs) {
    if (need.capability !== "fs:write" || need.target.kind !== "path" || need.access === "delete") continue;
    const paths = [need.target.lexical, ...(need.target.real === null ? [] : [need.target.real])];
    place ??= placeOf(x.call, x.settings.home, x.settings.env);
    const here = place;
    if (paths.some((one) => RUNS_LATER.test(one) || instructsAgents(one) || runsLater(one, here))) return shown(need);
  }
  return undefined;
}

/** The files and folders that it names, for what is kept of them: `is_tree`, a folder with all below it. */
export function filesNamed(
  x: Pick<FlowCall, "stated_needs">,
  capability: "fs:read" | "fs:write",
): { path: string; is_tree: boolean }[] {
  return x.stated_needs.flatMap((need) => {
    if (need.capability !== capability || need.target.kind !== "path" || need.access !== undefined) return [];
    return [{ path: need.target.real ?? need.target.lexical, is_tree: need.target.is_tree }];
  });
}

/** A host that a program in a box wants to reach: `main/decide/executors/internal.ts`. */
const BOX_CONNECT = "@box_connect";

/** By their names: what builds, package managers and services that build run. */
const RUNS_LATER =
  /\/(?:package\.json|(?:gnu)?makefile|[^/]+\.mk|\.?justfile|taskfile\.ya?ml|rakefile|composer\.json|deno\.jsonc?|tox\.ini|noxfile\.py|setup\.py|conftest\.py|build\.rs|(?:docker|container|vagrant|jenkins|proc)file|dockerfile\.[^/]+|(?:docker-)?compose\.ya?ml|\.gitlab-ci\.yml|azure-pipelines\.yml|bitbucket-pipelines\.yml|\.travis\.yml|\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/.*|\.circleci\/.*|\.(?:claude|codex|gemini|opencode|agents)\/(?:.*\/)?(?:skills?|commands?|memory|memories|prompts?|plugins?)\/.*|memory\.md)$/i;

/** In bytes: more of a path with its query than names a page. */
const MUCH = 64;
/** A label of a host's name that may carry something. */
const LONG_LABEL = 32;

const hasLongName = (host: string): boolean => host.split(".").some((label) => label.length > LONG_LABEL);

const isForeign = (host: string, { trusted_hosts }: FlowConfig): boolean =>
  !isLoopback(host) &&
  !host.endsWith(".localhost") &&
  !trusted_hosts.some((pattern) => hostMatches(normaliseHostPattern(pattern) ?? pattern, host));

const targetHost = (target: ResolvedRequirement["target"]): string =>
  target.kind === "host" ? target.host : targetText(target);

const shown = ({ target }: ResolvedRequirement): string =>
  target.kind === "path" ? `${pathName(target)}${target.is_tree ? "/**" : ""}` : targetText(target);

/** An MCP server whose tool is called. */
function serverOf({ call, executor }: Pick<FlowCall, "call" | "executor">): string | undefined {
  if (executor.mcp !== undefined) return executor.mcp.server;
  return executor.is_described ? undefined : /^mcp__(.+?)__/.exec(call.executor)?.[1];
}

/** Quickly, for most calls: by names alone. Of a folder that holds the user's own, or all, nothing is said. */
function isBelowFolder(path: string, cwd: string | undefined, home: string): boolean {
  return cwd?.startsWith("/") === true && !isAtOrBelow(home, cwd) && isAtOrBelow(path, cwd);
}

/** Where it works; null where that is nowhere, or more than a project. */
function ownFolder({ project, cwd, home }: CallPlace): string | null {
  const folder = project ?? cwd;
  if (folder === undefined || isAtOrBelow(home, folder)) return null;
  return realForm(folder) ?? folder;
}

/** What of a request leaves with it: its address, or what is searched for. */
function webTexts({ call, executor: { manifest } }: FlowCall): unknown[] {
  const request = requestOf(call, manifest);
  if (request !== null) return [request.path];
  const web = manifest.needs.filter(({ capability }) => capability === "network:http");
  return web.some(({ target }) => target.from === "command") ? [] : Object.values(call.args);
}

/** More than a few words that aren't the user's own. */
function saysMuch({ call, subject, settings }: FlowCall, values: readonly unknown[]): boolean {
  const words = settings.words?.of(call, subject) ?? "";
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value ?? "")));
  return texts.filter((text) => !words.includes(text)).reduce((sum, text) => sum + Buffer.byteLength(text), 0) > MUCH;
}

/** Of a line that isn't confined: where the programs go that are known to go anywhere. */
function hostsOfLines({ call, lines, settings }: FlowCall): string[] {
  const isGoing = lines.all.some(({ reading }) =>
    reading.commands.some((command) => programOf(command.name).worksOnRepository || destinationsBy(command).any),
  );
  if (!isGoing) return [];
  const { to } = destinationsOf(lines.all, null, placeOf(call, settings.home, settings.env), undefined);
  return to.flatMap(({ host, name }) => host ?? name ?? []).map((host) => host.replace(/:\d*$/, ""));
}

/** What runs outside of a box may send anything: it is named by where it goes, or by its own name. */
function sentByLines(x: FlowCall, config: FlowConfig): string | undefined {
  const written = new Set(filesNamed(x, "fs:write").map(({ path }) => path));
  const runs = x.stated_needs.find(
    ({ capability, target }) =>
      // A write at a place that runs later counts as running code, and runs nothing yet.
      capability === "code:exec" && !(target.kind === "exact" && written.has(target.value)),
  );
  if (runs === undefined) return undefined;
  const hosts = hostsOfLines(x);
  if (hosts.length > 0) return hosts.find((host) => isForeign(host, config));
  return x.lines.all[0]?.reading.commands[0]?.name ?? x.call.executor;
}
