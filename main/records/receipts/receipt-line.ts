import { asWritten, envelopeSchema, STATEMENT_TYPE, strictBase64 } from "./dsse.ts";
import { parsed } from "./public-keys-file.ts";
import { type Statement, statementSchema } from "./statement.ts";

/** A line of a receipts' file, read without a look at who has signed it. */

/** Why a line is no signed statement of the gate's form. */
export type Unreadable = "bad_json" | "not_a_receipt" | "payload_type" | "altered_form";

export interface SignedPayload {
  payload: Buffer;
  payload_type: string;
  keyid: string;
  signature: Buffer;
}

export function readSigned(line: string): SignedPayload | Unreadable {
  // The same content could be written in other ways: only one of them is the gate's.
  const written = asWritten(line);
  if (written === undefined) return unreadable(line);
  if (written.payload_type !== STATEMENT_TYPE) return "payload_type";
  const payload = strictBase64(written.payload);
  const signature = strictBase64(written.sig);
  if (payload === undefined || signature === undefined) return "altered_form";
  return { payload, payload_type: STATEMENT_TYPE, keyid: written.keyid, signature };
}

function unreadable(line: string): Unreadable {
  const json = jsonIn(line);
  if (json === undefined) return "bad_json";
  const envelope = envelopeSchema.safeParse(json.value);
  if (!envelope.success) return "not_a_receipt";
  return envelope.data.payloadType === STATEMENT_TYPE ? "altered_form" : "payload_type";
}

/** What a receipt says; undefined where it is no statement of this version. */
export function statementIn({ payload }: Pick<SignedPayload, "payload">): Statement | undefined {
  return parsed(statementSchema, payload.toString("utf8"));
}

/** The statement of a line, whoever has signed it; undefined where it is none. */
export function statementOfLine(line: string): Statement | undefined {
  const signed = readSigned(line);
  return typeof signed === "string" ? undefined : statementIn(signed);
}

function jsonIn(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return undefined; // reported by the caller
  }
}
