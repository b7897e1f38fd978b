/** How long a waiting client tries to reconnect to a gate that closed, in milliseconds: the gate relies on it, too. */
export const RETURN_MS = 15_000;
