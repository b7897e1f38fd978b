import { destinationsBy } from "@metnos-gate/shell-reading/programs";
import type { CommandLine } from "../executors/command-lines.ts";
import { placeOf } from "../places/call-place.ts";
import type { UsedDestinations } from "../places/used-destinations.ts";
import type { Describable } from "./describable.ts";
import { destinationsOf, hostRequested, projectUsing } from "./destinations.ts";
import { lineOfText, namesOfCall } from "./named-danger.ts";

/** Keeps where an allowed call goes: from then on that is nothing new in its project. */
export function noteDestinations(
  { call, executor, settings, lines }: Pick<Describable, "call" | "executor" | "settings" | "lines">,
  used: Pick<UsedDestinations, "isUsed" | "hosts" | "note">,
): void {
  const request = hostRequested(call, executor.manifest);
  const names = namesOfCall(call, settings, lines);
  if (request === null && names.length === 0 && !lines.all.some(goesSomewhere)) return;
  const place = placeOf(call, settings.home, settings.env);
  const { to } = destinationsOf(lines.all, request, place, undefined);
  const named = names.flatMap(({ texts }) =>
    texts.flatMap((text) => {
      const line = lineOfText(text);
      return goesSomewhere(line) ? destinationsOf([line], null, { ...place, cwd: text.cwd }, undefined).to : [];
    }),
  );
  used.note(projectUsing(place), [...to, ...named]);
}

function goesSomewhere({ reading }: CommandLine): boolean {
  return [...reading.elsewhere, ...reading.commands].some((command) => destinationsBy(command).any);
}
