import type { Price } from "../../../ipc/contract/costs.ts";
import type { Capability, Confined, Requirement, Reversibility } from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import type { JudgeNote, WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { Hint } from "../../../ipc/words/hint-words.ts";
import type { Verb } from "../../decide/executors/manifest.ts";
import type { RequestedTool } from "./asked-tool.ts";
import type { PathLink } from "./card.ts";
import type { AskedPaths } from "./choices.ts";
import type { AskedNeed } from "./refused-target.ts";
import type { WiderAnswer } from "./wider-answer.ts";

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
