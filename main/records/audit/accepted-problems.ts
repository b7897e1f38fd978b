import { z } from "zod";
import { AUDIT_PROBLEM_KINDS } from "../../../ipc/contract/audit.ts";
import type { ChainLine } from "./lines.ts";
import type { FoundProblem } from "./walk.ts";

/** Problems of the trail that the operator has accepted: a line of the trail names them, with the reason. */

export const ACCEPTED_EVENT = "audit.accepted";

const acceptedSchema = z.object({
  reason: z.string(),
  problems: z.array(
    z.object({ file: z.string(), line: z.number(), kind: z.enum(AUDIT_PROBLEM_KINDS), found: z.string() }),
  ),
});

/** Key (`keyOf`) -> reason. */
export type AcceptedProblems = Map<string, string>;

export function keyOf({ file, line, kind, found }: Pick<FoundProblem, "file" | "line" | "kind" | "found">): string {
  return `${file}\n${line}\n${kind}\n${found}`;
}

/** The problems that a line of the trail accepts. */
export function* acceptedIn({ event, record }: ChainLine): Generator<[string, string]> {
  if (event !== ACCEPTED_EVENT) return;
  const parsed = acceptedSchema.safeParse(record);
  if (!parsed.success) return;
  for (const problem of parsed.data.problems) yield [keyOf(problem), parsed.data.reason];
}
