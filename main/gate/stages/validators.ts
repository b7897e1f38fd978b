import { type Denial, type Examination, notConfigured } from "./examination.ts";

/** Do the configured semantic judges agree? None can be configured yet: the stage has its place. */
export function validators(x: Examination): Denial | null {
  return notConfigured(x, "validators", "no validators");
}
