import type { Alarm } from "../../ipc/contract/alarms.ts";
import type { Core } from "./core.ts";

/** Writes a line into the gate's log for each alarm that is raised, and one when it has ended. */
export function logAlarms(
  { alarms, subscribe }: Pick<Core, "alarms" | "subscribe">,
  log: (line: string) => void,
): void {
  let known = new Map<string, Alarm>();
  const compare = (list: readonly Alarm[]) => {
    const current = new Map(list.map((alarm) => [`${alarm.code} ${alarm.subject}`, alarm]));
    for (const [key, { code, message, hint }] of current) {
      if (known.get(key)?.message !== message) log(`ALARM ${code}: ${message}; ${hint}`);
    }
    for (const [key, { code, message }] of known) if (!current.has(key)) log(`alarm over ${code}: ${message}`);
    known = current;
  };
  compare(alarms.list());
  subscribe(
    (event) => {
      if (event.type === "alarms.changed") compare(event.data);
    },
    ["alarms.changed"],
  );
}
