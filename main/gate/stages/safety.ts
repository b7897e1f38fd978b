import { type Denial, denied, type Examination, passed } from "./examination.ts";

/** Is the gate paused, by the human or by a CRITICAL violation? */
export function safety(x: Examination): Denial | null {
  const reason = x.settings.pause?.reason;
  if (reason === undefined) return passed(x, "safety", "the gate is not paused");
  return denied(x, "safety", `the gate is paused: ${reason}`, {
    matched: "the pause",
    instead: "stop, and wait until the human lets the gate go on",
  });
}
