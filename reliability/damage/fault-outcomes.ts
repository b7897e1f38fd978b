import type { DiskFault, FileFault } from "./faults.ts";
import type { Column } from "./files.ts";

/** The outcomes for a gate whose disk fails while it runs, and which of them are right. */

export const RIGHT_AFTER_FAULTS = {
  alarm: "an alarm names the file; what needs it is refused, or is kept and says so, and nothing acknowledged is lost",
  "alarm and verify": "the same, and `audit verify` beside the running gate isn't ok",
  refused: "an act that needs it is refused with the file's name, or as the disk is full; nothing else depends on it",
  harmless: "it can't be written, and nothing that counts is lost",
  "not written": "a running gate doesn't write it",
} as const;

/** These never are. */
const WRONG_AFTER_FAULTS = {
  hang: "neither answers nor ends",
  crash: "ended by itself",
  raw: "an error without what to do",
  "no start": "the next gate doesn't start on the repaired disk",
  lost: "acknowledged and lost, or said to be ok",
} as const;

export type RightOutcome = keyof typeof RIGHT_AFTER_FAULTS;
export type FaultOutcome = RightOutcome | keyof typeof WRONG_AFTER_FAULTS;

type Row = Readonly<Record<FileFault, readonly RightOutcome[]>>;

function row(most: RightOutcome | readonly RightOutcome[], sync: RightOutcome | readonly RightOutcome[] = most): Row {
  const list = (given: RightOutcome | readonly RightOutcome[]) => (typeof given === "string" ? [given] : given);
  return { "no room": list(most), EIO: list(most), "EIO of a sync": list(sync), EROFS: list(most) };
}

/** By column. */
export const AFTER_FAULTS: Readonly<Partial<Record<Column, Row>>> = {
  database: row("alarm"),
  // Written each second, or not within the time of a case.
  "activity.db": row("alarm", ["alarm", "not written"]),
  "gate.lock": row("not written"),
  "audit-head": row("alarm", ["harmless", "not written"]),
  "kept-pauses": row("alarm"),
  "month of the trail": row("alarm and verify", "alarm"),
  "operator.token": row("not written"),
  "agent's token": row("refused"),
  "chosen.json": row("refused"),
  "judge-results.json": row("not written"),
  "gate.toml": row("not written"),
  "policy_overrides.toml": row("not written"),
  executor: row("not written"),
  "receipts.key": row("not written"),
  "receipts/keys.jsonl": row("not written"),
  "month of receipts": row("alarm"),
  "month of checkpoints": row("alarm"),
  "audit-tree": row("alarm"),
  "evening-digest.json": row("not written"),
};

/** Of a disk of its own that fails as a whole. */
export const AFTER_DISK_FAULTS: Readonly<Record<DiskFault, readonly RightOutcome[]>> = {
  // The trail has its lines on the room that is kept within it; once that is used up they are counted.
  "full, and filled again and again": ["alarm", "alarm and verify"],
  "ext4 aborted": ["alarm and verify"],
};

export function expectedAfter(column: Column | undefined, kind: FileFault | DiskFault): readonly RightOutcome[] {
  if (isOfDisk(kind)) return AFTER_DISK_FAULTS[kind];
  return (column === undefined ? undefined : AFTER_FAULTS[column]?.[kind]) ?? [];
}

function isOfDisk(kind: FileFault | DiskFault): kind is DiskFault {
  return Object.hasOwn(AFTER_DISK_FAULTS, kind);
}
