import { type Denial, type Examination, notConfigured } from "./examination.ts";

/** Is there budget left for this capability? There are no budgets yet: the stage has its place. */
export function rate(x: Examination): Denial | null {
  return notConfigured(x, "rate", "no budgets");
}
