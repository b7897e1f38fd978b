import { NAMES_SECRET, SENDS_AWAY, STARTS_SHELL } from "@metnos-gate/shell-reading/programs";
import type { DescribedChange } from "../../../ipc/contract/description.ts";
import type { LineRisk } from "../../../ipc/contract/hazards.ts";

/** What is worth a second look in the lines that a change adds: they are marked, and long text begins there. */

type Line = DescribedChange["hunks"][number]["lines"][number];

/** Lines around one that names a secret in which sending counts as sending it. */
const NEAR = 3;
/** Longer lines aren't looked through, in characters. */
const MAX_LENGTH = 2000;

export function withRisks(change: DescribedChange): DescribedChange {
  return {
    ...change,
    hunks: change.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((line, at) => marked(line, at, hunk.lines)) })),
  };
}

function marked(line: Line, at: number, lines: readonly Line[]): Line {
  const risk = line.kind === "added" && line.text.length <= MAX_LENGTH ? riskOf(line, at, lines) : null;
  return risk === null ? line : { ...line, risk };
}

function riskOf({ text }: Line, at: number, lines: readonly Line[]): LineRisk | null {
  if (NAMES_SECRET.test(text)) {
    const near = lines.slice(Math.max(0, at - NEAR), at + NEAR + 1).filter(({ kind }) => kind !== "removed");
    if (near.some((one) => one.text.length <= MAX_LENGTH && SENDS_AWAY.test(one.text))) return "sends-secret";
  }
  return STARTS_SHELL.test(text) ? "starts-shell" : null;
}
