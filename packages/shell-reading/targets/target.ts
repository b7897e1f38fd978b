import type { Capability, Requirement } from "../../../ipc/contract/decision.ts";
import { SEND } from "../../../ipc/words/sending.ts";
import { CAPABILITY_REGISTRY } from "./capabilities.ts";
import { hostOfUrl, normaliseHost } from "./host.ts";
import { expandHome, type ResolvedPath, realForm, resolvePath } from "./path.ts";
import { isAtOrBelow } from "./pattern.ts";

/** What one part of a call would touch, in the form that grants are matched against. */
export type CallTarget =
  | (ResolvedPath & {
      kind: "path";
      /** Where a link leads, as it is named: the real path, the home folder under its usual name. Left out: see `pathName`. */
      name?: string;
      is_tree: boolean;
      /** It names a folder: what a grant offers below it is its own. */
      is_folder?: true;
    })
  /** `sends`: more goes there than the question for what is fetched. */
  | { kind: "host"; host: string; sends?: true }
  | { kind: "exact"; value: string }
  | { kind: "none" }
  /** It is unknown: no grant ever covers it. */
  | { kind: "unknown"; shown: string };

/** A capability on a target, resolved. */
export interface ResolvedRequirement {
  capability: Capability;
  target: CallTarget;
  /** How a path is touched where that says more than the capability: only names are listed (ls, find, Glob), or it is deleted. */
  access?: "list" | "delete";
  /** The write puts this file's or folder's names below the target (a copy, a move). Absolute path of the source. */
  copied_from?: string;
  /** Asked about by name each time, and why: no grant covers it, at any level. */
  ask_each_time?: string;
  /** It is more than a grant on its target was given for, and what: the level's own outcome counts. */
  beyond_grants?: string;
  /** Names that begin with a dot are left out of a tree. */
  skips_hidden?: true;
}

/** True if a path can't be resolved: then the guard can't check it either, and no grant covers it. */
export function isUnresolvable(target: CallTarget): boolean {
  return (
    target.kind === "unknown" ||
    (target.kind === "path" && (target.real === null || target.is_process_relative === true))
  );
}

type PathTarget = Extract<CallTarget, { kind: "path" }>;

/**
 * What a path is called on cards, in lists and in grants: where its links lead, not the name that the call gives it. Where that
 * is unknown, or is another path for the agent's own process, the name that the call gives it.
 */
export function pathName({ lexical, real, name, is_process_relative }: PathTarget): string {
  return name ?? (is_process_relative ? lexical : (real ?? lexical));
}

/** The target as it is listed and shown: `D/**` for a whole tree. */
export function targetText(target: CallTarget): string {
  switch (target.kind) {
    case "path": {
      const name = pathName(target);
      return target.is_tree ? (name === "/" ? "/**" : `${name}/**`) : name;
    }
    case "host":
      return target.sends ? SEND + target.host : target.host;
    case "exact":
      return target.value;
    case "none":
      return "*";
    case "unknown":
      return target.shown;
  }
}

export function requirementOf(need: ResolvedRequirement): Requirement {
  return { capability: need.capability, target: targetText(need.target) };
}

/** A path argument as a target. `is_tree`: the call reaches everything below it. */
export function pathTarget(raw: string, home: string, cwd: string | undefined, isTree: boolean): CallTarget {
  const resolved = resolvePath(raw, home, cwd && expandHome(cwd, home));
  if (resolved === null) return { kind: "unknown", shown: raw };
  const name = nameOf(resolved, home);
  return { kind: "path", ...resolved, ...(name === undefined ? {} : { name }), is_tree: isTree };
}

/** A home folder that is itself reached by a link (/home -> /var/home) keeps its usual name: it is no link that a call follows. */
function nameOf({ lexical, real, is_process_relative }: ResolvedPath, home: string): string | undefined {
  if (real === null || real === lexical || is_process_relative) return undefined;
  const realHome = realForm(home);
  if (realHome === null || realHome === home || realHome === "/" || !isAtOrBelow(real, realHome)) return undefined;
  return home + real.slice(realHome.length);
}

export function urlTarget(url: string, sends = false): CallTarget {
  const host = hostOfUrl(url);
  return host === null ? { kind: "unknown", shown: url } : hostTarget(host, sends);
}

const hostTarget = (host: string, sends: boolean): CallTarget => ({
  kind: "host",
  host,
  ...(sends ? { sends: true as const } : {}),
});

/** The target for a text that names one, as a user would write it (`policy check`). */
export function namedTarget(capability: Capability, text: string, home: string, cwd?: string): CallTarget {
  switch (CAPABILITY_REGISTRY[capability].target_kind) {
    case "path_glob":
      return pathTarget(text, home, cwd, false);
    case "host": {
      const sends = text.startsWith(SEND);
      const named = sends ? text.slice(SEND.length) : text;
      const host = hostOfUrl(named) ?? normaliseHost(named);
      return host === null ? { kind: "unknown", shown: text } : hostTarget(host, sends);
    }
    case "exact":
      return { kind: "exact", value: text };
    case "none":
      return { kind: "none" };
  }
}
