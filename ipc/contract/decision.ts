import { z } from "zod";
import { priceSchema } from "./costs.ts";
import { reviewSchema } from "./review.ts";
import { JUDGE_NOTES, RULES } from "./rules.ts";

/** What the gate says about one tool call. Stored and sent with these names; there is no second shape. */

export const LEVELS = ["ReadOnly", "Supervised", "Full"] as const;
export const levelSchema = z.enum(LEVELS);
export type Level = z.infer<typeof levelSchema>;

export const CAPABILITIES = [
  "fs:read",
  "fs:write",
  "code:exec",
  "network:http",
  "llm:local",
  "llm:online",
  "mail:read",
  "mail:send",
  "channel:in",
  "channel:out",
  "time:read",
  "parse:local",
  "calendar:read",
] as const;
export const capabilitySchema = z.enum(CAPABILITIES);
export type Capability = z.infer<typeof capabilitySchema>;

export const outcomeSchema = z.enum(["allowed", "denied", "approval_required"]);
export type Outcome = z.infer<typeof outcomeSchema>;

export const STAGES = [
  "pairing",
  "safety",
  "validation",
  "scope",
  "policy",
  "flow",
  "rate",
  "guard",
  "judge",
  "validators",
  "approval",
] as const;
export const stageSchema = z.enum(STAGES);
export type Stage = z.infer<typeof stageSchema>;

/** A rule of another version that this one doesn't know is left out; the sentence beside it has the same meaning. */
export const ruleSchema = z.enum(RULES).optional().catch(undefined);
/** Those that this version doesn't know are left out. */
export const judgeNotesSchema = z
  .array(z.enum(JUDGE_NOTES).or(z.string().transform(() => null)))
  .transform((notes) => notes.filter((note) => note !== null));

/**
 * Guard and judge together (docs/decisions/requirements-vaglio.md, "Verdict"). `ts` in Unix seconds, `score` in [0, 1], 0 for a guard
 * block.
 */
export const verdictSchema = z.object({
  approved: z.boolean(),
  reason: z.string(),
  ts: z.number(),
  judge_kind: z.string(),
  score: z.number(),
  blocked_by: z.enum(["guard", "judge"]).nullable(),
  /** What raised or lowered the score, as `reason` says in words. Left out where the guard blocks, and by a model. */
  notes: judgeNotesSchema.optional(),
  /** The model could not answer: the score says nothing. */
  degraded: z.literal(true).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** One thing a call needs: a capability on a target (an absolute path or glob, a host, an exact name, or `*`). */
export const requirementSchema = z.object({ capability: capabilitySchema, target: z.string() });
export type Requirement = z.infer<typeof requirementSchema>;

export const reversibilitySchema = z.enum(["reversible", "irreversible", "partial"]);
export type Reversibility = z.infer<typeof reversibilitySchema>;

/** How far an answer reaches (docs/decisions/requirements-approvals.md, "Scope of an answer"). */
export const territorySchema = z.enum(["none", "session", "permanent"]);
export type Territory = z.infer<typeof territorySchema>;

/**
 * What a remembered answer lets through from then on. `file`: one path. `folder`: what is directly in a folder, or the folder itself.
 * `tree`: a folder and all below it. `project`: the Git repository that it is in. `host`: one host. `subdomains`: every host below its domain.
 * `exact`: exactly what was asked. `destination`: the same, in a session that has seen what the card says. `any`: whatever the target, for capabilities that have none.
 */
export const REACHES = [
  "file",
  "folder",
  "tree",
  "project",
  "host",
  "subdomains",
  "exact",
  "destination",
  "server",
  "any",
] as const;
export const reachSchema = z.enum(REACHES);
export type Reach = z.infer<typeof reachSchema>;

/** The question as every surface shows it: the required three, two or one lines and its two buttons. */
export const cardSchema = z.object({
  form: z.enum(["full", "medium", "short"]),
  lines: z.array(z.string()),
  buttons: z.array(z.object({ text: z.string(), data: z.string() })),
});
export type Card = z.infer<typeof cardSchema>;

export const approvalStatusSchema = z.enum(["pending", "approved", "rejected", "expired", "cancelled"]);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

const pendingSchema = z.object({ token: z.string(), expires_at: z.string(), card: cardSchema });

const traceStepSchema = z.object({
  stage: stageSchema,
  outcome: z.enum(["passed", "denied", "ask", "not_configured", "skipped"]),
  detail: z.string(),
  /** Of a stage that decided: by which rule. */
  rule: ruleSchema,
});
export type TraceStep = z.infer<typeof traceStepSchema>;

/** How a command line was read: what would run, and what each part of it needs. Offsets are in the argument's text. */
export const readingSchema = z.object({
  arg: z.string(),
  text: z.string(),
  /** Why it could not be read completely, or null. */
  unread: z.string().nullable(),
  /** Why it isn't clear what it needs, so that it counts as running code; or null. */
  unclear: z.string().nullable(),
  commands: z.array(
    z.object({
      start: z.number(),
      end: z.number(),
      words: z.array(z.string()),
      /** False where a word could not be resolved. */
      is_resolved: z.boolean(),
      /** Wrappers that were unwrapped, outermost first. */
      via: z.array(z.string()),
      cwd: z.string().nullable(),
      needs: z.array(requirementSchema),
      /** Why this part may do more than its needs say, or null. */
      unclear: z.string().nullable(),
    }),
  ),
  /** What the guard found in it, or null. */
  guard: z
    .object({ rule: ruleSchema, description: z.string(), instead: z.string(), start: z.number(), end: z.number() })
    .nullable(),
});
export type ShellReading = z.infer<typeof readingSchema>;

/** What a confined call is confined to (docs/box.md). */
export const confinedSchema = z.object({
  /** The only folder that it can write, absolute. */
  project: z.string(),
  /** Less than that: `looking`, it can only read it; `needs`, it can touch what its line names, and nothing else. */
  kind: z.enum(["looking", "needs"]).optional(),
  /** Whether it can reach hosts, each of which is decided on by itself. */
  network: z.boolean(),
  /** Its whole agent runs in a box, with the hosts that its user named. */
  whole_agent: z.boolean().optional(),
});
export type Confined = z.infer<typeof confinedSchema>;

export const decisionSchema = z.object({
  decision_id: z.string(),
  outcome: outcomeSchema,
  /** The stage that decided. */
  stage: stageSchema,
  /** One sentence for display. */
  reason: z.string(),
  /** The rule that decided (docs/protocol.md, "Rules"), what matched, and what the agent could do instead. */
  explain: z.object({ rule: ruleSchema, matched: z.string().optional(), instead: z.string().optional() }),
  /** Null when a stage before the guard already denied. */
  verdict: verdictSchema.nullable(),
  /** What each judge found, in their order; left out where none was to be asked. */
  reviews: z.array(reviewSchema).optional(),
  capabilities: z.array(requirementSchema),
  /** Present where the call is decided on as a confined one: `capabilities` is what its box lets through. */
  confined: confinedSchema.optional(),
  /** Present where a confined call is allowed: only as run by these words, once, within a minute (docs/protocol.md, "Confined calls"). */
  confine: z.object({ argv: z.array(z.string()) }).optional(),
  /** What it costs, where a price is known. */
  price: priceSchema.optional(),
  /** Present where a budget is used up: in so many milliseconds there is room for this call again. */
  retry_after_ms: z.number().int().positive().optional(),
  /** Present while the user is being asked. */
  pending: pendingSchema.optional(),
  /** Present once the user was asked and the request ended. */
  status: approvalStatusSchema.optional(),
  /** Present where a trace was asked for (`explain`). */
  trace: z.array(traceStepSchema).optional(),
  /** Beside the trace: how each command line of the call was read. */
  readings: z.array(readingSchema).optional(),
});
export type Decision = z.infer<typeof decisionSchema>;
