import { type MaskedTexts, maskedTexts, type PathPattern } from "@metnos-gate/shell-reading";
import { expandHome, foldedPath, realForm } from "@metnos-gate/shell-reading/files";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { Executor } from "../executors/catalog.ts";
import { type CommandLine, CommandLines } from "../executors/command-lines.ts";
import { AgentSettings } from "../places/agent-settings.ts";
import type { GuardEnv } from "../places/call-environment.ts";
import type { GateFiles } from "../places/gate-files.ts";
import { dangerousCommand, forbiddenPath, stringsIn } from "../places/patterns.ts";
import { holdsSecrets, isAskedToRead, mayBeNamed, protectedPath } from "../places/protected-paths.ts";
import { earlierStateOf } from "../places/snapshot-path.ts";
import { isDisk, pathFormOf, vitalFile, vitalFolder } from "../places/vital-paths.ts";
import { isCloudMetadata, namesCloudMetadata, reachesCloudMetadata } from "./cloud-metadata.ts";
import type { GuardRule } from "./shell/finding.ts";
import { findingIn, findingText } from "./shell/guard-shell.ts";

/**
 * The binary guard: what is denied whatever the policy, the grants and the user say (docs/decisions/requirements-vaglio.md).
 * One for every tool: what a call needs is looked at the same way whether a command line or another tool needs it; command lines are
 * read on top of that.
 */

export interface GuardBlock {
  rule: GuardRule;
  reason: string;
  matched: string;
  instead: string;
}

export interface GuardSettings {
  home: string;
  /** Left out where the gate's own files aren't asked about. */
  gateFiles?: GateFiles | undefined;
  /** What of the gate's environment says where an agent's settings lie. */
  env?: GuardEnv | undefined;
}

const OTHER_PATH = "work on another path; if the user needs this one, they do it themselves";

/**
 * The first violation, or null.
 * @param commandLines the call's, where they were read before
 */
export function guard(
  call: ProposedCall,
  executor: Executor,
  stated: readonly ResolvedRequirement[],
  settings: GuardSettings,
  commandLines = new CommandLines(call, settings.home),
): GuardBlock | null {
  const needs = followedOn(stated);
  if (needs === null) return UNFOLLOWED;
  const lines = runsCode(executor, needs) ? commandLines.all : [];
  const said = <Said>(what: string, find: () => Said) => commandLines.once(`${what}, of ${lines.length} lines`, find);
  const masked =
    lines.length === 0
      ? NO_TEXTS
      : said("masked texts", () => new Map(lines.map((line) => [line.arg, maskedTextsOf(line)])));
  const paths = pathsOf(needs);
  const cwd = workingDirectoryOf(call, settings.home);
  const asked = needs.every(({ capability }) => capability === "fs:read") ? keysReadByName(paths, settings.home) : NONE;
  const found =
    commandLines.once(lines.length === 0 ? "forbidden strings" : "forbidden strings beside lines", () =>
      stringsOfCall(call, executor, settings.home, masked),
    ) ??
    protectedPaths(paths, settings.home, lines.length > 0, asked) ??
    (lines.length === 0 ? null : said("irrecoverable", () => irrecoverableCommand(masked))) ??
    gateFiles(needs, lines, masked, settings.gateFiles) ??
    agentSettings(paths, cwd, settings) ??
    irrecoverablePaths(paths, cwd, settings.home) ??
    cloudMetadata(needs);
  if (found !== null || lines.length === 0) return found;
  return (
    said("cloud metadata", () => cloudMetadataIn(lines)) ??
    said(`what would run, ${JSON.stringify([...asked])}`, () => whatWouldRun(lines, cwd, settings, asked))
  );
}

/** Longer than one decision may take to follow its paths: no user is asked about what a link would make another path. In milliseconds. */
const MAX_FOLLOWING_MS = 5;

const UNFOLLOWED: GuardBlock = {
  rule: "guard.protected-path",
  reason: "guard: the call's paths take too long to be followed: they could lead anywhere",
  matched: "paths that take too long to be followed",
  instead: "name fewer paths in one call, or shorter ways to them",
};

/** The needs with where those of their paths lead that couldn't be followed before; null where that takes too long, or can't be known. */
function followedOn(needs: readonly ResolvedRequirement[]): readonly ResolvedRequirement[] | null {
  if (!needs.some(({ target }) => target.kind === "path" && target.unfollowed !== undefined)) return needs;
  const until = performance.now() + MAX_FOLLOWING_MS;
  const followed: ResolvedRequirement[] = [];
  for (const need of needs) {
    const { target } = need;
    if (target.kind !== "path" || target.unfollowed === undefined) followed.push(need);
    else {
      const real = performance.now() > until ? null : realForm(target.unfollowed);
      if (real === null) return null;
      followed.push({ ...need, target: { ...target, real } });
    }
  }
  return followed;
}

/** One of the forms of a need's path: as it is written, or as it resolves. */
interface TouchedPath {
  path: string;
  /** `in the resolved path`, for the form that the call doesn't say. */
  is_resolved: boolean;
  is_tree: boolean;
  isWritten: boolean;
  access: ResolvedRequirement["access"];
}

/** True if what a need would touch is no agent's, whatever line it comes from: keys, passwords, the gate's own files. */
export function isForbidden(
  need: ResolvedRequirement,
  { home, gateFiles }: Pick<GuardSettings, "home" | "gateFiles">,
): boolean {
  return protectedPaths(pathsOf([need]), home) !== null || gateFiles?.touchedBy(need) !== undefined;
}

function pathsOf(needs: readonly ResolvedRequirement[]): TouchedPath[] {
  const paths: TouchedPath[] = [];
  for (const { capability, target, access } of needs) {
    if (target.kind !== "path") continue;
    const { lexical, real, is_tree } = target;
    const more = { is_tree, access, isWritten: capability === "fs:write" };
    paths.push({ path: lexical, is_resolved: false, ...more });
    if (real !== null && real !== lexical) paths.push({ path: real, is_resolved: true, ...more });
    const earlier = earlierStateOf(real ?? lexical);
    if (earlier !== undefined) paths.push({ path: earlier, is_resolved: true, ...more });
  }
  return paths;
}

const NONE: ReadonlySet<string> = new Set();
const NO_TEXTS: ReadonlyMap<string, MaskedTexts> = new Map();

/** Of a call that only reads: keys that it names one by one, and is asked about each time. */
function keysReadByName(paths: readonly TouchedPath[], home: string): ReadonlySet<string> {
  const named = paths.filter(
    ({ path, is_resolved, is_tree, access }) =>
      !is_resolved && !is_tree && access !== "list" && isAskedToRead(path, home),
  );
  return named.length === 0 ? NONE : new Set(named.map(({ path }) => path));
}

/** The baseline patterns on every string, as it is and with `~` expanded; URLs among them. Content is data. */
function stringsOfCall(
  call: ProposedCall,
  executor: Executor,
  home: string,
  masked: ReadonlyMap<string, MaskedTexts>,
): GuardBlock | null {
  for (const { key, value: raw } of stringsIn(call.args, executor.manifest.content_args)) {
    const isLine = typeof call.args[key] === "string" && masked.has(key);
    const value = isLine ? (masked.get(key)?.forPaths ?? raw) : raw;
    const pattern =
      forbiddenPath(value) ?? (value.startsWith("~") ? forbiddenPath(expandHome(value, home)) : undefined);
    if (pattern !== undefined) {
      return {
        rule: "guard.protected-path",
        reason: `guard: forbidden path violated: pattern '${pattern}' in args`,
        matched: `pattern '${pattern}' in argument '${key}'`,
        instead: OTHER_PATH,
      };
    }
    if (!masked.has(key) && /^\s*[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(value) && namesCloudMetadata(value)) {
      return metadataBlock(`a URL in argument '${key}'`);
    }
  }
  return null;
}

/** Keys, passwords, the system's own: the same for each path that would be touched, `..`, doubled slashes and links resolved. */
function protectedPaths(
  paths: readonly TouchedPath[],
  home: string,
  isCommand = false,
  asked: ReadonlySet<string> = NONE,
): GuardBlock | null {
  let realHome: string | undefined;
  for (const { path, is_resolved, is_tree, isWritten, access } of paths) {
    const form = pathFormOf(path);
    const folded = foldedPath(path);
    // What a command does with a name, and with what it prints of it, is read from its line.
    const isOnlyNamed = isCommand && access === "list" && !is_tree && !isWritten && mayBeNamed(pathFormOf(folded));
    const pattern = forbiddenPath(path);
    if (pattern !== undefined && !isOnlyNamed) {
      return {
        rule: "guard.protected-path",
        reason: `guard: forbidden path violated: pattern '${pattern}' in the resolved path`,
        matched: `pattern '${pattern}' once the path is resolved`,
        instead: OTHER_PATH,
      };
    }
    // Letters that a file system may take for others, upper case among them.
    const label = protectedPath(form, home) ?? (folded === path ? undefined : protectedPath(pathFormOf(folded), home));
    if (label !== undefined && !isOnlyNamed && !asked.has(path)) {
      return {
        rule: "guard.protected-path",
        reason: `guard: forbidden path violated: ${label}`,
        matched: `${label}${is_resolved ? ", once the path is resolved" : ""}`,
        instead: OTHER_PATH,
      };
    }
    if (!is_tree || isWritten || access === "list") continue;
    realHome ??= realForm(home) ?? home;
    if (holdsSecrets(form, home) || (realHome !== home && holdsSecrets(form, realHome))) {
      return {
        rule: "guard.secrets-folder",
        reason: "guard: forbidden path violated: a folder that holds keys and passwords, read as a whole",
        matched: "a folder that holds keys and passwords",
        instead: "name a narrower folder",
      };
    }
  }
  return null;
}

/** The baseline patterns for commands that leave no way back. */
function irrecoverableCommand(masked: ReadonlyMap<string, MaskedTexts>): GuardBlock | null {
  const pattern = [...masked.values()]
    .map(({ forCommands }) => dangerousCommand(forCommands))
    .find((found) => found !== undefined);
  if (pattern === undefined) return null;
  return {
    rule: "guard.irrecoverable-command",
    reason: `guard: irrecoverable command: pattern '${pattern}'`,
    matched: `pattern '${pattern}' in the command`,
    instead: "name exactly what should change, inside the project",
  };
}

/** Whole trees that would be written or deleted, files without which the machine doesn't start, disks. */
function irrecoverablePaths(paths: readonly TouchedPath[], cwd: string | undefined, home: string): GuardBlock | null {
  for (const { path, is_tree, isWritten, access } of paths) {
    if (!isWritten) continue;
    const form = pathFormOf(path);
    // A folder that is written as one name may just be made, or is empty where it is deleted.
    const folder = is_tree ? vitalTree(form, cwd, home) : undefined;
    if (folder !== undefined) {
      const what = access === "delete" ? "a delete of" : "a change of everything below";
      return irrecoverableBlock(`${what} ${folder}`, "name exactly what should change, inside the project");
    }
    const file = isDisk(form) ? "a disk, raw" : vitalFile(form);
    if (file !== undefined) {
      return irrecoverableBlock(`a change of ${file}`, "write a copy in the project, and let the user put it in place");
    }
  }
  return null;
}

/** The working directory and the home count by their names and by where those lead. */
function vitalTree(form: PathPattern, cwd: string | undefined, home: string): string | undefined {
  const found = vitalFolder(form, { home, cwd: cwd ?? null });
  if (found !== undefined) return found;
  const realCwd = cwd === undefined ? null : realForm(cwd);
  return vitalFolder(form, { home: realForm(home) ?? home, cwd: realCwd });
}

function irrecoverableBlock(what: string, instead: string): GuardBlock {
  return { rule: "guard.irrecoverable-change", reason: `guard: irrecoverable: ${what}`, matched: what, instead };
}

function gateFiles(
  needs: readonly ResolvedRequirement[],
  lines: readonly CommandLine[],
  masked: ReadonlyMap<string, MaskedTexts>,
  ofGate: GateFiles | undefined,
): GuardBlock | null {
  if (ofGate === undefined) return null;
  let matched: string | undefined;
  for (const need of needs) matched ??= ofGate.touchedBy(need);
  // Where a line is read to the last word, what it names is known; in any doubt a mention is enough.
  const isMentioned = (line: CommandLine) =>
    hasUnresolvedParts(line) && ofGate.isMentionedIn(masked.get(line.arg)?.forPaths ?? line.text);
  if (matched === undefined && lines.some(isMentioned)) matched = "the gate's own folders in the command";
  if (matched === undefined) return null;
  return {
    rule: "guard.gate-files",
    reason: "guard: the gate's own files are not for agents",
    matched,
    instead: "name a narrower folder, or ask the user to use the metnos-gate command",
  };
}

/** By whatever tool: an agent that could take the hook out would need no permission for anything else. */
function agentSettings(
  paths: readonly TouchedPath[],
  cwd: string | undefined,
  { home, env }: GuardSettings,
): GuardBlock | null {
  const written = paths.filter(({ isWritten }) => isWritten);
  if (written.length === 0) return null;
  const settings = new AgentSettings({ home, cwd, env });
  const isTouched = written.some(({ path, is_tree }) => settings.isAt(path) || (is_tree && settings.isBelow(path)));
  if (!isTouched) return null;
  return {
    rule: "guard.agent-settings",
    reason: "guard: the settings that hold the gate's hook are not for agents",
    matched: "a write to the settings of an agent's client, or to their folder",
    instead: "say what it should contain; the user changes it themselves",
  };
}

/** A cloud's credentials, by a tool for the web as by a command. */
function cloudMetadata(needs: readonly ResolvedRequirement[]): GuardBlock | null {
  for (const { capability, target } of needs) {
    const isOne =
      (target.kind === "host" && isCloudMetadata(target.host)) ||
      (capability === "network:http" && target.kind === "unknown" && namesCloudMetadata(target.shown, true));
    if (isOne) return metadataBlock("the host of a request");
  }
  return null;
}

function cloudMetadataIn(lines: readonly CommandLine[]): GuardBlock | null {
  return lines.some(({ reading }) => reachesCloudMetadata(reading)) ? metadataBlock("a host in the command") : null;
}

function metadataBlock(matched: string): GuardBlock {
  return {
    rule: "guard.cloud-metadata",
    reason: "guard: a cloud's metadata service hands out credentials",
    matched,
    instead: "ask the user for what you need to know of the machine",
  };
}

/** What a shell would make of the command lines, read as it reads them. */
function whatWouldRun(
  lines: readonly CommandLine[],
  cwd: string | undefined,
  settings: GuardSettings,
  asked: ReadonlySet<string>,
): GuardBlock | null {
  for (const { reading, arg } of lines) {
    const found = findingIn(reading, {
      asked,
      cwd: cwd ?? "",
      home: settings.home,
      gate: settings.gateFiles?.protectedPaths,
    });
    if (found === null) continue;
    return {
      rule: found.rule,
      reason: findingText(found, reading),
      matched: `${found.description}, characters ${found.span.start} to ${found.span.end} of argument '${arg}'`,
      instead: found.instead,
    };
  }
  return null;
}

function maskedTextsOf({ text, is_list, reading }: CommandLine): MaskedTexts {
  return is_list ? { forPaths: text, forCommands: text } : maskedTexts(reading);
}

function hasUnresolvedParts({ reading: { unread, defines, commands } }: CommandLine): boolean {
  if (unread !== null || defines) return true;
  return commands.some(({ code, argv, redirects }) => {
    if (code !== undefined) return true;
    return argv.some(({ is_resolved }) => !is_resolved) || redirects.some(({ target }) => !target.is_resolved);
  });
}

/** By what it needs, or by what its executor is: a shell call that only reads is a shell call all the same. */
function runsCode({ manifest }: Executor, needs: readonly ResolvedRequirement[]): boolean {
  const isCode = ({ capability }: { capability: string }) => capability === "code:exec";
  return manifest.needs.some(isCode) || needs.some(isCode);
}
