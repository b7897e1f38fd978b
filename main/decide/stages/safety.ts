import { type Denial, denied, type Proposed, passed } from "./examination.ts";

/** Why the calls of an agent are denied that is paused by itself. */
export const AGENT_PAUSED = "the user has paused this agent";

/** Is the gate still the one that decides, and is it paused, by the user or by a CRITICAL violation; or is this agent alone? */
export function safety(x: Proposed): Denial | null {
  const lost = x.settings.lost?.();
  if (lost !== undefined)
    return denied(x, "safety", lost, {
      rule: "safety.gate-replaced",
      instead: "connect again, to the gate that runs now",
    });
  const reason = x.settings.pause?.reason;
  if (reason !== undefined)
    return denied(x, "safety", `the gate is paused: ${reason}`, {
      rule: "safety.paused",
      matched: "the pause",
      instead: "stop, and wait until the user resumes the gate",
    });
  const { agent } = x.subject;
  if (agent !== null && x.settings.agent_pauses?.isPaused(agent.agent_id) === true)
    return denied(x, "safety", AGENT_PAUSED, {
      rule: "safety.agent-paused",
      matched: "the pause of this agent",
      instead: "stop, and wait until the user resumes you",
    });
  return passed(x, "safety", "the gate is not paused");
}
