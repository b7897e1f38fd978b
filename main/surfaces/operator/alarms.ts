import { GateError } from "../../../ipc/contract/gate-error.ts";
import { PAST_ALARMS } from "../../../ipc/words/alarm-words.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

export function alarmMethods(context: OperatorContext): Handlers<"alarms.acknowledge"> {
  const { alarms } = context.core;
  return {
    "alarms.acknowledge": ({ code, subject }) => {
      const found = alarms.list().find((alarm) => alarm.code === code && alarm.subject === subject);
      if (found === undefined) return { acknowledged: false };
      if (!PAST_ALARMS.includes(code)) {
        throw new GateError("still_holds", `this is not over: ${found.message}`, found.hint);
      }
      recordAct(context, "alarm.acknowledged", { code });
      alarms.clear(code, subject);
      return { acknowledged: true };
    },
  };
}
