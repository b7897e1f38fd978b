import type { Status } from "../../ipc/operator-api.ts";
import type { MarkState } from "./icon/mark.ts";

/** What the tray shows, made from the gate's status. */
export interface TrayState {
  mark: MarkState;
  /** Requests and pairings that the human is asked about. */
  waiting: number;
  is_paused: boolean;
  /** When a pause ends by itself. */
  paused_until: string | null;
  agents_online: readonly string[];
  /** Lines of the trail that could not be written, or that the gate itself doesn't answer. */
  problem: "audit" | "no_answer" | null;
}

/** `undefined`: the status could not be had. A problem is shown before a pause, a pause before what waits. */
export function trayState(status: Status | undefined): TrayState {
  if (status === undefined) {
    return {
      mark: "problem",
      waiting: 0,
      is_paused: false,
      paused_until: null,
      agents_online: [],
      problem: "no_answer",
    };
  }
  const waiting = status.approvals_pending + status.pairing_requests.length;
  const problem = status.audit_write_failures > 0 ? "audit" : null;
  const mark = problem !== null ? "problem" : status.paused ? "paused" : waiting > 0 ? "waiting" : "idle";
  return {
    mark,
    waiting,
    is_paused: status.paused,
    paused_until: status.pause.until,
    agents_online: status.agents_connected,
    problem,
  };
}
