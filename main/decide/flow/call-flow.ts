import { dirname, resolve } from "node:path";
import { effectsOf, type Reading, reachOf, type SimpleCommand, type Word } from "@metnos-gate/shell-reading";
import {
  askedEachTime,
  certainPath,
  isAtOrBelow,
  kindOf,
  realForm,
  SKIPPED_FOLDERS,
  scanTree,
  statOf,
} from "@metnos-gate/shell-reading/files";
import { destinationsBy, programOf, wrapperOf } from "@metnos-gate/shell-reading/programs";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { mcpExecutor } from "../../../ipc/contract/mcp-names.ts";
import type { UserWords } from "../../agents/index.ts";
import { hostMatches, isLoopback, normaliseHostPattern } from "../../targets/host.ts";
import { registrableDomain } from "../../targets/listed-host.ts";
import { type ResolvedRequirement, targetText } from "../../targets/target.ts";
import type { Declaration } from "../confinement/declaration.ts";
import type { Describable } from "../description/describable.ts";
import { placesReached, requestOf } from "../description/destinations.ts";
import { BOX_CONNECT } from "../executors/internal.ts";
import { type CallPlace, placeOf } from "../places/call-place.ts";
import { runsLater } from "../places/run-later.ts";
import type { FlowConfig } from "./config.ts";
import { isLaterByName } from "./later-places.ts";
import { isPublicPlace } from "./public-places.ts";
import type { Marked } from "./session-marks.ts";

/** What one call brings into its session, and what it takes out of it: by what it needs, never by what anybody says about it. */

export interface FlowCall extends Pick<Describable, "call" | "executor" | "lines"> {
  readonly subject: Marked;
  readonly settings: Pick<Describable["settings"], "home" | "env"> & { readonly words?: Pick<UserWords, "of"> };
  /** Null where it isn't confined. */
  readonly confinement: { readonly declaration: Pick<Declaration, "kind" | "project" | "writes"> } | null;
  readonly stated_needs: readonly ResolvedRequirement[];
}

/**
 * All that a call reads that is the user's own: as the user would call it, or the capability that says it.
 * @param isOwn whether a path (absolute) lies where its session works
 */
export function* privateIn(x: FlowCall, config: FlowConfig, isOwn: (path: string) => boolean): Generator<string> {
  const { call, executor } = x;
  const isCalled = (one: string) => one === executor.mcp?.server || call.executor.startsWith(mcpExecutor(one, ""));
  const server = config.private_servers.find(isCalled);
  if (server !== undefined) yield server;
  if (executor.manifest.reads_private === true) yield executor.manifest.name;
  const folders = config.private_folders.flatMap((one) => formsOf(one, realForm(one)));
  const isPrivate = (path: string, isNamed: boolean, isTree = false): boolean =>
    isNamed ||
    folders.some((one) => isAtOrBelow(path, one) || (isTree && isAtOrBelow(one, path))) ||
    !(
      isOwn(path) ||
      isPublicPlace(path, x.settings.home) ||
      config.trusted_folders.some((one) => isAtOrBelow(path, one))
    );
  for (const need of x.stated_needs) {
    const { capability, target, ask_each_time } = need;
    if (capability === "mail:read" || capability === "calendar:read") yield capability;
    if (!reads(x, need) || isListed(need) || target.kind !== "path") continue;
    if (isPrivate(target.real ?? target.lexical, ask_each_time !== undefined, target.is_tree)) yield targetText(target);
  }
  // In a box nothing is there that isn't named, but all of its project.
  const shown = x.confinement !== null && runsUnknown(x) ? x.confinement.declaration.project : undefined;
  if (shown !== undefined) yield* folders.filter((one) => isAtOrBelow(one, shown));
  if (!namesByTheBy(x) || x.confinement !== null) return;
  for (const { name, argv } of commandsOf(x)) if (programOf(name).printsVariables(argv.slice(1))) yield name;
  yield* variablesIn(x);
  const named = filesMentioned(x);
  if (named === null) yield call.executor;
  const programs = new Set(commandsOf(x).map(({ argv }) => argv[0]?.text));
  for (const path of named ?? []) {
    const real = realForm(path) ?? path;
    const kind = programs.has(path) ? "nothing" : kindOf(real);
    if (kind !== "nothing" && isPrivate(real, askedEachTime(real) !== undefined, kind === "folder")) yield path;
  }
}

/** Names of variables that its lines don't set: what the environment has. */
function variablesIn(x: FlowCall): string[] {
  const commands = commandsOf(x);
  const words = commands.flatMap(({ argv, redirects, assignments }) => [
    ...argv,
    ...redirects.map(({ target }) => target),
    ...assignments.map(({ value }) => value),
  ]);
  const set = new Set([...words.map(({ text }) => text), ...OF_SHELL]);
  const pieces = words.flatMap((word) => word.pieces.filter(({ kind }) => kind === "unknown"));
  const names = pieces.map(({ text }) => /^\$\{?[!#]?([A-Za-z_]\w*)/.exec(text)?.[1] ?? "");
  return names.filter((name) => name !== "" && !set.has(name)).map((name) => `$${name}`);
}

/** What every shell says of itself. */
const OF_SHELL = "USER LOGNAME SHELL TERM LANG HOSTNAME RANDOM SECONDS LINENO UID EUID PPID REPLY TMPDIR IFS".split(
  " ",
);

const commandsOf = ({ lines }: FlowCall): SimpleCommand[] => lines.all.flatMap(({ reading }) => reading.commands);

/** What it names to be read; who changes a part of a file is answered with what is around it. */
const reads = ({ call }: Pick<FlowCall, "call">, { capability }: ResolvedRequirement): boolean =>
  capability === "fs:read" || (capability === "fs:write" && OF_EDITS.some((name) => name in call.args));
const OF_EDITS = ["old_string", "oldString", "edits"] as const;

/** Only names are listed. */
const isListed = ({ access, shows_contents }: ResolvedRequirement): boolean =>
  access === "list" && shows_contents !== true;

/** Where what it brings in comes from that others may have written. */
export function untrustedIn(x: FlowCall, config: FlowConfig): string | undefined {
  const server = serverOf(x);
  if (server !== undefined) {
    if (!isTrusted(x, server, config)) return server;
  } else if (!x.executor.is_described) return x.call.executor;
  let runsCode = false;
  for (const { capability, target } of x.stated_needs) {
    if (capability === "mail:read" || capability === "calendar:read" || capability === "channel:in") return capability;
    if (capability === "network:http" && isForeign(targetHost(target), config)) return targetHost(target);
    runsCode ||= capability === "code:exec";
  }
  // In a box each host that is reached is decided on by itself.
  return runsCode && x.confinement === null ? hostsOfLines(x).find((host) => isForeign(host, config)) : undefined;
}

/** What a request says that isn't the user's own words, and to whom: `domain`, all that one owner's hosts receive together. */
export interface Saying {
  to: string;
  domain: string;
  text: string;
}

/** Each place where it would send what the session knows. @param said bytes, with those that were said before */
export function* outOf(x: FlowCall, config: FlowConfig, said: (saying: Saying) => number): Generator<string> {
  const server = serverOf(x);
  const staysHere = server !== undefined && isTrusted(x, server, config);
  if (staysHere || (server === undefined && !leads(x, "network:http", "mail:send", "channel:out", "code:exec"))) return;
  for (const { capability, target } of x.stated_needs) {
    if (capability === "mail:send" || (capability === "channel:out" && server === undefined)) yield targetText(target);
    if (capability !== "network:http" || !isForeign(targetHost(target), config)) continue;
    const sends = target.kind !== "host" || target.sends === true || x.call.executor === BOX_CONNECT;
    if (sends || hasLongName(target.host)) yield targetHost(target);
  }
  for (const one of sayingsOf(x, config))
    if (CARRIES.test(one.text) || Buffer.byteLength(one.text) > MUCH || said(one) > MUCH_IN_ALL) yield one.to;
  if (x.confinement === null && server === undefined) yield* sentByLines(x, config);
}

/** Whether it needs one of these: quickly, as most calls lead nowhere. */
export const leads = ({ stated_needs }: FlowCall, ...where: readonly Capability[]): boolean =>
  stated_needs.some(({ capability }) => where.includes(capability));

/** What its requests say that only ask. */
export function sayingsOf(x: FlowCall, config: FlowConfig): Saying[] {
  const server = serverOf(x);
  if (server === undefined && !leads(x, "network:http")) return [];
  const words = x.settings.words?.of(x.call, x.subject) ?? "";
  const textOf = (values: readonly unknown[]) =>
    values
      .map((value) => (typeof value === "string" ? value : JSON.stringify(value ?? "")))
      // Which of the user's own is said tells something, too.
      .map((text) => (words.includes(text) ? text.slice(0, SHORT) : text))
      .join("");
  // Names of arguments are the tool's, if there are as few as tools have, and look like it.
  const odd = Object.keys(x.call.args).filter((name, at) => at >= MANY || !/^[a-z]\w{0,23}$/i.test(name));
  const own = (values: readonly unknown[]) => textOf([...odd, ...values]);
  if (server !== undefined)
    return isTrusted(x, server, config) ? [] : [{ to: server, domain: server, text: own(Object.values(x.call.args)) }];
  return x.stated_needs.flatMap(({ capability, target }) => {
    const host = targetHost(target);
    if (capability !== "network:http" || !isForeign(host, config)) return [];
    const domain = registrableDomain(host) ?? /[^.]+\.[^.\d][^.]*$/.exec(host)?.[0] ?? host;
    const name = host.slice(0, host.length - domain.length);
    return [{ to: host, domain, text: own([...(words.includes(host) ? [] : [name]), ...webTexts(x)]) }];
  });
}

/**
 * All that it would change of what runs later, or what agents read as instructions.
 * @param instructs whether its client reads a file (absolute) because another one says so
 */
export function* laterIn(x: FlowCall, instructs: (path: string) => boolean): Generator<string> {
  // Where the guard knows that something runs later, a write counts as running code.
  const here = leads(x, "code:exec") ? placeOf(x.call, x.settings.home, x.settings.env) : undefined;
  const isLater = (path: string) =>
    isLaterByName(path) || instructs(path) || (here !== undefined && runsLater(path, here));
  for (const need of x.stated_needs) {
    if (need.capability !== "fs:write" || need.target.kind !== "path" || need.access === "delete") continue;
    const { lexical, real, is_tree } = need.target;
    const isLaterBelow = (folder: string) => isLaterByName(`${folder}/`) || brings(need.copied_from, folder, isLater);
    const other = is_tree ? "" : otherName(lexical);
    const isMeant = (path: string) => isLater(path) || other !== "" || (is_tree && isLaterBelow(path));
    if (formsOf(lexical, real).some(isMeant)) yield targetText(need.target) + other;
  }
  if (x.executor.manifest.runs_later === true) yield x.executor.manifest.name;
  if (!namesByTheBy(x)) return;
  const isMeant = (path: string) => isLater(path) || isLaterByName(`${path}/`);
  for (const [path, from] of serverOf(x) === undefined ? writtenByLines(x) : writtenByServer(x))
    if (otherName(path) !== "" || formsOf(path, realForm(path)).some(isMeant) || brings(from, path, isLater))
      yield path + otherName(path);
}

const formsOf = (path: string, real: string | null): string[] =>
  real === null || real === path ? [path] : [path, real];

/** Where a file has several names: by another one it may be what runs later, and a yes for this one is none for other files. */
function otherName(path: string): string {
  const found = statOf(path);
  return found?.isFile() === true && found.nlink > 1 ? ` (also named otherwise: inode ${found.ino})` : "";
}

/** What another server's tool may write: a path that it is given, unless the user said that it only looks. */
const writtenByServer = (x: FlowCall): [string][] =>
  (x.executor.mcp?.state === "looks" ? [] : (filesMentioned(x) ?? []))
    .filter((path) => dirname(path) !== "/" && kindOf(dirname(path)) === "folder")
    .map((path) => [path]);

/** What the programs of its lines are known to write, where that isn't all that they may do; and what is put there, as it is or as a link. */
const writtenByLines = (x: FlowCall): [string, string?][] =>
  commandsOf(x).flatMap((command) => {
    const at = ({ text, is_resolved, glob }: Word): string =>
      (is_resolved && glob !== true && text !== "" ? certainPath(text, command.cwd) : null) ?? "";
    const { written, placed } = effectsOf(command);
    const pairs = [...written.map((word) => [word]), ...placed.map(({ word, source }) => [word, source])];
    return pairs.flatMap((words) => {
      const [path, from] = words.map(at);
      return path ? [[path, from || undefined] as [string, string?]] : [];
    });
  });

/** Whether a folder that is copied or moved brings such a file to where it is put, or too many to be looked at. */
function brings(from: string | undefined, to: string, isLater: (path: string) => boolean): boolean {
  const limits = { maxEntries: 2000, maxDepth: 8, skipped: SKIPPED_FOLDERS };
  const isHarmless = (name: string) => !isLater(`${to}/${name}`);
  return from !== undefined && !scanTree(from, limits, (one) => one.is_folder || isHarmless(one.relative));
}

/** The files and folders that it names, for what is kept of them: `is_tree`, a folder with all below it. */
export function filesNamed(
  x: Pick<FlowCall, "call" | "stated_needs">,
  capability: "fs:read" | "fs:write",
): { path: string; is_tree: boolean }[] {
  const named: { path: string; is_tree: boolean }[] = [];
  for (const need of x.stated_needs) {
    const { target } = need;
    if (target.kind !== "path" || need.access === "delete" || isListed(need)) continue;
    const isMeant = need.capability === capability || (capability === "fs:read" && reads(x, need));
    if (isMeant) named.push({ path: target.real ?? target.lexical, is_tree: target.is_tree });
  }
  return named;
}

/** In bytes: more of a path with its query than names a page; and more than a few pages of one owner's are called. */
const MUCH = 64;
const MUCH_IN_ALL = 256;
/** Characters of which any text may be made up, and by which one of the user's may be chosen; and more arguments than a tool has. */
const SHORT = 3;
const MANY = 16;
/** As keys look, and hashes: no word of a page's name. */
const CARRIES = /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20}/;
/** A label of a host's name that may carry something. */
const LONG_LABEL = 32;

/** Characters of a line, and the names in it that are looked up. */
const MAX_LOOKED = 16_384;
const MAX_MENTIONED = 128;

const hasLongName = (host: string): boolean => host.split(".").some((label) => label.length > LONG_LABEL);

const isForeign = (host: string, { trusted_hosts }: FlowConfig): boolean =>
  !isLoopback(host) &&
  !host.endsWith(".localhost") &&
  !trusted_hosts.some((pattern) => hostMatches(normaliseHostPattern(pattern) ?? pattern, host));

const targetHost = (target: ResolvedRequirement["target"]): string =>
  target.kind === "host" ? target.host : targetText(target);

/** An MCP server whose tool is called; of a name that may mean several servers' tools, that name. */
function serverOf({ call, executor }: Pick<FlowCall, "call" | "executor">): string | undefined {
  if (executor.mcp !== undefined) return executor.mcp.server;
  if (!call.executor.startsWith("mcp__")) return undefined;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(call.executor) ?? [];
  return tool?.includes("__") === true ? call.executor : server;
}

const isTrusted = ({ executor }: FlowCall, server: string, { trusted_servers }: FlowConfig): boolean =>
  trusted_servers.some(
    (one) => one === server || (executor.mcp === undefined && mcpExecutor(one, "") === mcpExecutor(server, "")),
  );

/** Where a call works; null where that is nowhere, or more than a project. */
export function ownFolder({ project, cwd, home }: CallPlace): string | null {
  const folder = project ?? cwd;
  if (folder === undefined || isAtOrBelow(home, folder)) return null;
  return realForm(folder) ?? folder;
}

/** What of a request leaves with it: its address and what goes along, or what is searched for. */
function webTexts({ call, executor: { manifest } }: FlowCall): unknown[] {
  const others = Object.keys(call.args).filter((name) => name !== "url" && !manifest.content_args.includes(name));
  const request = requestOf(call, manifest);
  const user = /\/\/([^/?#]*)@/.exec(String(call.args.url))?.[1] ?? "";
  const port = /:\d+$/.exec(request?.host ?? "")?.[0] ?? "";
  if (request !== null) return [request.path, port, user, ...others.map((name) => call.args[name])];
  const free = manifest.needs.flatMap(({ target }) => (target.from === "urls" ? target.args : []));
  if (free.length > 0) return free.flatMap((name) => String(call.args[name] ?? "").match(/https?:\/\/\S+/gi) ?? []);
  return Object.values(call.args);
}

/** Of a line that isn't confined: where the programs go that are known to go anywhere. A program that goes somewhere unsaid is its own. */
function hostsOfLines({ call, lines, settings }: FlowCall): string[] {
  if (!lines.all.some(({ reading }) => reading.elsewhere.length > 0 || reading.commands.some(goes))) return [];
  const to = placesReached(lines.all, placeOf(call, settings.home, settings.env));
  const unsaid = lines.all[0]?.reading.commands.find(goes)?.name ?? call.executor;
  // A path alone is a repository of this machine.
  const said = to.flatMap(({ host, name, path }) => host ?? name ?? (path === "" ? unsaid : []));
  return said.map((host) => host.replace(/:\d*$/, ""));
}

const goes = (command: SimpleCommand): boolean =>
  programOf(command.name).worksOnRepository || destinationsBy(command).any;

/** It goes where it says, and its output too, or it only looks. */
const isSaid = (command: SimpleCommand, reading: Reading, home: string): boolean =>
  goes(command) || command.via.some((label) => wrapperOf(label).runsElsewhere)
    ? command.redirects.every(({ target }) => target.is_resolved && !/\/dev\/(?:tcp|udp)\//.test(target.text))
    : reachOf({ ...reading, commands: [command] }, home).onlyLooks;

/** What it runs that may do anything; a write at a place that runs later counts as running code, and runs nothing yet. */
function codeIn(x: FlowCall): ResolvedRequirement | undefined {
  if (!leads(x, "code:exec")) return undefined;
  const written = new Set(filesNamed(x, "fs:write").map(({ path }) => path));
  return x.stated_needs.find(
    ({ capability, target }) => capability === "code:exec" && !(target.kind === "exact" && written.has(target.value)),
  );
}

/** It reads files by its own tool, or nothing: quickly, for most calls. */
export const onlyReads = (x: FlowCall): boolean =>
  x.stated_needs.every(({ capability }) => capability === "fs:read") &&
  serverOf(x) === undefined &&
  x.executor.manifest.runs_later !== true;

/** It names files where its session works and nothing else, none of them private: quickly, for most calls. @param root absolute and real */
export function staysIn(x: FlowCall, { private_folders }: FlowConfig, root: string | undefined): boolean {
  const { is_described, manifest } = x.executor;
  const mayBring = !is_described || manifest.reads_private === true || serverOf(x) !== undefined;
  if (root === undefined || mayBring || private_folders.length > 0) return false;
  return x.stated_needs.every(({ capability, target, ask_each_time }) => {
    const isIn = target.kind === "path" && isAtOrBelow(target.real ?? target.lexical, root);
    return isIn && ask_each_time === undefined && (capability === "fs:read" || capability === "fs:write");
  });
}

/** Whether it runs what may read anything in its project. */
export const runsCode = (x: FlowCall): boolean => codeIn(x) !== undefined && serverOf(x) === undefined;

/** Whether it runs what may read and write in its project, and nobody knows what. */
export function runsUnknown(x: FlowCall): boolean {
  if (x.call.executor === BOX_CONNECT) return true;
  const kind = x.confinement?.declaration.kind;
  return kind === undefined && codeIn(x) !== undefined;
}

/** Its line is code, or it is another server's tool: what it names says what it may touch. */
export const namesByTheBy = (x: FlowCall): boolean => codeIn(x) !== undefined || serverOf(x) !== undefined;

/** Files and folders that such a call names by the by; null of more than are looked at. */
export function filesMentioned(x: FlowCall): string[] | null {
  const { call, lines, settings } = x;
  const cwd = call.context?.cwd ?? settings.home;
  const names = serverOf(x) === undefined ? namesIn(lines.all.map(({ text }) => text).join("\n")) : pathsIn(call.args);
  if (names === null || names.size > MAX_MENTIONED) return null;
  return [...names].map((name) => resolve(cwd, name.replace(/^~(?=\/|$)/, settings.home)));
}

/** Words that are a path, or a file's name. */
function namesIn(text: string): ReadonlySet<string> | null {
  if (text.length > MAX_LOOKED) return null;
  const words = text.replaceAll(/\$\{?HOME\}?/g, "~").split(/[^\w./+@~-]+/);
  return new Set(words.map((word) => word.replace(/^-+[A-Za-z]?/, "")).filter((word) => /\/|\.\w{1,8}$/.test(word)));
}

/** Texts among the arguments that may be a path of this machine as a whole: its name there, from where the call works, or its address. */
function pathsIn(args: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  JSON.stringify(args, (_, value: unknown) => {
    const path = typeof value === "string" ? value.replace(/^file:(?:\/\/(?:localhost)?)?(?=\/)/i, "") : "";
    const isOne = /\/.|^(?:\.\.|~)$/.test(path) && path.length <= 4096 && !/^[a-z][a-z0-9+.-]*:\/\/|[\n\0]/i.test(path);
    if (isOne) found.add(path === value ? path : path.replace(/(?:%[0-9a-f]{2})+/gi, asLetters));
    return value;
  });
  return found;
}

const asLetters = (codes: string): string => Buffer.from(codes.replaceAll("%", ""), "hex").toString();

/** What runs outside of a box may send anything: it is named by where it goes, or by its own name. */
function* sentByLines(x: FlowCall, config: FlowConfig): Generator<string> {
  if (codeIn(x) === undefined) return;
  yield* hostsOfLines(x).filter((host) => isForeign(host, config));
  const { all } = x.lines;
  const others = all.flatMap(({ reading }) =>
    reading.commands.filter((one) => reading.unread !== null || !isSaid(one, reading, x.settings.home)),
  );
  const silent = all.filter(({ reading }) => reading.commands.length === 0);
  const isUnread = silent.length === all.length || silent.some(({ reading }) => reading.unread !== null);
  const other = isUnread ? x.call.executor : others[0]?.name;
  if (other !== undefined) yield other;
}
