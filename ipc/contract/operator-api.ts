import { z } from "zod";
import {
  activityCountsSchema,
  activityPageSchema,
  activityRangeSchema,
  activityTodaySchema,
  callResultSchema,
  openedDecisionSchema,
  reportedSchema,
} from "./activity.ts";
import { ALARM_CODES, alarmSchema } from "./alarms.ts";
import { auditReportSchema } from "./audit.ts";
import { boxExplanationSchema, boxStatusSchema } from "./box.ts";
import { channelNameSchema, channelStatusSchema, telegramStatusSchema } from "./channels.ts";
import { priceSchema, spentSchema } from "./costs.ts";
import {
  approvalStatusSchema,
  capabilitySchema,
  cardSchema,
  confinedSchema,
  decisionSchema,
  judgeNotesSchema,
  levelSchema,
  outcomeSchema,
  reachSchema,
  requirementSchema,
  reversibilitySchema,
  territorySchema,
} from "./decision.ts";
import { descriptionSchema } from "./description.ts";
import { seenSchema } from "./flow.ts";
import { judgeStatusSchema, judgeTestSchema, refusedCallSchema, runningReviewSchema } from "./judges.ts";
import { keptFilesSchema } from "./kept-files.ts";
import { askedToolSchema, keptToolSchema } from "./mcp.ts";
import { policyOverrideSchema } from "./policy-overrides.ts";
import { policyTrySchema, TRY_CHANGES } from "./policy-try.ts";
import { budgetSchema, repeatedCallSchema } from "./rate.ts";
import { reviewSchema } from "./review.ts";
import { RULES } from "./rules.ts";
import { pauseSchema, safetyStatusSchema, violationSchema } from "./safety.ts";
import {
  botTokenSchema,
  judgeSetUpSchema,
  modelKeySchema,
  settingKeySchema,
  settingSchema,
  setUpSchema,
} from "./settings.ts";
import { surfaceSchema } from "./surface.ts";
import { undoChoiceSchema, undoneCallSchema, undoneFileSchema, undoResultSchema, undoSelectionSchema } from "./undo.ts";
import { agentNameSchema, shellPathSchema } from "./wire.ts";

/**
 * The user's side: one typed contract that every surface uses (terminal, tray, page). Agents never reach it.
 * Dates are ISO-8601 UTC (`...Z`), durations in seconds unless the name says `_ms`.
 */

export const grantSchema = z.object({
  id: z.number().int(),
  channel: z.string(),
  sender_id: z.string(),
  capability: capabilitySchema,
  target: z.string(),
  granted_at: z.string(),
  expires_at: z.string().nullable(),
  granted_by: z.string().nullable(),
  revoked_at: z.string().nullable(),
  revoked_reason: z.string().nullable(),
  last_used_at: z.string().nullable(),
  /** Null: for all of the principal's agents. */
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  /** Null: for every session. */
  session: z.string().nullable(),
});
export type GrantView = z.infer<typeof grantSchema>;

/** One way to answer yes, and exactly what it would store. */
const choiceSchema = z.object({
  scope: territorySchema,
  /** With the scope it names the choice; null for `none`, which stores nothing. Surfaces have their own words for it. */
  reach: reachSchema.nullable(),
  grants: z.array(requirementSchema),
  /** What is asked about each time though a granted folder holds it: a sentence in the card's language. */
  excludes: z.string().optional(),
});
export type Choice = z.infer<typeof choiceSchema>;

/** How far a *no* reaches that is remembered for the session: this very call, or what it needs on its targets. */
export const refuseSchema = z.enum(["call", "target"]);
export type Refuse = z.infer<typeof refuseSchema>;

/** One way to say no for the session, and exactly what it would refuse. `targets` is empty for `call`. */
const refusalChoiceSchema = z.object({ refuse: refuseSchema, targets: z.array(requirementSchema) });
export type RefusalChoice = z.infer<typeof refusalChoiceSchema>;

/** A *no* that is remembered for one session of an agent: it wins over every grant and level, and lifts nothing. */
const refusalSchema = z.object({
  id: z.number().int(),
  agent_id: z.string(),
  agent_name: z.string().nullable(),
  session: z.string(),
  refuse: refuseSchema,
  executor: z.string(),
  /** Null where the very call is refused. */
  capability: capabilitySchema.nullable(),
  /** The place that it is about. Of what may hold a value (a command line, an argument) only where it would have been. */
  target: z.string(),
  refused_at: z.string(),
  /** It ends with the session, and then at the latest. */
  expires_at: z.string(),
});
export type RefusalView = z.infer<typeof refusalSchema>;

/** The wider answer that the gate proposes, as this agent was approved for its like so often. Names one of the choices. */
const proposalSchema = z.object({
  scope: territorySchema,
  reach: reachSchema,
  /** The end of today, in the user's own time. */
  expires_at: z.string(),
  approved_times: z.number().int(),
});
export type Proposal = z.infer<typeof proposalSchema>;

export const approvalSchema = z.object({
  token: z.string(),
  channel: z.string(),
  sender_id: z.string(),
  capability_class: z.string(),
  action_verb: z.string(),
  target_summary: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  status: approvalStatusSchema,
  decision_at: z.string().nullable(),
  decision_by_channel: z.string().nullable(),
  decision_by_sender: z.string().nullable(),
  /** Where it was answered; null while it waits, where nobody answered it, and by an earlier version. */
  decision_surface: surfaceSchema.nullable(),
  agent_id: z.string(),
  agent_name: z.string(),
  /** The kind of subagent that asks on the agent's behalf, where the agent says so. */
  subagent: z.string().nullable(),
  session: z.string(),
  call_hash: z.string(),
  executor: z.string(),
  intent: z.string(),
  /** The beginning of what the user asked for, as the agent's client says; null where that isn't known, and once it was answered. Never stored. */
  user_words: z.string().nullable(),
  cwd: z.string().nullable(),
  reversibility: reversibilitySchema,
  recurrence_count: z.number().int(),
  territory_concession: territorySchema,
  capabilities: z.array(requirementSchema),
  /** Names in the call that lead elsewhere than they say, in a sentence each, as the card says it. */
  links: z.array(z.string()),
  /** What there is to know of the client that waits, in a sentence each, as the card says it; empty once it has ended. */
  hints: z.array(z.string()),
  choices: z.array(choiceSchema),
  /** The ways to say no for the session. */
  refusals: z.array(refusalChoiceSchema),
  /** Null where it was approved too seldom, or no wider choice would have covered that. */
  proposal: proposalSchema.nullable(),
  /** What the call is confined to, once it is allowed; null where it isn't, or the request is of an earlier version. */
  confined: confinedSchema.nullable(),
  /** What the call is and does, whole while it waits; null where the request is of an earlier version. */
  description: descriptionSchema.nullable(),
  /** `notes`: what raised or lowered the score; missing where the request is of an earlier version. */
  judge: z.object({
    score: z.number(),
    reason: z.string(),
    notes: judgeNotesSchema.optional(),
    /** The model could not answer. */
    degraded: z.literal(true).optional(),
  }),
  /** What each judge found; empty where none was asked, and once it was answered. */
  reviews: z.array(reviewSchema),
  /** What it costs; null where no price is known. */
  price: priceSchema.nullable(),
  /** Why it is asked about though it would be allowed: the same call again and again. Null of any other. */
  repeated: repeatedCallSchema.nullable(),
  /**
   * The tool of an MCP server that it is a call of, while it waits; null of any other, and where no proxy has said what it is. `looks`: the
   * ways to say that it only looks, and what each would store; empty where that can't be said.
   */
  mcp: askedToolSchema.extend({ looks: z.array(choiceSchema) }).nullable(),
  /** The whole call, while it waits; null once it was answered. */
  args: z.record(z.string(), z.unknown()).nullable(),
  /** Said by the user with a rejection, or why it was withdrawn. */
  message: z.string().nullable(),
  /** By which rule it was withdrawn; null where it wasn't, or by an earlier version. */
  withdrawn: z.enum(RULES).nullable().catch(null),
  card: cardSchema,
});
export type ApprovalView = z.infer<typeof approvalSchema>;

const markedSessionSchema = z.object({
  agent_id: z.string(),
  agent_name: z.string().nullable(),
  /** As its client names it; "" where it doesn't. */
  session: z.string(),
  /** False where all of its agent's sessions that aren't known to be the user's own have these marks together. */
  is_own: z.boolean(),
  private: seenSchema.optional(),
  untrusted: seenSchema.optional(),
});
export type MarkedSession = z.infer<typeof markedSessionSchema>;

export const agentSchema = z.object({
  agent_id: z.string(),
  name: z.string(),
  level: levelSchema,
  paired_at: z.string(),
  last_seen_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  is_connected: z.boolean(),
  /** Since midnight, local time. */
  calls_today: z.number().int(),
  /** Null while it isn't paused by itself. `until`: null where only `agents.resume` ends it. */
  paused: z.object({ until: z.string().nullable() }).nullable(),
});
export type AgentView = z.infer<typeof agentSchema>;

/** An agent's program on PATH. */
const foundAgentSchema = z.object({
  program: z.string(),
  /** As people call it: `Claude Code`. */
  title: z.string(),
  /** What `connect` calls it. */
  connects_as: z.string(),
});
export type FoundAgent = z.infer<typeof foundAgentSchema>;

export const pairingRequestSchema = z.object({
  name: z.string(),
  version: z.string().nullable(),
  requested_at: z.string(),
});
export type PairingRequest = z.infer<typeof pairingRequestSchema>;

/** The daily checkpoints of some months fit. */
export const MAX_CHECKPOINTS_LENGTH = 65_536;

/** One audit line, whole; its fields are those of the file. */
const auditLineSchema = z.looseObject({ ts: z.number(), event: z.string(), prev: z.string() });
export type AuditLine = z.infer<typeof auditLineSchema>;

export const statusSchema = z.object({
  version: z.string(),
  pid: z.number().int(),
  started_at: z.string(),
  agent_socket: z.string(),
  operator_socket: z.string(),
  /** The home folder: what is shown with `~` in its place. */
  home: z.string(),
  /** How this program is called on this machine, as a shell line that runs anywhere: before the words of a command. */
  command: z.string(),
  connections: z.number().int(),
  agents_connected: z.array(z.string()),
  pairing_requests: z.array(pairingRequestSchema),
  approvals_pending: z.number().int(),
  grants_active: z.number().int(),
  decisions: z.object({ allowed: z.number(), denied: z.number(), asked: z.number() }),
  audit_write_failures: z.number().int(),
  audit_last_failure: z.string().nullable(),
  slow_clients_dropped: z.number().int(),
  paused: z.boolean(),
  pause: pauseSchema,
  /** Whether the gate's process shows notifications; `text` says so in words. */
  notifications: z.object({ state: z.enum(["on", "unwanted", "unavailable"]), text: z.string() }),
  /** What keeps the gate from what it promises, oldest first. */
  alarms: z.array(alarmSchema),
  /** Where the page is served, without a secret: `http://127.0.0.1:PORT/`. Null where none is. */
  page_url: z.string().nullable(),
});
export type Status = z.infer<typeof statusSchema>;

/** One cell of the policy table, and the rule that made it, in one sentence. */
const policyRowSchema = z.object({
  capability: capabilitySchema,
  family: z.enum(["files", "code", "network", "model", "mail", "channels", "local"]),
  description: z.string(),
  default_approval: z.enum(["none", "per_target", "always"]),
  is_critical: z.boolean(),
  cells: z.record(
    levelSchema,
    z.object({
      outcome: outcomeSchema,
      rule: z.string(),
      /** Asked for an agent: what makes this cell stricter for it than the table. */
      override: policyOverrideSchema.optional(),
    }),
  ),
});
export type PolicyRow = z.infer<typeof policyRowSchema>;

const grantOrderSchema = z.enum(["granted_at", "last_used_at", "expires_at", "capability", "target"]);
export type GrantOrder = z.infer<typeof grantOrderSchema>;

/** Characters of a policy_overrides.toml that is tried. */
export const MAX_PROFILES_TEXT = 262_144;
const tokenParam = z.string().min(1).max(64);
/** Of the listings of what was decided. */
const searchParams = {
  /** Anywhere in what is listed; upper and lower case alike. */
  text: z.string().max(200).optional(),
  since: z.iso.datetime().optional(),
  /** Exclusive. */
  until: z.iso.datetime().optional(),
  /** Only what the user answered. */
  answered: z.boolean().optional(),
};
const nothing = z.object({});
const principalSchema = z.object({ channel: z.string().min(1).max(64), sender_id: z.string().min(1).max(256) });
export type Principal = z.infer<typeof principalSchema>;

const answerSchema = z.strictObject({
  token: tokenParam,
  decision: z.enum(["approved", "rejected"]),
  /** Only with `approved`. */
  scope: territorySchema.default("none"),
  /** Which of the card's choices of this scope; left out: the first. */
  reach: reachSchema.optional(),
  /** What to store instead of the choice's own target, where that is one grant. Of two choices of one reach it names the one with this target. */
  target: z.string().min(1).max(4096).optional(),
  /** ISO-8601 UTC. */
  expires_at: z.iso.datetime().optional(),
  /**
   * Only with `approved`, of a server's tool: it only looks, as long as the server says the same of it. Scope and reach then name one of
   * the ways to say so. Refused with `cannot_look` where that can't be said, as where its definition can't be read.
   */
  only_looks: z.literal(true).optional(),
  /** Only with `rejected`: for the agent. */
  message: z.string().max(2000).optional(),
  /** Only with `rejected`: denied from now on in this session without asking. */
  refuse: refuseSchema.optional(),
});
export type Answer = z.input<typeof answerSchema>;

/** Method name -> what it takes and what it gives. */
export const operatorMethods = {
  status: { params: nothing, result: statusSchema },
  "policy.check": {
    params: z.object({
      level: levelSchema,
      capability: capabilitySchema,
      channel: z.string().optional(),
      sender_id: z.string().optional(),
      target: z.string().optional(),
      /** Its name: what is made stricter for it counts, and its grants, whether it is paired or not. */
      agent: agentNameSchema.optional(),
    }),
    result: outcomeSchema,
  },
  /** With an agent's name: as it is for that agent. */
  "policy.matrix": { params: z.object({ agent: agentNameSchema.optional() }), result: z.array(policyRowSchema) },
  /** Every cell that is made stricter, by policy_overrides.toml and by hand; the file is there, whether it says anything or not. */
  "policy.overrides": {
    params: nothing,
    result: z.object({
      file: z.string(),
      /** `agents`: names of the paired agents that it is in force for now. */
      overrides: z.array(policyOverrideSchema.extend({ agents: z.array(z.string()) })),
    }),
  },
  /**
   * Makes a cell of the table stricter by hand, for one agent or all: in force at once. `before`: what was set so for it until now. Refused
   * with `not_stricter` where it would be looser than the table, or as it is.
   */
  "policy.tighten": {
    params: z.object({
      level: levelSchema,
      capability: capabilitySchema,
      outcome: outcomeSchema.exclude(["allowed"]),
      /** Its name, whether it is paired or not; without it for all. */
      agent: agentNameSchema.optional(),
    }),
    result: z.object({ id: z.number().int(), before: outcomeSchema.nullable() }),
  },
  /** Takes back what was made stricter by hand. */
  "policy.loosen": { params: z.object({ id: z.number().int() }), result: z.object({ loosened: z.boolean() }) },
  /**
   * What a policy that isn't in force would have made of the calls that are kept: `text` in place of policy_overrides.toml, with what is
   * made stricter by hand now. Changes nothing. Refused with `invalid_config` as the file would be.
   */
  "policy.try": {
    params: z.object({
      text: z.string().max(MAX_PROFILES_TEXT),
      /** What the text is called, where it is wrong. */
      file: z.string().min(1).max(4096).default("the file"),
      agent: agentNameSchema.optional(),
      since: z.iso.datetime().optional(),
      /** Of which changes calls are listed. */
      changes: z.array(z.enum(TRY_CHANGES)).default(["looser", "denied", "asked"]),
      limit: z.number().int().nonnegative().max(1000).default(0),
    }),
    result: policyTrySchema,
  },
  /** What is left of each agent's calls a minute, of what it has used. */
  "rate.budgets": { params: nothing, result: z.array(budgetSchema) },
  "costs.today": { params: nothing, result: z.array(spentSchema) },
  "grants.list": {
    params: z.object({
      channel: z.string().optional(),
      sender_id: z.string().optional(),
      include_revoked: z.boolean().default(false),
      limit: z.number().int().positive().max(10_000).optional(),
      /** Only grants older than this id (the listing is newest first). */
      before_id: z.number().int().optional(),
    }),
    result: z.array(grantSchema),
  },
  /** A page of the grants that match: for listings of any length. */
  "grants.search": {
    params: z.object({
      /** Anywhere in the target. */
      text: z.string().max(4096).optional(),
      capability: capabilitySchema.optional(),
      /** Agent's name. Its own grants and those for all agents. */
      agent: agentNameSchema.optional(),
      include_revoked: z.boolean().default(false),
      /** Only those that were given, and last used, so many days ago or earlier. */
      unused_days: z.number().int().positive().max(36_500).optional(),
      order: grantOrderSchema.default("granted_at"),
      descending: z.boolean().default(true),
      offset: z.number().int().nonnegative().default(0),
      limit: z.number().int().positive().max(500).default(100),
    }),
    result: z.object({ total: z.number().int(), grants: z.array(grantSchema) }),
  },
  "grants.add": {
    params: z.object({
      capability: capabilitySchema,
      target: z.string().min(1).max(4096),
      expires_at: z.iso.datetime().optional(),
      /** Name of a paired agent; without it the grant is for all of them. */
      agent: agentNameSchema.optional(),
    }),
    result: grantSchema,
  },
  "grants.revoke": { params: z.object({ id: z.number().int() }), result: z.object({ revoked: z.boolean() }) },
  /**
   * Takes the user's own revocation back, within 10 s: the grant is what it was. Refused with `too_late`, and with `grant_ended` where
   * it, its session or its agent's pairing has ended since.
   */
  "grants.restore": { params: z.object({ id: z.number().int() }), result: grantSchema },
  /** What was revoked as nobody used it for long, and can still be given back: newest first. `until`: how long that can be done. */
  "grants.stale": {
    params: nothing,
    result: z.array(
      z.object({
        revoked_at: z.string(),
        until: z.string(),
        /** For so long nobody had used them. */
        unused_days: z.number().int(),
        grants: z.array(grantSchema),
      }),
    ),
  },
  /** Gives back what was revoked as unused at this time: each grant is what it was. Refused with `too_late`. */
  "grants.restore_stale": {
    params: z.object({ revoked_at: z.string().max(32) }),
    result: z.object({ restored: z.number().int() }),
  },
  /** The tools of MCP servers that were allowed, by agent and server. */
  "mcp.tools": { params: nothing, result: z.array(keptToolSchema) },
  /** From now on it is one that was never allowed. */
  "mcp.forget": { params: z.object({ id: z.number().int() }), result: z.object({ forgotten: z.boolean() }) },
  /** What was refused for a session that isn't over, newest first. */
  "refusals.list": { params: nothing, result: z.array(refusalSchema) },
  "refusals.revoke": { params: z.object({ id: z.number().int() }), result: z.object({ revoked: z.boolean() }) },
  /** Sessions that have read something private, or taken in what others may have written; the last ones first. */
  "sessions.list": {
    params: z.object({ limit: z.number().int().positive().max(1000).default(100) }),
    result: z.array(markedSessionSchema),
  },
  /** It counts no more: of one session, or of all of an agent's. Refused with `unknown_agent`. */
  "sessions.clear": {
    params: z.object({ agent: agentNameSchema, session: z.string().optional() }),
    result: z.object({ cleared: z.number().int() }),
  },
  /** The calls whose projects were kept, and what was taken back, the newest first. Refused with `not_available` where undo is off. */
  "undo.list": {
    params: undoSelectionSchema.extend({ limit: z.number().int().positive().max(10_000).default(100) }),
    result: z.array(undoneCallSchema),
  },
  /** What would become of each file, were these calls taken back. Refused with `unknown_call`, and with `undo_failed`. */
  "undo.files": {
    params: undoSelectionSchema,
    result: z.object({ calls: z.array(z.string()), files: z.array(undoneFileSchema) }),
  },
  /** A file's three contents, as far as there are any and they aren't long. `path`: its `bytes`. */
  "undo.contents": {
    params: undoSelectionSchema.extend({ project: z.string().max(4096), path: z.string().max(8192) }),
    result: z.object({ before: z.string().nullable(), agent: z.string().nullable(), now: z.string().nullable() }),
  },
  /** Takes back what is as the agent left it, and of the rest what was chosen; an undo for each project. */
  "undo.take_back": {
    params: undoSelectionSchema.extend({ choices: z.array(undoChoiceSchema).max(100_000).default([]) }),
    result: z.array(undoResultSchema),
  },
  /** Puts again what was taken back; without an id: what was taken back last. */
  "undo.put_again": {
    params: z.object({
      undo: z.string().max(64).optional(),
      choices: z.array(undoChoiceSchema).max(100_000).default([]),
    }),
    result: z.array(undoResultSchema),
  },
  /** Removes what was kept, of one project or of all. */
  "undo.forget": {
    params: z.object({ project: z.string().max(4096).optional() }),
    result: z.object({ forgotten: z.number().int() }),
  },
  "approvals.list": {
    params: z.object({
      include_resolved: z.boolean().default(false),
      /** Newest first, or those whose time is over soonest. */
      order: z.enum(["newest", "deadline"]).default("newest"),
      limit: z.number().int().positive().max(1000).default(50),
    }),
    result: z.array(approvalSchema),
  },
  /** What ended, newest first. */
  "approvals.history": {
    params: z.object({
      token: tokenParam.optional(),
      agent: agentNameSchema.optional(),
      capability: capabilitySchema.optional(),
      status: approvalStatusSchema.exclude(["pending"]).optional(),
      ...searchParams,
      offset: z.number().int().nonnegative().default(0),
      limit: z.number().int().positive().max(500).default(100),
    }),
    /** `line`: what Activity keeps of its call; null where that isn't kept. */
    result: z.object({
      total: z.number().int(),
      approvals: z.array(approvalSchema.extend({ line: z.string().nullable() })),
    }),
  },
  /** The user is at this card: its time does not run on for the next seconds. Says the new deadline. */
  "approvals.hold": { params: z.object({ token: tokenParam }), result: z.object({ expires_at: z.string() }) },
  /** How many of the last requests of this kind a grant on `target` would have covered. */
  "approvals.coverage": {
    params: z.object({ token: tokenParam, target: z.string().min(1).max(4096) }),
    result: z.object({ covered: z.number().int(), of: z.number().int() }),
  },
  /** `note`: what could not be done yet although the answer counts. */
  "approvals.resolve": { params: answerSchema, result: approvalSchema.extend({ note: z.string().optional() }) },
  /** `approve:<token>` or `reject:<token>`, as the card's buttons say it (docs/decisions/requirements-approvals.md, "Callback"). */
  "approvals.callback": {
    params: z.object({ data: z.string().max(256) }),
    result: z.object({
      ok: z.boolean(),
      reason: z.string().optional(),
      data: z.string().optional(),
      error: z.string().optional(),
      decision: z.enum(["approved", "rejected"]).optional(),
      token: z.string().optional(),
      capability_class: z.string().optional(),
      confirmation: z.string().optional(),
    }),
  },
  "approvals.cleanup": { params: nothing, result: z.object({ expired: z.number().int() }) },
  "agents.list": {
    params: nothing,
    result: z.object({
      agents: z.array(agentSchema),
      requests: z.array(pairingRequestSchema),
      /** Names of paired agents that can't be read from the database: they are not let in. */
      unreadable: z.array(z.string()),
    }),
  },
  /** Which known agents are installed, by their programs on the gate's PATH. */
  "agents.detect": { params: nothing, result: z.array(foundAgentSchema) },
  "agents.pair": {
    /** `admit`: false where the token is meant for a program that isn't waiting: who asked under this name is not let in. */
    params: z.object({ name: agentNameSchema, level: levelSchema, admit: z.boolean().default(true) }),
    result: agentSchema.extend({ token_file: z.string() }),
  },
  "agents.reject": { params: z.object({ name: agentNameSchema }), result: z.object({ rejected: z.boolean() }) },
  "agents.level": { params: z.object({ name: agentNameSchema, level: levelSchema }), result: agentSchema },
  /** Denies all calls of one agent, and withdraws what waits of it. Never shortens a pause. */
  "agents.pause": {
    params: z.object({ name: agentNameSchema, for_seconds: z.number().int().positive().max(31_536_000).optional() }),
    /** `note`: what could not be done though the agent is paused. */
    result: agentSchema.extend({ note: z.string().optional() }),
  },
  "agents.resume": { params: z.object({ name: agentNameSchema }), result: agentSchema },
  "agents.revoke": { params: z.object({ name: agentNameSchema }), result: agentSchema },
  /** What was decided in all days that are kept, newest first. `text`: each of its words in the line, the agent, the tool or the project. */
  "activity.list": {
    params: z.object({
      agent: agentNameSchema.optional(),
      /** As it is listed. */
      project: z.string().max(4096).optional(),
      capability: capabilitySchema.optional(),
      outcome: outcomeSchema.optional(),
      result: callResultSchema.optional(),
      ...searchParams,
      /** Only confined calls. */
      confined: z.boolean().optional(),
      /** Only those before the line of this number. */
      before: z.number().int().optional(),
      limit: z.number().int().positive().max(500).default(100),
    }),
    result: activityPageSchema,
  },
  "activity.today": { params: nothing, result: activityTodaySchema },
  /** The lines of these decisions, as far as they are kept: of the days around this time (Unix seconds). */
  "activity.lines": {
    params: z.object({ decision_ids: z.array(z.string().max(64)).max(10_000), from: z.number(), until: z.number() }),
    result: z.object({ lines: z.record(z.string(), z.string()) }),
  },
  /** Removes what is kept of calls: all of it, or where every given condition holds. The trail isn't touched. */
  "activity.forget": {
    params: z
      .strictObject({
        all: z.literal(true).optional(),
        agent: agentNameSchema.optional(),
        project: z.string().min(1).max(4096).optional(),
        before: z.iso.datetime().optional(),
      })
      .refine(
        ({ all, agent, project, before }) =>
          (all === true) !== (agent !== undefined || project !== undefined || before !== undefined),
        "say all, or an agent, a project or a date",
      ),
    result: z.object({ forgotten: z.number().int() }),
  },
  /** By the decision, or by the request that it waited for. Refused with `not_kept` where it isn't among the last ones. */
  "activity.open": {
    params: z.object({ decision_id: z.string().max(64).optional(), token: tokenParam.optional() }),
    result: openedDecisionSchema,
  },
  "activity.counts": { params: z.object({ range: activityRangeSchema }), result: activityCountsSchema },
  "safety.status": { params: nothing, result: safetyStatusSchema },
  "safety.violations": {
    params: z.object({
      since: z.iso.datetime().optional(),
      include_acknowledged: z.boolean().default(true),
      limit: z.number().int().positive().max(1000).default(100),
    }),
    result: z.array(violationSchema),
  },
  /** These violations, or every one that wasn't. */
  "safety.acknowledge": {
    params: z.object({ ids: z.union([z.literal("all"), z.array(z.number().int()).min(1).max(1000)]) }),
    result: z.object({ acknowledged: z.number().int() }),
  },
  "safety.pause": {
    params: z.object({
      for_seconds: z.number().int().positive().max(31_536_000).optional(),
      reason: z.string().max(500).optional(),
    }),
    /** `note`: what could not be done though the gate is paused. */
    result: pauseSchema.extend({ note: z.string().optional() }),
  },
  "safety.resume": { params: nothing, result: pauseSchema },
  /** A user has seen what an alarm tells of. Refused with `still_holds` where it isn't over (`PAST_ALARMS`). */
  "alarms.acknowledge": {
    params: z.object({ code: z.enum(ALARM_CODES), subject: z.string().max(4096) }),
    result: z.object({ acknowledged: z.boolean() }),
  },
  /** Whether commands can run confined here, of which agents, and what was set aside after them. */
  "box.status": { params: nothing, result: boxStatusSchema },
  /** Whether this command line of this agent would run confined, and with what; without an agent: of one that can. */
  "box.explain": {
    params: z.object({
      command: z.string().min(1).max(1_000_000),
      cwd: z.string().min(1).max(4096),
      agent: agentNameSchema.optional(),
    }),
    result: boxExplanationSchema,
  },
  /**
   * Prepares a confined run of the user's own, as an agent's would be: the words that start it, once, within a minute. Refused with
   * `not_confined` where it would not be confined, and with `box_unavailable`.
   */
  "box.prepare": {
    params: z.object({
      command: z.string().min(1).max(1_000_000),
      cwd: z.string().min(1).max(4096),
      /** The PATH of its user's shell: what would be run from a folder of the project on it is set aside. */
      path: shellPathSchema,
    }),
    result: z.object({ argv: z.array(z.string()) }),
  },
  /**
   * Prepares a run of a whole agent in a box, for its user: the words that start it, once, within a minute. Its calls use a socket of
   * this run, and count as confined until it has ended. Paths are absolute. Refused with `not_confined` outside of a project, and with
   * `box_unavailable`.
   */
  "box.prepare_agent": {
    params: z.object({
      agent: agentNameSchema,
      /** Its program and words. */
      argv: z.array(z.string().max(131_072)).min(1).max(1000),
      cwd: z.string().min(1).max(4096),
      /** As above. */
      path: shellPathSchema,
      /** Files and folders that the program is made of. */
      program: z.array(z.string().min(1).max(4096)).max(16),
      /** Names of variables that it gets, such as that of its model's key. */
      variables: z.array(z.string().min(1).max(256)).max(64),
      /** `HOST`, `HOST:PORT`; `127.0.0.1:PORT` for a server of this machine. */
      hosts: z.array(z.string().min(1).max(300)).max(64),
      /** Folders of its state, which are its own in the box. */
      state: z.array(z.string().min(1).max(4096)).max(16),
      /** The user's settings of it, to be read only. */
      settings: z
        .array(z.object({ path: z.string().min(1).max(4096), is_folder: z.boolean(), is_json: z.boolean().optional() }))
        .max(64),
      /** What the gate's hook in it needs, to be read only. */
      files: z.array(z.object({ source: z.string().min(1).max(4096), at: z.string().min(1).max(4096) })).max(16),
    }),
    result: z.object({ argv: z.array(z.string()), project: z.string() }),
  },
  /** What the judges look at now, and what they or a stage refused lately that a person can do something about, newest first. */
  "reviews.list": {
    params: nothing,
    result: z.object({ running: z.array(runningReviewSchema), refused: z.array(refusedCallSchema) }),
  },
  /**
   * Allows this call once, within ten minutes, in spite of the judges: the agent has to send it again, and everything else is examined.
   * Refused with `override_not_allowed` where gate.toml doesn't allow that or a stage refused it, and with `too_late`.
   */
  "reviews.override": { params: z.object({ id: z.string().max(64) }), result: refusedCallSchema },
  /** A refusal that the user has seen: it isn't listed any more. */
  "reviews.dismiss": { params: z.object({ id: z.string().max(64) }), result: z.object({ dismissed: z.boolean() }) },
  /** Has the judges look at a call that nobody makes: nothing is decided and nobody is asked. The stages before come first. */
  "reviews.run": {
    params: z.object({ question: z.record(z.string(), z.unknown()) }),
    result: decisionSchema,
  },
  /** Each channel, in which state it is and when it is used. */
  "channels.status": { params: nothing, result: z.array(channelStatusSchema) },
  /** Sends a message that says it is a test. Refused with `not_available` where the channel is off, `channel_failed` where it fails. */
  "channels.test": { params: z.object({ channel: channelNameSchema }), result: z.object({ sent: z.boolean() }) },
  "telegram.status": { params: nothing, result: telegramStatusSchema },
  /** A link for one use within ten minutes; it replaces one that wasn't used. Refused with `not_available` where no token is configured. */
  "telegram.link": { params: nothing, result: z.object({ url: z.url(), expires_at: z.string() }) },
  /** Links the chat that has claimed the link. Refused with `too_late` where there is no such claim any more. */
  "telegram.confirm": { params: z.object({ id: z.string().max(64) }), result: telegramStatusSchema },
  /** The claim isn't the user's. */
  "telegram.reject": { params: z.object({ id: z.string().max(64) }), result: telegramStatusSchema },
  "telegram.unlink": { params: nothing, result: z.object({ unlinked: z.boolean() }) },
  "judge.status": { params: nothing, result: judgeStatusSchema },
  /** Asks this model, or the judge's, about a harmless call. Refused with `no_such_model`. */
  "judge.test": { params: z.object({ model: z.string().max(64).optional() }), result: judgeTestSchema },
  "set_up.get": { params: nothing, result: setUpSchema },
  /** In force once it is answered. Null: none any more. Another bot is linked anew. */
  "telegram.set_up": { params: z.object({ token: botTokenSchema.nullable() }), result: setUpSchema },
  /** In force once it is answered. Null: the rules alone. `key` left out: the one that is there, for the same server; null: none. */
  "judge.set_up": {
    params: z.object({ judge: judgeSetUpSchema.nullable(), key: modelKeySchema.nullish() }),
    result: setUpSchema,
  },
  "settings.list": { params: nothing, result: z.array(settingSchema) },
  "settings.set": {
    params: z.object({ key: settingKeySchema, value: z.union([z.string(), z.number(), z.boolean()]) }),
    result: settingSchema,
  },
  /** The gate's figures in Prometheus' text format. */
  metrics: { params: nothing, result: z.object({ text: z.string(), content_type: z.string() }) },
  /** A link to the page in a browser, for one use within minutes. Refused with `not_available` where no page is served. */
  "web.link": { params: nothing, result: z.object({ url: z.url() }) },
  /** Ends every browser's session and every link that wasn't used; the number of sessions there were. */
  "web.revoke": { params: nothing, result: z.object({ sessions: z.number().int() }) },
  "audit.tail": {
    params: z.object({ lines: z.number().int().positive().max(10_000).default(20) }),
    result: z.array(auditLineSchema),
  },
  /**
   * `against`: signed checkpoints that were kept elsewhere, one after the other, or lines of the gate's log with them; `key`: a
   * public key (PEM) that may have signed them beside this gate's. What is wrong with them is a problem of the report.
   * Refused with `invalid_params` where `key` is no Ed25519 key.
   */
  "audit.verify": {
    params: z.object({
      against: z.string().max(MAX_CHECKPOINTS_LENGTH).optional(),
      key: z.string().max(4096).optional(),
    }),
    result: auditReportSchema,
  },
  /** How large what the gate keeps is, and the room of the disks that it is on. */
  "storage.files": { params: nothing, result: keptFilesSchema },
  /** The newest signed checkpoint, when it was signed, and how many lines it is about; each null before the first. */
  "audit.checkpoint": {
    /** True: the trail is signed as it is now, if it has lines since the newest. */
    params: z.object({ is_fresh: z.boolean().optional() }),
    result: z.object({
      text: z.string().nullable(),
      signed_at: z.string().nullable(),
      lines: z.number().int().nullable(),
    }),
  },
  /**
   * Makes another key of receipts, signed by the present one. `is_lost`: although that can't be used any more, which the list of keys
   * says for good.
   */
  "receipts.rotate_key": {
    params: z.object({ is_lost: z.boolean().default(false) }),
    result: z.object({ keyid: z.string(), since: z.string(), previous: z.string().nullable(), is_proven: z.boolean() }),
  },
  /** Accepts the present problems, for this reason: the trail says so in a line. */
  "audit.accept": {
    params: z.object({ reason: z.string().trim().min(1).max(500) }),
    result: auditReportSchema.extend({ accepted: z.number().int() }),
  },
  /**
   * Puts the months before this one (`YYYY-MM`) into one compressed file of the trail's folder, under a signed checkpoint, and removes
   * their own files. Refused with `trail_not_whole` where the trail has a problem that isn't accepted, and while the gate is paused.
   */
  "audit.archive": {
    params: z.object({ before: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "a month as YYYY-MM") }),
    result: z.object({
      /** The archive, in the trail's folder; null: there was no month before it that isn't in an archive. */
      file: z.string().nullable(),
      /** The months' files that are gone now, also those that an earlier archive holds. */
      months: z.array(z.string()),
      lines: z.number().int(),
      /** Of the months' files, and of the archive. */
      bytes: z.number().int(),
      archive_bytes: z.number().int(),
    }),
  },
} as const;

export type OperatorMethod = keyof typeof operatorMethods;
export type OperatorParams<M extends OperatorMethod> = z.input<(typeof operatorMethods)[M]["params"]>;
/** What a handler gets: checked, with its defaults. */
export type CheckedParams = { [M in OperatorMethod]: z.output<(typeof operatorMethods)[M]["params"]> };
export type OperatorResult<M extends OperatorMethod> = z.output<(typeof operatorMethods)[M]["result"]>;

/** What the gate tells every surface as it happens. */
export const operatorEvents = {
  "approval.waiting": approvalSchema,
  "approval.closed": approvalSchema,
  /** The user is at the card: a later deadline. */
  "approval.held": z.object({ token: z.string(), expires_at: z.string() }),
  decision: z.object({
    ts: z.number(),
    agent_name: z.string(),
    executor: z.string(),
    decision: decisionSchema,
  }),
  /** An agent has said what became of an allowed call. */
  "call.reported": z.object({ decision_id: z.string(), reported: reportedSchema }),
  "pairing.requested": pairingRequestSchema,
  "agents.changed": nothing,
  "grants.changed": nothing,
  /** A cell was made stricter by hand, or that was taken back: see `policy.overrides`. */
  "policy.changed": nothing,
  "refusals.changed": nothing,
  "sessions.changed": nothing,
  /** What the user said of a server's tool: see `mcp.tools`. */
  "mcp.changed": nothing,
  /** A judge began, ended or refused: see `reviews.list`. At most a few times a second. */
  "reviews.changed": nothing,
  "settings.changed": z.array(settingSchema),
  /** A channel has another state, or another chat is linked, or claims to be: see `channels.status`, `telegram.status`. */
  "channels.changed": nothing,
  "safety.paused": pauseSchema,
  "safety.resumed": pauseSchema,
  "safety.violation": violationSchema,
  "alarms.changed": z.array(alarmSchema),
  "audit.line": auditLineSchema,
} as const;
export type OperatorEventType = keyof typeof operatorEvents;
export type OperatorEvent = {
  [T in OperatorEventType]: { type: T; data: z.infer<(typeof operatorEvents)[T]> };
}[OperatorEventType];

export const OPERATOR_EVENTS = Object.keys(operatorEvents) as [OperatorEventType, ...OperatorEventType[]];

/** What a page looks at: decisions, not the trail's lines. */
export const PAGE_EVENTS = OPERATOR_EVENTS.filter((type) => type !== "audit.line");

/**
 * The contract. `call` rejects with an `GateError`; `subscribe` returns the function that ends it. With `types` only those
 * events are made and sent: the gate doesn't pay for what nobody looks at.
 */
export interface OperatorApi {
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>>;
  subscribe(listener: (event: OperatorEvent) => void, types?: readonly OperatorEventType[]): () => void;
  close(): Promise<void>;
}

/** The contract where it is served. */
export interface OperatorHandler extends OperatorApi {
  /** `call` with parameters as a transport received them: they are checked. @throws GateError `invalid_params`, and what `call` throws */
  handle(method: OperatorMethod, params: unknown): Promise<unknown>;
}
