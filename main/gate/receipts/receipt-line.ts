import { envelopeLine, envelopeSchema, STATEMENT_TYPE, strictBase64 } from "./dsse.ts";
import { parsed } from "./key-statements.ts";
import { type Statement, statementSchema } from "./statement.ts";

/** A line of a receipts' file, read without a look at who has signed it. */

/** Why a line is no receipt. */
export const UNREADABLE = ["bad_json", "not_a_receipt", "altered_form", "payload_type", "unknown_statement"] as const;
export type Unreadable = (typeof UNREADABLE)[number];

export interface ReadReceipt {
  statement: Statement;
  payload: Buffer;
  keyid: string;
  signature: Buffer;
}

export function readReceipt(line: string): ReadReceipt | Unreadable {
  const json = jsonIn(line);
  if (json === undefined) return "bad_json";
  const envelope = envelopeSchema.safeParse(json.value);
  if (!envelope.success) return "not_a_receipt";
  const { payload, payloadType, signatures } = envelope.data;
  if (payloadType !== STATEMENT_TYPE) return "payload_type";
  const [signed, ...others] = signatures;
  const bytes = strictBase64(payload);
  const signature = strictBase64(signed?.sig ?? "");
  // The same content could be written in other ways: only one of them is the gate's.
  const is_as_written = envelopeLine(envelope.data) === line && others.length === 0;
  if (bytes === undefined || signature === undefined || signed === undefined || !is_as_written) return "altered_form";
  const statement = parsed(statementSchema, bytes.toString("utf8"));
  if (statement === undefined) return "unknown_statement";
  return { statement, payload: bytes, keyid: signed.keyid, signature };
}

function jsonIn(line: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return undefined; // reported by the caller
  }
}
