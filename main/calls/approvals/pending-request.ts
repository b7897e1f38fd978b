import type { ApprovalStatus, Territory } from "../../../ipc/contract/decision.ts";
import type { Principal, Refuse } from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { Granted } from "./choices.ts";
import type { RequestExtra } from "./request-extra.ts";

/** A request that a user is asked about, as it is made, kept and ended (docs/decisions/requirements-approvals.md, "Registry"). */

export interface PendingRequest {
  token: string;
  channel: string;
  sender_id: string;
  capability_class: string;
  action_verb: string;
  target_summary: string;
  created_at: string;
  /** The first of both clocks that says so ends it. */
  expires_at: string;
  boot_expires_at: string | null;
  status: ApprovalStatus;
  decision_at: string | null;
  decision_by_channel: string | null;
  decision_by_sender: string | null;
  /** Null while it waits, where nobody answered it, and by an earlier version. */
  decision_surface: Surface | null;
  extra: RequestExtra;
  agent_id: string;
  agent_name: string;
  session: string;
  call_hash: string;
  /** Identical calls share this: agent, working directory and call. */
  share_key: string;
  territory_concession: Territory;
  /** What an approval with a territory grants; written to the grants right after. */
  granted: Granted[];
  grant_expires_at: string | null;
  message: string | null;
  /** With a rejection: for the rest of the session. */
  refuse: Refuse | null;
  /** It can't be read whole: nothing is allowed by it. */
  is_damaged?: true;
}

type Asked = Pick<
  PendingRequest,
  | "capability_class"
  | "action_verb"
  | "target_summary"
  | "extra"
  | "agent_id"
  | "agent_name"
  | "session"
  | "call_hash"
  | "share_key"
>;

export interface NewPending extends Principal, Asked {
  ttl_seconds: number;
}

export interface Resolution extends Pick<PendingRequest, "granted" | "grant_expires_at" | "message" | "refuse"> {
  territory: Territory;
  surface: Surface | null;
}

/** Who answers, and where. */
export interface Decider extends Principal {
  surface?: Surface | undefined;
}
