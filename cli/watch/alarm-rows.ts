import { visible } from "../../ipc/base/visible-text.ts";
import { ALARM_WORDS, PAST_ALARMS } from "../../ipc/words/alarm-words.ts";
import { CARD_WORDS } from "./card-words.ts";
import { folded, type Row } from "./rows.ts";
import type { WatchState } from "./state.ts";

/** The newest alarm that still holds, else the newest one, with what to do, above everything; the others are counted. */
export function alarmRows({ alarms, language }: WatchState, width: number, most: number): Row[] {
  const alarm = alarms.findLast(({ code }) => !PAST_ALARMS.includes(code)) ?? alarms.at(-1);
  if (alarm === undefined) return [];
  const others = alarms.length - 1;
  const more = others === 0 ? "" : CARD_WORDS[language].more_alarms(others);
  // The gate's own sentence, which names the file, is in English.
  const title = language === "en" ? "" : `${ALARM_WORDS[language][alarm.code].title}: `;
  const message = folded(`! ${title}${visible(alarm.message)}`, width, most);
  const hint = folded(`  ${visible(alarm.hint)}${more}`, width, most);
  return [
    ...message.map((text): Row => ({ text, tone: "marked" })),
    ...hint.map((text): Row => ({ text, tone: "notice" })),
  ];
}
