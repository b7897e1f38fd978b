/**
 * What only the page's own origin has: a cookie is sent to every port of this machine, what a page stores is not. The browser
 * is handed it when it comes with a link, and offers it as a subprotocol when it opens the WebSocket: never in an address.
 */

/** Where the page keeps it in its `localStorage`. */
export const PAGE_SECRET_KEY = "metnos_page_secret";

/** The subprotocol that is spoken, and agreed on. */
export const PAGE_PROTOCOL = "metnos";

const SECRET_PREFIX = `${PAGE_PROTOCOL}.`;

/** What the page offers: the protocol, and beside it the secret where there is one. */
export function pageProtocols(secret: string | null): string[] {
  return secret === null ? [PAGE_PROTOCOL] : [PAGE_PROTOCOL, SECRET_PREFIX + secret];
}

/** The secret among what was offered, as the header has it. */
export function offeredSecret(header: string | undefined): string | undefined {
  return header
    ?.split(",")
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(SECRET_PREFIX))
    ?.slice(SECRET_PREFIX.length);
}
