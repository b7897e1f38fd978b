import type { StandsFor } from "../../../ipc/contract/description.ts";
import { placeOf } from "../../decide/description/call-place.ts";
import { standsForOf } from "../../decide/description/run-by-name.ts";
import type { Reviewable } from "../../decide/stages/examination.ts";

/** What names in a call's command lines would run, as it is now: `npm test`, `bash x.sh`. A judge's yes is for these files alone. */
export function scriptsOf({ call, lines, settings }: Reviewable): readonly StandsFor[] {
  return standsForOf(lines.all, placeOf(call, settings.home, settings.env));
}
