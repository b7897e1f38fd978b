import type { Decision } from "../../../ipc/contract/decision.ts";
import type { RefusedCall } from "../../../ipc/contract/judges.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { FailureLog } from "../../base/errors.ts";
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

export interface Listener<Event> extends FailureLog {
  happened(event: Event): void;
}
