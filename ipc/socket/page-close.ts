/** Why the gate closes a page's WebSocket. Plain values: the page loads no schemas. */
export const PAGE_CLOSE = {
  /** The standard's "going away": the gate is closing. */
  gateCloses: 1001,
  /** The session has ended: a new link is needed. */
  sessionEnded: 4401,
} as const;
