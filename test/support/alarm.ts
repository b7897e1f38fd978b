import type { Alarm } from "../../ipc/contract/alarms.ts";

/** An alarm as a gate raises it. */
export function alarm(change: Partial<Alarm> = {}): Alarm {
  return {
    code: "trail_unwritable",
    subject: "/srv/trail/2026-11.jsonl",
    message: "the audit trail /srv/trail/2026-11.jsonl can't be written: the disk is full",
    hint: "make room on the disk of /srv/trail",
    since: "2026-11-21T00:00:00Z",
    ...change,
  };
}
