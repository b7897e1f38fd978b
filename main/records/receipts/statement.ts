import { hash } from "node:crypto";
import { z } from "zod";
import {
  approvalStatusSchema,
  capabilitySchema,
  outcomeSchema,
  territorySchema,
} from "../../../ipc/contract/decision.ts";
import { refuseSchema } from "../../../ipc/contract/operator-api.ts";
import { surfaceSchema } from "../../../ipc/contract/surface.ts";
import { IN_TOTO } from "./public-keys-file.ts";

/**
 * What a receipt says: an in-toto Statement about the call that was asked about, about a grant, or an undo (docs/receipts.md). No argument,
 * no command line, no intent and no message is in it: the paths and hosts of grants are places.
 */

const ANSWER_PREDICATE = "https://metnos.org/gate/answer/v1";
const GRANT_PREDICATE = "https://metnos.org/gate/grant/v1";
const UNDO_PREDICATE = "https://metnos.org/gate/undo/v1";

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
/** As the databases hold it. */
export const dateSchema = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const versionsSchema = z.strictObject({
  gate: z.string(),
  /** SHA-256 of the table of levels and capabilities, as JSON. */
  policy: sha256Schema,
  /** Of the database that what is said comes from. */
  schema: z.number().int(),
});
export type Versions = z.output<typeof versionsSchema>;

const numbered = {
  /** Counts from 1, without a gap. */
  receipt: z.number().int().positive(),
  /** What it is about: no other receipt has the same. */
  event: z.string(),
  /** When it was signed, in Unix seconds. */
  ts: z.number(),
  /** Made by a later gate than the one that wrote what it is about, from what the databases keep. */
  late: z.literal(true).optional(),
};

const answerSchema = z.strictObject({
  ...numbered,
  token: z.string(),
  decision: approvalStatusSchema.extract(["approved", "rejected"]),
  /** What the answer said to the call; what became of it afterwards is in the trail. */
  outcome: outcomeSchema.extract(["allowed", "denied"]),
  decided_at: dateSchema.nullable(),
  /** Null where it isn't known. */
  surface: surfaceSchema.nullable(),
  territory: territorySchema,
  /** A grant has answered in the user's place. */
  covered_by_grant: z.boolean(),
  refuse: refuseSchema.nullable(),
  agent: z.string(),
  /** Its name as the trail has it. */
  executor: z.string(),
  capabilities: z.array(capabilitySchema),
  versions: versionsSchema,
});
export type AnswerPredicate = z.output<typeof answerSchema>;

const grantReceiptSchema = z.strictObject({
  ...numbered,
  act: z.enum(["given", "revoked", "restored"]),
  /** When that was. */
  at: dateSchema,
  /** Where the user did it; null where the gate did, or it isn't known. */
  surface: surfaceSchema.nullable(),
  /** Of a revocation, in the gate's words. */
  reason: z.string().nullable(),
  /** What the user read. */
  sentence: z.string(),
  grant: z.strictObject({
    id: z.number().int(),
    capability: z.string(),
    /** Null where it may hold a value: an address, a mailbox, a channel. */
    target: z.string().nullable(),
    /** Null: all of the user's. */
    agent: z.string().nullable(),
    lasts: z.enum(["session", "permanent", "until"]),
    expires_at: dateSchema.nullable(),
    given_at: dateSchema.nullable(),
  }),
  /** Of the card that it was given by; null where it was given without one. */
  token: z.string().nullable(),
  versions: versionsSchema,
});
export type GrantPredicate = z.output<typeof grantReceiptSchema>;

const undoSchema = z.strictObject({
  ...numbered,
  act: z.enum(["taken_back", "put_again"]),
  at: dateSchema,
  surface: surfaceSchema.nullable(),
  /** Its own id, as `undo list` has it. */
  undo: z.string(),
  /** What was taken back, or put again: decisions' ids, or an undo's. Of more than MAX_CALLS the first. */
  calls: z.array(z.string()),
  /** How many were put back, and how many couldn't be. */
  files: z.number().int(),
  failed: z.number().int(),
  versions: versionsSchema,
});
export type UndoPredicate = z.output<typeof undoSchema>;
export const MAX_CALLS = 500;

const subjectSchema = z
  .array(z.strictObject({ name: z.enum(["call", "grant", "undo"]), digest: z.strictObject({ sha256: sha256Schema }) }))
  .min(1);
const statementOf = <P extends z.ZodType, T extends string>(type: T, predicate: P) =>
  z.strictObject({
    _type: z.literal(IN_TOTO),
    subject: subjectSchema,
    predicateType: z.literal(type),
    predicate,
  });

export const statementSchema = z.discriminatedUnion("predicateType", [
  statementOf(ANSWER_PREDICATE, answerSchema),
  statementOf(GRANT_PREDICATE, grantReceiptSchema),
  statementOf(UNDO_PREDICATE, undoSchema),
]);
export type Statement = z.output<typeof statementSchema>;

/** `call_hash`: SHA-256 of executor and arguments. Where an earlier version kept none, of what the receipt itself says. */
export function answerStatement(predicate: AnswerPredicate, callHash: string): Statement {
  const sha256 = isDigest(callHash) ? callHash : hash("sha256", predicate.token, "hex");
  const subject: Statement["subject"] = [{ name: "call", digest: { sha256 } }];
  return { _type: IN_TOTO, subject, predicateType: ANSWER_PREDICATE, predicate };
}

/** `call_hash`: of the call whose card it was given by, where there was one. */
export function grantStatement(predicate: GrantPredicate, callHash: string | undefined): Statement {
  const subject: Statement["subject"] = [{ name: "grant", digest: { sha256: grantDigest(predicate.grant) } }];
  if (callHash !== undefined && isDigest(callHash)) subject.unshift({ name: "call", digest: { sha256: callHash } });
  return { _type: IN_TOTO, subject, predicateType: GRANT_PREDICATE, predicate };
}

/** Its subject: SHA-256 of what was done, as JSON, as it is written there. */
export function undoStatement(predicate: UndoPredicate): Statement {
  const { act, at, undo, calls, files, failed } = predicate;
  const sha256 = hash("sha256", JSON.stringify({ act, at, undo, calls, files, failed }), "hex");
  const subject: Statement["subject"] = [{ name: "undo", digest: { sha256 } }];
  return { _type: IN_TOTO, subject, predicateType: UNDO_PREDICATE, predicate };
}

/** SHA-256 of the grant as the receipt shows it, as JSON. */
function grantDigest(grant: GrantPredicate["grant"]): string {
  return hash("sha256", JSON.stringify(grant), "hex");
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** `allow fs:read on /home/me/src/** for claude-code, this session`. */
export function grantSentence({ capability, target, agent, lasts, expires_at }: GrantPredicate["grant"]): string {
  const on = target ?? "one target that isn't named here";
  const how = lasts === "permanent" ? "until revoked" : lasts === "session" ? "this session" : `until ${expires_at}`;
  return `allow ${capability} on ${on} for ${agent ?? "all of your agents"}, ${how}`;
}
