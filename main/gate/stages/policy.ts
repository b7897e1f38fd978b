import type { Capability } from "../../../ipc/decision.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import type { Rule } from "../../../ipc/rules.ts";
import { CAPABILITY_REGISTRY, changesNothing } from "../capabilities.ts";
import { effectiveOutcome, RULE_TEXT, strictest } from "../policy.ts";
import { isUnresolvable } from "../targets/target.ts";
import { type Denial, denied, passed, type Ruling, type Validated } from "./examination.ts";

/** The mode in which an agent looks and proposes: its user expects no change before they have agreed to the plan. */
const PLAN_MODE = "plan";

/** Autonomy level x capability x target, with grants. Of several needs the strictest outcome counts. */
export function policy(x: Validated): Denial | Ruling {
  const { level, agent, session, principal } = x.subject;
  const holder = { ...principal, agent: agent?.agent_id, session };
  const is_planning = x.call.context?.mode === PLAN_MODE;
  let outcome: Ruling["outcome"] = "allowed";
  const grants_used: number[] = [];
  let asked: { text: string; rule: Rule } | undefined;
  for (const { capability, target, ask_each_time } of x.needs) {
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
  if (asked !== undefined) {
    const reason = `level ${level} asks before ${asked.text}`;
    x.trace?.push({ stage: "policy", outcome: "ask", detail: reason, rule: asked.rule });
    return { outcome, reason, rule: asked.rule, grants_used };
  }
  const reason = reasonAllowed(x, grants_used);
  passed(x, "policy", reason);
  return { outcome, reason, rule: ruleAllowing(x, grants_used), grants_used };
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

function ruleAllowing({ needs }: Validated, grants_used: readonly number[]): Rule {
  if (grants_used.length > 0) return "policy.grant-allows";
  return needs.length === 0 ? "policy.nothing-needed" : "policy.level-allows";
}

function reasonAllowed(x: Validated, grants_used: readonly number[]): string {
  if (grants_used.length > 0) return `allowed by grant ${grants_used.join(", ")}`;
  if (x.needs.length === 0) return "it touches nothing outside the agent";
  return `level ${x.subject.level} allows ${[...new Set(x.needs.map((need) => need.capability))].join(", ")}`;
}
