import { pathTarget } from "@metnos-gate/shell-reading";
import { isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Price } from "../../../ipc/contract/costs.ts";
import type { Capability, Level } from "../../../ipc/contract/decision.ts";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import { priceText } from "../../../ipc/words/price-words.ts";
import { CAPABILITY_REGISTRY, changesNothing } from "../../targets/capabilities.ts";
import { isUnresolvable, type ResolvedRequirement } from "../../targets/target.ts";
import { type Confinement, confinementOf, type NotConfined } from "../confinement/confinement.ts";
import type { GrantHolder } from "../grants/store.ts";
import { effectiveOutcome, policyFor, RULE_TEXT, type SubjectPolicy } from "../policy/policy.ts";
import type { RuledNeed } from "../policy/replay.ts";
import { type Denial, denied, isDenial, PLAN_MODE, passed, type Ruling, type Validated } from "./examination.ts";

/**
 * Autonomy level x capability x target, with grants. Of several needs the strictest outcome counts. A call that runs code and can be
 * confined needs what its box lets through. What the user made stricter for the agent counts, and what the call costs.
 */
export function policy(x: Validated): Denial | Ruling {
  const { agent, session, principal } = x.subject;
  const holder = { ...principal, agent: agent?.agent_id, session };
  const own = policyFor(x.settings.overrides, x.subject);
  // No box lets an agent do what its profile denies it: looked at as the call states it, too.
  const denial = deniedByProfile(x, x.needs, own);
  if (denial !== null) return denial;
  const { confinement, needs: stated } = confinementIn(x, holder);
  const price = x.settings.prices?.priceOf(x.call, x.executor) ?? undefined;
  const dear = price !== undefined && x.settings.prices?.asksFor(price, x.subject.level) === true ? price : undefined;
  const needs = askedEachTimeFor(dear, stated);
  const ruled = rulingOn(x, needs, holder, own);
  if (isDenial(ruled)) return ruled;
  const { grants_used } = ruled;
  const asked = dear === undefined ? ruled.asked : askedForPrice(dear, x.subject.level);
  const where = whereConfined(confinement);
  const found = {
    ...{ grants_used, needs, ruled: ruled.ruled, stated_needs: x.needs, confinement, runsIn: runsIn(x) },
    ...(price === undefined ? {} : { price }),
    ...(dear === undefined ? {} : { is_dear: true as const }),
  };
  if (asked !== undefined) {
    const reason = `${asked.text}${where}`;
    x.trace?.push({ stage: "policy", outcome: "ask", detail: `${reason}${asked.because ?? ""}`, rule: asked.rule });
    return { ...found, outcome: "approval_required", reason, rule: asked.rule };
  }
  const reason = `${reasonAllowed(x, needs, grants_used)}${where}`;
  // A price in words takes longer than all of this stage: only where it is read.
  const isPriced = price !== undefined && x.trace !== undefined;
  passed(x, "policy", isPriced ? `${reason}; it costs ${priceText(price, "en")}` : reason);
  return { ...found, outcome: "allowed", reason, rule: ruleAllowing(needs, grants_used) };
}

function runsIn({ call, needs, settings }: Validated): string | null {
  if (!needs.some(({ capability }) => capability === "code:exec")) return null;
  const folder = workingDirectoryOf(call, settings.home);
  return folder === undefined ? null : realForm(folder);
}

/** For the reason and the trace: what else it would need is known. */
function whereConfined(confinement: Confinement | null): string {
  if (confinement === null) return "";
  if (confinement.line === null) return ", in its agent's own box";
  const { kind, network } = confinement.declaration;
  // What is decided is what it names: the box holds it to that.
  if (kind === "needs") return "";
  if (kind === "looking") return ", confined to reading its project, without a network";
  return network ? ", confined to its project, each host asked about" : ", confined to its project, without a network";
}

/** Whatever was granted, a call that costs more than its level may spend is asked about. */
function askedEachTimeFor(
  dear: Price | undefined,
  needs: readonly ResolvedRequirement[],
): readonly ResolvedRequirement[] {
  if (dear === undefined) return needs;
  const why = `what costs ${priceText(dear, "en")}`;
  return needs.map((need) => ({ ...need, ask_each_time: need.ask_each_time ?? why }));
}

function askedForPrice(price: Price, level: Level): Asked {
  return {
    text: `it costs ${priceText(price, "en")}, more than level ${level} may spend without asking`,
    rule: "policy.price-asks",
  };
}

/** Why a call is asked about, as a sentence. `because`: what else the trace says, which only the user reads. */
interface Asked {
  text: string;
  rule: Rule;
  because?: string;
}

interface RuledNeeds extends Pick<Ruling, "grants_used" | "ruled"> {
  /** Of the first need that is asked about; undefined where all are allowed. */
  asked: Asked | undefined;
}

function rulingOn(
  x: Validated,
  needs: readonly ResolvedRequirement[],
  holder: GrantHolder,
  own: SubjectPolicy,
): Denial | RuledNeeds {
  const { level } = x.subject;
  const isPlanning = x.call.context?.mode === PLAN_MODE;
  const grantsUsed: number[] = [];
  const ruled: RuledNeed[] = [];
  let asked: RuledNeeds["asked"];
  for (const { capability, target, ask_each_time, beyond_grants } of needs) {
    const isEarly = isPlanning && !changesNothing(capability);
    const mayBeGranted = ask_each_time === undefined && beyond_grants === undefined && !isEarly;
    const find = mayBeGranted ? () => x.settings.grants?.find(holder, capability, target) : undefined;
    const answer = effectiveOutcome(level, capability, find, own.table);
    if (answer.outcome === "denied") return deniedByProfile(x, [{ capability }], own) ?? deniedByLevel(x, capability);
    if (answer.grant_id !== undefined) grantsUsed.push(answer.grant_id);
    // The guard can't check a path that can't be resolved either, so it is asked about at every level.
    const isInDoubt = isUnresolvable(target) && CAPABILITY_REGISTRY[capability].target_kind === "path_glob";
    const isAsked = isInDoubt || isEarly || ask_each_time !== undefined;
    const isOpen = answer.outcome === "approval_required" && find !== undefined;
    const by = isAsked ? "always" : beyond_grants === undefined ? "grants" : "level";
    ruled.push({ capability, by, grant: answer.grant_id ?? (isOpen ? null : undefined) });
    if (isAsked || answer.outcome === "approval_required")
      asked ??= isAsked
        ? askedAlways(level, capability, ask_each_time, isEarly)
        : beyond_grants !== undefined && answer.outcome === "approval_required"
          ? askedAlways(level, capability, beyond_grants, false)
          : askedByTable(level, capability, own.override(level, capability));
  }
  return { grants_used: grantsUsed, ruled, asked };
}

/** The first of these needs that a profile denies. */
function deniedByProfile(
  x: Validated,
  needs: readonly Pick<ResolvedRequirement, "capability">[],
  own: SubjectPolicy,
): Denial | null {
  const { level } = x.subject;
  for (const { capability } of needs) {
    const override = own.override(level, capability);
    if (override?.outcome !== "denied") continue;
    const why =
      override.line === null
        ? `the user denies ${capability} at level ${level} to ${override.profile}`
        : `the profile of ${override.profile} does not allow ${capability} at level ${level}`;
    return denied(x, "policy", why, {
      rule: "policy.override-denies",
      matched: placeOf(override),
      instead: "do without it, or ask the user, who made this stricter",
    });
  }
  return null;
}

function deniedByLevel(x: Validated, capability: Capability): Denial {
  const { level, agent } = x.subject;
  return denied(x, "policy", `level ${level} does not allow ${capability}`, {
    rule: "policy.level-denies",
    matched: RULE_TEXT[level],
    instead: `ask the user for a higher level (${ownCommand(`agents level ${agent?.name ?? "NAME"} ${level === "ReadOnly" ? "Supervised" : "Full"}`)})`,
  });
}

/** What no grant answers for. */
function askedAlways(level: Level, capability: Capability, askEachTime: string | undefined, isEarly: boolean): Asked {
  if (askEachTime !== undefined)
    return {
      text: `level ${level} asks before ${capability} of ${askEachTime}, each time`,
      rule: "policy.asked-each-time",
    };
  if (isEarly)
    return { text: `level ${level} asks before ${capability} in plan mode, each time`, rule: "policy.plan-mode-asks" };
  return { text: `level ${level} asks before ${capability}`, rule: "policy.unclear-path-asks" };
}

function askedByTable(level: Level, capability: Capability, override: PolicyOverride | undefined): Asked {
  if (override === undefined) return { text: `level ${level} asks before ${capability}`, rule: "policy.level-asks" };
  return {
    text:
      override.line === null
        ? `the user wants to be asked before ${capability} at level ${level} of ${override.profile}`
        : `the profile of ${override.profile} asks before ${capability} at level ${level}`,
    rule: "policy.override-asks",
    because: ` (${placeOf(override)})`,
  };
}

const placeOf = ({ line, by_hand }: PolicyOverride) =>
  line === null ? `made stricter by hand, ${by_hand?.id}` : `policy_overrides.toml, line ${line}`;

function ruleAllowing(needs: readonly ResolvedRequirement[], grantsUsed: readonly number[]): Rule {
  if (grantsUsed.length > 0) return "policy.grant-allows";
  return needs.length === 0 ? "policy.nothing-needed" : "policy.level-allows";
}

function reasonAllowed(x: Validated, needs: readonly ResolvedRequirement[], grantsUsed: readonly number[]): string {
  if (grantsUsed.length > 0) return `allowed by grant ${grantsUsed.join(", ")}`;
  if (needs.length === 0) return "it touches nothing outside the agent";
  return `level ${x.subject.level} allows ${[...new Set(needs.map((need) => need.capability))].join(", ")}`;
}

interface DecidedOn {
  /** Null where it isn't confined. */
  confinement: Confinement | null;
  needs: readonly ResolvedRequirement[];
}

/** Whether this call is decided on as a confined one, and on what. */
function confinementIn(x: Validated, holder: GrantHolder): DecidedOn {
  const asStated = { confinement: null, needs: x.needs };
  // Mostly there is no box, or no command line: nothing more is looked at then.
  if ((x.settings.box === undefined && x.subject.agentBox === undefined) || !runsCommands(x)) return asStated;
  const found = confinementFor(x, holder);
  if (found.reason !== null) return { confinement: null, needs: found.needs ?? x.needs };
  return isRefusedWithin(x, found) ? asStated : { confinement: found, needs: found.needs };
}

const runsCommands = ({ executor: { manifest } }: Validated): boolean =>
  manifest.needs.some(({ capability }) => capability === "code:exec");

/** The same with the reason why it isn't confined. */
export function confinementFor(
  x: Validated,
  holder: GrantHolder,
  { evenClear }: { evenClear?: boolean } = {},
): Confinement | NotConfined {
  const { call, executor, needs, lines, settings, subject } = x;
  return confinementOf({
    call,
    executor,
    needs,
    lines,
    settings,
    level: subject.level,
    can_confine: subject.can_confine === true,
    agentBox: subject.agentBox,
    evenClear,
    grantedFolder: (folder) => settings.grants?.folderGranted(holder, "fs:write", folder),
    mayRead: (folder) => mayRead(x, holder, folder),
  });
}

/** All of a folder: what of it was refused no box may show. */
function mayRead({ call, settings, subject }: Validated, holder: GrantHolder, folder: string): boolean {
  const target = pathTarget(folder, settings.home, undefined, true);
  const { agent, session = "" } = subject;
  const needs = [{ capability: "fs:read" as const, target }];
  if (agent !== null && settings.refusals?.find(agent.agent_id, session, { call, needs }) !== undefined) return false;
  const { table } = policyFor(settings.overrides, subject);
  const find = () => settings.grants?.find(holder, "fs:read", target);
  return effectiveOutcome(subject.level, "fs:read", find, table).outcome === "allowed";
}

/** A box can't keep a program from one place in the project that the user refused: then it is asked about as without one. */
function isRefusedWithin({ call, settings, subject }: Validated, { needs, declaration }: Confinement): boolean {
  const { agent, session } = subject;
  if (agent === null || declaration.kind === "needs") return false;
  const refused = settings.refusals?.find(agent.agent_id, session ?? "", { call, needs });
  return refused !== undefined && refused.target !== "" && isWithin(refused.target, declaration.project);
}

function isWithin(target: string, project: string): boolean {
  return target.startsWith("/") && isAtOrBelow(target, project) && target !== `${project}/**`;
}
