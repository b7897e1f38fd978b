import { proofText, SECRET_PATTERN } from "../../ipc/socket/page-secret.ts";

/** Whether what answers at the page's port is the gate that this browser's session is of. */

/** A new one for each connection: an earlier answer proves nothing. */
export function newNonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Whether the first frame on a WebSocket proves that its sender knows the session of this secret.
 * @param origin the page's own
 * @param secret null where this browser has none: nothing proves it then
 */
export async function provesSession(
  frame: string,
  secret: string | null,
  origin: string,
  nonce: string,
): Promise<boolean> {
  const proofs = proofsIn(frame);
  if (secret === null || !SECRET_PATTERN.test(secret) || proofs.length === 0) return false;
  const expected = await proof(secret, origin, nonce);
  return proofs.includes(expected);
}

/** Computed here, never compared with what an earlier page was sent. */
async function proof(secret: string, origin: string, nonce: string): Promise<string> {
  const text = new TextEncoder();
  const hash = await crypto.subtle.digest("SHA-256", text.encode(secret));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(proofText(origin, nonce)))));
}

function proofsIn(frame: string): readonly unknown[] {
  try {
    const { proofs } = JSON.parse(frame) as { proofs?: unknown };
    return Array.isArray(proofs) ? proofs : [];
  } catch {
    return []; // no frame of a gate
  }
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
