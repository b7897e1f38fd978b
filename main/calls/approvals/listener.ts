import type { Decision } from "../../../ipc/contract/decision.ts";
import type { RefusedCall } from "../../../ipc/contract/judges.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Subject } from "../../decide/stages/examination.ts";

/** What has happened to calls and requests, for all who show it. */
export type CallsEvent =
  /** Of a decision, without what its judges quote. */
  | { type: "decided"; decision: Decision; call: ProposedCall; subject: Subject }
  | RequestShown
  | { type: "closed"; approval: ApprovalView }
  | { type: "granted" }
  /** Something was refused for a session. */
  | { type: "refused" }
  | ReviewEvent;

export type RequestShown =
  /** A request is stored, and the operator can be asked; or asked again, as what it would run has changed. */
  | { type: "waiting"; approval: ApprovalView }
  /** The wall clock was set: a request ends when it would have, at another date. */
  | { type: "moved"; token: string; expiresAt: string };

export type ReviewEvent =
  /** What is being judged, or what was refused, is another. */
  | { type: "reviewsChanged" }
  /** A call was refused that a person can do something about, and that isn't listed yet. */
  | { type: "callRefused"; refused: RefusedCall };

export interface Listener<Event> extends Log {
  happened(event: Event): void;
}

interface Log {
  /** Something unexpected that the gate continues after, to log. */
  failed(what: string, error: unknown): void;
}

/** Does something that nothing else may fail for. What it throws is passed to `log`, with `what` was done. */
export function attempt(log: Log, what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    log.failed(what, error);
  }
}
