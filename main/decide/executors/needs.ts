import { needsOfLine, pathTarget, urlTarget } from "@metnos-gate/shell-reading";
import { isFollowingOver, SKIPPED_FOLDERS, scanTree, withScanLimit } from "@metnos-gate/shell-reading/files";
import {
  patchedFiles,
  pathsMentioned,
  pathsOfPatch,
  programSearchOf,
  type WritableByGrant,
  workingDirectoryOf,
} from "@metnos-gate/shell-reading/programs";
import picomatch from "picomatch";
import { type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";
import { isMcpTarget, mcpTarget } from "../../../ipc/contract/mcp-names.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CallTarget, ResolvedRequirement } from "../../targets/target.ts";
import type { GuardEnv } from "../places/call-environment.ts";
import { withFurtherNeeds } from "../places/further-needs.ts";
import { isInstructions } from "../places/instructions.ts";
import type { Executor } from "./catalog.ts";
import { COMMAND_ARGS } from "./command-lines.ts";
import type { TargetSource } from "./manifest.ts";

/**
 * The capabilities and targets a call needs: the manifest's, the one that the agent itself declares in `context.capability`, and what
 * the paths among them mean. What the agent says can only add a need, never take one away.
 * @param env of the gate's environment, what says where programs and settings lie
 * @param isGranted left out: no grant is known
 */
export function needsOf(
  call: ProposedCall,
  executor: Executor,
  home: string,
  env?: GuardEnv,
  isGranted?: WritableByGrant,
): ResolvedRequirement[] {
  return withScanLimit(() => {
    const cwd = workingDirectoryOf(call, home);
    const needs = ownNeeds(call, executor, home, cwd, isGranted);
    // Nobody looks through more than can be asked about: validation refuses the call.
    if (needs.length > MAX_TARGETS) return needs;
    const all = withFurtherNeeds(needs, { home, cwd, env: withShellPath(env, call) }, call.args);
    return isFollowingOver() ? all.map(unfollowed) : all;
  });
}

/** What else a path means wasn't looked for where following it takes too long: no grant was given for that. */
const unfollowed = (need: ResolvedRequirement): ResolvedRequirement => ({
  ...need,
  ask_each_time: need.ask_each_time ?? "what takes too long to be followed",
});

/** The folders of the agent's own PATH hold programs as those of the gate's do. */
function withShellPath(env: GuardEnv | undefined, { context }: ProposedCall): GuardEnv | undefined {
  if (context?.path === undefined || context.path === env?.PATH) return env;
  return { ...env, PATH: [env?.PATH, context.path].filter(Boolean).join(":") };
}

/** More than a user could read, or a card show. */
export const MAX_TARGETS = 1000;

function ownNeeds(
  call: ProposedCall,
  executor: Executor,
  home: string,
  cwd: string | undefined,
  isGranted: WritableByGrant | undefined,
): ResolvedRequirement[] {
  const needs: ResolvedRequirement[] = [...lookingNeeds(executor)];
  for (const { capability, target } of needs.length > 0 ? [] : executor.manifest.needs) {
    if (capability === "code:exec" && target.from === "command" && target.is_shell) {
      needs.push(...shellNeeds(call, executor, target.args, { home, cwd, isGranted }));
      continue;
    }
    if (target.from === "patch") {
      needs.push(...patchNeeds(call.args[target.arg], home, cwd));
      continue;
    }
    const access = (target.from === "path" || target.from === "glob") && target.access;
    for (const found of targetsOf(target, call, executor, home, cwd))
      needs.push({
        capability,
        target: found,
        ...(access ? { access } : {}),
      });
  }
  const declared = declaredCapability(call);
  if (declared !== undefined && !needs.some((need) => need.capability === declared)) {
    needs.push({ capability: declared, target: { kind: "unknown", shown: call.executor } });
  }
  return needs;
}

/** Of a server's tool that the user said only looks. For the guard it stays one that may run code. */
function lookingNeeds({ mcp }: Executor): ResolvedRequirement[] {
  if (mcp?.state !== "looks") return [];
  return [{ capability: "channel:out", target: { kind: "exact", value: mcpTarget(mcp.server, mcp.tool) } }];
}

/** What a shell call really needs (clear/line-needs.ts); what isn't clear runs code. */
function shellNeeds(
  call: ProposedCall,
  executor: Executor,
  args: readonly string[],
  { home, cwd, isGranted }: { home: string; cwd: string | undefined; isGranted: WritableByGrant | undefined },
): ResolvedRequirement[] {
  const codes = commandsOf(call, args, executor).map(
    (value): ResolvedRequirement => ({ capability: "code:exec", target: { kind: "exact", value } }),
  );
  const given = COMMAND_ARGS.filter((name) => call.args[name] !== undefined);
  const line = lineOf(call.args[given[0] ?? ""]);
  if (given.length !== 1 || line === undefined || !args.includes(given[0] ?? "") || codes.length !== 1) return codes;
  const programs = programSearchOf(call, home, isGranted);
  const { needs, unclear } = needsOfLine(line, home, cwd ?? "", takesComments(executor), programs);
  return unclear === null && !isFollowingOver() ? needs.map(askedAsInstructions) : [...codes, ...needs];
}

/** What a command puts together isn't in its words: it may be an import of a secret. */
function askedAsInstructions(need: ResolvedRequirement): ResolvedRequirement {
  const { capability, target, access } = need;
  const isOne = capability === "fs:write" && target.kind === "path" && access !== "delete";
  return isOne && isInstructions(target.lexical)
    ? { ...need, ask_each_time: "instructions that a command changes" }
    : need;
}

/** Each file that a patch changes; running code, besides what it mentions, where it isn't known which ones those are. */
function patchNeeds(patch: unknown, home: string, cwd: string | undefined): ResolvedRequirement[] {
  const text = typeof patch === "string" ? patch : "";
  const at = (path: string) => placesOf(path, home, cwd, false);
  const files = patchedFiles(text);
  if (files === null)
    return [
      { capability: "code:exec", target: { kind: "exact", value: text } },
      ...pathsMentioned(text)
        .flatMap(at)
        .map((target): ResolvedRequirement => ({ capability: "fs:write", target })),
    ];
  const changed = pathsOfPatch(files).flatMap((file) => at(file.path).map((target) => ({ ...file, target })));
  return changed.flatMap(({ kind, target, from }): ResolvedRequirement[] => {
    if (kind === "delete") return [{ capability: "fs:write", target, access: "delete" }];
    if (kind === "move")
      return [
        // By another name it could be read where this one can't.
        { capability: "fs:read", target },
        { capability: "fs:write", target, access: "delete" },
      ];
    const [source] = from === undefined ? [] : at(from);
    return [{ capability: "fs:write", target, ...(source?.kind === "path" ? { copied_from: source.lexical } : {}) }];
  });
}

/** The shell of its command lines isn't interactive, whichever it is. */
export function takesComments({ manifest }: Executor): boolean {
  return manifest.needs.some(({ target }) => target.from === "command" && target.has_comments === true);
}

/** A list of one text with blanks in it is a command line all the same. */
export function lineOf(value: unknown): string | readonly string[] | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return undefined;
  return value.length === 1 && /\s/.test(value[0] ?? "") ? value[0] : value;
}

/** The capability that the agent says it uses, if it is one. */
export function declaredCapability(call: ProposedCall): Capability | undefined {
  if (call.context?.capability === undefined) return undefined;
  const parsed = capabilitySchema.safeParse(call.context.capability);
  return parsed.success ? parsed.data : undefined;
}

function targetsOf(
  source: TargetSource,
  call: ProposedCall,
  executor: Executor,
  home: string,
  cwd: string | undefined,
): CallTarget[] {
  const values = (arg: string): string[] => {
    const value = call.args[arg];
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  };
  switch (source.from) {
    case "path": {
      const paths = values(source.arg);
      if (paths.length === 0) paths.push(source.or_cwd ? "." : "");
      return paths.flatMap(asRead).flatMap((path) => placesOf(path, home, cwd, source.is_tree === true));
    }
    case "glob":
      return values(source.arg).flatMap((glob) =>
        asRead(values(source.path_arg)[0] ?? ".").flatMap((path) => globTargets(glob, path, home, cwd)),
      );
    case "patch":
      return []; // what each of its files needs differs: see patchNeeds
    case "url":
      return values(source.arg).map((url) => urlTarget(url, source.sends === true || sendsMore(call)));
    case "urls": {
      const urls = source.args.flatMap(values).flatMap(urlsIn);
      return urls.length === 0 ? [{ kind: "unknown", shown: call.executor }] : urls.map((url) => urlTarget(url));
    }
    case "exact":
      // No argument can stand for a server's tool, whose grants are the user's word on its definition.
      return values(source.arg).map((value) =>
        isMcpTarget(value) ? { kind: "unknown", shown: value } : { kind: "exact", value },
      );
    case "command":
      return commandsOf(call, source.args, executor).map((value) => ({ kind: "exact", value }));
    case "fixed":
      return [fixedTarget(source.value)];
    case "none":
      return [{ kind: "none" }];
  }
}

/** What a tool is given beside an address, whatever it is called: then it does more than ask. */
function sendsMore({ args }: ProposedCall): boolean {
  const { method } = args;
  const asks = !isGiven(method) || (typeof method === "string" && /^(?:GET|HEAD|OPTIONS|CONNECT)$/i.test(method));
  return !asks || ["body", "data", "json", "form", "files"].some((name) => isGiven(args[name]));
}

/** Models fill in what they may leave out. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Every command that the call carries under these names; the executor itself where there is none. */
export function commandsOf(
  call: ProposedCall,
  names: readonly string[],
  { manifest }: Pick<Executor, "manifest">,
): string[] {
  const commands = names.map((name) => commandText(call.args[name])).filter((text) => text !== undefined);
  return commands.length === 0 ? [manifest.name] : commands;
}

/** A list is joined with spaces (docs/decisions/requirements-vaglio.md, "Baseline patterns"). */
function commandText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((word) => typeof word === "string").join(" ") : undefined;
}

/** What a reader of a free text would take for a URL: one that begins within another one, too. */
function urlsIn(text: string): string[] {
  return text.split(/\s+|(?=https?:\/\/)/i).filter((word) => word.includes("://"));
}

/** A path as it is written, and as clients read it that trim it and put letters and accents together, as Claude Code does. */
const asRead = (path: string): string[] =>
  READ_ALIKE.test(path) ? [path] : [...new Set([path, path.trim().normalize("NFC")])];

/** ASCII without blanks around it. */
const READ_ALIKE = /^[!-~](?:[ -~]*[!-~])?$/;

/** A path as the kernel takes it; and as clients do that take `..` for text, where a link in front of it makes that another place. */
function placesOf(path: string, home: string, cwd: string | undefined, isTree: boolean): CallTarget[] {
  const target = pathTarget(path, home, cwd, isTree);
  if (target.kind !== "path" || target.real === target.lexical || !`${cwd}/${path}`.includes("..")) return [target];
  const asText = pathTarget(target.lexical, home, undefined, isTree);
  return asText.kind === "path" && asText.real === target.real ? [target] : [target, asText];
}

function globTargets(glob: string, path: string, home: string, cwd: string | undefined): CallTarget[] {
  // `\\.` is a dot to some and a name with a backslash to others. Brace alternatives may be absolute or climb.
  const isUnknown = glob.includes("\\") || /[{,](\/|~|\.\.)/.test(glob) || canClimbByBraces(glob);
  const globs = isUnknown ? null : alternativesOf(glob);
  if (globs === null) return [{ kind: "unknown", shown: glob }];
  const [whole, ...others] = [glob, ...(globs.length === 1 ? [] : globs)].map((one) =>
    globTarget(one, path, home, cwd),
  );
  // What each alternative is beside its folder's own: where a link leads.
  return [...(whole ?? []), ...others.flat().filter((one) => one.kind !== "path" || one.real !== one.lexical)];
}

function globTarget(glob: string, path: string, home: string, cwd: string | undefined): CallTarget[] {
  // The fixed part of the glob says how high up it begins: an absolute one or `../..` leaves `path` behind.
  // `!a` reaches everything but a: it has no fixed part.
  const base = /^!(?!\()/.test(glob) ? "" : picomatch.scan(glob).base;
  const start = base.startsWith("/") || base.startsWith("~") ? base : `${path}/${base}`;
  const rest = glob.slice(base.length);
  // `a/*/../..` climbs after its fixed part: where it ends is unknown.
  if (rest.includes("..")) return [{ kind: "unknown", shown: glob }];
  const places = placesOf(start, home, cwd, true);
  const folders = (all: readonly CallTarget[]) =>
    all.flatMap((one) => (one.kind === "path" ? (one.real ?? one.lexical) : []));
  // To some the fixed part has no case: then it is a pattern, too.
  const isPattern = base !== "" && start !== base && !base.includes("..");
  const links = [
    ...folders(places).flatMap((folder) => linksPassed(folder, rest, base === "")),
    ...(isPattern ? folders(placesOf(path, home, cwd, true)).flatMap((folder) => linksPassed(folder, glob, true)) : []),
  ];
  return [...places, ...links.map((link) => pathTarget(link, home, undefined, true))];
}

const MAX_ALTERNATIVES = 64;

/** `{a,b}/c` as `a/c` and `b/c`; null where there are too many. */
function alternativesOf(glob: string): string[] | null {
  let all = [glob];
  for (;;) {
    const next = all.flatMap((one) => {
      const [written = "", inner] = /\{([^{}]*,[^{}]*)\}/.exec(one) ?? [];
      // A function, as `$&` in a name would be what it replaces.
      return inner === undefined ? [one] : inner.split(",").map((part) => one.replace(written, () => part));
    });
    if (next.length > MAX_ALTERNATIVES) return null;
    if (next.length === all.length) return all;
    all = next;
  }
}

/** As far as links are looked for on a pattern's way. */
const PASSED = { maxEntries: 2000, skipped: SKIPPED_FOLDERS };
const MAX_PASSED = 8;

/** Links that a pattern continues behind, as some clients do: what they lead to is listed, too. `**` at its beginning passes none. */
function linksPassed(folder: string, glob: string, isFirst: boolean): string[] {
  const names = glob.split("/").filter((name) => name !== "");
  const fronts = names.map((_, at) => names.slice(0, at + 1).join("/"));
  if (names.at(-1) !== "**") fronts.pop();
  const isPassed = fronts
    .filter((front) => !isFirst || front !== "**")
    .map((front) => picomatch(front, { dot: true, nocase: true }));
  if (isPassed.length === 0) return [];
  const links: string[] = [];
  scanTree(folder, { ...PASSED, maxDepth: names.includes("**") ? MAX_PASSED : names.length }, (one) => {
    if (one.is_link && isPassed.some((matches) => matches(one.relative))) links.push(`${folder}/${one.relative}`);
    return true;
  });
  return links;
}

/** Whether alternatives put together can be `..` (`{.,x}./a`), or an absolute path where one is empty (`{x,}/etc`). */
function canClimbByBraces(glob: string): boolean {
  if (!glob.includes("{")) return false;
  const plain = glob.replace(/(^|\/)(?:\.\/)+/g, "$1");
  return /(?:^|[/{},])\.(?:$|[/{},])/.test(plain) || (plain.startsWith("{") && /[{,],|,\}/.test(plain));
}

function fixedTarget(value: string): CallTarget {
  return { kind: "host", host: value };
}
