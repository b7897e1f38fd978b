import { dirname } from "node:path";
import { pathTarget } from "@metnos-gate/shell-reading";
import { isAtOrBelow, projectRoot } from "@metnos-gate/shell-reading/files";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Reach, Requirement } from "../../../ipc/contract/decision.ts";
import type { Flow } from "../../../ipc/contract/flow.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { serverTargetOf } from "../../../ipc/contract/mcp-names.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";
import { SEND } from "../../../ipc/words/sending.ts";
import { errorCode } from "../../base/errors.ts";
import type { ResolvedGrant } from "../../decide/grants/store.ts";
import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import { hostGrantMatches } from "../../targets/host.ts";
import { registrableDomain } from "../../targets/listed-host.ts";
import { exactMatches, type GrantTarget, grantTarget, literalPattern, pathMatches } from "../../targets/pattern.ts";
import {
  type CallTarget,
  isUnresolvable,
  pathName,
  type ResolvedRequirement,
  targetText,
} from "../../targets/target.ts";

/** What a user can answer, and exactly what each answer would store. */

/** A grant as it is stored with its answer. `target_real`: where its folder was when that was looked at, for paths. */
export type Granted = Requirement & { target_real?: string };

/** Other forms of the paths that were asked for, by the name that they were asked under. */
export interface AskedPaths {
  /** Where a path really led, where it is named otherwise. */
  reals?: PathForms | undefined;
  /** What the call wrote, where a path is named by where its links lead. */
  written?: PathForms | undefined;
  /** Of each path that a choice grants, where it led when it was asked about. */
  choice_reals?: PathForms | undefined;
}
export type PathForms = Readonly<Record<string, string>>;

/**
 * Where the choices' paths lead now: an answer grants none of them that leads elsewhere by then. One that can't be granted any more,
 * as its folder was moved this very moment, is left out.
 */
export function realsOfChoices(choices: readonly Choice[], home: string): PathForms {
  const reals: Record<string, string> = {};
  const grants = choices.flatMap(({ grants }) => grants);
  // Each is there for the session and permanently.
  for (const [target, { capability }] of new Map(grants.map((grant) => [grant.target, grant]))) {
    if (CAPABILITY_REGISTRY[capability].target_kind !== "path_glob") continue;
    try {
      const resolved = grantTarget(capability, target, home);
      reals[resolved.target] = resolved.target_real;
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
    }
  }
  return reals;
}

export function askedPathsOf(needs: readonly ResolvedRequirement[]): Required<Omit<AskedPaths, "choice_reals">> {
  const reals: Record<string, string> = {};
  const written: Record<string, string> = {};
  for (const { target } of needs) {
    if (target.kind !== "path") continue;
    const name = pathName(target);
    if (target.real !== null && target.real !== name) reals[name] = target.real;
    if (target.lexical !== name) written[name] = target.lexical;
  }
  return { reals, written };
}

/** What no grant on a folder and below covers: the guard asks about it, or about running code, each time. */
const EXCLUDED: Readonly<Record<Language, { written: string; read: string }>> = {
  en: {
    written:
      "Not covered, asked each time: what runs later (.git, editor, shell and agent settings) and secrets such as .env",
    read: "Not covered, asked each time: secrets such as .env",
  },
  it: {
    written:
      "Non coperti, chiesti ogni volta: ciò che poi viene eseguito (.git, impostazioni di editor, shell e agenti) e i segreti come .env",
    read: "Non coperti, chiesti ogni volta: i segreti come .env",
  },
};

/** The choice as surfaces show it: one that grants a folder and below says what it doesn't cover. */
export function shownChoice(choice: Choice, language: Language): Choice {
  const below = choice.grants.filter(({ target }) => target.endsWith("/**")).map(({ capability }) => capability);
  const words = EXCLUDED[language];
  if (below.includes("fs:write")) return { ...choice, excludes: words.written };
  return below.includes("fs:read") ? { ...choice, excludes: words.read } : choice;
}

/** The ways to say yes to these needs. Only once, where one of them is asked about every time or is unknown. */
export function choicesFor(needs: readonly ResolvedRequirement[], settings: ProposalSettings): Choice[] {
  const once: Choice = { scope: "none", reach: null, grants: [] };
  const proposed = needs.map((need) => ({ need, proposals: proposalsFor(need, settings) }));
  if (needs.length === 0 || proposed.some(({ proposals }) => proposals.length === 0)) return [once];
  const [first] = proposed;
  if (proposed.length > 1 || first === undefined) return [once, ...choicesForSeveral(proposed)];
  const { capability } = first.need;
  return [once, ...first.proposals.flatMap(({ reach, target }) => territories(reach, [{ capability, target }]))];
}

/** The ways to say yes to a confined call: only once, or to its box as it is, so that whatever else runs in it is answered, too. */
export function choicesForBox(
  needs: readonly ResolvedRequirement[],
  settings: ProposalSettings,
  project: string,
): Choice[] {
  const once: Choice = { scope: "none", reach: null, grants: [] };
  const grants = needs.flatMap((need) => {
    const [narrowest] = proposalsFor(need, settings);
    return narrowest === undefined ? [] : [{ capability: need.capability, target: narrowest.target }];
  });
  if (needs.length === 0 || grants.length < needs.length) return [once];
  const reach = projectRoot(project, settings.home) === project ? "project" : "tree";
  return [once, ...territories(reach, withoutCovered(grants))];
}

/** So many places are seen at once: a yes for the session is one for each. */
const MAX_KNOWN = 8;

/**
 * The ways to say yes to a call that is asked about for what its session has seen: once, or what it needs for the session, knowing that. Never
 * for longer. @param usual the ways to say yes to it without that
 */
export function choicesKnowing(
  asked: readonly ResolvedRequirement[],
  usual: readonly Choice[],
  { to }: Pick<Flow, "to">,
): Choice[] {
  const narrowest = usual.find(({ scope }) => scope === "session");
  const once = usual.filter(({ scope }) => scope === "none");
  if (to.length > MAX_KNOWN || (asked.length > 0 && narrowest === undefined)) return once;
  return [...once, { scope: "session", reach: "destination", grants: narrowest?.grants ?? [] }];
}

interface Proposed {
  need: ResolvedRequirement;
  proposals: Proposal[];
}

/** One answer for all of them: each as narrowly as it was asked; or each path with its folder and below, or its project. */
function choicesForSeveral(proposed: readonly Proposed[]): Choice[] {
  const narrowest = proposed.map(({ need: { capability }, proposals: [first] }) => ({
    capability,
    target: first?.target ?? "",
  }));
  const below = wideGrants(proposed, ["tree"]);
  const project = wideGrants(proposed, ["project", "tree"]);
  const hasProject = proposed.some(({ proposals }) => proposals.some(({ reach }) => reach === "project"));
  const isWider = hasProject && JSON.stringify(project) !== JSON.stringify(below);
  return [
    ...territories("exact", narrowest),
    ...(below === undefined ? [] : territories("tree", below)),
    ...(project === undefined || !isWider ? [] : territories("project", project)),
  ];
}

/** Each path by the first of these reaches that it has, the rest as narrowly as asked. Undefined where a path has none, or there is no path. */
function wideGrants(proposed: readonly Proposed[], reaches: readonly Reach[]): Requirement[] | undefined {
  const grants: Requirement[] = [];
  for (const { need, proposals } of proposed) {
    const ofReach = reaches.flatMap((reach) => proposals.find((proposal) => proposal.reach === reach) ?? []);
    const chosen = need.target.kind === "path" ? ofReach[0] : proposals[0];
    if (chosen === undefined) return undefined;
    grants.push({ capability: need.capability, target: chosen.target });
  }
  return proposed.some(({ need }) => need.target.kind === "path") ? withoutCovered(grants) : undefined;
}

/** A folder below another one that is granted as well needs no grant of its own. */
function withoutCovered(grants: readonly Requirement[]): Requirement[] {
  const distinct = [...new Map(grants.map((grant) => [`${grant.capability} ${grant.target}`, grant])).values()];
  return distinct.filter(
    (grant) =>
      !distinct.some(
        (other) =>
          other !== grant &&
          other.capability === grant.capability &&
          other.target.endsWith("/**") &&
          grant.target.startsWith(other.target.slice(0, -2)),
      ),
  );
}

function territories(reach: Reach, grants: Requirement[]): Choice[] {
  return [
    { scope: "session", reach, grants },
    { scope: "permanent", reach, grants },
  ];
}

/** What a card offers to remember, of what was asked, and where that led. */
export interface GrantOffer {
  choices: readonly Choice[];
  capabilities: readonly Requirement[];
  paths: AskedPaths;
}

/** Which of it an answer takes. `target`: the user's own, in the place of the choice's. */
export interface GrantAnswer {
  scope: "session" | "permanent";
  target?: string | undefined;
  reach?: Reach | undefined;
}

/**
 * What an answer grants: the scope's choice of this reach, or its first, or the user's own target in its place. `home`: the user's folder.
 * A path must cover what was asked also where that really led when it was asked: a link may have been moved since.
 * @throws GateError `only_once` where nothing can be remembered, `unknown_choice`, `target_mismatch` where the target doesn't cover what was asked,
 * `target_moved` where it would, had no link been moved
 */
export function grantsFor(
  { choices, capabilities, paths }: GrantOffer,
  { scope, target, reach }: GrantAnswer,
  home: string,
): ResolvedGrant[] {
  const proposals = choices.filter((choice) => choice.scope === scope);
  if (proposals.length === 0) {
    throw new GateError("only_once", "this can only be approved once", "approve it without --session or --permanent");
  }
  const chosen = chosenFrom(proposals, reach, target, home);
  if (chosen === undefined) {
    throw new GateError(
      "unknown_choice",
      "the card has no such choice",
      `see its choices: ${ownCommand("approvals list")}`,
    );
  }
  if (target === undefined) return chosen.grants.map((grant) => coveringGrant(grant, capabilities, home, paths));
  const [grant] = chosen.grants;
  if (chosen.grants.length !== 1 || grant === undefined) {
    throw new GateError(
      "target_mismatch",
      "this request needs several grants; their targets can't be replaced by one",
      "approve it without --target",
    );
  }
  return [coveringGrant({ capability: grant.capability, target }, capabilities, home, paths)];
}

/** The first choice, or the first of this reach; where there are several, the one that would store this target. */
function chosenFrom(
  choices: readonly Choice[],
  reach: Reach | undefined,
  target: string | undefined,
  home: string,
): Choice | undefined {
  if (reach === undefined) return choices[0];
  const named = choices.filter((choice) => choice.reach === reach);
  if (named.length < 2 || target === undefined) return named[0];
  return (
    named.find(({ grants }) => grants.length === 1 && grants.every((grant) => isSame(grant, target, home))) ?? named[0]
  );
}

function isSame({ capability, target }: Requirement, other: string, home: string): boolean {
  return grantTarget(capability, target, home).target === grantTarget(capability, other, home).target;
}

/** The grant with its target in its normal form, once: what is stored is what was looked at here. */
function coveringGrant(
  { capability, target }: Requirement,
  requirements: readonly Requirement[],
  home: string,
  paths: AskedPaths,
): ResolvedGrant {
  const { reals, written } = paths;
  const resolved = grantTarget(capability, target, home);
  const covered = requirements.filter(
    (asked) => asked.capability === capability && coversName(resolved.target, asked, written),
  );
  if (covered.length === 0) {
    throw new GateError(
      "target_mismatch",
      `${JSON.stringify(target)} does not cover what was asked for`,
      `give a target that does, or grant the other one by itself: ${ownCommand("policy grant --help")}`,
    );
  }
  if (CAPABILITY_REGISTRY[capability].target_kind !== "path_glob") return { ...resolved, capability };
  if (!covered.some((asked) => covers(resolved.target_real, asked, reals) && isWhereItWas(resolved, asked, paths))) {
    throw new GateError(
      "target_moved",
      `${JSON.stringify(target)} leads elsewhere than what was asked for`,
      "a link leads out of it, or was moved since: approve it once, or deny it",
    );
  }
  return { ...resolved, capability };
}

/**
 * True if what is granted leads where it led when it was asked about. Otherwise a folder on the way that has become a link to one
 * above it would make a grant of much more than is shown.
 */
function isWhereItWas(granted: GrantTarget, asked: Requirement, { reals, written, choice_reals }: AskedPaths): boolean {
  const chosen = choice_reals?.[granted.target];
  if (chosen !== undefined) return granted.target_real === chosen;
  // A target of the user's own: what the asked path has below it, it had there, too.
  const path = asked.target.endsWith("/**") ? asked.target.slice(0, -3) : asked.target;
  const real = reals?.[path] ?? path;
  const belowReal = granted.target_real.slice(
    0,
    granted.target_real.length - granted.target.length + granted.target_base.length,
  );
  return [path, written?.[path]].some((name) => {
    if (name === undefined || !isAtOrBelow(name, granted.target_base)) return false;
    const rest = name.slice(granted.target_base.length);
    return real.endsWith(rest) && literalPattern(real.slice(0, real.length - rest.length)) === belowReal;
  });
}

/** True if a grant on `target`, as the user writes it, would have let the asked call through. @throws GateError `invalid_target` */
export function coversAsked(asked: Requirement, target: string, home: string, written?: PathForms): boolean {
  return coversName(grantTarget(asked.capability, target, home).target, asked, written);
}

/**
 * Whether a grant would have let an asked call through, for many calls: its target is looked at once. Null where it can't be a grant, as
 * where its folder is gone meanwhile.
 */
export function coverageTest(
  { capability, target }: Requirement,
  home: string,
): ((asked: Requirement) => boolean) | null {
  let granted: string;
  try {
    granted = grantTarget(capability, target, home).target;
  } catch (error) {
    if (errorCode(error) !== "invalid_target") throw error;
    return null;
  }
  return (asked) => asked.capability === capability && covers(granted, asked);
}

/** A path may be granted by the name that it was asked under, or by the one that the call wrote. */
function coversName(granted: string, asked: Requirement, written: PathForms | undefined): boolean {
  return covers(granted, asked) || (written !== undefined && covers(granted, asked, written));
}

/** True if a grant on `granted`, in its normal form, would have let the asked call through. */
function covers(granted: string, asked: Requirement, forms: PathForms = {}): boolean {
  switch (CAPABILITY_REGISTRY[asked.capability].target_kind) {
    case "path_glob": {
      const isTree = asked.target.endsWith("/**");
      const path = isTree ? asked.target.slice(0, -3) : asked.target;
      return pathMatches(granted, forms[path] ?? path, isTree);
    }
    case "host":
      return hostGrantMatches(granted, asked.target);
    default:
      return exactMatches(granted, asked.target);
  }
}

/** What a need could be granted on, and by what words. */
interface Proposal {
  reach: Reach;
  target: string;
}

interface ProposalSettings {
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
function projectOf(path: string, isFolder: boolean, { home, cwd }: ProposalSettings): string | null {
  const working = cwd === undefined ? null : pathTarget(cwd, home, undefined, true);
  if (working?.kind === "path") {
    const root = projectRoot(pathName(working), home);
    if (root !== null && isAtOrBelow(path, root)) return root;
  }
  return projectRoot(isFolder ? path : dirname(path), home);
}

/** A project's own folder is offered as that folder alone. */
function distinct(proposals: readonly Proposal[]): Proposal[] {
  return proposals.filter(({ target }, index) => proposals.findIndex((other) => other.target === target) === index);
}
