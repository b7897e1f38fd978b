import { type Denial, notConfigured, type Reviewable } from "./examination.ts";

/** Do the configured semantic judges agree? None can be configured yet: the stage has its place. */
export function validators(x: Reviewable): Denial | null {
  return notConfigured(x, "validators", "no validators");
}
