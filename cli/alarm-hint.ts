import { PAST_ALARMS } from "../ipc/alarm-words.ts";
import type { Alarm } from "../ipc/alarms.ts";

/** What to do about an alarm; of something past, also the command that dismisses it. */
export function alarmHint({ code, hint }: Pick<Alarm, "code" | "hint">): string {
  return PAST_ALARMS.includes(code) ? `${hint}; to dismiss it: metnos-gate alarms ack ${code}` : hint;
}
