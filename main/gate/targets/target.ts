import type { Capability, Requirement } from "../../../ipc/decision.ts";
import { CAPABILITY_REGISTRY } from "../capabilities.ts";
import { hostOfUrl, normaliseHost } from "./host.ts";
import { expandHome, resolvePath } from "./path.ts";

/** What one part of a call would touch, in the form that grants are matched against. */
export type CallTarget =
  | {
      kind: "path";
      lexical: string;
      real: string | null;
      is_tree: boolean;
      /** It names a folder: what a grant offers below it is its own. */
      is_folder?: true;
      /** Where it leads for the agent's own process can't be told; nothing remembered covers it. */
      is_own_view?: true;
    }
  | { kind: "host"; host: string }
  | { kind: "exact"; value: string }
  | { kind: "none" }
  /** It can't be told: nothing remembered ever covers it. */
  | { kind: "unknown"; shown: string };

/** A capability on a target, resolved. */
export interface Need {
  capability: Capability;
  target: CallTarget;
  /** How a path is touched where that says more than the capability: only names are listed (ls, find, Glob), or it is deleted. */
  access?: "list" | "delete";
  /** The write puts this file's or folder's names below the target (a copy, a move). Absolute path of the source. */
  copied_from?: string;
  /** Asked about by name each time, and why: no grant covers it, at any level. */
  ask_each_time?: string;
}

/** True if where a path leads can't be told: then it can't be guarded either, and nothing remembered covers it. */
export function isInDoubt(target: CallTarget): boolean {
  return target.kind === "unknown" || (target.kind === "path" && (target.real === null || target.is_own_view === true));
}

/** The target as it is listed and shown: `D/**` for a whole tree. */
export function targetText(target: CallTarget): string {
  switch (target.kind) {
    case "path":
      return target.is_tree ? (target.lexical === "/" ? "/**" : `${target.lexical}/**`) : target.lexical;
    case "host":
      return target.host;
    case "exact":
      return target.value;
    case "none":
      return "*";
    case "unknown":
      return target.shown;
  }
}

export function requirementOf(need: Need): Requirement {
  return { capability: need.capability, target: targetText(need.target) };
}

/** A path argument as a target. `is_tree`: the call reaches everything below it. */
export function pathTarget(raw: string, home: string, cwd: string | undefined, is_tree: boolean): CallTarget {
  const resolved = resolvePath(raw, home, cwd && expandHome(cwd, home));
  if (resolved === null) return { kind: "unknown", shown: raw };
  return { kind: "path", ...resolved, is_tree };
}

export function urlTarget(url: string): CallTarget {
  const host = hostOfUrl(url);
  return host === null ? { kind: "unknown", shown: url } : { kind: "host", host };
}

/** The target for a text that names one, as a human would write it (`policy check`). */
export function namedTarget(capability: Capability, text: string, home: string, cwd?: string): CallTarget {
  switch (CAPABILITY_REGISTRY[capability].target_kind) {
    case "path_glob":
      return pathTarget(text, home, cwd, false);
    case "host": {
      const host = hostOfUrl(text) ?? normaliseHost(text);
      return host === null ? { kind: "unknown", shown: text } : { kind: "host", host };
    }
    case "exact":
      return { kind: "exact", value: text };
    case "none":
      return { kind: "none" };
  }
}
