import type { Alarm, AlarmCode } from "../../ipc/contract/alarms.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";

/** The current alarms. In memory: conditions that persist after a restart are detected again. */
export class Alarms {
  readonly #now: () => number;
  readonly #changed: (alarms: Alarm[]) => void;
  readonly #active = new Map<string, Alarm>();

  /** `now` gives milliseconds; `changed` receives the list after each change. */
  constructor(now: () => number, changed: (alarms: Alarm[]) => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** Raises an alarm, or updates its texts. `since` stays that of the first time. */
  raise(alarm: Omit<Alarm, "since">): void {
    const key = keyOf(alarm.code, alarm.subject);
    const known = this.#active.get(key);
    if (known !== undefined && known.message === alarm.message && known.hint === alarm.hint) return;
    this.#active.set(key, { ...alarm, since: known?.since ?? isoSeconds(this.#now()) });
    this.#changed(this.list());
  }

  /** Ends an alarm. Does nothing where there is none. */
  clear(code: AlarmCode, subject: string): void {
    if (this.#active.delete(keyOf(code, subject))) this.#changed(this.list());
  }

  /** Oldest first. */
  list(): Alarm[] {
    return [...this.#active.values()];
  }
}

function keyOf(code: AlarmCode, subject: string): string {
  return `${code}\n${subject}`;
}
