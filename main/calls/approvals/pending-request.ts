import type { Price } from "../../../ipc/contract/costs.ts";
import type {
  ApprovalStatus,
  Capability,
  Confined,
  Requirement,
  Reversibility,
  Territory,
} from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import type { Choice, Principal, Refuse } from "../../../ipc/contract/operator-api.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import type { JudgeNote, WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { Hint } from "../../../ipc/words/hint-words.ts";
import type { Verb } from "../../decide/executors/manifest.ts";
import type { RequestedTool } from "./asked-tool.ts";
import type { PathLink } from "./card.ts";
import type { AskedPaths, Granted } from "./choices.ts";
import type { AskedNeed } from "./refused-target.ts";
import type { WiderAnswer } from "./wider-answer.ts";

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
  isDamaged?: true;
}

/** As it is asked about: the registry sets the rest. */
export interface NewPending
  extends Principal,
    Pick<
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
    > {
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

/** What the required table has no column for. Most of it is kept only while the request waits. */
export interface RequestExtra extends AskedPaths {
  executor: string;
  intent: string;
  /** The kind of subagent that asks, as the agent says. */
  subagent?: string | null;
  /** In every language: the user may choose another one while the card waits. */
  verb?: Verb;
  cwd: string | null;
  args: Record<string, unknown> | null;
  reversibility: Reversibility;
  recurrence_count: number;
  capabilities: Requirement[];
  /** The names of all that it needs, kept for its receipt. Left out by an earlier version. */
  needed?: Capability[];
  choices: Choice[];
  /** The needs among them that are asked about. Left out by an earlier version. */
  asked?: AskedNeed[];
  /** The wider answer that is proposed, where there is one. */
  proposal?: WiderAnswer | undefined;
  /** The names in the call that lead elsewhere than they say. */
  links?: PathLink[];
  /** What there is to know of the client that waits. */
  hints?: Hint[] | undefined;
  /** The client's process, where the client may lose its terminal and continue. */
  client_pid?: number | undefined;
  /** `notes`: left out by an earlier version. */
  judge: { score: number; reason: string; notes?: JudgeNote[] | undefined; degraded?: true };
  /** What each judge found, while it waits. */
  reviews?: Review[] | undefined;
  /** What it costs, where a price is known. */
  price?: Price | undefined;
  /** The same call again and again: what it is asked about for. */
  repeated?: RepeatedCall | undefined;
  /** What the call is confined to, where it is. */
  confined?: Confined | undefined;
  /** The server's tool that it is a call of, while it waits. */
  mcp?: RequestedTool | undefined;
  /** Left out by an earlier version. */
  description?: Description;
  /** Why it was withdrawn, where it was. */
  withdrawn?: WithdrawalRule;
  /** What stays of the request once it has ended. */
  kept?: EndedRequest;
}

/** Of a row that another writer left. */
export const NO_EXTRA: RequestExtra = {
  executor: "",
  intent: "",
  cwd: null,
  args: null,
  reversibility: "irreversible",
  recurrence_count: 0,
  capabilities: [],
  choices: [],
  judge: { score: 0, reason: "" },
};

/**
 * What of a request is kept once it has ended: the places it was about, for the history and for telling what a grant would have
 * covered. No argument, no command line, no intent: whatever was secret in them is not in the database any more.
 */
export interface EndedRequest {
  target_summary: string;
  capabilities: Requirement[];
  /** Its name as the trail has it. Left out by an earlier version. */
  executor?: string;
}
