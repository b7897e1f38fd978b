import type { Command } from "commander";
import { ALARM_CODES } from "../../ipc/contract/alarms.ts";
import { PAST_ALARMS } from "../../ipc/words/alarm-words.ts";
import { alarmHint } from "../alarm-hint.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, jsonOption, say, tell, tellAs, usageError } from "../output.ts";

/** `alarms ...`: the running gate's alarms. */
export function alarmsCommands(program: Command): void {
  const alarms = program.command("alarms").description("what keeps the running gate from what it promises");

  alarms
    .command("list")
    .description("oldest first")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        const found = (await api.call("status", {})).alarms;
        for (const alarm of found) tellAs(options, alarm, `${alarm.code}: ${alarm.message}`, `  ${alarmHint(alarm)}`);
        if (found.length === 0) say("no alarm");
      }),
    );

  alarms
    .command("ack [code]")
    .description(`dismisses those of this code, or all of something past (${PAST_ALARMS.join(", ")})`)
    .action((code: string | undefined) =>
      withRunningGate(async (api) => {
        if (code !== undefined && !ALARM_CODES.some((known) => known === code))
          throw usageError(`there is no alarm ${code}`, `one of: ${ALARM_CODES.join(", ")}`);
        const found = (await api.call("status", {})).alarms;
        let acknowledged = 0;
        for (const alarm of found) {
          const isMeant = code === undefined ? PAST_ALARMS.includes(alarm.code) : alarm.code === code;
          if (!isMeant) continue;
          const { acknowledged: isDone } = await api.call("alarms.acknowledge", alarm);
          if (isDone) acknowledged++;
        }
        tell({ acknowledged }, acknowledged === 0 ? "there was nothing to dismiss" : `dismissed: ${acknowledged}`);
      }),
    );
}
