import { hash } from "node:crypto";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { type CallTarget, pathName, type ResolvedRequirement } from "../../targets/target.ts";

/** What a *no* for the session is about, in the form that later calls are compared with. */

/** What a request needs and was asked about. */
export type AskedNeed = Pick<ResolvedRequirement, "capability" | "target">;

/**
 * What a *no* for the session to its target refuses. Of what runs code the command alone: what it touches besides was not the
 * question.
 */
export function refusedNeeds(asked: readonly AskedNeed[]): readonly AskedNeed[] {
  const code = asked.filter(({ capability }) => capability === "code:exec");
  return code.length > 0 ? code : asked;
}

export interface RefusedTarget {
  capability: Capability;
  kind: "path" | "tree" | "host" | "other";
  /**
   * A path's names: as the call wrote it, as it is called on the card, and where it led. A host. Of anything else a hash: it may hold a
   * value (a command line, a recipient), and none is kept once the request has ended.
   */
  names: string[];
}

export function refusedTarget({ capability, target }: AskedNeed): RefusedTarget {
  switch (target.kind) {
    case "path":
      return { capability, kind: target.is_tree ? "tree" : "path", names: namesOf(target) };
    case "host":
      return { capability, kind: "host", names: [target.host] };
    default:
      return { capability, kind: "other", names: [hashOf(target)] };
  }
}

/**
 * True if a call's need touches what was refused, by whatever name: then no grant answers for it. A tree that holds a refused file is
 * touched with it, but not where only names are listed.
 */
export function touches(
  { capability, target, access }: ResolvedRequirement,
  refused: Pick<RefusedTarget, "capability" | "kind" | "names">,
): boolean {
  if (capability !== refused.capability) return false;
  switch (target.kind) {
    case "path":
      if (refused.kind !== "path" && refused.kind !== "tree") return false;
      return namesOf(target).some((name) =>
        refused.names.some(
          (no) =>
            name === no ||
            (refused.kind === "tree" && isAtOrBelow(name, no)) ||
            (target.is_tree && access !== "list" && isAtOrBelow(no, name)),
        ),
      );
    case "host":
      return refused.kind === "host" && refused.names.includes(target.host);
    default:
      return refused.kind === "other" && refused.names.includes(hashOf(target));
  }
}

function namesOf(target: Extract<CallTarget, { kind: "path" }>): string[] {
  const { lexical, real } = target;
  return [...new Set([lexical, pathName(target), real ?? lexical])];
}

function hashOf(target: Exclude<CallTarget, { kind: "path" | "host" }>): string {
  const text = target.kind === "exact" ? target.value : target.kind === "unknown" ? target.shown : "*";
  return hash("sha256", JSON.stringify([target.kind, text]), "hex");
}
