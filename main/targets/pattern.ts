import { expandHome, isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import type { Capability } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isMcpServerTarget, serverTargetOf } from "../../ipc/contract/mcp-names.ts";
import { CAPABILITY_REGISTRY } from "./capabilities.ts";
import { normaliseHostGrant } from "./host.ts";

/** What a grant may be given on: a target in its normal form, and the folder it is looked up by. */
export interface GrantTarget {
  target: string;
  /** The same with the links of its fixed part followed, as they were when it was granted. */
  target_real: string;
  /** Where the lookup finds it: a path's fixed part, else the target itself. */
  target_base: string;
}

/** Only `*`, `**`, `?` and `[...]` have a meaning; everything else is itself. */
const GLOB_CHARACTERS = /[*?[\]]/;

/** A path as a pattern that covers exactly it: names may hold glob characters (`[id].tsx`). Null if that can't be written. */
export function literalPattern(path: string): string | null {
  if (path.includes("\\")) return null;
  return path.replace(/[*?[\]]/g, (character) => `[${character}]`);
}

/**
 * The normal form of a grant's target for `capability`.
 * @throws GateError `invalid_target` with what is wrong: relative paths, whole-disk globs, something that isn't a host
 */
export function grantTarget(capability: Capability, raw: string, home: string): GrantTarget {
  const kind = CAPABILITY_REGISTRY[capability].target_kind;
  if (kind === "path_glob") return pathTarget(raw, home);
  if (kind === "host") {
    const target = normaliseHostGrant(raw);
    if (target === null)
      throw invalid(
        `${JSON.stringify(raw)} is not a host`,
        "give a host, such as api.example.com, *.example.com, or send:api.example.com",
      );
    return { target, target_real: target, target_base: target };
  }
  if (kind === "none") {
    if (raw !== "*") throw invalid(`${capability} has one target for all`, 'give "*"');
    return { target: "*", target_real: "*", target_base: "*" };
  }
  const isServer = capability === "channel:out" && isMcpServerTarget(raw);
  if (raw.trim() === "" || (raw.includes("*") && !isServer))
    throw invalid(`${capability} needs an exact target`, "give the exact name, without *");
  return { target: raw, target_real: raw, target_base: raw };
}

/** True if a grant on an exact target covers a call's; one on a server covers each of its tools that only looks. */
export function exactMatches(granted: string, asked: string): boolean {
  return granted === asked || (isMcpServerTarget(granted) && serverTargetOf(asked) === granted);
}

function pathTarget(raw: string, home: string): GrantTarget {
  if (raw.includes("\0") || raw.includes("\\"))
    throw invalid("a grant's path can't hold a NUL byte or a backslash", "give an absolute path");
  const expanded = expandHome(raw, home);
  if (!expanded.startsWith("/"))
    throw invalid(`${JSON.stringify(raw)} is not an absolute path`, "begin it with / or ~/");
  const parts = expanded.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw invalid("a grant's path can't hold ..", "give the path without ..");
  const firstGlob = parts.findIndex((part) => GLOB_CHARACTERS.test(part));
  const fixed = firstGlob === -1 ? parts : parts.slice(0, firstGlob);
  const rest = firstGlob === -1 ? [] : parts.slice(firstGlob);
  if (rest.length > 0 && fixed.length === 0) throw invalid("a grant on the whole disk is refused", "name a folder");
  if (rest.some((part) => part.includes("**") && part !== "**"))
    throw invalid("** must be alone between slashes", "write folder/** or folder/*");
  const base = `/${fixed.join("/")}`;
  if (base === "/") throw invalid("a grant on the whole disk is refused", "name a folder");
  const real = realForm(base);
  if (real === null || real === "/")
    throw invalid("the folder can't be resolved, or is the whole disk", "name a folder that exists");
  const suffix = rest.length === 0 ? "" : `/${rest.join("/")}`;
  // A link may lead to a folder whose name looks like a glob: it is taken by its name.
  const literalReal = literalPattern(real);
  if (literalReal === null) throw invalid("the folder's real path holds a backslash", "name another folder");
  return { target: base + suffix, target_real: literalReal + suffix, target_base: base };
}

function invalid(message: string, hint: string): GateError {
  return new GateError("invalid_target", message, hint);
}

/**
 * Whether a pattern covers `path`, absolute and normal.
 * @param isTree the call reaches everything below `path`: only a `/**` above it covers that
 */
export type PathMatcher = (path: string, isTree: boolean) => boolean;

/** What a grant's path pattern (its normal form) covers. `D/*` covers what lies directly in D, `D/**` D and all below it. */
export function pathMatcher(pattern: string): PathMatcher {
  if (pattern.endsWith("/**")) {
    const above = pattern.slice(0, -3);
    if (!GLOB_CHARACTERS.test(above)) return (path) => isAtOrBelow(path, above);
    // The `/**` at its end covers whatever lies below what the pattern matches.
    const expression = globExpression(pattern);
    return (path) => expression.test(path);
  }
  if (!GLOB_CHARACTERS.test(pattern)) return (path, isTree) => !isTree && path === pattern;
  if (pattern.endsWith("/*") && !GLOB_CHARACTERS.test(pattern.slice(0, -2))) {
    const folder = pattern.slice(0, -1);
    return (path, isTree) =>
      !isTree && path.length > folder.length && path.startsWith(folder) && !path.includes("/", folder.length);
  }
  const expression = globExpression(pattern);
  return (path, isTree) => !isTree && expression.test(path);
}

/** The same for a pattern that is looked at once. */
export function pathMatches(pattern: string, path: string, isTree: boolean): boolean {
  return pathMatcher(pattern)(path, isTree);
}

/**
 * A grant's glob as a regular expression. `*` any run within a name, `?` any one character, `[...]` one of its characters, `**`
 * alone between slashes any folders, at the end the folder itself and all below it. Everything else is itself: a name that
 * looks like a pattern elsewhere (`(a)`, `{a,b}`, `!a`, `"a"`) has no other meaning here.
 */
function globExpression(pattern: string): RegExp {
  const parts = pattern.split("/").slice(1);
  let source = "";
  for (const [index, part] of parts.entries()) {
    if (part !== "**") source += `/${part === "*" ? "[^/]+" : nameSource(part)}`;
    else if (index === parts.length - 1) source += "(?:/.*)?";
    else if (parts[index + 1] !== "**") source += "(?:/[^/]+)*";
  }
  return new RegExp(`^${source}$`, "su");
}

const PIECE = /\*|\?|\[([^/][^/\]]*)\]|./gsu;

function nameSource(name: string): string {
  return name.replace(PIECE, (piece: string, set: string | undefined) => {
    if (piece === "*") return "[^/]*";
    if (piece === "?") return "[^/]";
    if (set === undefined) return escaped(piece);
    // `[id]` also matches a name that is written like that: what a user sees is what they grant.
    return /^\w+$/.test(set) ? `(?:${setSource(set)}|${escaped(piece)})` : setSource(set);
  });
}

function setSource(set: string): string {
  const ranges = set.replace(/([^-])-([^-])|./gsu, (piece: string, from: string | undefined, to: string | undefined) =>
    from !== undefined && to !== undefined && (from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0)
      ? `${escaped(from)}-${escaped(to)}`
      : [...piece].map(escaped).join(""),
  );
  return `(?!/)[${ranges}]`;
}

function escaped(text: string): string {
  return text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&").replaceAll("-", "\\x2d");
}
