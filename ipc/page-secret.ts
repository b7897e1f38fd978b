/**
 * A secret that only the page's own origin has: a cookie is sent to every port of this machine, `localStorage` is not. The browser
 * gets it when it opens a link, and offers it as a subprotocol when it opens the WebSocket: never in a URL.
 */

/** Its key in the page's `localStorage`. */
export const PAGE_SECRET_KEY = "metnos_page_secret";

/** The subprotocol that is negotiated. */
export const PAGE_PROTOCOL = "metnos";

const SECRET_PREFIX = `${PAGE_PROTOCOL}.`;

/** The subprotocols that the page offers: the protocol, and the secret where there is one. */
export function pageProtocols(secret: string | null): string[] {
  return secret === null ? [PAGE_PROTOCOL] : [PAGE_PROTOCOL, SECRET_PREFIX + secret];
}

/** The secret among the offered subprotocols, from the header. */
export function offeredSecret(header: string | undefined): string | undefined {
  return header
    ?.split(",")
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(SECRET_PREFIX))
    ?.slice(SECRET_PREFIX.length);
}
