import { isAtOrBelow, realForm } from "@metnos-gate/shell-reading/files";
import { shortenHome } from "../../../../ipc/base/visible-text.ts";
import type { CallPlace } from "../../../decide/places/call-place.ts";
import { CAPABILITY_REGISTRY } from "../../../targets/capabilities.ts";
import { isLoopback } from "../../../targets/host.ts";
import { type CallTarget, pathName, type ResolvedRequirement, targetText } from "../../../targets/target.ts";

/** What a call needs, as a judge gets it: each capability with its target, or with the target's kind alone. */

const MAX_LISTED = 20;
const MAX_TARGET = 300;

/** `fs:write, deletes: ~/project/build/**`. @param mask what a target's text passes */
export function namedTargets(
  needs: readonly ResolvedRequirement[],
  home: string,
  mask: (text: string) => string,
): string[] {
  return listed(needs, ({ target }) => {
    const text = target.kind === "path" ? shortenHome(targetText(target), home) : targetText(target);
    const short = mask(text.slice(0, MAX_TARGET));
    return text.length > MAX_TARGET ? `${short} (cut: ${text.length} characters)` : short;
  });
}

/** `fs:write, deletes: a folder with all below it, in the project`: no value of the call. */
export function kindsOfTargets(needs: readonly ResolvedRequirement[], place: CallPlace): string[] {
  return listed(needs, ({ target }) => kindOfTarget(target, place));
}

function listed(needs: readonly ResolvedRequirement[], textOf: (need: ResolvedRequirement) => string): string[] {
  const counts = new Map<string, number>();
  const ranks = new Map<string, number>();
  for (const need of needs) {
    const { capability, access, target } = need;
    const way = access === "delete" ? ", deletes" : access === "list" ? ", names only" : "";
    // What is run is among the arguments, or the tool itself.
    const hasText = target.kind !== "none" && capability !== "code:exec";
    const text = !hasText ? `${capability}${way}` : `${capability}${way}: ${textOf(need)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    ranks.set(text, rankOf(need));
  }
  const shown = worst(counts.keys(), (text) => ranks.get(text) ?? 0);
  const texts = [...counts]
    .filter(([text]) => shown.has(text))
    .map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
  const left = counts.size - texts.length;
  return left > 0 ? [...texts, `and ${left} more`] : texts;
}

/** What is left out is what matters least: else a call could hide a target behind many others. */
function worst(texts: Iterable<string>, rank: (text: string) => number): ReadonlySet<string> {
  return new Set([...texts].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_LISTED));
}

function rankOf({ capability, access }: ResolvedRequirement): number {
  if (access === "delete") return 0;
  return CAPABILITY_REGISTRY[capability].critical ? 1 : 2;
}

function kindOfTarget(target: CallTarget, place: CallPlace): string {
  switch (target.kind) {
    case "path":
      return `${target.is_tree ? "a folder with all below it" : "a path"}, ${whereOf(pathName(target), place)}`;
    case "host":
      return isLoopback(target.host) ? "this machine" : "a host";
    case "exact":
      return "a name";
    case "none":
      return "";
    case "unknown":
      return "not known";
  }
}

const TEMPORARY = ["/tmp", "/var/tmp"];

function whereOf(path: string, { project, cwd, home, isOutside }: CallPlace): string {
  const own = project ?? cwd;
  const forms = own === undefined ? [] : [own, realForm(own) ?? own];
  if (own !== undefined && own !== home && forms.some((form) => isAtOrBelow(path, form)))
    return project === null ? "in the working directory" : "in the project";
  if (isAtOrBelow(path, home))
    return isOutside(path) ? "in the home folder, outside the project" : "in the home folder";
  if (TEMPORARY.some((folder) => isAtOrBelow(path, folder))) return "among temporary files";
  return "outside the home folder";
}
