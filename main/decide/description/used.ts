import { destinationsBy } from "@metnos-gate/shell-reading/programs";
import { placeOf } from "../places/call-place.ts";
import type { UsedDestinations } from "../places/used-destinations.ts";
import type { Describable } from "./describable.ts";
import { destinationsOf, projectUsing } from "./destinations.ts";
import { hostRequested } from "./requested.ts";

/** Keeps where an allowed call goes: from then on that is nothing new in its project. */
export function noteDestinations(
  { call, executor, settings, lines }: Pick<Describable, "call" | "executor" | "settings" | "lines">,
  used: Pick<UsedDestinations, "isUsed" | "hosts" | "note">,
): void {
  const request = hostRequested(call, executor.manifest);
  if (
    request === null &&
    !lines.all.some(({ reading }) => reading.commands.some((command) => destinationsBy(command).any))
  )
    return;
  const place = placeOf(call, settings.home, settings.env);
  const { to } = destinationsOf(lines.all, request, place, undefined);
  used.note(projectUsing(place), to);
}
