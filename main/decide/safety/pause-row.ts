import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { type Pause, pauseSchema, type ViolationCause, violationCauseSchema } from "../../../ipc/contract/safety.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";

const DATE = z.iso.datetime();

/** The row's name in reports. */
export const PAUSE_ROW = "the pause";

interface StoredPause {
  by: "human" | "safety";
  reason: string;
  since: string;
  until: string | null;
  clears: Pause["clears"];
}

const rowSchema = z.object({
  by: z.enum(["human", "safety"]),
  reason: z.string(),
  since: DATE,
  until: DATE.nullable(),
  clears: pauseSchema.shape.clears,
});

/** The stored pause. An unreadable one counts as a pause, until the operator ends it. `now` in the databases' form. */
export function readPause<Row extends StoredPause>(
  row: Row | undefined,
  now: string,
  report: DamagedRowReport,
): Row | undefined {
  if (row === undefined || rowSchema.safeParse(row).success) return row;
  report.damaged(PAUSE_ROW, `the gate stays paused; to resume it: ${ownCommand("safety resume")}`);
  return {
    ...row,
    by: "safety",
    reason: "the stored pause can't be read",
    since: now,
    until: null,
    clears: "by_human",
  };
}

/** What paused the gate, as it is stored. One that can't be read is left out: the pause holds all the same. */
export function readCause(text: string | null): ViolationCause | null {
  if (text === null) return null;
  try {
    return violationCauseSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // not JSON
  }
}
