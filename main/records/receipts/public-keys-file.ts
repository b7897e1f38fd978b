import { z } from "zod";
import { envelopeSchema, type Signer, STATEMENT_TYPE, signedBytes, signedLine, strictBase64 } from "./dsse.ts";
import { type PublicKey, publicKey } from "./signing-key.ts";

/**
 * The file of public keys: for each key that the gate has ever signed with a line, an envelope signed by that key, and by the one
 * before it. So whoever knows one of them can follow the others.
 */

export const KEYS_FILE = "keys.jsonl";
export const IN_TOTO = "https://in-toto.io/Statement/v1";
const KEY_PREDICATE = "https://metnos.org/gate/receipt-key/v1";

const HEX_64 = /^[0-9a-f]{64}$/;

const keyStatementSchema = z.strictObject({
  _type: z.literal(IN_TOTO),
  subject: z
    .array(z.strictObject({ name: z.literal("key"), digest: z.strictObject({ sha256: z.string().regex(HEX_64) }) }))
    .length(1),
  predicateType: z.literal(KEY_PREDICATE),
  predicate: z.strictObject({
    public_key: z.string(),
    /** ISO-8601 UTC. */
    since: z.string(),
    /** The number of the first receipt that it may sign: however a clock is set, this says which key is whose. */
    first_receipt: z.number().int().positive(),
    /** The keyid of the key before; null for the first one. */
    previous: z.string().regex(HEX_64).nullable(),
    /** Why the key before has not signed this; left out where it has. */
    without_previous: z.enum(["key lost", "list lost"]).optional(),
    gate_version: z.string(),
  }),
});
type KeyPredicate = z.output<typeof keyStatementSchema>["predicate"];

/** A key with the span in which it was the gate's. */
export interface KnownKey extends PublicKey {
  /** ISO-8601 UTC. */
  readonly since: string;
  /** When the next one came; null for the current one. */
  readonly until: string | null;
  readonly first_receipt: number;
  /** Exclusive; null for the current one. */
  readonly endReceipt: number | null;
  readonly previous: string | null;
  /** Signed by the key before; or the first one ever. */
  readonly is_proven: boolean;
}

interface KeyProblem {
  /** Line of the file, from 1. */
  line: number;
  /** One sentence. */
  message: string;
}

/** The keys, oldest first, up to the first line that isn't as a gate has written it. */
export interface KeyList {
  keys: readonly KnownKey[];
  problem: KeyProblem | null;
}

export type NewKey = Omit<KeyPredicate, "public_key" | "gate_version"> & { gate_version: string };

/** The line for a new key. `signers`: the key itself, then the one before it, where there is one. */
export function keyLine(key: PublicKey, fields: NewKey, signers: readonly Signer[]): string {
  const statement: z.input<typeof keyStatementSchema> = {
    _type: IN_TOTO,
    subject: [{ name: "key", digest: { sha256: key.keyid } }],
    predicateType: KEY_PREDICATE,
    predicate: { public_key: key.publicPem, ...fields },
  };
  return signedLine(statement, signers);
}

/** Reads the file's text. A last line without an end is none: its writing was cut short. */
export function readKeys(text: string): KeyList {
  const lines = text.split("\n").slice(0, -1);
  const keys: KnownKey[] = [];
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, keys);
    if (typeof read === "string") return { keys, problem: { line: index + 1, message: read } };
    const last = keys.pop();
    if (last !== undefined) keys.push({ ...last, until: read.since, endReceipt: read.first_receipt });
    keys.push(read);
  }
  return { keys, problem: null };
}

/** The key, or what is wrong with its line. */
function readLine(line: string, before: readonly KnownKey[]): KnownKey | string {
  const envelope = parsed(envelopeSchema, line);
  if (envelope === undefined || JSON.stringify(envelope) !== line) return "it is no signed line of the gate";
  if (envelope.payloadType !== STATEMENT_TYPE) return "it is signed as something else than a statement";
  const payload = strictBase64(envelope.payload);
  const statement = payload && parsed(keyStatementSchema, payload.toString("utf8"));
  if (payload === undefined || statement === undefined) return "it says nothing of a key";
  const { public_key, ...fields } = statement.predicate;
  const key = keyIn(public_key);
  if (key === undefined || key.keyid !== statement.subject[0]?.digest.sha256) return "its key is none, or another one";
  const previous = before.at(-1);
  const signed = signedBytes(envelope.payloadType, payload);
  const isSignedBy = (signer: PublicKey) =>
    envelope.signatures.some(({ keyid, sig }) => {
      const signature = strictBase64(sig);
      return keyid === signer.keyid && signature !== undefined && signer.verify(signed, signature);
    });
  if (!isSignedBy(key)) return "its key has not signed it: it was changed";
  if (fields.previous !== (previous?.keyid ?? null)) return "the key before it is another one";
  if (previous !== undefined && fields.first_receipt < previous.first_receipt) return "it begins before the key before";
  const isProven = previous === undefined ? fields.without_previous === undefined : isSignedBy(previous);
  if (!isProven && fields.without_previous === undefined) return "the key before has not signed it";
  const { since, first_receipt } = fields;
  return {
    ...key,
    since,
    until: null,
    first_receipt,
    endReceipt: null,
    previous: fields.previous,
    is_proven: isProven,
  };
}

function keyIn(pem: string): PublicKey | undefined {
  try {
    return publicKey(pem);
  } catch {
    return undefined; // reported by the caller
  }
}

/** The JSON in `text`, as this schema has it. */
export function parsed<S extends z.ZodType>(schema: S, text: string): z.output<S> | undefined {
  try {
    const result = schema.safeParse(JSON.parse(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined; // no JSON: reported by the caller
  }
}
