import { PAST_ALARMS } from "../../ipc/alarm-words.ts";
import { ownCommand } from "../../ipc/own-command.ts";
import { visible } from "../../ipc/visible-text.ts";
import { folded, type Row } from "./rows.ts";
import type { WatchState } from "./state.ts";

/** The newest alarm that still holds, else the newest one, with what to do, above everything; the others are counted. */
export function alarmRows({ alarms }: WatchState, width: number, most: number): Row[] {
  const alarm = alarms.findLast(({ code }) => !PAST_ALARMS.includes(code)) ?? alarms.at(-1);
  if (alarm === undefined) return [];
  const others = alarms.length - 1;
  const more = others === 0 ? "" : ` (and ${others} more: ${ownCommand("alarms list")})`;
  const message = folded(`! ${visible(alarm.message)}`, width, most);
  const hint = folded(`  ${visible(alarm.hint)}${more}`, width, most);
  return [
    ...message.map((text): Row => ({ text, tone: "marked" })),
    ...hint.map((text): Row => ({ text, tone: "notice" })),
  ];
}
