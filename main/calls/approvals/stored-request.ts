import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Price } from "../../../ipc/contract/costs.ts";
import {
  type ApprovalStatus,
  type Capability,
  type Confined,
  capabilitySchema,
  REACHES,
  type Reach,
  type Requirement,
  type Reversibility,
  type Territory,
  territorySchema,
} from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import type { Flow } from "../../../ipc/contract/flow.ts";
import type { Choice, Principal, Refuse } from "../../../ipc/contract/operator-api.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import type { JudgeNote, WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { Hint } from "../../../ipc/words/hint-words.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";
import type { Verb } from "../../decide/executors/manifest.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { RequestedTool } from "./asked-tool.ts";
import type { PathLink } from "./card.ts";
import type { AskedPaths, Granted } from "./choices.ts";
import type { WiderAnswer } from "./wider-answer.ts";

/**
 * A request that a user is asked about, in the one shape in which it is made, stored and ended: a row, with what its JSON columns say
 * (docs/decisions/requirements-approvals.md, "Registry"). What surfaces are shown of it is `ApprovalView`.
 */

export interface StoredRequest {
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
  /** It has just ended by a grant or a refusal that the user gave for another one: nobody answered it. Not stored. */
  isCovered?: true;
}

/** What a request needs and was asked about. */
export type AskedNeed = Pick<ResolvedRequirement, "capability" | "target">;

/** As it is asked about: the registry sets the rest. */
export type NewRequest = Pick<
  StoredRequest,
  | "channel"
  | "sender_id"
  | "capability_class"
  | "action_verb"
  | "target_summary"
  | "extra"
  | "agent_id"
  | "agent_name"
  | "session"
  | "call_hash"
  | "share_key"
> & { ttl_seconds: number };

/** What an answer sets. */
export type Resolution = Pick<
  StoredRequest,
  "territory_concession" | "granted" | "grant_expires_at" | "message" | "refuse" | "decision_surface"
>;

/** Who answers, and where. */
export interface Decider extends Principal {
  surface?: Surface | undefined;
}

/** What the required table has no column for. Most of it is kept only while the request waits. */
export interface RequestExtra extends AskedPaths {
  executor: string;
  /** Of the decision that it was asked about by: Activity keeps the call's line by it. Left out by an earlier version. */
  decision_id?: string;
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
  /** What its session has seen, for which it is asked about. */
  flow?: Flow | undefined;
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
const NO_EXTRA: RequestExtra = {
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
 * covered, and its name as the trail has it. No argument, no command line, no intent: whatever was secret in them is not in the database
 * any more. `executor`: left out by an earlier version.
 */
export type EndedRequest = Pick<StoredRequest, "target_summary"> &
  Pick<RequestExtra, "capabilities"> &
  Partial<Pick<RequestExtra, "executor">>;

// Reading a request as it is stored. One that can't be read any more is shown as that, and can only be denied or end by itself.

const grantedSchema = z.array(
  z.object({ capability: capabilitySchema, target: z.string(), target_real: z.string().optional() }),
);

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What an approval grants, as it is stored; undefined where that can't be read. */
function storedGrants(text: string): Granted[] | undefined {
  if (text === "[]") return [];
  try {
    const parsed = grantedSchema.safeParse(JSON.parse(text));
    return parsed.success ? (parsed.data as Granted[]) : undefined;
  } catch {
    return undefined; // not JSON: reported by the caller
  }
}

function hasDates({ created_at, expires_at }: Pick<StoredRequest, "created_at" | "expires_at">): boolean {
  return DATE.test(created_at) && DATE.test(expires_at);
}

/** As every surface shows it, in place of what it was about. */
const DAMAGED_SUMMARY = "this request can't be read any more: it can only be denied";

/** How it is named in a report. */
export function requestRow(token: string): string {
  return `request ${token}`;
}

export type StoredRow = Omit<StoredRequest, "extra" | "granted"> & { request_extra: string | null; granted: string };

export function readRequest({ request_extra, granted, ...row }: StoredRow, report: DamagedRowReport): StoredRequest {
  const own = request_extra === null ? undefined : ownExtra(request_extra);
  const given = storedGrants(granted);
  // Another writer of the required table names no agent, and leaves the extra's shape open.
  if (given !== undefined && (own !== undefined || row.agent_id === "") && hasDates(row))
    return { ...row, extra: own ?? NO_EXTRA, granted: given };
  const isWaiting = row.status === "pending";
  if (isWaiting) report.damaged(requestRow(row.token), `deny it: ${ownCommand(`approvals reject ${row.token}`)}`);
  const targetSummary = isWaiting ? DAMAGED_SUMMARY : row.target_summary;
  return { ...row, target_summary: targetSummary, extra: NO_EXTRA, granted: [], isDamaged: true };
}

/** What this gate wrote, whole; another writer's extra (the requirements leave its shape open) says nothing that a card could show. */
export function ownExtra(text: string): RequestExtra | undefined {
  try {
    const extra: unknown = JSON.parse(text);
    if (!isOwn(extra)) return undefined;
    const choices = storedChoices(extra.choices);
    return choices === undefined ? undefined : { ...extra, choices };
  } catch {
    return undefined; // not JSON: not written by this gate
  }
}

/** What is shown of it, and granted by it, has the form that it is written in. */
function isOwn(extra: unknown): extra is Omit<RequestExtra, "choices"> & { choices: object[] } {
  if (typeof extra !== "object" || extra === null) return false;
  const { choices, capabilities, executor, intent, judge } = extra as Partial<Record<keyof RequestExtra, unknown>>;
  return (
    Array.isArray(choices) &&
    choices.every(isObject) &&
    Array.isArray(capabilities) &&
    capabilities.every(isObject) &&
    isObject(judge) &&
    typeof executor === "string" &&
    typeof intent === "string"
  );
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** What 0.1.0 called each reach, before its territory: the rows that it left name a choice by these words alone. */
const REACH_OF_LABEL: ReadonlyMap<string, Reach> = new Map([
  ["this file", "file"],
  ["this folder", "folder"],
  ["this folder and below", "tree"],
  ["this host", "host"],
  ["exactly this", "exact"],
  ["always", "any"],
]);

/** The choices as a request's row has them, one of an earlier version among them; undefined where they can't be read. */
function storedChoices(stored: readonly object[]): Choice[] | undefined {
  const choices: Choice[] = [];
  for (const one of stored) {
    const choice = storedChoice(one);
    if (choice === undefined) return undefined;
    choices.push(choice);
  }
  return choices;
}

function storedChoice(stored: {
  scope?: unknown;
  reach?: unknown;
  label?: unknown;
  grants?: unknown;
}): Choice | undefined {
  const { scope, grants } = stored;
  if (!isTerritory(scope) || !Array.isArray(grants)) return undefined;
  const reach = scope === "none" ? null : storedReach(stored.reach, stored.label);
  return reach === undefined ? undefined : { scope, reach, grants: grants as Requirement[] };
}

function storedReach(reach: unknown, label: unknown): Reach | undefined {
  if (reach !== undefined) return REACHES.find((known) => known === reach);
  if (typeof label !== "string") return undefined;
  return REACH_OF_LABEL.get(label.replace(/, (?:this session|permanently)$/, ""));
}

function isTerritory(scope: unknown): scope is Territory {
  return territorySchema.options.some((known) => known === scope);
}
