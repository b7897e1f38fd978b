import { z } from "zod";

/** Dead Simple Signing Envelope, https://github.com/secure-systems-lab/dsse: signed bytes together with what they are. */

/** What the bytes in our envelopes are: an in-toto Statement. */
export const STATEMENT_TYPE = "application/vnd.in-toto+json";

const signatureSchema = z.strictObject({
  /** SHA-256 (hex) of the public key in DER, as `openssl pkey -pubin -outform DER` gives it. */
  keyid: z.string(),
  /** Base64. */
  sig: z.string(),
});
export const envelopeSchema = z.strictObject({
  /** Base64. */
  payload: z.string(),
  payloadType: z.string(),
  signatures: z.array(signatureSchema).min(1),
});

/** What signs, and what its public key is named by. */
export interface Signer {
  readonly keyid: string;
  /** 64 bytes, of Ed25519. */
  sign(message: Uint8Array): Buffer;
}

/** The bytes that a signature is over (PAE, "pre-authentication encoding"). */
export function signedBytes(payloadType: string, payload: Uint8Array): Buffer {
  const typeBytes = Buffer.byteLength(payloadType);
  const head = Buffer.from(`DSSEv1 ${typeBytes} ${payloadType} ${payload.length} `);
  return Buffer.concat([head, payload]);
}

/** The line of a file that holds this statement, signed by each of these; without its newline. */
export function signedLine(statement: object, signers: readonly Signer[]): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = signedBytes(STATEMENT_TYPE, payload);
  const signatures = signers.map((signer) => ({ keyid: signer.keyid, sig: signer.sign(signed).toString("base64") }));
  return JSON.stringify({ payload: payload.toString("base64"), payloadType: STATEMENT_TYPE, signatures });
}

/** A text in JSON that has no escape in it. */
const PLAIN = '"([^"\\\\\\0-\\x1f]*)"';
const AS_WRITTEN = new RegExp(
  `^{"payload":${PLAIN},"payloadType":${PLAIN},"signatures":\\[{"keyid":${PLAIN},"sig":${PLAIN}}\\]}$`,
);

/** An envelope in the form of `signedLine`, with one signature; undefined for any other text, also where it says the same. */
export function asWritten(line: string): Record<"payload" | "payload_type" | "keyid" | "sig", string> | undefined {
  const [whole, payload = "", payloadType = "", keyid = "", sig = ""] = AS_WRITTEN.exec(line) ?? [];
  return whole === undefined ? undefined : { payload, payload_type: payloadType, keyid, sig };
}

/** The bytes of standard base64; undefined where another text would give the same ones. */
export function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
