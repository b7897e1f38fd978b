import type { AlarmCode } from "../../ipc/contract/alarms.ts";
import type { Status } from "../../ipc/contract/operator-api.ts";
import type { MarkState } from "./icon/mark.ts";

/** What the tray shows, derived from the gate's status. */
export interface TrayState {
  mark: MarkState;
  /** Waiting requests and pairings. */
  waiting: number;
  is_paused: boolean;
  /** When a pause ends by itself. */
  pausedUntil: string | null;
  agentsOnline: readonly string[];
  /** False: the gate doesn't respond. */
  isAnswering: boolean;
  /** The current alarms, oldest first. */
  alarms: readonly AlarmCode[];
}

/** `undefined`: the status could not be read. An alarm is shown before a pause, a pause before waiting requests. */
export function trayState(status: Status | undefined): TrayState {
  if (status === undefined) {
    return {
      mark: "problem",
      waiting: 0,
      is_paused: false,
      pausedUntil: null,
      agentsOnline: [],
      isAnswering: false,
      alarms: [],
    };
  }
  const waiting = status.approvals_pending + status.pairing_requests.length;
  const alarms = status.alarms.map(({ code }) => code);
  const mark = alarms.length > 0 ? "problem" : status.paused ? "paused" : waiting > 0 ? "waiting" : "idle";
  return {
    mark,
    waiting,
    is_paused: status.paused,
    pausedUntil: status.pause.until,
    agentsOnline: status.agents_connected,
    isAnswering: true,
    alarms,
  };
}
