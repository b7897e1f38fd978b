import { dirname } from "node:path";
import type { Reach } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { serverTargetOf } from "../../../ipc/contract/mcp-names.ts";
import { SEND } from "../../../ipc/words/sending.ts";
import { CAPABILITY_REGISTRY } from "../../shell-reading/targets/capabilities.ts";
import { grantTarget, isAtOrBelow, literalPattern, pathMatches } from "../../shell-reading/targets/pattern.ts";
import { projectRoot } from "../../shell-reading/targets/project.ts";
import { registrableDomain } from "../../shell-reading/targets/registrable-domain.ts";
import {
  type CallTarget,
  isUnresolvable,
  pathName,
  pathTarget,
  type ResolvedRequirement,
  targetText,
} from "../../shell-reading/targets/target.ts";

/** What a need could be granted on, and by what words. */
export interface Proposal {
  reach: Reach;
  target: string;
}

export interface ProposalSettings {
  home: string;
  /** The call's working directory, absolute. */
  cwd?: string | undefined;
}

/** From the narrowest on. None where it is asked about every time, or where it leads is unknown. */
export function proposalsFor(
  { capability, target, ask_each_time, beyond_grants }: ResolvedRequirement,
  settings: ProposalSettings,
): Proposal[] {
  if (ask_each_time !== undefined || beyond_grants !== undefined) return [];
  if (CAPABILITY_REGISTRY[capability].default_approval !== "per_target") return [];
  const holds = ({ target: text }: Proposal): boolean => {
    try {
      const { target_real } = grantTarget(capability, text, settings.home);
      // A link in the folder that leads outside is not covered by what is granted on the folder.
      return target.kind !== "path" || (target.real !== null && pathMatches(target_real, target.real, target.is_tree));
    } catch (error) {
      if (error instanceof GateError) return false; // the whole disk, for one: it isn't offered
      throw error;
    }
  };
  switch (target.kind) {
    case "path":
      return isUnresolvable(target) ? [] : distinct(pathProposals(target, settings).filter(holds));
    case "host":
      return hostProposals(target.host, target.sends ? SEND : "").filter(holds);
    case "exact":
      return exactProposals(target.value).filter(holds);
    case "none":
      return [{ reach: "any", target: targetText(target) }];
    case "unknown":
      return [];
  }
}

/** All of its domain where it is one of several hosts of somebody's: never what is below a public suffix. */
function hostProposals(host: string, sending: string): Proposal[] {
  const domain = registrableDomain(host);
  const own: Proposal = { reach: "host", target: sending + host };
  return domain === null || domain === host ? [own] : [own, { reach: "subdomains", target: `${sending}*.${domain}` }];
}

/** A server's tool alone, or every tool of its server that the user says only looks. */
function exactProposals(value: string): Proposal[] {
  const server = serverTargetOf(value);
  const own: Proposal = { reach: "exact", target: value };
  return server === null ? [own] : [own, { reach: "server", target: server }];
}

function pathProposals(target: Extract<CallTarget, { kind: "path" }>, settings: ProposalSettings): Proposal[] {
  const name = pathName(target);
  const path = literalPattern(name);
  if (path === null) return [];
  const root = literalPattern(projectOf(name, target.is_tree || target.is_folder === true, settings) ?? "") || null;
  const project: Proposal[] = root === null ? [] : [{ reach: "project", target: `${root}/**` }];
  const tree: Proposal = { reach: "tree", target: `${path}/**` };
  if (target.is_tree) return [tree, ...project];
  if (target.is_folder) return [{ reach: "folder", target: path }, tree, ...project];
  const folder = dirname(path);
  return [
    { reach: "file", target: path },
    { reach: "folder", target: `${folder}/*` },
    { reach: "tree", target: `${folder}/**` },
    ...project,
  ];
}

/** The working directory's project, where the path lies in it; else the path's own. */
function projectOf(path: string, is_folder: boolean, { home, cwd }: ProposalSettings): string | null {
  const working = cwd === undefined ? null : pathTarget(cwd, home, undefined, true);
  if (working?.kind === "path") {
    const root = projectRoot(pathName(working), home);
    if (root !== null && isAtOrBelow(path, root)) return root;
  }
  return projectRoot(is_folder ? path : dirname(path), home);
}

/** A project's own folder is offered as that folder alone. */
function distinct(proposals: readonly Proposal[]): Proposal[] {
  return proposals.filter(({ target }, index) => proposals.findIndex((other) => other.target === target) === index);
}
