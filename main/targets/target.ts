import { type LineNeed, type LineTarget, pathTarget } from "@metnos-gate/shell-reading";
import { hostOfUrl } from "@metnos-gate/shell-reading/files";
import type { Capability, Requirement } from "../../ipc/contract/decision.ts";
import { SEND } from "../../ipc/words/sending.ts";
import { CAPABILITY_REGISTRY } from "./capabilities.ts";
import { normaliseHost } from "./host.ts";

/** What one part of a call would touch, in the form that grants are matched against; `unknown`: no grant ever covers it. */
export type CallTarget = LineTarget | { kind: "exact"; value: string } | { kind: "none" };

/** A capability on a target, resolved: what a line needs is one, too. */
export interface ResolvedRequirement extends Omit<LineNeed, "capability" | "target"> {
  capability: Capability;
  target: CallTarget;
  /** Asked about by name each time, and why: no grant covers it, at any level. */
  ask_each_time?: string;
  /** It is more than a grant on its target was given for, and what: the level's own outcome counts. */
  beyond_grants?: string;
}

/** True if a path can't be resolved: then the guard can't check it either, and no grant covers it. */
export function isUnresolvable(target: CallTarget): boolean {
  return (
    target.kind === "unknown" ||
    (target.kind === "path" && (target.real === null || target.is_process_relative === true))
  );
}

/**
 * What a path is called on cards, in lists and in grants: where its links lead, not the name that the call gives it. Where that
 * is unknown, or is another path for the agent's own process, the name that the call gives it.
 */
export function pathName({ lexical, real, name, is_process_relative }: Extract<LineTarget, { kind: "path" }>): string {
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

/** The target for a text that names one, as a user would write it (`policy check`). */
export function namedTarget(capability: Capability, text: string, home: string, cwd?: string): CallTarget {
  switch (CAPABILITY_REGISTRY[capability].target_kind) {
    case "path_glob":
      return pathTarget(text, home, cwd, false);
    case "host": {
      const sends = text.startsWith(SEND);
      const named = sends ? text.slice(SEND.length) : text;
      const host = hostOfUrl(named) ?? normaliseHost(named);
      if (host === null) return { kind: "unknown", shown: text };
      return { kind: "host", host, ...(sends ? { sends } : {}) };
    }
    case "exact":
      return { kind: "exact", value: text };
    case "none":
      return { kind: "none" };
  }
}
