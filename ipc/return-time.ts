/** How long who waits for an answer goes on looking for a gate that went away, in milliseconds: both sides keep to it. */
export const RETURN_MS = 15_000;
