import { type Denial, notConfigured, type Ruled } from "./examination.ts";

/** Is there budget left for this capability? There are no budgets yet: the stage has its place. */
export function rate(x: Ruled): Denial | null {
  return notConfigured(x, "rate", "no budgets");
}
