import type { Capability } from "../../../ipc/decision.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import type { Rule } from "../../../ipc/rules.ts";
import { CAPABILITY_REGISTRY, changesNothing } from "../capabilities.ts";
import type { Confinement } from "../confinement/confinement.ts";
import type { GrantHolder } from "../grants/store.ts";
import { effectiveOutcome, RULE_TEXT, strictest } from "../policy.ts";
import { isUnresolvable, type ResolvedRequirement } from "../targets/target.ts";
import { confinementIn } from "./confined.ts";
import { type Denial, denied, isDenial, passed, type Ruling, type Validated } from "./examination.ts";

/** The mode in which an agent looks and proposes: its user expects no change before they have agreed to the plan. */
const PLAN_MODE = "plan";

/**
 * Autonomy level x capability x target, with grants. Of several needs the strictest outcome counts. A call that runs code and can be
 * confined needs what its box lets through.
 */
export function policy(x: Validated): Denial | Ruling {
  const { agent, session, principal } = x.subject;
  const holder = { ...principal, agent: agent?.agent_id, session };
  const confinement = confinementIn(x, holder);
  const needs = confinement?.needs ?? x.needs;
  const ruled = rulingOn(x, needs, holder);
  if (isDenial(ruled)) return ruled;
  const { outcome, grants_used, asked } = ruled;
  const where = whereConfined(confinement);
  const found = { outcome, grants_used, needs, stated_needs: x.needs, confinement };
  if (asked !== undefined) {
    const reason = `level ${x.subject.level} asks before ${asked.text}${where}`;
    x.trace?.push({ stage: "policy", outcome: "ask", detail: reason, rule: asked.rule });
    return { ...found, reason, rule: asked.rule };
  }
  const reason = `${reasonAllowed(x, needs, grants_used)}${where}`;
  passed(x, "policy", reason);
  return { ...found, reason, rule: ruleAllowing(needs, grants_used) };
}

/** For the reason and the trace: what else it would need is known. */
function whereConfined(confinement: Confinement | null): string {
  if (confinement === null) return "";
  const { network } = confinement.declaration;
  return network ? ", confined to its project, each host asked about" : ", confined to its project, without a network";
}

interface RuledNeeds extends Pick<Ruling, "outcome" | "grants_used"> {
  asked: { text: string; rule: Rule } | undefined;
}

function rulingOn(x: Validated, needs: readonly ResolvedRequirement[], holder: GrantHolder): Denial | RuledNeeds {
  const { level, agent } = x.subject;
  const is_planning = x.call.context?.mode === PLAN_MODE;
  let outcome: Ruling["outcome"] = "allowed";
  const grants_used: number[] = [];
  let asked: RuledNeeds["asked"];
  for (const { capability, target, ask_each_time } of needs) {
    const is_early = is_planning && !changesNothing(capability);
    const find =
      ask_each_time === undefined && !is_early ? () => x.settings.grants?.find(holder, capability, target) : undefined;
    const answer = effectiveOutcome(level, capability, find);
    if (answer.outcome === "denied") {
      return denied(x, "policy", `level ${level} does not allow ${capability}`, {
        rule: "policy.level-denies",
        matched: RULE_TEXT[level],
        instead: `ask the user for a higher level (${ownCommand(`agents level ${agent?.name ?? "NAME"} ${level === "ReadOnly" ? "Supervised" : "Full"}`)})`,
      });
    }
    if (answer.grant_id !== undefined) grants_used.push(answer.grant_id);
    // The guard can't check a path that can't be resolved either, so it is asked about at every level.
    const is_in_doubt = isUnresolvable(target) && CAPABILITY_REGISTRY[capability].target_kind === "path_glob";
    const is_asked = is_in_doubt || is_early || ask_each_time !== undefined;
    const found = is_asked ? "approval_required" : answer.outcome;
    if (found === "approval_required") asked ??= askedAs(capability, ask_each_time, is_early, is_in_doubt);
    outcome = strictest(outcome, found);
  }
  return { outcome, grants_used, asked };
}

function askedAs(
  capability: Capability,
  ask_each_time: string | undefined,
  is_early: boolean,
  is_in_doubt: boolean,
): { text: string; rule: Rule } {
  if (ask_each_time !== undefined)
    return { text: `${capability} of ${ask_each_time}, each time`, rule: "policy.asked-each-time" };
  if (is_early) return { text: `${capability} in plan mode, each time`, rule: "policy.plan-mode-asks" };
  return { text: capability, rule: is_in_doubt ? "policy.unclear-path-asks" : "policy.level-asks" };
}

function ruleAllowing(needs: readonly ResolvedRequirement[], grants_used: readonly number[]): Rule {
  if (grants_used.length > 0) return "policy.grant-allows";
  return needs.length === 0 ? "policy.nothing-needed" : "policy.level-allows";
}

function reasonAllowed(x: Validated, needs: readonly ResolvedRequirement[], grants_used: readonly number[]): string {
  if (grants_used.length > 0) return `allowed by grant ${grants_used.join(", ")}`;
  if (needs.length === 0) return "it touches nothing outside the agent";
  return `level ${x.subject.level} allows ${[...new Set(needs.map((need) => need.capability))].join(", ")}`;
}
