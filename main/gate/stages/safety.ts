import { type Denial, type Examination, notConfigured } from "./examination.ts";

/** Is the gate paused? There is no pause yet: the stage has its place. */
export function safety(x: Examination): Denial | null {
  return notConfigured(x, "safety", "no safety filter");
}
