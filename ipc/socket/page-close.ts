/** Why the gate closes a page's WebSocket. Plain values: the page loads no schemas. */
export const PAGE_CLOSE = {
  /** The standard's "going away": the gate is closing. */
  gate_closes: 1001,
  /** The session has ended: a new link is needed. */
  session_ended: 4401,
} as const;
