import { ownCommand } from "../../../ipc/base/own-command.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Alarms } from "../../base/alarms.ts";
import { causeOf, diskFullCode } from "../../base/files/disk-reserve.ts";
import type { TrailHealth } from "./health.ts";

/** The trail's alarms. */

export type OnFailure = "deny" | "allow";

/** Updates the trail's alarms. `folder` and `headFile`: of the trail. */
export function raiseTrailAlarms(
  alarms: Alarms,
  { failure, headFailure, syncFailure, change, isOnReserve, lost, lostBefore }: Readonly<TrailHealth>,
  { folder, headFile }: { folder: string; headFile: string },
  onFailure: OnFailure,
): void {
  const meanwhile =
    onFailure === "deny" ? "calls that change something are denied" : "calls are allowed without a line";
  if (failure !== null) {
    alarms.raise({
      code: "trail_unwritable",
      subject: folder,
      message: `the audit trail in ${folder} can't be written: ${causeOf(failure)}`,
      hint: `${diskFullCode(failure) !== undefined ? "make room on the disk" : `see: ${ownCommand("doctor")}`}; until then ${meanwhile}`,
    });
  } else if (isOnReserve) {
    alarms.raise({
      code: "trail_unwritable",
      subject: folder,
      message: `the disk is full: the audit trail in ${folder} uses the last space that was reserved for it`,
      hint: `make room on the disk; once it is used up ${meanwhile}`,
    });
  } else if (syncFailure !== null) {
    alarms.raise({
      code: "trail_unwritable",
      subject: folder,
      message: `the audit trail in ${folder} can't be synced to the disk: ${causeOf(syncFailure)}`,
      hint: `a crash of the machine may take its last lines; see: ${ownCommand("doctor")}`,
    });
  } else alarms.clear("trail_unwritable", folder);
  if (change !== null)
    alarms.raise({
      code: "trail_changed",
      subject: folder,
      message: `the audit trail's file ${change}`,
      hint: `see: ${ownCommand("audit verify")}; where you have it elsewhere, put it back while no gate runs`,
    });
  if (headFailure === null) alarms.clear("trail_unwritable", headFile);
  else {
    alarms.raise({
      code: "trail_unwritable",
      subject: headFile,
      message: `the record of the audit trail's end ${headFile} can't be written: ${causeOf(headFailure)}`,
      hint: `lines removed from the trail's end can't be detected; see: ${ownCommand("doctor")}`,
    });
  }
  const all = lostBefore + (lost?.lines ?? 0);
  if (all === 0) return alarms.clear("trail_lost", folder);
  const since = lost === null ? "" : ` since ${isoSeconds(lost.since * 1000)}`;
  alarms.raise({
    code: "trail_lost",
    subject: folder,
    message:
      lost === null
        ? `${all === 1 ? "a line" : `${all} lines`} of the audit trail ${all === 1 ? "was" : "were"} lost; the trail says so`
        : `lines of the audit trail are being lost${since} (${lost.error})`,
    hint: `see: ${ownCommand("audit verify")}; to accept it: ${ownCommand('audit accept --reason "..."')}`,
  });
}
