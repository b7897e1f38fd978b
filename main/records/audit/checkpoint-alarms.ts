import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Alarms } from "../../base/alarms.ts";
import { causeOf } from "../../base/files/disk-reserve.ts";

/** The alarms of the trail's checkpoints. */

/** `error` null: `file` was written. `subject`: the file or folder that the alarm is about. */
export function raiseUnwritable(alarms: Alarms, subject: string, file: string, error: unknown): void {
  if (error === null) return alarms.clear("checkpoint_unwritable", subject);
  alarms.raise({
    code: "checkpoint_unwritable",
    subject,
    message: `a checkpoint of the audit trail can't be written to ${file}: ${causeOf(error)}`,
    hint: `it is tried again; the trail itself is written. See: ${ownCommand("doctor")}`,
  });
}

/** The trail was found not to be the one that the last checkpoint says. */
export function raiseRestart(alarms: Alarms, folder: string, reason: "changed" | "cut"): void {
  const what =
    reason === "cut" ? "has fewer lines than its last checkpoint says" : "isn't what its last checkpoint says";
  alarms.raise({
    code: "trail_restarted",
    subject: folder,
    message: `the audit trail in ${folder} ${what}: its checkpoints begin anew`,
    hint: `see: ${ownCommand("audit verify")}; compare it with a checkpoint that you kept: ${ownCommand("audit verify --against FILE")}`,
  });
}

/** Fewer checkpoints are stored than this gate has signed. */
export function raiseMissing(alarms: Alarms, folder: string): void {
  alarms.raise({
    code: "file_renewed",
    subject: folder,
    message: `checkpoints of the audit trail that were signed are missing in ${folder}, or can't be read`,
    hint: `put them back from a backup; the trail can still be compared with those that you kept: ${ownCommand("audit verify --against FILE")}`,
  });
}
