import type { Choice } from "./operator-api.ts";

/** What an answer with these targets would not cover though a folder among them holds it, as the gate says it; null where none reaches below a folder. */
export function excludedFrom(choices: readonly Choice[], targets: readonly string[]): string | null {
  if (!targets.some((target) => target.trim().endsWith("/**"))) return null;
  return choices.find(({ excludes }) => excludes !== undefined)?.excludes ?? null;
}
