import { type Denial, denied, type Reviewable } from "./examination.ts";

/**
 * Did the user refuse this for the session already? Then nobody is asked again, and no grant and no level answers for it. Whether
 * somebody is asked was found by the policy.
 */
export function approval(x: Reviewable): Denial | null {
  const { agent, session } = x.subject;
  if (agent === null || x.settings.refusals === undefined) return null;
  // What is refused for a command line is refused for it in a box, too.
  const needs = x.confinement === null ? x.needs : [...x.stated_needs, ...x.needs];
  const refusal = x.settings.refusals.find(agent.agent_id, session ?? "", { call: x.call, needs });
  if (refusal === undefined) return null;
  return denied(x, "approval", "the user said no to this for the whole session", {
    rule: "approval.refused-for-session",
    instead: "do without it: it is not asked about again in this session",
  });
}
