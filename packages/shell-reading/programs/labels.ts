import { OUTSIDE } from "./gate-command.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { SHELLS } from "./shells.ts";
import { WRAPPERS } from "./wrappers.ts";

/** The entries of a command's `via`: the name of what runs it, with how (`bash -c`, `find -exec`). */

/** What the reader itself puts there. */
const OWN: ReadonlySet<string> = new Set([
  OUTSIDE,
  ..."alias xargs parallel eval trap source shell python3".split(" "),
  ..."exec execdir ok okdir".split(" ").map((action) => `find -${action}`),
]);

/** True if the label is made of known names alone, so that it may be shown: nothing of what the command says is in it. */
export function isKnownLabel(label: string): boolean {
  if (OWN.has(label) || Object.hasOwn(WRAPPERS, label)) return true;
  const name = label.replace(/ (?:-c|<input>)$/, "");
  return (
    SHELLS.has(name) ||
    Object.hasOwn(INTERPRETERS, name) ||
    OWN.has(name) ||
    (Object.hasOwn(WRAPPERS, name) && WRAPPERS[name]?.code !== undefined)
  );
}

/** True if what runs it leaves its words, its input and its output as they are. */
export function isPlainLabel(label: string): boolean {
  return label === "find -exec" || (Object.hasOwn(WRAPPERS, label) && WRAPPERS[label]?.isPlain === true);
}

/** True if what runs it does so with another user's rights. */
export function raisesRights(label: string): boolean {
  return Object.hasOwn(WRAPPERS, label) && WRAPPERS[label]?.raisesRights === true;
}
