import { z } from "zod";

/** A condition that keeps the gate from what it guarantees, shown on every surface until it is over. */

export const ALARM_CODES = [
  /** Lines of the audit trail can't be written. */
  "trail_unwritable",
  /** Lines of the audit trail were lost; the trail records how many. */
  "trail_lost",
  /** A file of the trail was removed, moved or changed by another program while the gate ran. */
  "trail_changed",
  /** A signed checkpoint of the trail, or what is needed for the next one, can't be written. */
  "checkpoint_unwritable",
  /** The trail isn't the one that its last checkpoint says: the next ones begin anew. */
  "trail_restarted",
  /** A disk that holds files of the gate is almost full. */
  "disk_low",
  /** A database was removed or replaced, or can't be read or written. */
  "database_unusable",
  /** Receipts can't be signed, or not written: they are made later. */
  "receipts_unwritable",
  /** A pause could not be stored in its database. */
  "pause_not_stored",
  /** One of the gate's files was damaged or missing and was recreated. */
  "file_renewed",
  /** The lock or a socket isn't this gate's any more: it ends. */
  "gate_replaced",
  /** The gate had ended unexpectedly and was started again. */
  "gate_restarted",
  /** An agent's own settings turn its hook off. */
  "hook_disabled",
  /** A call that was allowed only as a confined one ran outside the box: its agent is paused. */
  "box_bypassed",
  /** What ran wasn't the call that was allowed: something changed it after the gate had looked at it. */
  "ran_other_than_allowed",
  /** In one session, programs tried more than their lines say three times: their boxes kept them from it. */
  "tried_more_than_said",
  /** Programs of a session that had taken in something untrusted changed files that run later, or instruct agents, which their lines don't name. */
  "untrusted_changed_later",
  /** An agent ran what it had to ask about, and asked nobody. */
  "ran_unasked",
  /** Instructions that a client reads as its session begins hand its model a secret. */
  "instructions_hand_secret",
  /** An agent's client has other hooks beside the gate's, which can change a call after it was approved. */
  "other_hooks",
  /** A model's calls or money of the day are used up: calls are judged by rules until midnight. */
  "judge_over_budget",
  /** The judge's model can't be asked: calls are not judged by it. */
  "judge_unavailable",
  /** The user can't be called by one of the channels. */
  "channel_failing",
  /** A confined command made files whose content runs later: they were set aside. */
  "box_set_aside",
  /** A confined command made itself look ended and ran on: it was killed. */
  "box_hid_its_end",
] as const;

export const alarmSchema = z.object({
  code: z.enum(ALARM_CODES),
  /** What it is about, such as a file's path; code and subject together identify an alarm. */
  subject: z.string(),
  /** One sentence. */
  message: z.string(),
  /** What to do. */
  hint: z.string(),
  /** ISO-8601 UTC. */
  since: z.string(),
});
export type Alarm = z.infer<typeof alarmSchema>;
export type AlarmCode = Alarm["code"];
