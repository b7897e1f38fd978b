import { ownCommand } from "../ipc/base/own-command.ts";
import type { Alarm } from "../ipc/contract/alarms.ts";
import { PAST_ALARMS } from "../ipc/words/alarm-words.ts";

/** What to do about an alarm; of something past, also the command that dismisses it. */
export function alarmHint({ code, hint }: Pick<Alarm, "code" | "hint">): string {
  return PAST_ALARMS.includes(code) ? `${hint}; to dismiss it: ${ownCommand(`alarms ack ${code}`)}` : hint;
}
