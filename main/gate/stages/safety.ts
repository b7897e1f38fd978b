import { type Denial, denied, type Proposed, passed } from "./examination.ts";

/** Is the gate still the one that decides, and is it paused, by the user or by a CRITICAL violation? */
export function safety(x: Proposed): Denial | null {
  const lost = x.settings.lost?.();
  if (lost !== undefined)
    return denied(x, "safety", lost, {
      rule: "safety.gate-replaced",
      instead: "connect again, to the gate that runs now",
    });
  const reason = x.settings.pause?.reason;
  if (reason === undefined) return passed(x, "safety", "the gate is not paused");
  return denied(x, "safety", `the gate is paused: ${reason}`, {
    rule: "safety.paused",
    matched: "the pause",
    instead: "stop, and wait until the user resumes the gate",
  });
}
