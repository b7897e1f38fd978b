import type { InEach } from "../../ipc/contract/language.ts";
import { ALARM_WORDS } from "../../ipc/words/alarm-words.ts";

const en = {
  alarms: "Alarms",
  seen: "I have seen it",
  codes: ALARM_WORDS.en,
};
const it: typeof en = {
  alarms: "Allarmi",
  seen: "L'ho visto",
  codes: ALARM_WORDS.it,
};
export const alarmWords: InEach<typeof en> = { en, it };
