/**
 * A secret that only the page's own origin has: a cookie is sent to every port of this machine, `localStorage` is not. The browser
 * gets it when it opens a link. It opens the WebSocket, but whoever answers at the page's port has to prove first that it knows the
 * session: while the gate is away, another program may listen there.
 *
 * The first frames: the page sends a `nonce`, the gate `proofs`, one for each session of the request's cookies, the page its `secret`.
 * Only then calls and events follow.
 */

/** Its key in the page's `localStorage`. */
export const PAGE_SECRET_KEY = "metnos_page_secret";

/** The WebSocket's subprotocol. */
export const PAGE_PROTOCOL = "metnos";

/** 32 random bytes in hex, as a link, a cookie, a page's secret, a nonce, and as a proof. */
export const SECRET_PATTERN = /^[0-9a-f]{64}$/;

/**
 * What a proof is made of: HMAC-SHA-256 of this, with the secret's SHA-256 as the key, in hex. With the origin in it, what the gate
 * proves at one port is worth nothing at another.
 */
export function proofText(origin: string, nonce: string): string {
  return `metnos page\n${origin}\n${nonce}`;
}
